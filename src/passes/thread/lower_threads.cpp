// lower-threads
//
// before:  launch [%bx: int32], [8], threads=[128] {
//            alloc %x: fragment float32[1024], hints={"layout": "fragment<tile=(1024), threads=128:4,
//            registers=(4,2):(1,512)>"} parallel [%i: int32], [1024], hints={"layout": "…"} { store %x, [%i], %A[%bx *
//            1024 + %i] }
// after:   launch [%bx: int32], [8], lanes=[%tx: int32, …], threads=[128] {
//            alloc %x: local float32[8]
//            for %r: int32, 0, 2, loop=unrolled {
//              for %v: int32, 0, 4, loop=vectorized { store %x, [%r * 4 + %v], %A[%bx * 1024 + (%tx * 4 + %r * 512 +
//              %v)] }
//            }

#include "passes/thread/lower_threads.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "analysis/scope.h"
#include "analysis/uniform.h"
#include "ir/index.h"
#include "ir/walk.h"
#include "passes/lower/element_loops.h"
#include "passes/thread/choose_layout.h"
#include "passes/thread/point_code.h"
#include "passes/thread/point_loop.h"
#include "passes/thread/tile_points.h"
#include "passes/thread/vector_code.h"

namespace tl {
namespace {

std::optional<Fragment> layout_hint(const Attrs& hints) {
  const auto it = hints.find("layout");
  if (it == hints.end()) return std::nullopt;
  auto parsed = Fragment::parse(std::get<std::string>(it->second));
  TL_CHECK(static_cast<bool>(parsed), "a layout in a hint");
  return *parsed;
}

class LaunchLowering {
 public:
  LaunchLowering(Launch& launch, const SharedMemoryOf& shared, PassContext& context)
      : launch_(launch), uniformity_(launch), context_(context), rules_(rules_of(context)), shared_(shared) {
    name_threads();
    collect(launch.body, false);
  }

  void run(Facts& facts) {
    FactsScope scope(facts);
    enter_block(facts, launch_, "body");
    rewrite_ops(launch_.body, facts, [&](OpPtr op, Facts& here) { return lower(std::move(op), here); });
    if (multiplies_) ask_for_neighbour();
  }

 private:
  // --- threads and tiles ---------------------------------------------------------------------------------------------

  void name_threads() {
    static constexpr const char* kNames[] = {"tx", "ty", "tz"};
    if (launch_.lanes.empty()) {
      for (const char* name : kNames) launch_.lanes.emplace_back(name, DType::i32());
    }
    tiles_.threads = 1;
    for (size_t d = 0; d < launch_.threads.size(); ++d) {
      const int64_t extent = launch_.threads[d];
      if (extent > 1) {
        const Expr lane = launch_.lanes[d];
        const Expr part = tiles_.threads == 1 ? lane : lane * make_int(lane.dtype(), tiles_.threads);
        tiles_.thread = tiles_.thread ? tiles_.thread + part : part;
      }
      tiles_.threads *= extent;
    }
    if (!tiles_.thread) tiles_.thread = Expr(0);
    for (size_t d = 0; d < launch_.blocks.size(); ++d) tiles_.grid.emplace_back(launch_.blocks[d], launch_.grid[d]);
  }

  /// Finds the fragments, and what stands inside parallel loops, which is lowered with them.
  void collect(const Block& block, bool in_parallel) {
    for (const OpPtr& op : block) {
      if (in_parallel) in_parallel_.insert(op.get());
      if (const auto* alloc = op->as<Alloc>()) {
        if (const auto layout = layout_hint(alloc->hints)) add_tile(alloc->buffer, *layout);
      }
      const bool inside = in_parallel || op->kind == OpKind::kParallel;
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { collect(nested, inside); });
    }
  }

  void add_tile(const Buffer& tile, const Fragment& layout) {
    const Buffer registers = make_buffer(tile->name, tile->dtype, {Expr(static_cast<int>(layout.registers()))},
                                         MemorySpace::kLocal, {}, tile->loc);
    tiles_.tiles.emplace(tile.get(), ThreadTile{tile, layout, registers});
  }

  // --- registers -----------------------------------------------------------------------------------------------------

  /// Bytes of the arrays that are made inside a loop.
  static int64_t nested_arrays(const Op& op) {
    int64_t out = 0;
    for_each_block(op, [&](std::string_view, const Block& nested) {
      visit_ops(nested, [&](const Op& inner) {
        if (const auto* alloc = inner.as<Alloc>()) out += array_bytes(alloc->buffer);
      });
    });
    return out;
  }

  /// While a block's threads wait for a tile, those of another should multiply: where the registers suffice for two
  /// large blocks, the compiler is not to use more.
  void ask_for_neighbour() {
    // Registers of a thread that hold places, counters and what is on its way.
    constexpr int64_t kOtherRegisters = 24, kLargeBlock = 256;
    int64_t bytes = operand_bytes_;
    for (const auto& [node, tile] : tiles_.tiles) bytes += array_bytes(tile.registers);
    const int64_t registers = bytes / 4 + kOtherRegisters;
    if (tiles_.threads >= kLargeBlock && 2 * tiles_.threads * registers <= context_.target.registers) {
      launch_.hints["resident_blocks"] = int64_t{2};
    }
  }

  // --- statements ----------------------------------------------------------------------------------------------------

  Block lower(OpPtr op, Facts& facts) {
    if (in_parallel_.count(op.get()) != 0) return one_op(std::move(op));
    if (auto* alloc = op->as<Alloc>()) {
      if (const ThreadTile* tile = tiles_.find(alloc->buffer)) {
        alloc->buffer = tile->registers;
        alloc->hints.erase("layout");
      }
      map_exprs(*op, [&](const Expr& e) { return with_registers(e); });
      return one_op(std::move(op));
    }
    if (const auto* loop = op->as<Parallel>()) return parallel(*loop, facts);
    if (const auto* reduce = op->as<Reduce>(); reduce != nullptr && !uniformity_.is_uniform(*reduce)) {
      return in_each_thread(*reduce_loop(*reduce));
    }
    if (const auto* reduce = op->as<Reduce>()) return laid_out(reduce_points(*reduce, tiles_), facts);
    if (auto* gemm = op->as<Gemm>()) return product(*gemm, facts);
    if (const auto* group = op->as<Group>()) {
      context_.diagnostics
          .error(90, group->loc, "code of single threads in a group of threads is not available here yet")
          .help = "let the group run tile operations and T.Parallel only";
    }
    return scalar(std::move(op));
  }

  Block product(Gemm& gemm, Facts& facts) {
    Block out;
    if (gemm.clear.kind() != ExprKind::kConst) {
      // It may read what every thread holds as a whole, at a place that is no loop's: it is evaluated before the loops.
      auto bind = make_op<Bind>(gemm.loc);
      bind->var = Var("clear", DType::boolean());
      bind->value = with_registers(gemm.clear);
      gemm.clear = bind->var;
      out.push_back(std::move(bind));
    }
    multiplies_ = true;
    for (OpPtr& op : laid_out(gemm_points(gemm, tiles_, facts, rules_), facts)) {
      operand_bytes_ = std::max(operand_bytes_, nested_arrays(*op));
      out.push_back(std::move(op));
    }
    return out;
  }

  /// A statement outside parallel loops. What it does to memory of all threads, one of them does.
  Block scalar(OpPtr op) {
    const bool uniform = uniformity_.is_uniform(*op) && !uniformity_.in_differing_control(*op);
    map_exprs(*op, [&](const Expr& e) { return with_registers(e); });
    auto* store = op->as<Store>();
    if (store != nullptr && tiles_.find(store->buffer) != nullptr) {
      const ThreadTile& tile = *tiles_.find(store->buffer);
      store->indices = {replicated_register(tile, store->indices)};
      store->buffer = tile.registers;
      return one_op(std::move(op));
    }
    const bool effect = (store != nullptr && !is_per_thread(store->buffer->space)) || op->kind == OpKind::kPrint ||
                        op->kind == OpKind::kAssert;
    if (!uniform || !effect || tiles_.threads == 1) return one_op(std::move(op));
    auto branch = make_op<If>(op->loc);
    branch->condition = equal(tiles_.thread, make_int(tiles_.thread.dtype(), 0));
    branch->then_body.push_back(std::move(op));
    return one_op(std::move(branch));
  }

  /// Loads of fragments that every thread holds as a whole.
  Expr with_registers(const Expr& e) const {
    const Expr inner = map_operands(e, [&](const Expr& operand) { return with_registers(operand); });
    const auto* n = inner.as<LoadNode>();
    const ThreadTile* tile = n == nullptr ? nullptr : tiles_.find(n->buffer);
    return tile == nullptr ? inner : load(tile->registers, {replicated_register(*tile, n->indices)});
  }

  static Expr replicated_register(const ThreadTile& tile, const std::vector<Expr>& indices) {
    TL_CHECK(tile.layout.replication() == tile.layout.threads(), "a single element of a fragment that is spread");
    Expr out = make_int(DType::i64(), 0);
    for (size_t d = 0; d < indices.size(); ++d) {
      out = out * make_int(DType::i64(), tile.layout.extents()[d]) + widen_index(indices[d]);
    }
    return out;
  }

  // --- parallel loops ------------------------------------------------------------------------------------------------

  Block laid_out(std::vector<LaidOut> parts, Facts& facts) {
    Block out;
    for (LaidOut& part : parts) {
      Block lowered;
      if (!part.layout) {
        lowered = one_op(std::move(part.op));
      } else {
        lowered = points(static_cast<const Parallel&>(*part.op), *part.layout, part.sequential, facts);
      }
      for (OpPtr& op : lowered) out.push_back(std::move(op));
    }
    return out;
  }

  Block points(const Parallel& loop, const Fragment& layout, bool sequential, const Facts& facts) {
    const PointCode code(loop, layout, tiles_);
    if (!sequential) {
      if (auto vectors = vector_points(code, facts, rules_, shared_)) {
        if (vectors->relies_on_apart) launch_.hints[kTensorsApartHint] = true;
        return std::move(vectors->code);
      }
    }
    return code.scalar(loop.body);
  }

  Block parallel(const Parallel& loop, const Facts& facts) {
    if (const auto layout = layout_hint(loop.hints)) return points(loop, *layout, false, facts);
    return uniformity_.is_uniform(loop) ? strided(loop) : in_each_thread(loop);
  }

  /// A box of run-time extents: thread t runs the points t, t + threads, ... in row-major order.
  Block strided(const Parallel& loop) {
    const Var point("p", DType::i64());
    Expr total = make_int(DType::i64(), 1);
    for (const Expr& extent : loop.extents) total = total * max(widen_index(extent), make_int(DType::i64(), 0));
    Substitution s;
    Expr rest = point;
    for (size_t d = loop.vars.size(); d-- > 0;) {
      const Expr extent = widen_index(with_registers(loop.extents[d]));
      s.vars[loop.vars[d].get()] = cast(loop.vars[d].dtype(), d == 0 ? rest : floormod(rest, extent));
      rest = floordiv(rest, extent);
    }
    auto out = make_op<For>(loop.loc);
    out->var = point;
    out->begin = cast(DType::i64(), tiles_.thread);
    out->end = with_registers(total);
    out->step = make_int(DType::i64(), tiles_.threads);
    out->hints["independent"] = true;
    out->body = clone_with_new_definitions(loop.body);
    visit_ops(out->body, [&](Op& op) { map_exprs(op, [&](const Expr& e) { return with_registers(e); }); });
    substitute(out->body, s);
    return one_op(std::move(out));
  }

  /// Code of single threads: each runs all points.
  Block in_each_thread(const Parallel& loop) {
    Block body = clone_with_new_definitions(loop.body);
    visit_ops(body, [&](Op& op) { map_exprs(op, [&](const Expr& e) { return with_registers(e); }); });
    for (size_t d = loop.vars.size(); d-- > 0;) {
      auto nest = make_op<For>(loop.loc);
      nest->var = loop.vars[d];
      nest->begin = make_zero(loop.vars[d].dtype());
      nest->end = cast(loop.vars[d].dtype(), with_registers(loop.extents[d]));
      nest->step = make_int(loop.vars[d].dtype(), 1);
      nest->body = std::move(body);
      body = one_op(std::move(nest));
    }
    return body;
  }

  Launch& launch_;
  const Uniformity uniformity_;
  PassContext& context_;
  const AccessRules rules_;
  const SharedMemoryOf& shared_;
  ThreadTiles tiles_;
  std::unordered_set<const Op*> in_parallel_;
  bool multiplies_ = false;
  /// The most bytes that one product holds of its operands.
  int64_t operand_bytes_ = 0;
};

}  // namespace

void lower_threads(Function& function, PassContext& context) {
  // What holds around a launch is known before any of them changes.
  std::vector<std::pair<Launch*, Facts>> launches;
  visit_ops(std::as_const(function), [&](const Op& op, const Facts& facts) {
    if (const auto* launch = op.as<Launch>()) launches.emplace_back(const_cast<Launch*>(launch), facts);
  });
  const SharedMemoryOf shared(function, context);
  for (auto& [launch, facts] : launches) LaunchLowering(*launch, shared, context).run(facts);
}

}  // namespace tl
