#include "passes/lower/element_loops.h"

#include <algorithm>

#include "ir/tile_match.h"

namespace tl {

Block one_op(OpPtr op) {
  Block block;
  block.push_back(std::move(op));
  return block;
}

Block make_loops(const std::vector<Expr>& extents, bool independent, const Loc& loc,
                 const std::function<Block(const std::vector<Var>&)>& body) {
  static constexpr const char* kNames[] = {"i", "j", "k", "l"};
  std::vector<Var> vars;
  for (size_t d = 0; d < extents.size(); ++d) vars.emplace_back(d < 4 ? kNames[d] : "i", DType::i64());
  Block inner = body(vars);
  for (size_t d = extents.size(); d-- > 0;) {
    auto loop = make_op<For>(loc);
    loop->var = vars[d];
    loop->begin = make_int(DType::i64(), 0);
    loop->end = widen_index(extents[d]);
    loop->step = make_int(DType::i64(), 1);
    if (independent && d + 1 == extents.size()) loop->hints["independent"] = true;
    loop->body = std::move(inner);
    inner = one_op(std::move(loop));
  }
  return inner;
}

std::unique_ptr<Parallel> make_points(const std::vector<Expr>& extents, const Loc& loc,
                                      const std::function<Block(const std::vector<Var>&)>& body) {
  static constexpr const char* kNames[] = {"i", "j", "k", "l"};
  auto loop = make_op<Parallel>(loc);
  for (size_t d = 0; d < extents.size(); ++d) loop->vars.emplace_back(d < 4 ? kNames[d] : "i", DType::i32());
  loop->extents = extents;
  loop->body = body(loop->vars);
  if (loop->vars.empty()) {
    loop->vars.emplace_back("i", DType::i32());
    loop->extents.emplace_back(1);
  }
  return loop;
}

Expr offset_by(const Expr& offset, const Expr& by) {
  if (is_const_int(offset, 0)) return by;
  return offset.dtype() == by.dtype() ? offset + by : advanced(offset, cast(DType::i64(), by));
}

OpPtr make_store(Buffer buffer, std::vector<Expr> indices, Expr value, const Loc& loc) {
  auto store = make_op<Store>(loc);
  store->buffer = std::move(buffer);
  store->indices = std::move(indices);
  store->value = std::move(value);
  return store;
}

std::unique_ptr<For> counted_loop(const Var& var, int64_t extent, LoopKind kind, Block body, const Loc& loc) {
  auto loop = make_op<For>(loc);
  loop->var = var;
  loop->begin = Expr(0);
  loop->end = Expr(static_cast<int>(extent));
  loop->loop = kind;
  loop->body = std::move(body);
  return loop;
}

Block register_loop(const Var& var, int64_t extent, Block body, const Loc& loc) {
  auto loop = counted_loop(var, extent, LoopKind::kUnrolled, std::move(body), loc);
  loop->hints["independent"] = true;
  return one_op(std::move(loop));
}

Buffer add_array(const std::string& name, DType dtype, int64_t size, const Loc& loc, Block& out) {
  auto alloc = make_op<Alloc>(loc);
  alloc->buffer = make_buffer(name, dtype, {Expr(static_cast<int>(size))}, MemorySpace::kLocal, {}, loc);
  const Buffer array = alloc->buffer;
  out.push_back(std::move(alloc));
  return array;
}

int64_t array_bytes(const Buffer& array) {
  int64_t bytes = std::max<int64_t>(array->dtype.storage_bits() / 8, 1);
  for (const Expr& extent : array->shape) bytes *= *as_int(extent);
  return bytes;
}

}  // namespace tl
