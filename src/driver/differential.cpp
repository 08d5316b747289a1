#include "driver/differential.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <random>

#include "driver/compile.h"
#include "ir/walk.h"
#include "runtime/executor.h"
#include "runtime/host_toolchain.h"

namespace tl {
namespace {

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

std::string compile_cached(const Artifact& artifact) {
  HostCompilation job;
  job.kernel = artifact.name;
  job.source = artifact.source;
  job.flags = host_compile_flags();
  return compile_shared_object(find_host_toolchain({}), job);
}

void run_host(const Function& function, ArgumentSet& arguments) {
  auto artifact = std::make_shared<Artifact>(compile(function, {}).artifact);
  artifact->binary = compile_cached(*artifact);
  std::vector<Argument> call(function.params.size());
  for (size_t i = 0; i < call.size(); ++i) {
    TensorValue& t = arguments.tensors[i];
    const Scalar& s = arguments.scalars[i];
    if (!t.dtype.is_void()) {
      call[i].kind = Argument::Kind::kTensor;
      call[i].tensor = {t.bytes.data(),   0, t.dtype, {}, static_cast<int32_t>(t.shape.size()), t.shape.data(),
                        t.strides.data(), {}};
    } else if (s.dtype().is_floating()) {
      call[i].kind = Argument::Kind::kFloat;
      call[i].real = s.as_float();
    } else {
      call[i].kind = s.dtype().is_bool() ? Argument::Kind::kBool : Argument::Kind::kInt;
      call[i].integer = s.as_int();
    }
  }
  const BoundCall bound = bind_call(*artifact, call);
  make_host_executor(artifact)->run(bound, [](std::string_view) {});
}

bool is_inexact(const Function& function) {
  bool inexact = false;
  visit_ops(function.body, [&](const Op& op) {
    inexact |= op.kind == OpKind::kGemm || op.kind == OpKind::kReduce;
    for_each_expr(
        op, [&](const Expr& e) { visit_exprs(e, [&](const Expr& sub) { inexact |= sub.kind() == ExprKind::kCall; }); });
  });
  return inexact;
}

/// Half a dozen units in the last place at the largest magnitude of the tensor.
double tolerance(const TensorValue& t) {
  double largest = 0;
  for (int64_t i = 0; i < t.count(); ++i) {
    const double v = std::fabs(t.at(i).as_float());
    if (std::isfinite(v)) largest = std::max(largest, v);
  }
  return 16 * largest * float_epsilon(t.dtype);
}

bool agree(const Scalar& a, const Scalar& b, double allowed) {
  if (a == b) return true;
  if (!a.dtype().is_floating()) return false;
  if (a.is_nan() || b.is_nan()) return a.is_nan() && b.is_nan();
  return std::fabs(a.as_float() - b.as_float()) <= allowed;
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
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + element_of(index) * bytes_of(dtype), static_cast<size_t>(bytes_of(dtype)));
  return Scalar::of_bits(dtype, bits);
}

void TensorValue::set(int64_t index, Scalar value) {
  const uint64_t bits = value.to_bits();
  std::memcpy(bytes.data() + element_of(index) * bytes_of(dtype), &bits, static_cast<size_t>(bytes_of(dtype)));
}

ArgumentSet random_arguments(const Function& function, uint64_t seed, const std::map<std::string, int64_t>& settings) {
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
    t.bytes.assign(static_cast<size_t>(room * bytes_of(t.dtype)), 0);
    for (int64_t e = 0; e < t.count(); ++e) t.set(e, random_scalar(t.dtype, random));
  }
  return out;
}

RunReport run_on(const std::string& target, const Function& function, ArgumentSet& arguments,
                 const InterpretOptions& options) {
  if (target == "host") {
    run_host(function, arguments);
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

Comparison compare_host_with_interpreter(const Function& function, const ArgumentSet& arguments) {
  ArgumentSet host = arguments, meant = arguments;
  Comparison out;
  out.report = run_on("interpret", function, meant);
  run_on("host", function, host);
  const bool inexact = is_inexact(function);
  for (size_t i = 0; i < host.tensors.size() && out.difference.empty(); ++i) {
    const TensorValue &a = host.tensors[i], &b = meant.tensors[i];
    if (a.dtype.is_void()) continue;
    const double allowed = inexact && a.dtype.is_floating() ? tolerance(b) : 0;
    for (int64_t e = 0; e < a.count(); ++e) {
      if (agree(a.at(e), b.at(e), allowed)) continue;
      out.difference = fmt::format("{}[{}]: host {}, interpreter {}", std::get<Buffer>(function.params[i])->name, e,
                                   a.at(e).text(), b.at(e).text());
      break;
    }
  }
  return out;
}

}  // namespace tl
