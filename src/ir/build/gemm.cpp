#include <fmt/format.h>

#include <algorithm>

#include "ir/build/builder.h"
#include "ir/build/describe.h"

namespace tl {
namespace {

/// The dtypes in which products of an input dtype are summed.
struct AccumulatorRow {
  DType input;
  std::vector<DType> accumulators;
};

const std::vector<AccumulatorRow>& accumulator_rows() {
  static const std::vector<AccumulatorRow> rows = {
      {DType::f16(), {DType::f32(), DType::f16()}},
      {DType::bf16(), {DType::f32()}},
      {DType::tf32(), {DType::f32()}},
      {DType::f32(), {DType::f32()}},
      {DType::f64(), {DType::f64()}},
      {DType::i8(), {DType::i32()}},
      {DType::u8(), {DType::i32()}},
      {DType::i4(), {DType::i32()}},
      {DType::u4(), {DType::i32()}},
  };
  return rows;
}

bool is_f8f6f4(DType t) { return t.is_float8() || t.is_float6() || t.is_float4(); }

std::vector<DType> accumulators_of(DType input) {
  if (is_f8f6f4(input)) return {DType::f32(), DType::f16()};
  for (const AccumulatorRow& row : accumulator_rows()) {
    if (row.input == input) return row.accumulators;
  }
  return {};
}

/// On AI cores.
std::vector<DType> cube_accumulators_of(DType input) {
  if (input == DType::i8()) return {DType::i32()};
  const bool multiplied = input == DType::f16() || input == DType::bf16() || input == DType::f32() || input.is_float8();
  return multiplied ? std::vector<DType>{DType::f32()} : std::vector<DType>{};
}

std::string names(const std::vector<DType>& dtypes) {
  std::string out;
  for (const DType t : dtypes) out += (out.empty() ? "" : ", ") + t.name();
  return out;
}

/// Memories that an operand, and the accumulator, may be in.
constexpr MemorySpace kOperandSpaces[] = {
    MemorySpace::kShared, MemorySpace::kSharedStatic, MemorySpace::kFragment, MemorySpace::kTensorMemory,
    MemorySpace::kL1,     MemorySpace::kL0A,          MemorySpace::kL0B};
constexpr MemorySpace kAccumulatorSpaces[] = {MemorySpace::kFragment, MemorySpace::kLocal, MemorySpace::kTensorMemory,
                                              MemorySpace::kL0C};

template <size_t N>
bool contains(const MemorySpace (&spaces)[N], MemorySpace space) {
  return std::find(std::begin(spaces), std::end(spaces), space) != std::end(spaces);
}

/// An extent known only at run time.
constexpr int64_t kUnknown = -1;

bool differ(int64_t a, int64_t b) { return a != b && a != kUnknown && b != kUnknown; }

/// One operand: its name in messages, and its rows and columns.
struct Matrix {
  const char* name;
  const TileOperand* tile;
  int64_t rows = 0, columns = 0;

  const Buffer& buffer() const { return tile->buffer(); }
  std::string text() const { return fmt::format("{} is {}", buffer()->name, shape_text(tile->region.extents)); }
};

/// Whether two boxes of one buffer may have an element in common.
bool may_overlap(const Region& a, const Region& b) {
  for (size_t i = 0; i < a.offsets.size(); ++i) {
    const auto a0 = as_int(a.offsets[i]), b0 = as_int(b.offsets[i]), na = as_int(a.extents[i]),
               nb = as_int(b.extents[i]);
    if (a0 && b0 && na && nb && (*a0 + *na <= *b0 || *b0 + *nb <= *a0)) return false;
  }
  return true;
}

/// Collects what is wrong with one gemm, so that all of it is reported.
class Checker {
 public:
  Checker(Diagnostics& diagnostics, const Loc& loc, const GemmOptions& options, bool on_cores)
      : diagnostics_(diagnostics), loc_(loc), options_(options), on_cores_(on_cores) {}

  bool good() const { return good_; }

  Diagnostic& error(int code, const Matrix& about, std::string message, std::string help = {}) {
    good_ = false;
    Diagnostic& d = diagnostics_.error(code, loc_, "T.gemm: " + std::move(message));
    d.help = std::move(help);
    return with_declaration(d, about.buffer());
  }

  void shape(Matrix& m) {
    const std::vector<Expr>& extents = m.tile->region.extents;
    if (extents.size() < 2) {
      error(30, m, fmt::format("current only support {} as a 2D or higher-order tensor, but {}", m.name, m.text()),
            fmt::format("a vector is a matrix with an extent of 1: give {} a second extent", m.buffer()->name));
      return;
    }
    for (size_t i = 0; i + 2 < extents.size(); ++i) {
      if (is_const_int(extents[i], 1)) continue;
      error(30, m, fmt::format("the leading extents of {} must be 1, but {}", m.name, m.text()),
            fmt::format("take one matrix: {}[i, :, :]", m.buffer()->name));
      return;
    }
    const auto rows = as_int(extents[extents.size() - 2]), columns = as_int(extents.back());
    // A part of a tile in L0 memory, which the cube unit is told the size of.
    const MemorySpace space = m.buffer()->space;
    const bool any_size =
        on_cores_ && (space == MemorySpace::kL0A || space == MemorySpace::kL0B || space == MemorySpace::kL0C);
    if ((!rows || !columns) && !any_size) {
      error(85, m, fmt::format("the tile {} has extents known only at run time: {}", m.name, m.text()),
            "use constant tile extents; what lies beyond the tensor reads as 0");
      return;
    }
    m.rows = rows.value_or(kUnknown);
    m.columns = columns.value_or(kUnknown);
  }

  void extents(const Matrix& a, const Matrix& b, const Matrix& c) {
    const bool ta = options_.transpose_a, tb = options_.transpose_b;
    const int64_t m = ta ? a.columns : a.rows, ka = ta ? a.rows : a.columns;
    const int64_t kb = tb ? b.columns : b.rows, n = tb ? b.rows : b.columns;
    // Told once: with B the other way round both its extents would fit.
    const bool flipped = differ(ka, kb) && ka == n && c.columns == kb;
    if (differ(ka, kb)) {
      const std::string now = tb ? pair(c.columns, ka) : pair(ka, c.columns),
                        other = tb ? pair(ka, c.columns) : pair(c.columns, ka);
      const std::string flip = fmt::format("pass transpose_B={}", tb ? "False" : "True");
      Diagnostic& d =
          error(31, b, fmt::format("inner extents differ: {}, {}", a.text(), b.text()),
                flipped ? flip : fmt::format("allocate {} as {}, or {} for {}", b.buffer()->name, now, flip, other));
      d.notes.push_back({fmt::format("T.gemm K shape check failed: K_A = {}, K_B = {}", ka, kb), Loc()});
    }
    same_extent('M', 'A', a, m, c, c.rows);
    if (!flipped) same_extent('N', 'B', b, n, c, c.columns);
  }

  void dtypes(const Matrix& a, const Matrix& b, const Matrix& c) {
    const DType ta = a.buffer()->dtype, tb = b.buffer()->dtype, tc = c.buffer()->dtype;
    const std::vector<DType> allowed = on_cores_ ? cube_accumulators_of(ta) : accumulators_of(ta);
    if (allowed.empty() && on_cores_) {
      error(32, a, fmt::format("A is {}, which the cube unit does not multiply", ta.name()),
            "use float16, bfloat16, float32, int8 or an 8-bit float");
    } else if (allowed.empty()) {
      error(32, a, fmt::format("A is {}, which no matrix product takes", ta.name()),
            "use float16, bfloat16, tfloat32, float32, float64, int8, uint8, or an 8-, 6- or 4-bit float");
    } else if (ta != tb && !(is_f8f6f4(ta) && is_f8f6f4(tb))) {
      error(32, b, fmt::format("A is {} and B is {}: Mixed-dtype GEMM only supports f8f6f4", ta.name(), tb.name()),
            fmt::format("copy B into a tile of {}", ta.name()));
    } else if (std::find(allowed.begin(), allowed.end(), tc) == allowed.end()) {
      error(32, c, fmt::format("products of {} cannot be summed in {}", ta.name(), tc.name()),
            fmt::format("allocate {} as {}", c.buffer()->name, names(allowed)));
    }
  }

  /// The forms of a product on the cube unit: where operands lie, which way they are turned, and which extents fit its
  /// fractals of 16 rows or columns by 32 bytes along K.
  void cube_form(const Matrix& a, const Matrix& b, const Matrix& c) {
    const MemorySpace sa = a.buffer()->space, sb = b.buffer()->space;
    const bool in_l1 = sa == MemorySpace::kL1 && sb == MemorySpace::kL1;
    const bool in_l0 = sa == MemorySpace::kL0A && sb == MemorySpace::kL0B;
    if ((!in_l1 && !in_l0) || c.buffer()->space != MemorySpace::kL0C) {
      error(33, in_l1 || in_l0 ? c : a,
            fmt::format("Unsupported gemm combination: A is in {} memory, B in {}, C in {}", space_name(sa),
                        space_name(sb), space_name(c.buffer()->space)),
            "allocate A and B with T.alloc_l1, or A with T.alloc_l0a and B with T.alloc_l0b; C with T.alloc_l0c");
      return;
    }
    if (in_l1 && (options_.transpose_a || !options_.transpose_b)) {
      error(35, options_.transpose_a ? a : b,
            fmt::format("operands in L1 are multiplied as A of M x K by B of N x K only, but transpose_A={} and "
                        "transpose_B={}",
                        options_.transpose_a ? "True" : "False", options_.transpose_b ? "True" : "False"),
            "pass transpose_B=True and keep B as N x K, or copy the operands to L0A and L0B first");
      return;
    }
    const int64_t k_step = 8 * 32 / a.buffer()->dtype.storage_bits();
    multiple("M", 16, a, options_.transpose_a ? a.columns : a.rows);
    multiple("N", 16, b, options_.transpose_b ? b.rows : b.columns);
    multiple("K", k_step, a, options_.transpose_a ? a.rows : a.columns);
    for (const Matrix* m : {&a, &b, &c}) {
      if (m->buffer()->space != MemorySpace::kL1) at_origin(*m);
    }
  }

  void memories(const Matrix& a, const Matrix& b, const Matrix& c) {
    for (const Matrix* m : {&a, &b}) {
      if (contains(kOperandSpaces, m->buffer()->space)) continue;
      error(33, *m,
            fmt::format("Unsupported gemm combination: {} is in {} memory", m->name, space_name(m->buffer()->space)),
            "copy the tile into shared memory or a fragment first");
    }
    if (contains(kAccumulatorSpaces, c.buffer()->space)) return;
    error(33, c, fmt::format("local_buf must be a fragment: C is in {} memory", space_name(c.buffer()->space)),
          "allocate C with T.alloc_fragment and copy it out afterwards");
  }

 private:
  void multiple(const char* extent, int64_t step, const Matrix& m, int64_t given) {
    if (given == kUnknown || given % step == 0) return;
    error(35, m, fmt::format("{} must be a multiple of {}, but it is {}: {}", extent, step, given, m.text()),
          fmt::format("allocate a tile with {} = {}; what lies beyond the tensor reads as 0", extent,
                      (given + step - 1) / step * step));
  }

  void at_origin(const Matrix& m) {
    const std::vector<Expr>& offsets = m.tile->region.offsets;
    for (size_t i = offsets.size() - 2; i < offsets.size(); ++i) {
      if (is_const_int(offsets[i], 0)) continue;
      error(35, m,
            fmt::format("a tile of {} memory begins at its first row and column, but {} does not",
                        space_name(m.buffer()->space), region_text(m.tile->region)),
            "use the tile from 0 on; leading dimensions may be indexed");
      return;
    }
  }

  static std::string pair(int64_t rows, int64_t columns) { return fmt::format("({}, {})", rows, columns); }

  void same_extent(char extent, char name, const Matrix& m, int64_t given, const Matrix& c, int64_t wanted) {
    if (!differ(given, wanted)) return;
    Diagnostic& d =
        error(31, c, fmt::format("{} extents differ: {}, {}", extent == 'M' ? "row" : "column", m.text(), c.text()));
    d.help = fmt::format("C is M x N: allocate {} with {} = {}", c.buffer()->name, extent, given);
    d.notes.push_back({fmt::format("T.gemm {} shape check failed: {}_{} = {}, {}_C = {}", extent, extent, name, given,
                                   extent, wanted),
                       Loc()});
  }

  Diagnostics& diagnostics_;
  const Loc& loc_;
  const GemmOptions& options_;
  const bool on_cores_;
  bool good_ = true;
};

}  // namespace

void Builder::gemm(const TileOperand& a, const TileOperand& b, const TileOperand& c, GemmOptions options) {
  if (!check_tile_op("T.gemm") || !check_out_of_region("T.gemm")) return;
  Matrix ma{"A", &a}, mb{"B", &b}, mc{"C", &c};
  Checker checker(diagnostics_, here_, options, on_cores());
  for (Matrix* m : {&ma, &mb, &mc}) checker.shape(*m);
  if (on_cores() && checker.good()) checker.cube_form(ma, mb, mc);
  if (checker.good()) checker.extents(ma, mb, mc);
  checker.dtypes(ma, mb, mc);
  if (!on_cores()) checker.memories(ma, mb, mc);
  for (const Matrix* m : {&ma, &mb}) {
    if (storage(m->buffer()) != storage(c.buffer())) continue;
    if (m->buffer() == c.buffer() && !may_overlap(m->tile->region, c.region)) continue;
    checker.error(34, mc, fmt::format("the accumulator {} overlaps {}", c.buffer()->name, m->name),
                  "give C a fragment of its own");
  }
  bool good = checker.good();
  for (const TileOperand* tile : {&a, &b, &c}) good &= check_region("T.gemm", tile->region);
  if (!good) return;
  attempt([&] {
    auto op = make<Gemm>();
    op->a = a.region;
    op->b = b.region;
    op->c = c.region;
    op->transpose_a = options.transpose_a;
    op->transpose_b = options.transpose_b;
    op->policy = options.policy;
    op->clear = promote::condition(options.clear);
    op->hints = std::move(options.hints);
    add(std::move(op));
  });
}

}  // namespace tl
