// Other names of memory, memory of single threads, and parts of the threads.

#include <algorithm>
#include <numeric>

#include "program_generator.h"

namespace tl::testing {
namespace {

int64_t product_of(const std::vector<int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

std::vector<Operand> operands(const std::vector<int64_t>& values) {
  std::vector<Operand> out;
  for (const int64_t v : values) out.emplace_back(static_cast<int>(v));
  return out;
}

}  // namespace

void ProgramGenerator::view() {
  Tile& source = some_tile();
  const int bits = source.buffer->dtype.storage_bits();
  DType dtype = source.buffer->dtype;
  const int64_t elements = product_of(source.shape);
  std::vector<int64_t> shape = {elements};
  if (random_.chance(40) && is_shared(source.buffer->space) && bits >= 8 && !dtype.is_bool())
    dtype = DType::uint_(bits);
  // The bits of a NaN are nobody's promise.
  if (dtype != source.buffer->dtype && source.buffer->dtype.is_floating() && !source.values.tidy) return;
  for (const int64_t rows : {7, 4, 3, 2}) {
    if (elements % rows == 0 && random_.chance(50)) {
      shape = {rows, elements / rows};
      break;
    }
  }
  if (std::find(options_.dtypes.begin(), options_.dtypes.end(), dtype) == options_.dtypes.end()) return;
  Tile tile = source;
  tile.buffer = b_.view(fresh("v"), source.buffer, dtype, operands(shape));
  tile.shape = shape;
  if (dtype != source.buffer->dtype) {
    tile.values = KnownValues::anything();
    // What holds floats must not change any more: a NaN would come in.
    if (source.buffer->dtype.is_floating()) source.busy = true;
  }
  tiles_.push_back(tile);
}

void ProgramGenerator::local_array() {
  const int64_t n = random_.pick(1, 6);
  const DType t = some_dtype();
  Tile& tile = new_tile(t, {n}, MemorySpace::kLocal);
  const auto kind = random_.choose({LoopKind::kSerial, LoopKind::kUnrolled, LoopKind::kVectorized});
  const Var i = b_.loop(fresh("i"), 0, static_cast<int>(n), 1, kind);
  tile.busy = true;
  indices_.push_back({i, 0, n - 1});
  b_.store(tile.buffer, {i}, value(t, 2).e);
  indices_.pop_back();
  tile.busy = false;
  wrote(tile, KnownValues::anything(), true);
  b_.end();
  if (random_.chance(50) || tiles_.size() < 2) return;
  Tile& other = some_tile();
  const int64_t extent = std::min<int64_t>(n, other.shape.back());
  std::vector<Operand> offsets, extents;
  for (size_t d = 0; d < other.shape.size(); ++d) {
    const bool last = d + 1 == other.shape.size();
    offsets.emplace_back(last ? Expr(0) : index(other.shape[d]));
    extents.emplace_back(static_cast<int>(last ? extent : 1));
  }
  b_.copy(region(other.buffer, offsets, extents), region(tile.buffer, {0}, {static_cast<int>(extent)}));
}

void ProgramGenerator::group() {
  const int64_t all = product_of(threads_);
  Tile& tile = some_tile();
  if (!writable(tile) || all < 2 || !is_shared(tile.buffer->space)) return;
  const bool part = random_.chance(60);
  const int64_t first = part ? all / 2 : 0, count = part ? all - first : all;
  b_.group("threads", first, count);
  const Typed v = constant(tile.buffer->dtype);
  if (random_.chance(50)) {
    b_.fill(tile.buffer, v.e);
    wrote(tile, v.v, true);
  } else {
    copy_in(tile, false);
  }
  b_.end();
  b_.barrier();
}

}  // namespace tl::testing
