#include "backend/cuda/cuda_emitter.h"

#include "backend/cfamily/kernel_args.h"
#include "backend/cuda/cuda_prelude.h"
#include "backend/cuda/cuda_statements.h"
#include "ir/walk.h"

namespace tl {
namespace {

// What kernels use of CUDA and of the prelude; the elementary functions come from their table.
constexpr const char* kReserved[] = {
    "threadIdx",  "blockIdx",     "blockDim",  "gridDim",       "warpSize",  "printf",       "abs",
    "min",        "max",          "cast",      "floor_div",     "floor_mod", "trunc_div",    "trunc_mod",
    "copy",       "shift_left",   "bit_cast",  "thread_reduce", "limits",    "shift_right",  "infinity",
    "i8",         "i16",          "i32",       "i64",           "u8",        "not_a_number", "u16",
    "u32",        "u64",          "f16",       "bf16",          "sum_of",    "abssum_of",    "max_of",
    "min_of",     "absmax_of",    "bitand_of", "bitor_of",      "bitxor_of", "copy_async",   "commit_async",
    "wait_async", "grid_barrier", "divide_all"};

void reserve_names(const Launch& launch, CNames& names) {
  for (const Intrinsic& row : all_intrinsics()) names.reserve(std::string(row.name));
  for (const char* name : kReserved) names.reserve(name);
  visit_ops(launch.body, [&](const Op& op) {
    for_each_expr(op, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& sub) {
        const auto* call = sub.as<CallNode>();
        const auto* callee = call == nullptr || call->args.empty() ? nullptr : call->args[0].as<StringNode>();
        if (callee != nullptr) names.reserve(callee->value);
      });
    });
  });
}

/// The width in which the function's index arithmetic is done.
DType index_type(const Launch& launch) {
  const auto bits = launch.hints.find("index_bits");
  const bool narrow = bits != launch.hints.end() && std::get<int64_t>(bits->second) == 32;
  return narrow ? DType::i32() : DType::i64();
}

}  // namespace

EmittedSource emit_cuda(const Function& function, const LineTable& lines, const Target&) {
  EmittedSource out;
  std::string kernels, user_text;
  std::set<std::string> headers;
  visit_ops(function.body, [&](const Op& op) {
    const auto* launch = op.as<Launch>();
    if (launch == nullptr) return;
    EmittedKernel kernel = kernel_of(function, *launch, out.kernels.size());
    CNames names;
    reserve_names(*launch, names);
    names.reserve(kernel.symbol);
    CudaExpr exprs(names, index_type(*launch), function);
    kernels += "\n" + CudaStatements(exprs, lines).kernel(*launch, kernel);
    headers.insert(exprs.headers().begin(), exprs.headers().end());
    if (!launch->prelude.empty() && user_text.find(launch->prelude) == std::string::npos)
      user_text += launch->prelude + "\n";
    out.kernels.push_back(std::move(kernel));
  });
  out.text = cuda_prelude_text(headers) + user_text + "\nnamespace tlp {\n" + kernels + "\n}  // namespace tlp\n";
  return out;
}

}  // namespace tl
