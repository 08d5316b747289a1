#pragma once

// Compiles Ascend C texts with the host's compiler and runs their kernels in the simulator.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/host_toolchain.h"
#include "runtime/shared_object.h"
#include "simulate/ascend/ascend_simulator.h"
#include "simulate/ascend/host_text.h"

namespace tl::simulate::ascend {

/// A text that is compiled and loaded.
class Loaded {
 public:
  explicit Loaded(const std::string& source)
      : object_("kernel",
                compile_shared_object(find_host_toolchain({}), {"kernel", host_text(source), flags(), 0, false})),
        program_([this](const std::string& name) { return object_.find(name); }) {}
  const Program& program() const { return program_; }

 private:
  /// Texts of many kernels take longer to optimise than to run as they are.
  static std::vector<std::string> flags() {
    std::vector<std::string> out = host_flags();
    out.push_back("-O0");
    return out;
  }
  SharedObject object_;
  Program program_;
};

/// Compiled once a process.
inline const Program& load(const std::string& source) {
  static std::map<std::string, std::unique_ptr<Loaded>> known;
  auto& entry = known[source];
  if (entry == nullptr) entry = std::make_unique<Loaded>(source);
  return entry->program();
}

template <class T>
GmRange range(std::string name, std::vector<T>& values, bool defined = true) {
  return {std::move(name), reinterpret_cast<uint64_t>(values.data()), values.size() * sizeof(T), true, true, defined};
}

inline uint64_t word(const GmRange& range) { return range.base; }
inline uint64_t word(int32_t value) { return static_cast<uint32_t>(value); }

/// A launch whose parameters are the tensors and then the numbers.
inline Launch launch(std::string kernel, int64_t blocks, std::vector<GmRange> tensors,
                     std::vector<int32_t> numbers = {}) {
  Launch out{std::move(kernel), blocks, {}, std::move(tensors)};
  for (const GmRange& tensor : out.memory) out.words.push_back(word(tensor));
  for (const int32_t number : numbers) out.words.push_back(word(number));
  return out;
}

/// All findings as text, for messages and for tests that look for words.
inline std::string text_of(const RunReport& report) {
  std::string out;
  for (const Diagnostic& d : report.diagnostics()) out += render(d, nullptr) + "\n";
  return out;
}

inline bool has_code(const RunReport& report, int code) {
  for (const Finding& f : report.findings) {
    if (f.diagnostic.code == code) return true;
  }
  return false;
}

}  // namespace tl::simulate::ascend
