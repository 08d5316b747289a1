#include "backend/ascend/ascend_emitter.h"

#include "backend/ascend/ascend_prelude.h"
#include "backend/ascend/core_statements.h"
#include "backend/cfamily/kernel_args.h"
#include "ir/intrinsics.h"
#include "ir/walk.h"

namespace tl {
namespace {

// What programs use of Ascend C and of the prelude.
constexpr const char* kReserved[] = {
    "block_idx", "threadIdx", "blockDim",  "half",         "bfloat16_t", "abs",        "min",         "max",
    "cast",      "floor_div", "floor_mod", "trunc_div",    "trunc_mod",  "shift_left", "shift_right", "thread_reduce",
    "i8",        "i16",       "i32",       "i64",          "u8",         "u16",        "u32",         "u64",
    "f16",       "bf16",      "infinity",  "not_a_number", "limits",     "event_t"};

}  // namespace

EmittedSource emit_ascend(const Function& function, const LineTable& lines) {
  EmittedSource out;
  std::string kernels, user_text;
  std::set<std::string> headers = {"machine.h"};
  visit_ops(function.body, [&](const Op& op) {
    const auto* core = op.as<CoreLaunch>();
    if (core == nullptr) return;
    EmittedKernel kernel = kernel_of(function, *core, out.kernels.size());
    kernel.shared_bytes = hint<int64_t>(core->hints, "bytes", 0);
    CNames names;
    for (const Intrinsic& row : all_intrinsics()) names.reserve(std::string(row.name));
    for (const char* name : kReserved) names.reserve(name);
    names.reserve(kernel.symbol);
    AscendExpr exprs(names, DType::i64(), function, AscendScope::kCore);
    kernels += "\n" + CoreStatements(exprs, lines, function).kernel(*core, kernel, headers);
    headers.insert(exprs.headers().begin(), exprs.headers().end());
    if (!core->prelude.empty() && user_text.find(core->prelude) == std::string::npos) user_text += core->prelude + "\n";
    out.kernels.push_back(std::move(kernel));
  });
  out.text = ascend_prelude_text(headers) + user_text + "\nnamespace tlp {\n" + kernels +
             "\n}  // namespace tlp\n\nusing namespace tlp;\nusing namespace tlp::core;\n";
  return out;
}

}  // namespace tl
