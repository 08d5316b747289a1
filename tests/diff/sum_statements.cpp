// Reductions and products of tiles. Floats are summed only where no sum can round: any order then gives the same bits.

#include <algorithm>

#include "program_generator.h"

namespace tl::testing {
namespace {

std::vector<Operand> operands(const std::vector<int64_t>& values) {
  std::vector<Operand> out;
  for (const int64_t v : values) out.emplace_back(static_cast<int>(v));
  return out;
}

struct GemmTypes {
  DType input, sum;
};

std::vector<GemmTypes> gemm_types(const std::vector<DType>& allowed) {
  std::vector<GemmTypes> out;
  const GemmTypes rows[] = {{DType::f16(), DType::f32()}, {DType::f16(), DType::f16()},  {DType::bf16(), DType::f32()},
                            {DType::f32(), DType::f32()}, {DType::f64(), DType::f64()},  {DType::i8(), DType::i32()},
                            {DType::u8(), DType::i32()},  {DType::tf32(), DType::f32()}, {DType::i4(), DType::i32()},
                            {DType::u4(), DType::i32()}};
  for (const GemmTypes& row : rows) {
    if (std::find(allowed.begin(), allowed.end(), row.input) != allowed.end()) out.push_back(row);
  }
  return out;
}

}  // namespace

bool ProgramGenerator::sums_exactly(const KnownValues& values, double terms, DType dtype) const {
  if (!dtype.is_floating()) return true;
  if (!values.tidy) return false;
  return repeated_sum(values, terms).fit(dtype == DType::f64() ? dtype : DType::f32());
}

void ProgramGenerator::reduce() {
  Tile& src = some_tile();
  const DType t = src.buffer->dtype;
  static const std::vector<std::string> kAll = {"sum", "abssum", "max", "min", "absmax", "bitand", "bitor", "bitxor"};
  static const std::vector<std::string> kOfFloats = {"sum", "abssum", "max", "min", "absmax"};
  std::string kind = random_.choose(t.is_floating() ? kOfFloats
                                    : t.is_bool() ? std::vector<std::string>{"bitand", "bitor", "bitxor", "max", "min"}
                                                  : kAll);
  const int64_t dim = random_.pick(0, static_cast<int64_t>(src.shape.size()) - 1);
  const double terms = static_cast<double>(src.shape[static_cast<size_t>(dim)]) + 1;
  const bool is_sum = kind == "sum" || kind == "abssum";
  const KnownValues v = read(src);
  if (is_sum && !sums_exactly(v, terms, t)) kind = "absmax";
  std::vector<int64_t> shape = src.shape;
  if (random_.chance(40) || shape.size() == 1) {
    shape[static_cast<size_t>(dim)] = 1;
  } else {
    shape.erase(shape.begin() + dim);
  }
  Tile& dst = new_tile(t, shape, random_.choose({MemorySpace::kFragment, MemorySpace::kShared}));
  bool clear = random_.chance(60);
  if (!clear) {
    const Typed start = constant(t);
    b_.fill(dst.buffer, start.e);
    clear = is_sum && !sums_exactly(join(start.v, v), terms, t);
    wrote(dst, start.v, true);
  }
  b_.reduce(kind, src.buffer, dst.buffer, dim, clear);
  const KnownValues total = is_sum ? repeated_sum(clear ? v : join(v, dst.values), terms) : join(v, dst.values);
  wrote(dst, (clear && !is_sum ? v : total).in(t), true);
  if (kind == "absmax") dst.values.negative = true;
}

void ProgramGenerator::scan() {
  Tile& src = some_tile();
  const DType t = src.buffer->dtype;
  const int64_t dim = random_.pick(0, static_cast<int64_t>(src.shape.size()) - 1);
  const auto terms = static_cast<double>(src.shape[static_cast<size_t>(dim)]);
  const bool in_place = writable(src) && random_.chance(40);
  const KnownValues v = read(src);
  const bool sums = t.is_bool() || (random_.chance(60) && sums_exactly(v, terms, t));
  Tile& dst = in_place ? src : new_tile(t, src.shape, random_.choose({MemorySpace::kFragment, MemorySpace::kShared}));
  const bool reverse = random_.chance(30);
  b_.scan(sums ? "sum" : "max", src.buffer, dst.buffer, dim, reverse);
  coverage_.note(reverse ? "scan from the end" : "scan");
  wrote(dst, sums ? repeated_sum(v, terms).in(t) : v, true);
}

Tile& ProgramGenerator::operand(DType dtype, const std::vector<int64_t>& shape) {
  Tile& tile = new_tile(dtype, shape, random_.choose({MemorySpace::kShared, MemorySpace::kFragment}));
  copy_in(tile, true);
  if (!tile.values.tidy && dtype.is_floating()) {
    const Typed v = constant(dtype);
    b_.fill(tile.buffer, v.v.tidy ? v.e : make_zero(dtype));
    wrote(tile, v.v.tidy ? v.v : KnownValues::within(0), true);
  }
  return tile;
}

void ProgramGenerator::gemm() {
  const GemmTypes types = random_.choose(gemm_types(options_.dtypes));
  const std::vector<int64_t> extents = {1, 3, 4, 8, 15, 16, 17, 20};
  const int64_t m = random_.choose(extents), n = random_.choose(extents), k = random_.choose(extents);
  GemmOptions options;
  options.transpose_a = random_.chance(50);
  options.transpose_b = random_.chance(50);
  options.policy = random_.choose({WarpPolicy::kSquare, WarpPolicy::kFullRow, WarpPolicy::kFullCol});
  Tile& a = operand(types.input, options.transpose_a ? std::vector<int64_t>{k, m} : std::vector<int64_t>{m, k});
  Tile& b = operand(types.input, options.transpose_b ? std::vector<int64_t>{n, k} : std::vector<int64_t>{k, n});
  Tile& c = new_tile(types.sum, {m, n}, MemorySpace::kFragment);
  const KnownValues term = product(a.values, b.values);
  const bool starts = random_.chance(60);
  if (starts) {
    const Typed start = constant(types.sum);
    b_.fill(c.buffer, start.v.tidy ? start.e : make_zero(types.sum));
    wrote(c, start.v.tidy ? start.v : KnownValues::within(0), true);
  }
  if (!starts) {
    options.clear = true;
  } else if (random_.chance(30)) {
    options.clear = uniform_condition();
  }
  // A narrow C is rounded after every gemm, so that a second one may no longer be exact.
  const int64_t rounds = types.sum == DType::f16() ? 1 : random_.pick(1, 2);
  for (int64_t i = 0; i < rounds; ++i) b_.gemm(a.buffer, b.buffer, c.buffer, options);
  const KnownValues products = repeated_sum(term, static_cast<double>(k * rounds));
  wrote(c, (starts ? sum(c.values, products) : products).in(types.sum), true);
}

void ProgramGenerator::pipelined_gemm() {
  const GemmTypes types = random_.choose(gemm_types(options_.dtypes));
  const int64_t m = random_.choose({4, 8, 16}), n = random_.choose({8, 16, 17}), k = random_.choose({4, 8, 16});
  const int64_t steps = random_.pick(0, 4);
  Tile& c = new_tile(types.sum, {m, n}, MemorySpace::kFragment);
  b_.fill(c.buffer, make_zero(types.sum));
  const Tensor left =
      input(types.input, {Expr(static_cast<int>(m + 3)), Expr(static_cast<int>(std::max<int64_t>(k * steps - 1, 0)))},
            {m + 3, std::max<int64_t>(k * steps - 1, 0)});
  const Tensor right =
      input(types.input, {Expr(static_cast<int>(k * steps + 1)), Expr(static_cast<int>(n))}, {k * steps + 1, n});
  coverage_.note("tail one short");
  coverage_.note("tail one over");
  GemmOptions options;
  LoopOptions pipeline;
  pipeline.stages = random_.pick(0, 4);
  const size_t tiles = tiles_.size();
  const bool outside = random_.chance(50);
  const auto operand_tiles = [&]() -> std::pair<Buffer, Buffer> {
    const Buffer first = new_tile(types.input, {m, k}, MemorySpace::kShared).buffer;
    return {first, new_tile(types.input, {k, n}, MemorySpace::kShared).buffer};
  };
  std::pair<Buffer, Buffer> operand;
  if (outside) operand = operand_tiles();
  const Var step = b_.loop(fresh("k"), 0, static_cast<int>(steps), 1, LoopKind::kPipelined, pipeline);
  if (!outside) operand = operand_tiles();
  const auto& [a, b] = operand;
  const Expr at = step * make_int(step.dtype(), k);
  b_.copy(region(left.buffer, {any_index(3, true), at}, operands({m, k})), a);
  b_.copy(region(right.buffer, {at, 0}, operands({k, n})), b);
  if (random_.chance(30)) {
    Tile& other = new_tile(types.input, {m, k}, MemorySpace::kFragment);
    b_.copy(a, other.buffer);
    b_.gemm(other.buffer, b, c.buffer, options);
  } else {
    b_.gemm(a, b, c.buffer, options);
  }
  b_.end();
  tiles_.resize(tiles);
  const KnownValues term = product(left.values, right.values);
  wrote(c, repeated_sum(term, static_cast<double>(k * steps)).in(types.sum), true);
}

}  // namespace tl::testing
