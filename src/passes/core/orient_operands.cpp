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

#include <map>

#include "ir/index.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "passes/core/core_memory.h"

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
  Operands(Launch& launch, PassContext& context) : launch_(launch), context_(context) {}

  void run() {
    visit_ops(std::as_const(launch_.body), [&](const Op& op) {
      const auto* alloc = op.as<Alloc>();
      if (alloc != nullptr && is_of_products(alloc->buffer->space)) tiles_[alloc->buffer.get()].made = alloc->buffer;
    });
    visit_ops(std::as_const(launch_.body), [&](const Op& op) {
      if (const auto* gemm = op.as<Gemm>()) learn(*gemm);
    });
    rewrite(launch_.body);
  }

 private:
  struct Tile {
    /// What its products say of it; null where there is none.
    const Gemm* product = nullptr;
    bool turned = false;
    Expr height;
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
    const Expr height = height_of(region, turned);
    if (tile->product == nullptr) {
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
    } else if (!same(widen_index(tile->height), widen_index(height))) {
      refuse(gemm, region.buffer,
             fmt::format("T.gemm: `{}` has {} rows here and {} in another product", region.buffer->name,
                         python_text(height), python_text(tile->height)),
             "a tile of L0 has one height: use a tile for each");
    }
  }

  static Buffer turned_buffer(const BufferNode& b) {
    std::vector<Expr> shape = b.shape;
    swap_last(shape);
    return with_aligned_rows(make_buffer(b.name, b.dtype, std::move(shape), b.space, {}, b.loc));
  }

  // --- statements ----------------------------------------------------------------------------------------------------

  void rewrite(Block& block) {
    Block out;
    for (OpPtr& op : block) {
      for_each_block(*op, [&](std::string_view, Block& nested) { rewrite(nested); });
      if (auto* alloc = op->as<Alloc>()) {
        if (const auto found = tiles_.find(alloc->buffer.get()); found != tiles_.end()) {
          alloc->buffer = found->second.made;
        }
      }
      if (auto* gemm = op->as<Gemm>()) rewrite(*gemm, out);
      if (auto* copy = op->as<Copy>()) rewrite(*copy, out);
      out.push_back(std::move(op));
    }
    block = std::move(out);
  }

  void rewrite(Gemm& gemm, Block& out) {
    if (tile_of(gemm.a) != nullptr) gemm.transpose_a = false;
    if (tile_of(gemm.b) != nullptr) gemm.transpose_b = true;
    for (Region* region : {&gemm.a, &gemm.b, &gemm.c}) {
      if (const Tile* tile = tile_of(*region)) rewrite(*region, *tile, gemm, out);
    }
  }

  void rewrite(Copy& copy, Block& out) {
    for (Region* region : {&copy.src, &copy.dst}) {
      const Tile* tile = tile_of(*region);
      if (tile == nullptr || tile->product == nullptr) continue;
      check_height(copy, *region, *tile);
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
    if (is_full(tile) || same(widen_index(rows), widen_index(tile.height))) return;
    const auto given = as_int(rows), height = as_int(tile.height);
    if (given && height && *given <= *height) return;
    refuse(copy, region.buffer,
           fmt::format("T.copy: {} rows of `{}` are moved, and {} are multiplied", python_text(rows),
                       region.buffer->name, python_text(tile.height)),
           "move as many rows as T.gemm takes");
  }

  static bool is_full(const Tile& tile) {
    return same(widen_index(tile.height), widen_index(tile.made->shape[tile.made->rank() - 2]));
  }

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
  PassContext& context_;
  std::map<const BufferNode*, Tile> tiles_;
};

}  // namespace

void orient_operands(Function& function, PassContext& context) {
  visit_ops(function.body, [&](Op& op) {
    auto* launch = op.as<Launch>();
    if (launch != nullptr && runs_on_cores(*launch)) Operands(*launch, context).run();
  });
}

}  // namespace tl
