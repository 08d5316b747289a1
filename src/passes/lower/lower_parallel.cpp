// lower-parallel
//
// before:  parallel [%i: int32, %j: int32], [8, 64] { store %C, [%i, %j], 0 }
// after:   for %i: int32, 0, 8 {
//            for %j: int32, 0, 64, hints={"independent": true} { store %C, [%i, %j], 0 }
//          }
//
// `continue` ends a point: it means the same in the innermost loop.

#include "passes/lower/lower_parallel.h"

#include "ir/walk.h"

namespace tl {

void lower_parallel(Function& function, PassContext&) {
  rewrite_ops(function.body, [](OpPtr op) {
    Block out;
    auto* loop = op->as<Parallel>();
    if (loop == nullptr) {
      out.push_back(std::move(op));
      return out;
    }
    Block body = std::move(loop->body);
    for (size_t i = loop->vars.size(); i-- > 0;) {
      auto nest = make_op<For>(loop->loc);
      nest->var = loop->vars[i];
      const DType t = nest->var.dtype();
      nest->begin = make_zero(t);
      nest->end = cast(t, loop->extents[i]);
      nest->step = make_int(t, 1);
      if (i + 1 == loop->vars.size()) nest->hints["independent"] = true;
      nest->body = std::move(body);
      body.clear();
      body.push_back(std::move(nest));
    }
    return body;
  });
}

}  // namespace tl
