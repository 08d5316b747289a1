#include "backend/host/host_expr.h"

#include "backend/host/host_prelude.h"

namespace tl {
namespace {

constexpr CDialect kDialect{"the host target", "i32", host_prelude_header};

}  // namespace

HostExpr::HostExpr(CNames& names) : CExpr(names, kDialect, {"base.h", "context.h"}) {}

}  // namespace tl
