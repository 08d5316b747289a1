#include "simulate/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/text.h"
#include "ir/walk.h"

namespace tl::simulate {

namespace {

bool moves_asynchronously(const Op& op) { return op.kind == OpKind::kFor && is_async(op.as<For>()->hints); }

}  // namespace

Body Compiler::block(const Block& block) {
  Body body;
  for (const OpPtr& op : block) body.statements.push_back(in_world(*op));
  return body;
}

StatementPtr Compiler::in_world(const Op& op) {
  if (where_.world != World::kUniform || !threads_differ(op)) return statement(op);
  Body body;
  body.statements.push_back(with({World::kThreads, thread_count_}, [&] { return statement(op); }));
  const uint32_t site = body.statements[0]->site();
  return make_threads(site, thread_count_, std::move(body));
}

StatementPtr Compiler::statement(const Op& op) {
  here_ = op.loc;
  site_ = m_.add_site(op.loc);
  return visit(op, [&](const auto& typed) { return compile(typed); });
}

void Compiler::need_launch(const Op& op) const {
  if (threads_ == nullptr) stop(73, op.loc, fmt::format("`{}` stands outside of a launch", op_name(op)));
}

StatementPtr Compiler::compile(const Launch& op) {
  if (threads_ != nullptr) stop(72, op.loc, "a launch inside a launch");
  const auto dependence = std::make_shared<const ThreadDependence>(op);
  LaunchPlan plan;
  plan.grid = indices(op.grid);
  plan.threads = op.threads;
  for (const int64_t extent : op.threads) {
    if (extent < 1 || plan.thread_count * extent > 4096) stop(70, op.loc, "a launch of an unusable number of threads");
    plan.thread_count *= static_cast<int>(extent);
  }
  plan.has_threads = dependence->any();
  plan.shared_bytes = std::max<int64_t>(number_in(op.hints, "shared_bytes", 0), 0);
  bool programs_meet = false;
  visit_ops(op.body, [&](const Op& inner) {
    plan.moves_asynchronously |= moves_asynchronously(inner);
    programs_meet |= is_grid_barrier(inner);
  });
  thread_count_ = plan.thread_count;
  const uint32_t site = site_, first_inside = m_.next_site;
  LaunchCode code = launch_code(op, *dependence);
  std::function<LaunchCode()> code_again;
  if (programs_meet) {
    code_again = [compiler = std::make_shared<Compiler>(*this), dependence, &op, first_inside] {
      compiler->m_.next_site = first_inside;
      LaunchCode again = compiler->launch_code(op, *dependence);
      compiler->m_.next_site = static_cast<uint32_t>(compiler->m_.sites.size());
      return again;
    };
  }
  return make_launch(site, std::move(plan), std::move(code), std::move(code_again));
}

LaunchCode Compiler::launch_code(const Launch& op, const ThreadDependence& dependence) {
  LaunchCode code;
  for (const Var& var : op.blocks) code.blocks.push_back(define(var, false));
  int64_t below = 1;
  for (size_t d = 0; d < op.lanes.size(); ++d) {
    const int64_t extent = d < op.threads.size() ? op.threads[d] : 1;
    with({World::kThreads, thread_count_}, [&] {
      VarSlot* slot = define(op.lanes[d], extent > 1);
      for (size_t i = 0; i < slot->values.size(); ++i)
        slot->values[i] = static_cast<Raw>(static_cast<int64_t>(i) / below % extent);
      return slot;
    });
    below *= extent;
  }
  threads_ = &dependence;
  code.body = block(op.body);
  threads_ = nullptr;
  return code;
}

StatementPtr Compiler::compile(const Group& op) {
  need_launch(op);
  if (where_.world != World::kUniform) stop(76, op.loc, "a group of threads where only some threads are");
  const bool region = is_simt_region(op), of_threads = region || op.engine == "threads";
  if (of_threads && (op.first < 0 || op.count < 1 || op.first + op.count > thread_count_)) {
    stop(70, op.loc,
         fmt::format("a group of threads {} to {} of {}", op.first, op.first + op.count - 1, thread_count_));
  }
  const uint32_t site = site_;
  std::string name = region       ? fmt::format("the region of threads 0 to {}", op.count - 1)
                     : of_threads ? fmt::format("the group of threads {} to {}", op.first, op.first + op.count - 1)
                                  : fmt::format("the engine {}", op.engine);
  // An engine acts as one.
  const int first = of_threads ? static_cast<int>(op.first) : 0, count = of_threads ? static_cast<int>(op.count) : 1;
  return make_group(site, first, count, std::move(name), region, block(op.body));
}

StatementPtr Compiler::compile(const For& op) {
  const uint32_t site = site_;
  NodePtr begin = bound(op.begin), end = bound(op.end), step = bound(op.step);
  VarSlot* var = define(op.var, begin->varies() || step->varies());
  auto loop = make_for(site, where_.width, var, op.var.dtype(), std::move(begin), std::move(end), std::move(step));
  loops_.push_back(loop.get());
  loop->set_body(block(op.body));
  loops_.pop_back();
  if (moves_asynchronously(op)) return make_async_moves(std::move(loop));
  return loop;
}

StatementPtr Compiler::compile(const While& op) {
  auto loop = make_while(site_, where_.width, expr(op.condition));
  loops_.push_back(loop.get());
  loop->set_body(block(op.body));
  loops_.pop_back();
  return loop;
}

StatementPtr Compiler::compile(const Break& op) {
  if (loops_.empty() || loops_.back() == nullptr) stop(67, op.loc, "`break` outside of a loop it may leave");
  return make_break(site_, loops_.back());
}

StatementPtr Compiler::compile(const Continue& op) {
  if (loops_.empty()) stop(67, op.loc, "`continue` outside of a loop");
  return make_continue(site_);
}

StatementPtr Compiler::compile(const If& op) {
  const uint32_t site = site_;
  NodePtr condition = expr(op.condition);
  Body then_body = block(op.then_body), else_body = block(op.else_body);
  return make_if(site, where_.width, std::move(condition), std::move(then_body), std::move(else_body));
}

StatementPtr Compiler::compile(const Parallel& op) {
  const uint32_t site = site_;
  // Loops that do nothing but hold another one are one loop.
  std::vector<const Parallel*> nest = {&op};
  while (nest.back()->body.size() == 1 && nest.back()->body[0]->kind == OpKind::kParallel) {
    nest.push_back(nest.back()->body[0]->as<Parallel>());
  }
  if (where_.world == World::kPoints) stop(60, op.loc, "a parallel loop beside other statements of a parallel loop");
  return collective(op, "a parallel loop", [&] {
    NodeList extents;
    for (const Parallel* loop : nest) {
      for (const Expr& extent : loop->extents) {
        bool depends = false;
        visit_exprs(extent, [&](const Expr& e) {
          for (const Parallel* outer : nest) {
            depends |=
                std::any_of(outer->vars.begin(), outer->vars.end(), [&](const Var& v) { return v.get() == e.get(); });
          }
        });
        if (depends) stop(60, loop->loc, "the extent of a parallel loop depends on another parallel loop");
        if (threads_->depends(extent)) stop(76, loop->loc, "the extent of a parallel loop depends on the thread");
        extents.push_back(bound(extent));
      }
    }
    return with({World::kPoints, kBatch}, [&] {
      std::vector<VarSlot*> vars;
      for (const Parallel* loop : nest) {
        for (const Var& var : loop->vars) vars.push_back(define(var, true));
      }
      loops_.push_back(nullptr);
      Body body = block(nest.back()->body);
      loops_.pop_back();
      return make_parallel(site, std::move(vars), std::move(extents), std::move(body));
    });
  });
}

StatementPtr Compiler::compile(const Barrier& op) {
  need_launch(op);
  if (where_.world == World::kPoints) stop(76, op.loc, "a barrier inside a parallel loop");
  return op.grid ? make_grid_barrier(site_) : make_barrier(site_, op.count);
}

std::unique_ptr<Program> compile(const Function& function, Machine& machine) {
  auto program = std::make_unique<Program>();
  std::unordered_map<const BufferNode*, const BufferNode*> root;
  visit_ops(function.body, [&](const Op& op) {
    program->every_reader |= op.kind == OpKind::kGroup || op.kind == OpKind::kAsyncCopy || moves_asynchronously(op);
    const auto* view = op.as<View>();
    if (view == nullptr) return;
    const auto known = root.find(view->source.get());
    const BufferNode* memory = known != root.end() ? known->second : view->source.get();
    root[view->buffer.get()] = memory;
    const auto [bits, is_new] = program->cell_bits.try_emplace(memory, memory->dtype.storage_bits());
    bits->second = std::min(bits->second, view->buffer->dtype.storage_bits());
  });
  Compiler compiler(machine, *program);
  for (const Var& symbol : function.symbols) compiler.define(symbol, false);
  for (const Param& param : function.params) {
    if (const auto* buffer = std::get_if<Buffer>(&param)) {
      compiler.define(*buffer, false);
    } else {
      compiler.define(std::get<Var>(param), false);
    }
  }
  program->body = compiler.block(function.body);
  return program;
}

}  // namespace tl::simulate
