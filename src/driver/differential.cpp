#include "driver/differential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include "driver/compile.h"
#include "driver/executor.h"
#include "ir/walk.h"
#include "runtime/device_memory.h"
#include "runtime/host_toolchain.h"

namespace tl {
namespace {

/// What lies between and behind the elements of an argument.
constexpr uint8_t kUntouched = 0xA5;

/// The most elements a random tensor has.
constexpr int64_t kMostElements = int64_t{1} << 26;

int64_t bytes_of(DType t) { return (t.storage_bits() + 7) / 8; }

/// The value of an extent once its symbols have theirs.
int64_t evaluate(const Expr& e, const Substitution& values) {
  const auto value = as_int(substitute(e, values));
  if (!value) throw CompileError(Diagnostic{Severity::kError, 104, "an extent has no value", {}, {}, {}});
  return *value;
}

Scalar random_scalar(DType t, std::mt19937_64& random) {
  const auto small = static_cast<int64_t>(random() % 17) - 8;
  if (t.is_bool()) return Scalar::boolean((random() & 1) != 0);
  if (t.is_floating()) return Scalar::of_float(t, static_cast<double>(small) / 2);
  return Scalar::of_int(t, t.is_uint() ? small + 8 : small);
}

double largest_of(const TensorValue& t) {
  double largest = 0;
  for (int64_t i = 0; t.dtype.is_floating() && i < t.count(); ++i) {
    const double v = std::fabs(t.at(i).as_float());
    if (std::isfinite(v)) largest = std::max(largest, v);
  }
  return largest;
}

/// Findings that leave a program one result: warnings, and TL124, a division by zero.
bool has_one_result(const RunReport& report) {
  return std::all_of(report.findings.begin(), report.findings.end(), [](const Finding& f) {
    return f.diagnostic.severity != Severity::kError || f.diagnostic.code == 124;
  });
}

std::string cuda_binary(const Artifact& artifact, int code, const std::vector<std::string>& flags = {}) {
  return compile_cuda(find_cuda_toolchain({}), cuda_compilation(artifact, code, flags)).bytes;
}

}  // namespace

int64_t TensorValue::count() const {
  int64_t n = 1;
  for (const int64_t extent : shape) n *= extent;
  return n;
}

int64_t TensorValue::element_of(int64_t index) const {
  int64_t at = 0;
  for (size_t d = shape.size(); d-- > 0;) {
    at += index % shape[d] * strides[d];
    index /= shape[d];
  }
  return at;
}

Scalar TensorValue::at(int64_t index) const {
  const int64_t at = element_of(index);
  if (dtype.storage_bits() == 4) return Scalar::of_bits(dtype, bytes[static_cast<size_t>(at / 2)] >> at % 2 * 4 & 15);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + at * bytes_of(dtype), static_cast<size_t>(bytes_of(dtype)));
  return Scalar::of_bits(dtype, bits);
}

void TensorValue::set(int64_t index, Scalar value) {
  const int64_t at = element_of(index);
  const uint64_t bits = value.to_bits();
  if (dtype.storage_bits() == 4) {
    uint8_t& pair = bytes[static_cast<size_t>(at / 2)];
    pair = static_cast<uint8_t>(at % 2 == 0 ? (pair & 0xF0) | bits : (pair & 0x0F) | bits << 4);
    return;
  }
  std::memcpy(bytes.data() + at * bytes_of(dtype), &bits, static_cast<size_t>(bytes_of(dtype)));
}

Argument argument_of(TensorValue& t, const Scalar& s) {
  Argument out;
  if (!t.dtype.is_void()) {
    out.kind = Argument::Kind::kTensor;
    out.tensor = {t.bytes.data(),   0, t.dtype, {}, static_cast<int32_t>(t.shape.size()), t.shape.data(),
                  t.strides.data(), {}};
  } else if (s.dtype().is_floating()) {
    out.kind = Argument::Kind::kFloat;
    out.real = s.as_float();
  } else {
    out.kind = s.dtype().is_bool() ? Argument::Kind::kBool : Argument::Kind::kInt;
    out.integer = s.as_int();
  }
  return out;
}

ArgumentSet random_arguments(const Function& function, uint64_t seed, const std::map<std::string, int64_t>& settings) {
  for (const OpPtr& op : function.body) {
    const auto* alloc = op->as<Alloc>();
    if (alloc == nullptr || !alloc->at) continue;
    throw CompileError(Diagnostic{Severity::kError,
                                  104,
                                  fmt::format("`{}` lies at an address, which cannot be random", alloc->buffer->name),
                                  alloc->loc,
                                  {},
                                  {}});
  }
  std::mt19937_64 random(seed);
  Substitution values;
  for (const Var& symbol : function.symbols) {
    const auto set = settings.find(symbol.name());
    const int64_t value = set != settings.end() ? set->second : 1 + static_cast<int64_t>(random() % 70);
    values.vars[symbol.get()] = make_int(symbol.dtype(), value);
  }
  ArgumentSet out;
  out.tensors.resize(function.params.size());
  out.scalars.resize(function.params.size());
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (const auto* v = std::get_if<Var>(&function.params[i])) {
      const auto set = settings.find(v->name());
      out.scalars[i] =
          set != settings.end() ? Scalar::of_int(v->dtype(), set->second) : random_scalar(v->dtype(), random);
      values.vars[v->get()] = make_const(out.scalars[i]);
    }
  }
  for (size_t i = 0; i < function.params.size(); ++i) {
    const auto* b = std::get_if<Buffer>(&function.params[i]);
    if (b == nullptr) continue;
    TensorValue& t = out.tensors[i];
    t.dtype = (*b)->dtype;
    for (const Expr& e : (*b)->shape) t.shape.push_back(std::max<int64_t>(evaluate(e, values), 0));
    int64_t room = 1;
    for (const Expr& e : strides_of(**b)) t.strides.push_back(evaluate(e, values));
    for (size_t d = 0; d < t.shape.size(); ++d) room += std::max<int64_t>(t.shape[d] - 1, 0) * t.strides[d];
    if (room > kMostElements) {
      throw CompileError(Diagnostic{Severity::kError,
                                    104,
                                    fmt::format("`{}` with {} elements is too large for random data", (*b)->name, room),
                                    {},
                                    {},
                                    "set its symbols to smaller values"});
    }
    t.bytes.assign(static_cast<size_t>((room * t.dtype.storage_bits() + 7) / 8 + kGuardBytes), kUntouched);
    for (int64_t e = 0; e < t.count(); ++e) t.set(e, random_scalar(t.dtype, random));
  }
  return out;
}

std::shared_ptr<const Artifact> built_artifact(const std::string& target, const Function& function,
                                               const std::vector<std::string>& device_flags) {
  CompileOptions options;
  options.target = target;
  auto artifact = std::make_shared<Artifact>(compile(function, options).artifact);
  if (target_device_type(artifact->target) == Device::kCuda) {
    artifact->binary = cuda_binary(*artifact, 0, device_flags);
  } else {
    artifact->binary = compile_shared_object(find_host_toolchain({}), host_compilation(*artifact));
  }
  return artifact;
}

RunReport run_on(const std::string& target, const Function& function, ArgumentSet& arguments,
                 const InterpretOptions& options) {
  if (target != "interpret") {
    run_artifact(built_artifact(target, function), function, arguments, [&](std::string_view text) {
      if (options.print) options.print(text.substr(0, text.find_last_not_of('\n') + 1));
    });
    return {};
  }
  std::vector<Arg> args;
  for (size_t i = 0; i < function.params.size(); ++i) {
    TensorValue& t = arguments.tensors[i];
    if (t.dtype.is_void()) {
      args.emplace_back(arguments.scalars[i]);
    } else {
      args.emplace_back(TensorArg{t.bytes.data(), t.dtype, t.shape, t.strides});
    }
  }
  return interpret(function, args, options);
}

void run_artifact(std::shared_ptr<const Artifact> artifact, const Function& function, ArgumentSet& arguments,
                  const PrintSink& print) {
  const bool on_device = target_device_type(artifact->target) == Device::kCuda;
  std::vector<Argument> call;
  std::vector<std::unique_ptr<DeviceMemory>> memory(function.params.size());
  for (size_t i = 0; i < function.params.size(); ++i) {
    TensorValue& t = arguments.tensors[i];
    call.push_back(argument_of(t, arguments.scalars[i]));
    if (!on_device || t.dtype.is_void()) continue;
    memory[i] = std::make_unique<DeviceMemory>(t.bytes.size());
    memory[i]->fill_from(t.bytes.data());
    call.back().tensor.data = reinterpret_cast<void*>(memory[i]->address());
    call.back().tensor.device = {Device::kCuda, 0};
  }
  const BoundCall bound = bind_call(*artifact, call);
  make_executor(artifact, [&](int code) { return cuda_binary(*artifact, code); })->run(bound, print);
  for (size_t i = 0; i < memory.size(); ++i) {
    if (memory[i]) memory[i]->copy_to(arguments.tensors[i].bytes.data());
  }
}

std::string difference(const Function& function, const std::string& name, const ArgumentSet& results,
                       const std::string& other_name, const ArgumentSet& others, AgreementOptions options) {
  const std::vector<Agreement> allowed = agreements_of(function, options);
  for (size_t i = 0; i < results.tensors.size(); ++i) {
    const TensorValue &a = results.tensors[i], &b = others.tensors[i];
    // Equal bytes are equal elements, and all that most tensors have to say.
    if (a.dtype.is_void() || a.bytes == b.bytes) continue;
    const double largest = largest_of(b);
    TensorValue around = b;
    for (int64_t e = 0; e < a.count(); ++e) {
      around.set(e, a.at(e));
      if (agree(a.at(e), b.at(e), allowed[i], largest)) continue;
      return fmt::format("{}[{}]: {} {}, {} {}", std::get<Buffer>(function.params[i])->name, e, name, a.at(e).text(),
                         other_name, b.at(e).text());
    }
    if (around.bytes == a.bytes) continue;
    const auto at = std::mismatch(a.bytes.begin(), a.bytes.end(), around.bytes.begin()).first - a.bytes.begin();
    return fmt::format("{}: {} or {} writes byte {}, which is no element", std::get<Buffer>(function.params[i])->name,
                       name, other_name, at);
  }
  return "";
}

Comparison compare_with_interpreter(std::shared_ptr<const Artifact> compiled, const Function& function,
                                    const ArgumentSet& arguments, const ComparisonOptions& options) {
  ArgumentSet results = arguments, meant = arguments;
  InterpretOptions interpret = options.interpret;
  // What the two print has another form each.
  interpret.print = [](std::string_view) {};
  Comparison out;
  out.report = run_on("interpret", function, meant, interpret);
  if (!has_one_result(out.report)) return out;
  if (compiled == nullptr) compiled = built_artifact("host", function);
  const std::string target = compiled->target;
  run_artifact(std::move(compiled), function, results, interpret.print);
  out.difference = difference(function, target, results, "interpreter", meant, options.agreement);
  return out;
}

Comparison compare_host_with_interpreter(const Function& function, const ArgumentSet& arguments,
                                         const ComparisonOptions& options) {
  return compare_with_interpreter(nullptr, function, arguments, options);
}

}  // namespace tl
