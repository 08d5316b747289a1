// lower-scans
//
// before:  tile.scan sum, src=%s[0 :+ 1, 0 :+ 1024], dst=%s[0 :+ 1, 0 :+ 1024], 1       (with 256 threads)
// after:   alloc %totals: shared float32[1, 205]
//          parallel [%i, %part], [1, 205] {           # each thread a part of a row
//            alloc %sum: var float32[1], init=0.0
//            for %e: int32, 0, 5 { if %part * 5 + %e < 1024 { sum += s[i, part * 5 + e]; s[i, part * 5 + e] = sum } }
//            store %totals, [%i, %part], %sum[0]
//          }
//          … the same for totals, until rows are short …
//          parallel [%i, %part, %e], [1, 204, 5] { … s[i, (part + 1) * 5 + e] += totals[i, part] }
//
// This is the scan of blocks of G. Blelloch, "Prefix Sums and Their Applications" (1990), over as many blocks as there
// are threads. Parts have odd lengths, so that threads next to each other meet different banks of shared memory.

#include "passes/lower/lower_scans.h"

#include <algorithm>

#include "ir/index.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/lower/lower_reduce.h"

namespace tl {
namespace {

/// Shorter parts are not worth a thread.
constexpr int64_t kLeastPart = 4;
/// Shorter rows are one thread's.
constexpr int64_t kShortRow = 16;

class ScanLowering {
 public:
  ScanLowering(const Scan& op, int64_t threads)
      : op_(op),
        threads_(threads),
        dim_(static_cast<size_t>(op.dim)),
        sum_(reduce_dtype(op.src.buffer->dtype, op.dst.buffer->dtype)) {}

  Block run() const {
    const auto length = as_int(op_.src.extents[dim_]);
    int64_t rows = 1;
    for (size_t d = 0; d < op_.src.extents.size(); ++d) {
      if (d != dim_) rows *= as_int(op_.src.extents[d]).value_or(threads_);
    }
    const int64_t parts = length ? std::min(threads_ / std::max<int64_t>(rows, 1), *length / kLeastPart) : 0;
    if (parts < 2 || *length <= kShortRow) return by_rows();
    return by_parts(*length, parts);
  }

 private:
  /// Where the region's element is whose place is `k` along the scanned dimension and `vars` along the others.
  std::vector<Expr> place(const Region& region, const std::vector<Var>& vars, const Expr& k) const {
    std::vector<Expr> out = region.offsets;
    size_t next = 0;
    for (size_t d = 0; d < out.size(); ++d) out[d] = offset_by(out[d], d == dim_ ? k : Expr(vars[next++]));
    return out;
  }

  std::vector<Expr> others() const {
    std::vector<Expr> out = op_.src.extents;
    out.erase(out.begin() + op_.dim);
    return out;
  }

  /// Counted in the direction of the scan.
  Expr along(const Expr& k) const {
    if (!op_.reverse) return k;
    return cast(DType::i32(), op_.src.extents[dim_]) - Expr(1) - k;
  }

  Buffer add_sum(Block& out) const {
    auto alloc = make_op<Alloc>(op_.loc);
    alloc->buffer = make_buffer("sum", sum_, {Expr(1)}, MemorySpace::kVar, {}, op_.loc);
    alloc->init = reduce_identity(op_.scan, sum_);
    const Buffer sum = alloc->buffer;
    out.push_back(std::move(alloc));
    return sum;
  }

  /// The element at `k` joins `sum`, which is stored there.
  Block step(const Buffer& sum, const Region& from, const Region& to, const std::vector<Var>& vars,
             const Expr& k) const {
    const Expr now = load(sum, {Expr(0)});
    Block out = one_op(make_store(
        sum, {Expr(0)}, reduce_combined(op_.scan, now, cast(sum_, load(from.buffer, place(from, vars, k)))), op_.loc));
    out.push_back(make_store(to.buffer, place(to, vars, k), cast(to.buffer->dtype, now), op_.loc));
    return out;
  }

  std::unique_ptr<For> loop_over(const Var& var, const Expr& end, Block body) const {
    auto loop = make_op<For>(op_.loc);
    loop->var = var;
    loop->begin = Expr(0);
    loop->end = end;
    loop->body = std::move(body);
    return loop;
  }

  Block by_rows() const {
    return one_op(make_points(others(), op_.loc, [&](const std::vector<Var>& vars) {
      Block out;
      const Buffer sum = add_sum(out);
      const Var k("k", DType::i32());
      out.push_back(
          loop_over(k, cast(DType::i32(), op_.src.extents[dim_]), step(sum, op_.src, op_.dst, vars, along(k))));
      return out;
    }));
  }

  Buffer add_shared(const std::string& name, std::vector<Expr> shape, Block& out) const {
    auto alloc = make_op<Alloc>(op_.loc);
    alloc->buffer = make_buffer(name, sum_, std::move(shape), MemorySpace::kShared, {}, op_.loc);
    const Buffer buffer = alloc->buffer;
    out.push_back(std::move(alloc));
    return buffer;
  }

  static Region whole(const Buffer& buffer) {
    return {buffer, std::vector<Expr>(buffer->rank(), Expr(0)), buffer->shape};
  }

  OpPtr copy(const Region& from, const Region& to) const {
    auto out = make_op<Copy>(op_.loc);
    out->src = from;
    out->dst = to;
    return out;
  }

  Block by_parts(int64_t length, int64_t parts) const {
    const int64_t part = ((length + parts - 1) / parts) | 1;
    parts = (length + part - 1) / part;
    Block out;
    // Elements of fragments are where their layout has them, and partial results are of the type that sums are.
    const bool in_place = is_shared(op_.dst.buffer->space) && op_.dst.buffer->dtype == sum_;
    const Region work = in_place ? op_.dst : whole(add_shared("scanned", op_.src.extents, out));
    Region from = op_.src;
    if (!is_shared(from.buffer->space)) {
      out.push_back(copy(from, work));
      from = work;
    }
    std::vector<Expr> shape = others();
    shape.emplace_back(static_cast<int>(parts));
    const Buffer totals = add_shared("totals", shape, out);
    out.push_back(scan_parts(from, work, totals, part, length));
    Scan again;
    again.loc = op_.loc;
    again.scan = op_.scan;
    again.src = again.dst = whole(totals);
    again.dim = static_cast<int64_t>(shape.size()) - 1;
    for (OpPtr& op : ScanLowering(again, threads_).run()) out.push_back(std::move(op));
    out.push_back(add_totals(work, totals, part, length));
    if (!in_place) out.push_back(copy(work, op_.dst));
    return out;
  }

  /// `then` where the place is in the row.
  OpPtr where_inside(const Expr& k, int64_t length, Block then) const {
    auto branch = make_op<If>(op_.loc);
    branch->condition = k < Expr(static_cast<int>(length));
    branch->then_body = std::move(then);
    return branch;
  }

  OpPtr scan_parts(const Region& from, const Region& to, const Buffer& totals, int64_t part, int64_t length) const {
    return make_points(totals->shape, op_.loc, [&](const std::vector<Var>& vars) {
      Block out;
      const Buffer sum = add_sum(out);
      const Var e("e", DType::i32());
      const Expr k = vars.back() * Expr(static_cast<int>(part)) + e;
      Block one = one_op(where_inside(k, length, step(sum, from, to, vars, along(k))));
      out.push_back(counted_loop(e, part, LoopKind::kSerial, std::move(one), op_.loc));
      out.push_back(make_store(totals, {vars.begin(), vars.end()}, load(sum, {Expr(0)}), op_.loc));
      return out;
    });
  }

  OpPtr add_totals(const Region& to, const Buffer& totals, int64_t part, int64_t length) const {
    std::vector<Expr> extents = totals->shape;
    extents.back() = extents.back() - Expr(1);
    extents.emplace_back(static_cast<int>(part));
    return make_points(extents, op_.loc, [&](const std::vector<Var>& vars) {
      const Var &before = vars[vars.size() - 2], &e = vars.back();
      const Expr k = (before + Expr(1)) * Expr(static_cast<int>(part)) + e;
      const std::vector<Expr> at = place(to, vars, along(k));
      const Expr value = reduce_combined(op_.scan, load(totals, {vars.begin(), vars.end() - 1}), load(to.buffer, at));
      return one_op(where_inside(k, length, one_op(make_store(to.buffer, at, value, op_.loc))));
    });
  }

  const Scan& op_;
  const int64_t threads_;
  const size_t dim_;
  const DType sum_;
};

}  // namespace

void lower_scans(Function& function, PassContext& context) {
  visit_ops(function.body, [&](Op& op) {
    auto* launch = op.as<Launch>();
    if (launch == nullptr) return;
    int64_t threads = 1;
    // One core runs a row at its best.
    if (context.target.kind != TargetKind::kHost) {
      for (const int64_t extent : launch->threads) threads *= extent;
    }
    rewrite_ops(launch->body, [&](OpPtr inner) {
      const auto* scan = inner->as<Scan>();
      return scan == nullptr ? one_op(std::move(inner)) : ScanLowering(*scan, threads).run();
    });
  });
}

}  // namespace tl
