#include "backend/ascend/ascend_emitter.h"

#include "backend/ascend/ascend_prelude.h"
#include "backend/ascend/core_statements.h"
#include "backend/cfamily/kernel_args.h"
#include "ir/walk.h"

namespace tl {
EmittedSource emit_ascend(const Function& function, const LineTable& lines) {
  EmittedSource out;
  std::string kernels, user_text;
  std::set<std::string> headers = {"machine.h"}, core_headers;
  visit_ops(function.body, [&](const Op& op) {
    const auto* core = op.as<CoreLaunch>();
    if (core == nullptr) return;
    EmittedKernel kernel = kernel_of(function, *core, out.kernels.size());
    kernel.shared_bytes = hint<int64_t>(core->hints, "bytes", 0);
    CNames names;
    reserve_ascend_names(names);
    names.reserve(kernel.symbol);
    AscendExpr exprs(names, DType::i64(), function, AscendScope::kCore);
    kernels += "\n" + CoreStatements(exprs, lines, function).kernel(*core, kernel, headers);
    core_headers.insert(exprs.headers().begin(), exprs.headers().end());
    if (!core->prelude.empty() && user_text.find(core->prelude) == std::string::npos) user_text += core->prelude + "\n";
    out.kernels.push_back(std::move(kernel));
  });
  out.text = ascend_prelude_text(headers, core_headers) + user_text + "\nnamespace tlp {\n" + kernels +
             "\n}  // namespace tlp\n\nusing namespace tlp;\nusing namespace tlp::core;\n";
  return out;
}

}  // namespace tl
