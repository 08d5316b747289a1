#include "backend/host/host_emitter.h"

#include "backend/cfamily/kernel_args.h"
#include "backend/host/host_prelude.h"
#include "backend/host/host_statements.h"
#include "ir/walk.h"

namespace tl {
EmittedSource emit_host(const Function& function, const LineTable& lines) {
  EmittedSource out;
  std::string kernels;
  std::set<std::string> headers;
  visit_ops(function.body, [&](const Op& op) {
    const auto* launch = op.as<Launch>();
    if (launch == nullptr) return;
    EmittedKernel kernel = kernel_of(function, *launch, out.kernels.size());
    CNames names;
    for (const Intrinsic& row : all_intrinsics()) names.reserve(std::string(row.name));
    for (const char* name : {"abs",          "min",          "max",          "cast",
                             "floor_div",    "floor_mod",    "trunc_div",    "trunc_mod",
                             "shift_left",   "shift_right",  "gemm",         "stream_map",
                             "stream_fence", "limits",       "signed_value", "unsigned_value",
                             "float_value",  "bool_value",   "i8",           "i16",
                             "i32",          "i64",          "u8",           "u16",
                             "u32",          "u64",          "f16",          "bf16",
                             "infinity",     "not_a_number", "values"}) {
      names.reserve(name);
    }
    names.reserve(kernel.symbol);
    HostExpr exprs(names);
    kernels += "\n" + HostStatements(exprs, lines, out.messages).kernel(*launch, kernel);
    headers.insert(exprs.headers().begin(), exprs.headers().end());
    out.kernels.push_back(std::move(kernel));
  });
  out.text = host_prelude_text(headers) + "\nnamespace tlp {\n" + kernels + "\n}  // namespace tlp\n";
  return out;
}

}  // namespace tl
