// orient-operands
//
// before:  alloc %y: l0b float16[64, 256]
//          tile.copy src=%b[0 :+ 64, 0 :+ 256], dst=%y[0 :+ 64, 0 :+ 256]
//          tile.gemm a=%x[0 :+ %m, 0 :+ 64], b=%y[0 :+ 64, 0 :+ 256], c=%c[0 :+ %m, 0 :+ 256]
// after:   alloc %y: l0b float16[256, 64]
//          tile.copy src=%b[0 :+ 64, 0 :+ 256], dst=%y[0 :+ 256, 0 :+ 64], hints={"transpose": true}
//          view %x_1: l0a float16[%m, 64] of %x
//          view %c_1: l0c float32[%m, 256] of %c
//          tile.gemm a=%x_1[0 :+ %m, 0 :+ 64], b=%y[0 :+ 256, 0 :+ 64], c=%c_1[0 :+ %m, 0 :+ 256], transpose_b=true

#include "passes/core/orient_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/accesses.h"
#include "analysis/scope.h"
#include "analysis/simplify.h"
#include "ir/index.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "passes/core/core_checks.h"
#include "passes/core/core_memory.h"
#include "passes/core/core_programs.h"

namespace tl {
namespace {

bool is_of_products(MemorySpace space) {
  return space == MemorySpace::kL0A || space == MemorySpace::kL0B || space == MemorySpace::kL0C;
}

template <class T>
void swap_last(std::vector<T>& of) {
  std::swap(of[of.size() - 1], of[of.size() - 2]);
}

class Operands {
 public:
  Operands(Launch& launch, PassContext& context) : launch_(launch), aliases_(launch.body), context_(context) {}

  void run(Facts& facts) {
    visit_ops(std::as_const(launch_.body), [&](const Op& op) {
      const auto* alloc = op.as<Alloc>();
      if (alloc != nullptr && is_of_products(alloc->buffer->space)) tiles_[alloc->buffer.get()].made = alloc->buffer;
      if (const auto* view = op.as<View>()) check_view(*view);
      if (const auto* gemm = op.as<Gemm>()) learn_reads(gemm->a), learn_reads(gemm->b);
      if (const auto* copy = op.as<Copy>()) learn_reads(copy->src);
    });
    visit_ops(std::as_const(launch_.body), [&](const Op& op) {
      if (const auto* gemm = op.as<Gemm>()) learn(*gemm);
    });
    rewrite_ops(launch_.body, facts, [&](OpPtr op, Facts& here) {
      Block out;
      if (auto* alloc = op->as<Alloc>()) {
        const auto found = tiles_.find(alloc->buffer.get());
        if (found != tiles_.end()) alloc->buffer = found->second.made;
      }
      if (auto* gemm = op->as<Gemm>()) rewrite(*gemm, out);
      if (auto* copy = op->as<Copy>()) rewrite(*copy, here, out);
      out.push_back(std::move(op));
      return out;
    });
  }

 private:
  struct Tile {
    /// What its products say of it; null where there is none.
    const Gemm* product = nullptr;
    bool turned = false;
    /// Rows, and columns along K; these null where products differ in them.
    Expr height, depth;
    /// The buffer, turned.
    Buffer made;
  };

  Tile* tile_of(const Region& region) {
    const auto found = tiles_.find(region.buffer.get());
    return found == tiles_.end() ? nullptr : &found->second;
  }

  static Expr height_of(const Region& region, bool turned) {
    const size_t rank = region.extents.size();
    return region.extents[turned ? rank - 1 : rank - 2];
  }
  static Expr depth_of(const Region& region, bool turned) { return height_of(region, !turned); }

  static bool equal_extents(const Expr& a, const Expr& b) { return a && b && same(widen_index(a), widen_index(b)); }

  void refuse(const Op& op, const Buffer& buffer, std::string message, std::string help) {
    Diagnostic& d = context_.diagnostics.error(90, op.loc, std::move(message));
    d.help = std::move(help);
    d.notes.push_back({fmt::format("`{}` is allocated here", buffer->name), buffer->loc});
  }

  // --- what products say ---------------------------------------------------------------------------------------------

  void learn(const Gemm& gemm) {
    learn(gemm, gemm.a, gemm.transpose_a);
    learn(gemm, gemm.b, !gemm.transpose_b);
    learn(gemm, gemm.c, false);
  }

  void learn(const Gemm& gemm, const Region& region, bool turned) {
    Tile* tile = tile_of(region);
    if (tile == nullptr) return;
    const Expr height = height_of(region, turned), depth = depth_of(region, turned);
    if (tile->product == nullptr) {
      tile->depth = depth;
      tile->product = &gemm;
      tile->turned = turned;
      tile->height = height;
      if (turned) tile->made = turned_buffer(*region.buffer);
      return;
    }
    if (tile->turned != turned) {
      refuse(gemm, region.buffer,
             fmt::format("T.gemm: `{}` is multiplied as it lies here and transposed elsewhere", region.buffer->name),
             "copy it to two tiles of L0, one for each");
    } else if (!equal_extents(tile->height, height)) {
      refuse(gemm, region.buffer,
             fmt::format("T.gemm: `{}` has {} rows here and {} in another product", region.buffer->name,
                         python_text(height), python_text(tile->height)),
             "a tile of L0 has one height: use a tile for each");
    }
    if (!equal_extents(tile->depth, depth)) tile->depth = Expr();
  }

  static Expr end_of(const Region& region) {
    return widen_index(region.offsets.back()) + widen_index(region.extents.back());
  }

  void learn_reads(const Region& region) {
    if (region.buffer->space == MemorySpace::kL1) reads_[aliases_.root(region.buffer).get()].push_back(end_of(region));
  }

  /// Elements of a tile of fractals do not lie in their order: a view has their rows and columns.
  void check_view(const View& view) {
    const BufferNode &from = *view.source, &to = *view.buffer;
    const bool in_l1 = from.space == MemorySpace::kL1;
    if (!in_l1 && !is_of_products(from.space)) return;
    const auto last = [](const BufferNode& b, size_t d) { return b.rank() < d ? Expr(1) : b.shape[b.rank() - d]; };
    const bool same_tile = from.dtype.bytes() == to.dtype.bytes() && equal_extents(last(from, 1), last(to, 1)) &&
                           equal_extents(last(from, 2), last(to, 2));
    if (in_l1 && same_tile) return;
    refuse(view, view.source,
           fmt::format("a view of `{}`: its elements lie in fractals, not in the order of rows", view.source->name),
           "allocate the tile with the rows and columns that it is used with");
  }

  static Buffer turned_buffer(const BufferNode& b) {
    std::vector<Expr> shape = b.shape;
    swap_last(shape);
    return with_aligned_rows(make_buffer(b.name, b.dtype, std::move(shape), b.space, {}, b.loc));
  }

  // --- statements ----------------------------------------------------------------------------------------------------

  void rewrite(Gemm& gemm, Block& out) {
    if (tile_of(gemm.a) != nullptr) gemm.transpose_a = false;
    if (tile_of(gemm.b) != nullptr) gemm.transpose_b = true;
    for (Region* region : {&gemm.a, &gemm.b, &gemm.c}) {
      if (const Tile* tile = tile_of(*region)) rewrite(*region, *tile, gemm, out);
    }
  }

  void rewrite(Copy& copy, const Facts& facts, Block& out) {
    if (copy.dst.buffer->space == MemorySpace::kL1) check_columns(copy, facts, out);
    for (Region* region : {&copy.src, &copy.dst}) {
      const Tile* tile = tile_of(*region);
      if (tile == nullptr || tile->product == nullptr) continue;
      check_height(copy, *region, *tile);
      if (region == &copy.dst) check_part(copy, *tile, facts, out);
      if (tile->turned) {
        if (transposes(copy)) {
          copy.hints.erase(kTransposeHint);
        } else {
          copy.hints[kTransposeHint] = true;
        }
      }
      rewrite(*region, *tile, copy, out);
    }
  }

  /// Rows of a tile that is lower than its buffer lie where its height says.
  void check_height(const Copy& copy, const Region& region, const Tile& tile) {
    const Expr rows = height_of(region, tile.turned);
    if (is_full(tile) || equal_extents(rows, tile.height)) return;
    const auto given = as_int(rows), height = as_int(tile.height);
    if (given && height && *given <= *height) return;
    refuse(copy, region.buffer,
           fmt::format("T.copy: {} rows of `{}` are moved, and {} are multiplied", python_text(rows),
                       region.buffer->name, python_text(tile.height)),
           "move as many rows as T.gemm takes");
  }

  /// Whole fractals move: what lies beside the part in its last ones is lost, unless nothing is.
  void check_part(const Copy& copy, const Tile& tile, const Facts& facts, Block& out) {
    const BufferNode& b = *tile.made;
    const auto whole_fractals = [&](const Expr& given, const Expr& multiplied, const Expr& all, int64_t unit,
                                    const char* of) {
      if (equal_extents(given, multiplied) || equal_extents(given, all)) return;
      ensure(is_multiple(given, unit, facts), copy,
             fmt::format("T.copy: {} {} of `{}` end inside of a fractal of {}, whose others would be lost",
                         python_text(given), of, b.name, unit),
             fmt::format("move a multiple of {}, or as many as T.gemm takes", unit), context_, out);
    };
    whole_fractals(height_of(copy.dst, tile.turned), tile.height, b.shape[b.rank() - 2], kFractalRows, "rows");
    whole_fractals(depth_of(copy.dst, tile.turned), tile.depth, b.shape[b.rank() - 1], fractal_columns(b), "columns");
  }

  /// A copy to L1 sets the columns behind its last one in that fractal to 0.
  void check_columns(const Copy& copy, const Facts& facts, Block& out) {
    const BufferNode& b = *copy.dst.buffer;
    const Expr end = simplify(end_of(copy.dst), facts);
    if (equal_extents(end, b.shape.back())) return;
    const std::vector<Expr>& ends = reads_[aliases_.root(copy.dst.buffer).get()];
    const bool unread =
        std::all_of(ends.begin(), ends.end(), [&](const Expr& e) { return equal_extents(simplify(e, facts), end); });
    if (unread) return;
    const Expr whole = is_multiple(end, fractal_columns(b), facts);
    const Expr last = simplify(equal(end, widen_index(b.shape.back())), facts);
    ensure(simplify(logical_or(whole, last), facts), copy,
           fmt::format("T.copy: the part of `{}` ends inside of a fractal of {} columns, whose others would become 0",
                       b.name, fractal_columns(b)),
           "end at the last column of a fractal or of the tile", context_, out);
  }

  static bool is_full(const Tile& tile) { return equal_extents(tile.height, tile.made->shape[tile.made->rank() - 2]); }

  /// The region in the buffer as it lies, with a view where it is lower.
  static void rewrite(Region& region, const Tile& tile, const Op& op, Block& out) {
    if (tile.turned) {
      swap_last(region.offsets);
      swap_last(region.extents);
    }
    region.buffer = tile.made;
    if (is_full(tile)) return;
    const BufferNode& b = *tile.made;
    std::vector<Expr> shape = b.shape;
    shape[b.rank() - 2] = tile.height;
    auto view = make_op<View>(op.loc);
    view->buffer = make_buffer(b.name, b.dtype, std::move(shape), b.space, strides_of(b), b.loc);
    view->source = tile.made;
    region.buffer = view->buffer;
    out.push_back(std::move(view));
  }

  Launch& launch_;
  const Aliases aliases_;
  PassContext& context_;
  std::map<const BufferNode*, Tile> tiles_;
  /// Of tiles in L1: behind which columns reads end.
  std::map<const BufferNode*, std::vector<Expr>> reads_;
};

}  // namespace

void orient_operands(Function& function, PassContext& context) {
  for_each_core_program(function, [&](Launch& launch, Facts& facts) { Operands(launch, context).run(facts); });
}

}  // namespace tl
