#pragma once

// Programs as text, arrays as lists of numbers.

#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ir/text.h"
#include "simulate/interpreter.h"

namespace tl {

/// A contiguous array in memory of its own; elements of 4 bits are packed.
struct Array {
  DType dtype;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  Array(DType t, std::vector<int64_t> s) : dtype(t), shape(std::move(s)) {
    bytes.resize(static_cast<size_t>((count() * t.storage_bits() + 7) / 8));
  }
  Array(DType t, std::vector<int64_t> s, const std::function<double(int64_t)>& value) : Array(t, std::move(s)) {
    for (int64_t i = 0; i < count(); ++i) set(i, Scalar::of_float(t, value(i)));
  }
  int64_t count() const {
    int64_t n = 1;
    for (const int64_t extent : shape) n *= extent;
    return n;
  }
  void set(int64_t i, Scalar value) {
    const uint64_t bits = value.to_bits();
    const int width = dtype.storage_bits();
    if (width == 4) {
      uint8_t& byte = bytes[static_cast<size_t>(i / 2)];
      byte = static_cast<uint8_t>(i % 2 == 0 ? (byte & 0xF0) | bits : (byte & 0x0F) | bits << 4);
    } else {
      std::memcpy(bytes.data() + i * width / 8, &bits, static_cast<size_t>(width / 8));
    }
  }
  Scalar at(int64_t i) const {
    const int width = dtype.storage_bits();
    if (width == 4) return Scalar::of_bits(dtype, bytes[static_cast<size_t>(i / 2)] >> (i % 2) * 4 & 15);
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * width / 8, static_cast<size_t>(width / 8));
    return Scalar::of_bits(dtype, bits);
  }
  std::vector<double> values() const {
    std::vector<double> out;
    for (int64_t i = 0; i < count(); ++i) out.push_back(at(i).to_double());
    return out;
  }
  TensorArg arg() {
    std::vector<int64_t> strides(shape.size());
    int64_t step = 1;
    for (size_t d = shape.size(); d-- > 0; step *= shape[d]) strides[d] = step;
    return {bytes.data(), dtype, shape, strides};
  }
};

/// An array of float32, one dimension.
inline Array floats(const std::vector<double>& values) {
  return Array(DType::f32(), {static_cast<int64_t>(values.size())},
               [&](int64_t i) { return values[static_cast<size_t>(i)]; });
}
inline Array ints(const std::vector<double>& values) {
  return Array(DType::i32(), {static_cast<int64_t>(values.size())},
               [&](int64_t i) { return values[static_cast<size_t>(i)]; });
}

inline RunReport run(std::string_view text, const std::vector<Arg>& args, const InterpretOptions& options = {}) {
  return interpret(*parse_function(text), args, options);
}

/// "TL120 at 7: message; note: ... at 5" for each finding, with " x3" where it was found three times.
inline std::string summary(const RunReport& report) {
  std::string out;
  const auto line = [](const Loc& loc) { return loc ? " at " + std::to_string(loc->line) : std::string(); };
  for (const Finding& f : report.findings) {
    const Diagnostic& d = f.diagnostic;
    if (!out.empty()) out += "\n";
    out += (d.severity == Severity::kWarning ? "warning TL" : "TL") + std::to_string(d.code) + line(d.loc) + ": " +
           d.message;
    for (const DiagnosticNote& note : d.notes) out += "; note: " + note.message + line(note.loc);
    if (f.count > 1) out += " x" + std::to_string(f.count);
  }
  return out;
}

/// The code of the CompileError that `f` throws; 0 where it throws none.
inline int code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const CompileError& e) {
    return e.diagnostics().front().code;
  }
  return 0;
}

}  // namespace tl
