// enter-cores
//
// before:  launch [%bx: int32], [8], threads=[64], hints={"cores": true} {
//            tile.copy src=%A[%bx * 64 :+ 64], dst=%a[0 :+ 64]
//            group engine="simt", count=64 { parallel [%i: int32], [64] { store %a, [%i], %a[%i] + 1.0:float32 } }
//          }
// after:   core.launch [%bx: int32], [8] {
//            tile.copy src=%A[%bx * 64 :+ 64], dst=%a[0 :+ 64]
//            launch [], [], threads=[64] { parallel [%i: int32], [64] { store %a, [%i], %a[%i] + 1.0:float32 } }
//          }

#include "passes/core/enter_cores.h"

#include "ir/walk.h"

namespace tl {
namespace {

OpPtr threads_of(Group& group, const Launch& around) {
  auto out = make_op<Launch>(group.loc);
  out->threads = {group.count};
  Substitution own;
  if (!around.lanes.empty()) {
    for (const Var& lane : around.lanes) {
      out->lanes.emplace_back(lane.name(), lane.dtype());
      own.vars[lane.get()] = out->lanes.back();
    }
    out->threads.resize(3, 1);
  }
  out->body = std::move(group.body);
  substitute(out->body, own);
  return out;
}

void enter(Block& block, const Launch& around) {
  for (OpPtr& op : block) {
    if (auto* group = op->as<Group>()) {
      op = threads_of(*group, around);
    } else {
      for_each_block(*op, [&](std::string_view, Block& nested) { enter(nested, around); });
    }
  }
}

void enter_all(Block& block) {
  for (OpPtr& op : block) {
    auto* launch = op->as<Launch>();
    if (launch == nullptr || !runs_on_cores(*launch)) {
      for_each_block(*op, [](std::string_view, Block& nested) { enter_all(nested); });
      continue;
    }
    enter(launch->body, *launch);
    auto core = make_op<CoreLaunch>(launch->loc);
    core->blocks = launch->blocks;
    core->grid = launch->grid;
    core->prelude = launch->prelude;
    core->body = std::move(launch->body);
    op = std::move(core);
  }
}

}  // namespace

void enter_cores(Function& function, PassContext&) { enter_all(function.body); }

}  // namespace tl
