// Statements on data; control flow and launches are in compile.cpp.
#include <fmt/format.h>

#include "ir/text.h"
#include "simulate/compile.h"

namespace tl::simulate {

bool Compiler::is_private_here(const Buffer& buffer) const {
  if (threads_ == nullptr) return false;
  if (where_.world == World::kPoints) return true;
  return is_per_thread(buffer->space) && threads_->depends(buffer);
}

int64_t Compiler::number_in(const Attrs& hints, const char* name, int64_t otherwise) {
  const auto found = hints.find(name);
  const auto* number = found == hints.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return number == nullptr ? otherwise : *number;
}

StatementPtr Compiler::compile(const Bind& op) {
  NodePtr value = expr(op.value);
  VarSlot* var = define(op.var, value->varies());
  return make_bind(site_, var, std::move(value));
}

StatementPtr Compiler::compile(const Alloc& op) {
  const Buffer& buffer = op.buffer;
  if (threads_ == nullptr && buffer->space != MemorySpace::kGlobal && !is_per_thread(buffer->space)) need_launch(op);
  if (where_.world == World::kPoints && !is_per_thread(buffer->space)) {
    stop(74, op.loc, fmt::format("allocates `{}` inside a parallel loop", buffer->name),
         "allocate it before the loop; only variables and local arrays can belong to one iteration");
  }
  NodeList shape = indices(buffer->shape), strides = indices(buffer->strides);
  if (op.at) {
    NodePtr address = expr(op.at);
    return make_placed(site_, define(buffer, false), std::move(shape), std::move(strides), std::move(address),
                       program_.cell_bits_of(buffer), program_.every_reader);
  }
  NodePtr init = op.init ? expr(op.init) : nullptr;
  if (init != nullptr && init->dtype() != buffer->dtype)
    init = make_cast_node(buffer->dtype, std::move(init), where_.width);
  const bool is_private = is_private_here(buffer);
  const int copies = !is_private ? 1 : where_.world == World::kPoints ? kBatch : thread_count_;
  BufferSlot* slot = nullptr;
  if (is_private && where_.world == World::kUniform) {
    // The memory of every thread, allocated where all of them are.
    slot = with({World::kThreads, thread_count_}, [&] { return define(buffer, true); });
    auto alloc = make_alloc(site_, slot, std::move(shape), std::move(strides), std::move(init), copies,
                            program_.cell_bits_of(buffer), program_.every_reader);
    const uint32_t site = alloc->site();
    Body body;
    body.statements.push_back(std::move(alloc));
    return make_threads(site, thread_count_, std::move(body));
  }
  slot = define(buffer, is_private);
  return make_alloc(site_, slot, std::move(shape), std::move(strides), std::move(init), copies,
                    program_.cell_bits_of(buffer), program_.every_reader,
                    is_private ? -1 : number_in(op.hints, "offset", -1));
}

StatementPtr Compiler::compile(const View& op) {
  BufferSlot* source = use(op.source);
  NodeList shape = indices(op.buffer->shape), strides = indices(op.buffer->strides);
  BufferSlot* slot = define(op.buffer, source->is_private);
  buffer_world_[slot] = buffer_world_[source];
  return make_view(site_, slot, source, std::move(shape), std::move(strides));
}

StatementPtr Compiler::compile(const Store& op) {
  BufferSlot* buffer = use(op.buffer);
  const uint32_t site = m_.add_site(op.loc, op.buffer.get());
  auto element = std::make_unique<ElementRef>(buffer, indices(op.indices), where_.width, site, true);
  NodePtr value = expr(op.value);
  if (value->dtype() != op.buffer->dtype) value = make_cast_node(op.buffer->dtype, std::move(value), where_.width);
  return make_store(site_, std::move(element), std::move(value));
}

StatementPtr Compiler::compile(const Evaluate& op) { return make_evaluate(site_, expr(op.value)); }

StatementPtr Compiler::compile(const Assert& op) { return make_assert(site_, expr(op.condition), op.message); }

StatementPtr Compiler::compile(const Assume& op) {
  return make_assume(site_, expr(op.condition), python_text(op.condition));
}

StatementPtr Compiler::compile(const Print& op) {
  NodeList values;
  for (const Expr& value : op.values) {
    if (value.kind() == ExprKind::kString) stop(24, op.loc, "prints a string as a value; it belongs to the message");
    values.push_back(expr(value));
  }
  return make_print(site_, op.message, std::move(values), op.region ? region(op.region) : nullptr);
}

StatementPtr Compiler::compile(const Copy& op) {
  return tile_statement(op, "a copy", [&](bool each_lane) {
    TileRefPtr src = region(op.src), dst = region(op.dst);
    NodePtr pad = op.pad ? expr(op.pad) : nullptr;
    const CopyForm form{transposes(op), hint(op.hints, kDataSelectHint, false)};
    return make_copy(site_, each_lane, form, std::move(src), std::move(dst), std::move(pad), nullptr);
  });
}

StatementPtr Compiler::compile(const Relayout& op) {
  return tile_statement(op, "a change of layout", [&](bool each_lane) {
    TileRefPtr src = region(op.src), dst = region(op.dst);
    return make_copy(site_, each_lane, {}, std::move(src), std::move(dst), nullptr, nullptr);
  });
}

StatementPtr Compiler::compile(const AsyncCopy& op) {
  if (threads_ != nullptr && threads_differ(op)) {
    stop(76, op.loc, "an asynchronous copy that depends on the thread", "all threads start it together");
  }
  return collective(op, "an asynchronous copy", [&] {
    TileRefPtr src = region(op.src), dst = region(op.dst);
    NodePtr pad = op.pad ? expr(op.pad) : nullptr;
    VarSlot* token = define(op.token, false);
    return make_copy(site_, false, {}, std::move(src), std::move(dst), std::move(pad), token);
  });
}

StatementPtr Compiler::compile(const Wait& op) {
  return collective(op, "a wait", [&] { return make_wait(site_, exprs(op.tokens)); });
}

StatementPtr Compiler::compile(const ThreadReduce& op) {
  need_launch(op);
  if (where_.world == World::kPoints) stop(62, op.loc, "a reduction over threads inside a parallel loop");
  return make_thread_reduce(site_, op.reduce, region(op.values), op.extent, op.stride, static_cast<bool>(op.scratch));
}

StatementPtr Compiler::compile(const ThreadCommit& op) {
  need_launch(op);
  return make_commit(site_);
}

StatementPtr Compiler::compile(const ThreadWait& op) {
  need_launch(op);
  return make_wait_for_groups(site_, op.pending);
}

StatementPtr Compiler::compile(const Fill& op) {
  return tile_statement(op, "a fill", [&](bool each_lane) {
    TileRefPtr dst = region(op.dst);
    return make_fill(site_, each_lane, std::move(dst), expr(op.value));
  });
}

StatementPtr Compiler::compile(const Gemm& op) {
  return tile_statement(op, "a gemm", [&](bool each_lane) {
    TileRefPtr a = region(op.a), b = region(op.b), c = region(op.c);
    return make_gemm(site_, each_lane, std::move(a), std::move(b), std::move(c), op.transpose_a, op.transpose_b,
                     expr(op.clear));
  });
}

StatementPtr Compiler::compile(const Reduce& op) {
  return tile_statement(op, "a reduction", [&](bool each_lane) {
    TileRefPtr src = region(op.src), dst = region(op.dst);
    return make_reduce(site_, each_lane, op.reduce, std::move(src), std::move(dst), op.dim, op.clear);
  });
}

StatementPtr Compiler::compile(const Scan& op) {
  return tile_statement(op, "a scan", [&](bool each_lane) {
    TileRefPtr src = region(op.src), dst = region(op.dst);
    return make_scan(site_, each_lane, op.scan, std::move(src), std::move(dst), op.dim, op.reverse);
  });
}

}  // namespace tl::simulate
