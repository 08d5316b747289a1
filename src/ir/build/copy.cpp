// Copies and fills, and the checks that all tile operations share.

#include <fmt/format.h>

#include <algorithm>

#include "ir/build/builder.h"
#include "ir/build/describe.h"
#include "ir/build/linear.h"

namespace tl {
namespace {

constexpr const char* kCheck = "[Tilelang Semantic Check] ";

/// Dimensions of the source and of the destination that run together.
using Pairing = std::vector<std::pair<size_t, size_t>>;

std::vector<size_t> wide_dimensions(const std::vector<Expr>& extents) {
  std::vector<size_t> out;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (!is_const_int(extents[i], 1)) out.push_back(i);
  }
  return out;
}

/// Every way in which the extents may belong together: extents of 1 aside, and dimension by dimension.
std::vector<Pairing> pairings(const Region& src, const Region& dst) {
  std::vector<Pairing> out;
  const std::vector<size_t> s = wide_dimensions(src.extents), d = wide_dimensions(dst.extents);
  if (s.size() == d.size()) {
    out.emplace_back();
    for (size_t i = 0; i < s.size(); ++i) out.back().emplace_back(s[i], d[i]);
  }
  if (src.extents.size() == dst.extents.size()) {
    out.emplace_back();
    for (size_t i = 0; i < src.extents.size(); ++i) out.back().emplace_back(i, i);
  }
  return out;
}

bool equal_extents(const Region& src, const Region& dst, const Pairing& pairing) {
  return std::all_of(pairing.begin(), pairing.end(),
                     [&](const auto& p) { return provably_equal(src.extents[p.first], dst.extents[p.second]); });
}

bool source_fits(const Region& src, const Region& dst, const Pairing& pairing) {
  return std::all_of(pairing.begin(), pairing.end(), [&](const auto& p) {
    const auto s = as_int(src.extents[p.first]), d = as_int(dst.extents[p.second]);
    return !s || !d || *s <= *d;
  });
}

/// Makes both sides as large as the smaller one.
void narrow(Region& src, Region& dst, const Pairing& pairing) {
  for (const auto& [i, j] : pairing) {
    Expr &s = src.extents[i], &d = dst.extents[j];
    if (!provably_equal(s, d)) s = as_int(s) && as_int(d) ? s : promote::binary(BinaryOp::kMin, s, d);
    d = s;
  }
}

std::string sides_text(const TileOperand& src, const TileOperand& dst) {
  const auto text = [](const TileOperand& t) {
    return t.form == TileOperand::Form::kWhole
               ? fmt::format("{} is {}", t.buffer()->name, shape_text(t.buffer()->shape))
               : fmt::format("{} is {}", region_text(t.region), shape_text(t.region.extents));
  };
  return text(src) + ", " + text(dst);
}

[[noreturn]] void refuse(int code, std::string message, const TileOperand& src, const TileOperand& dst,
                         std::string help) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.help = std::move(help);
  with_declaration(d, src.buffer());
  with_declaration(d, dst.buffer());
  throw CompileError(std::move(d));
}

/// Gives `start`, one element, the extents of `other`, aligned at the last dimension.
Region from_start(const TileOperand& start, const TileOperand& other, const TileOperand& src, const TileOperand& dst) {
  Region out = start.region;
  const std::vector<Expr>& extents = other.region.extents;
  const size_t rank = out.extents.size();
  for (size_t i = 0; i < extents.size(); ++i) {
    const size_t from_last = extents.size() - i;
    if (from_last <= rank) {
      out.extents[rank - from_last] = extents[i];
    } else if (!is_const_int(extents[i], 1)) {
      refuse(40,
             fmt::format("T.copy: {} has fewer dimensions than the extents {} it would take", out.buffer->name,
                         shape_text(extents)),
             src, dst, fmt::format("write a slice of {} with the extents to copy", out.buffer->name));
    }
  }
  return out;
}

void deduce(const TileOperand& src, const TileOperand& dst, Region& from, Region& to) {
  using Form = TileOperand::Form;
  if (src.form == Form::kElement && dst.form == Form::kElement) {
    refuse(41, "Can't deduce copy extents: both sides of T.copy are elements", src, dst,
           "write a slice on one side: A[i, 0:n]");
  }
  if (src.form == Form::kElement) from = from_start(src, dst, src, dst);
  if (dst.form == Form::kElement) to = from_start(dst, src, src, dst);
  if (src.form == Form::kElement || dst.form == Form::kElement) return;
  if (src.form == Form::kWhole && dst.form == Form::kWhole) {
    const bool equal = from.extents.size() == to.extents.size() &&
                       std::equal(from.extents.begin(), from.extents.end(), to.extents.begin(), provably_equal);
    if (equal) return;
    refuse(40, fmt::format("T.copy between unequal shapes: {} (StructuralEqual check failed)", sides_text(src, dst)),
           src, dst, "copy a slice of the larger one, such as A[0:n, :]");
  }
  const std::vector<Pairing> ways = pairings(from, to);
  if (ways.empty()) {
    refuse(40, fmt::format("T.copy: the extents do not belong together: {}", sides_text(src, dst)), src, dst,
           "extents of 1 aside, both sides need the same number of extents");
  }
  auto way = std::find_if(ways.begin(), ways.end(), [&](const Pairing& p) { return equal_extents(from, to, p); });
  if (way == ways.end())
    way = std::find_if(ways.begin(), ways.end(), [&](const Pairing& p) { return source_fits(from, to, p); });
  if (way == ways.end()) {
    refuse(43,
           fmt::format(
               "T.copy: the source is larger than the destination: {} (Selected loop range is smaller than original "
               "src range)",
               sides_text(src, dst)),
           src, dst, "copy a slice of the source that fits");
  }
  narrow(from, to, *way);
}

/// Swaps the last two dimensions.
void turn(Region& region) {
  const size_t last = region.extents.size() - 1;
  std::swap(region.extents[last], region.extents[last - 1]);
  std::swap(region.offsets[last], region.offsets[last - 1]);
}

/// The destination of a transposing copy, as one that is matched dimension by dimension.
void turn(TileOperand& dst, const char* what) {
  if (dst.region.extents.size() < 2) {
    refuse(45, fmt::format("{}: {} has one dimension, so it cannot be transposed", what, dst.buffer()->name), dst, dst,
           "leave out transpose=True");
  }
  turn(dst.region);
}

/// Whether a copy between the two moves one value by a store: element to element, or to or from a variable.
bool is_store(const TileOperand& src, const TileOperand& dst) {
  using Form = TileOperand::Form;
  if (src.form == Form::kElement && dst.form == Form::kElement) return true;
  const bool variable = src.buffer()->space == MemorySpace::kVar || dst.buffer()->space == MemorySpace::kVar;
  return variable && wide_dimensions(src.region.extents).empty() && wide_dimensions(dst.region.extents).empty();
}

std::vector<Operand> operands(const std::vector<Expr>& exprs) { return {exprs.begin(), exprs.end()}; }

}  // namespace

// --- checks of all tile operations ---------------------------------------------------------------

bool Builder::check_tile_op(const char* what) {
  if (!need_launch(what)) return false;
  const Parallel* loop = enclosing<Parallel>();
  if (loop == nullptr) return true;
  Diagnostic& d =
      error(62, fmt::format("{}Only elementwise operations are allowed inside a parallel loop, not {}", kCheck, what));
  d.notes.push_back({"the parallel loop is here", loop->loc});
  d.help = "move it out of the loop: a tile operation runs on all threads by itself";
  return false;
}

bool Builder::check_region(const char* what, const Region& region) {
  // Edges of global tensors are predicated; a tile on the chip has nothing beyond its edge.
  if (region.buffer->space == MemorySpace::kGlobal) return true;
  for (size_t i = 0; i < region.extents.size(); ++i) {
    const auto begin = as_int(region.offsets[i]), extent = as_int(region.extents[i]),
               size = as_int(region.buffer->shape[i]);
    if (!size || ((!begin || *begin >= 0) && (!extent || begin.value_or(0) + *extent <= *size))) continue;
    Diagnostic& d = error(54, fmt::format("{}: {} exceeds dimension {} of `{}`, which has extent {}", what,
                                          region_text(region), i, region.buffer->name, *size));
    d.help = fmt::format("use a slice inside 0:{}", *size);
    with_declaration(d, region.buffer);
    return false;
  }
  return true;
}

// --- copy ----------------------------------------------------------------------------------------

void Builder::copy_element(const TileOperand& src, const TileOperand& dst) {
  if (!attempt([&] { check_core_store(load(src.buffer(), src.region.offsets), *dst.buffer()); })) return;
  const Expr value = load(src.buffer(), src.region.offsets);
  // A copy converts like T.cast: no warning about what the program says anyway.
  store(dst.buffer(), operands(dst.region.offsets), cast(dst.buffer()->dtype, value));
}

void Builder::copy(const TileOperand& src, const TileOperand& dst, CopyOptions options) {
  if ((options.hints.empty() || on_cores()) && is_store(src, dst)) return copy_element(src, dst);
  if (!check_tile_op("T.copy")) return;
  if (!on_cores()) {
    options.hints.erase(kTransposeHint);
    options.hints.erase(kDataSelectHint);
  }
  attempt([&] {
    auto op = make<Copy>();
    TileOperand from = src, to = dst;
    const bool turned = hint(options.hints, kTransposeHint, false);
    if (turned) turn(to, "T.copy");
    reshape_whole(from, to);
    op->src = from.region;
    op->dst = to.region;
    deduce(from, to, op->src, op->dst);
    if (turned) turn(op->dst);
    if (!check_region("T.copy", op->src) || !check_region("T.copy", op->dst)) return;
    check_core_copy(op->src, op->dst);
    if (options.pad) op->pad = promote::stored(*options.pad, src.buffer()->dtype).value;
    op->prefer = options.prefer;
    op->evict = options.evict;
    op->hints = std::move(options.hints);
    add(std::move(op));
  });
}

// --- fill ----------------------------------------------------------------------------------------

void Builder::fill(const TileOperand& dst, const Operand& value) {
  if (dst.buffer()->space == MemorySpace::kVar) return store(dst.buffer(), operands(dst.region.offsets), value);
  if (!check_tile_op("T.fill") || !check_region("T.fill", dst.region)) return;
  attempt([&] {
    auto op = make<Fill>();
    check_core_fill(dst.buffer());
    op->dst = dst.region;
    op->value = converted(value, *dst.buffer());
    add(std::move(op));
  });
}

}  // namespace tl
