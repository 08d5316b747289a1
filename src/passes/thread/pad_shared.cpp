// pad-shared
//
// before:  alloc %t: shared float32[32, 64]
//          parallel [%i: int32, %j: int32], [64, 32], hints={"layout": "…"} { store %B, [%i, %j], %t[%j, %i] }
// after:   alloc %t: shared float32[32, 64] strides [65, 1]
//
// Shared memory has 32 banks of 4 bytes; words of one bank in different rows are fetched one after the other.

#include "passes/thread/pad_shared.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "analysis/scope.h"
#include "ir/index.h"
#include "ir/walk.h"
#include "passes/thread/choose_layout.h"
#include "passes/thread/point_loop.h"
#include "passes/thread/thread_digits.h"
#include "passes/thread/vector_access.h"

namespace tl {
namespace {

constexpr int64_t kBanks = 32, kBankBytes = 4;

Buffer with_pitch(const Buffer& b, int64_t pitch) {
  const auto shape = *static_shape(*b);
  std::vector<Expr> strides(shape.size(), Expr(1));
  int64_t stride = pitch;
  for (size_t d = shape.size() - 1; d-- > 0;) {
    strides[d] = Expr(static_cast<int>(stride));
    stride *= shape[d];
  }
  return make_buffer(b->name, b->dtype, b->shape, b->space, strides, b->loc);
}

/// Where the access of a point lies, in elements, apart from what is the same for all points; none where it is no sum
/// of loop variables.
std::optional<std::vector<int64_t>> factors(const Buffer& buffer, const std::vector<Expr>& indices,
                                            const std::vector<Var>& vars) {
  std::vector<int64_t> out(vars.size(), 0);
  const std::vector<Expr> strides = strides_of(*buffer);
  for (size_t d = 0; d < indices.size(); ++d) {
    const auto stride = as_int(strides[d]);
    if (!stride) return std::nullopt;
    for (const LinearTerm& term : ring_form(widen_index(indices[d])).terms) {
      const Expr atom = unwidened(term.atom);
      const auto var = std::find_if(vars.begin(), vars.end(), [&](const Var& v) { return v.get() == atom.get(); });
      if (var != vars.end()) {
        out[static_cast<size_t>(var - vars.begin())] += static_cast<int64_t>(term.coefficient) * *stride;
        continue;
      }
      bool varies = false;
      visit_exprs(atom, [&](const Expr& part) {
        for (const Var& v : vars) varies |= v.get() == part.get();
      });
      if (varies) return std::nullopt;
    }
  }
  return out;
}

/// Trips of shared memory for the first warp's first access of `width` elements a thread.
int64_t trips(const Fragment& layout, const std::vector<int64_t>& factors, int64_t bytes, int64_t width) {
  std::vector<std::set<int64_t>> words(kBanks);
  for (int64_t t = 0; t < std::min<int64_t>(layout.threads(), 32); ++t) {
    const auto point = layout.coordinate(t, 0);
    if (!point) continue;
    int64_t element = 0;
    for (size_t d = 0; d < point->size(); ++d) element += factors[d] * (*point)[d];
    for (int64_t byte = element * bytes; byte < (element + width) * bytes; byte += std::min(bytes, kBankBytes)) {
      const int64_t word = byte / kBankBytes;
      words[static_cast<size_t>((word % kBanks + kBanks) % kBanks)].insert(word);
    }
  }
  size_t most = 1;
  for (const auto& bank : words) most = std::max(most, bank.size());
  return static_cast<int64_t>(most);
}

/// The choices of pitch for one tile, and what each costs so far.
struct Choice {
  Buffer buffer;
  std::vector<Buffer> padded;
  std::vector<double> cost;
};

class Padding {
 public:
  Padding(const Launch& launch, const PassContext& context) : rules_(rules_of(context)) {
    std::unordered_set<const BufferNode*> viewed;
    visit_ops(launch.body, [&](const Op& op) {
      if (const auto* view = op.as<View>()) viewed.insert(view->source.get());
    });
    visit_ops(launch.body, [&](const Op& op) {
      const auto* alloc = op.as<Alloc>();
      if (alloc == nullptr || !is_shared(alloc->buffer->space) || viewed.count(alloc->buffer.get()) != 0) return;
      if (alloc->buffer->is_contiguous() && alloc->buffer->rank() >= 2 && static_shape(*alloc->buffer)) {
        add(alloc->buffer);
      }
    });
  }

  void count(const Parallel& loop, const Facts& facts) {
    const auto hint = loop.hints.find("layout");
    const auto extents = static_extents(loop);
    if (hint == loop.hints.end() || !extents) return;
    const auto layout = Fragment::parse(std::get<std::string>(hint->second));
    const ThreadDigits digits = ThreadDigits::of(*layout);
    const bool groups = digits.split && !digits.registers.empty() && digits.registers[0].step == 1 &&
                        digits.registers[0].dim + 1 == loop.vars.size();
    const int64_t group = groups ? digits.registers[0].extent : 1;
    for (const PointAccess& access : point_accesses(loop)) {
      const auto it = choices_.find(access.buffer.get());
      if (it == choices_.end()) continue;
      for (size_t i = 0; i < it->second.padded.size(); ++i) {
        it->second.cost[i] += cost(*layout, loop, access, it->second.padded[i], group, facts);
      }
    }
  }

  /// A product reads its operands along k: rows of A for the rows of its threads, columns of B for their columns.
  void count(const Gemm& gemm, const Fragment& accumulator) {
    const size_t rows = accumulator.extents().size() - 2, columns = rows + 1;
    read_along(gemm.a, accumulator, rows, gemm.transpose_a);
    read_along(gemm.b, accumulator, columns, !gemm.transpose_b);
  }

  /// The tiles for which a longer row pays.
  Substitution chosen() const {
    Substitution out;
    for (const auto& [node, choice] : choices_) {
      const auto best = std::min_element(choice.cost.begin(), choice.cost.end());
      if (*best < choice.cost[0]) {
        out.buffers[node] = choice.padded[static_cast<size_t>(best - choice.cost.begin())];
      }
    }
    return out;
  }

 private:
  void add(const Buffer& buffer) {
    const int64_t bits = buffer->dtype.storage_bits();
    if (bits % 8 != 0) return;
    const int64_t bytes = bits / 8, row = static_shape(*buffer)->back();
    Choice choice{buffer, {buffer}, {0}};
    for (const int64_t gap : {rules_.access_bytes / bytes, std::max<int64_t>(kBankBytes / bytes, 1)}) {
      choice.padded.push_back(with_pitch(buffer, row + gap));
      choice.cost.push_back(0);
    }
    choices_.emplace(buffer.get(), std::move(choice));
  }

  /// The operand's elements for dimension `dim` of the product; they are neighbours along it where `neighbours`, else
  /// along k.
  void read_along(const Region& operand, const Fragment& accumulator, size_t dim, bool neighbours) {
    constexpr int64_t kWidest = 4;
    const auto it = choices_.find(operand.buffer.get());
    const auto extents = static_extents(operand);
    if (it == choices_.end() || !extents) return;
    const size_t last = extents->size() - 1;
    int64_t own = 1;
    for (const LayoutDigit& d : ThreadDigits::of(accumulator).registers) own *= d.dim == dim ? d.extent : 1;
    const double loads = static_cast<double>(own * (*extents)[neighbours ? last - 1 : last]);
    const int64_t bytes = operand.buffer->dtype.storage_bits() / 8;
    for (size_t i = 0; i < it->second.padded.size(); ++i) {
      const int64_t pitch = *as_int(strides_of(*it->second.padded[i])[last - 1]);
      int64_t width = std::min(kWidest, std::max<int64_t>(rules_.access_bytes / bytes, 1));
      while (width > 1 && pitch % width != 0) width /= 2;
      std::vector<int64_t> factors(accumulator.extents().size(), 0);
      factors[dim] = neighbours ? 1 : pitch;
      it->second.cost[i] +=
          loads * static_cast<double>(trips(accumulator, factors, bytes, width)) / static_cast<double>(width);
    }
  }

  /// Trips for each element of a thread.
  double cost(const Fragment& layout, const Parallel& loop, const PointAccess& access, const Buffer& buffer,
              int64_t group, const Facts& facts) const {
    const auto at = factors(buffer, *access.indices, loop.vars);
    if (!at) return 0;
    int64_t width = vector_elements(buffer, *access.indices, loop.vars, facts, rules_);
    while (width > 1 && group % width != 0) width /= 2;
    const int64_t bytes = buffer->dtype.storage_bits() / 8;
    return static_cast<double>(trips(layout, *at, bytes, width)) / static_cast<double>(width) *
           static_cast<double>(layout.registers());
  }

  const AccessRules rules_;
  std::unordered_map<const BufferNode*, Choice> choices_;
};

}  // namespace

void pad_shared(Function& function, PassContext& context) {
  std::vector<std::pair<Launch*, Padding>> launches;
  std::unordered_map<const BufferNode*, Fragment> layouts;
  visit_ops(std::as_const(function), [&](const Op& op, const Facts& facts) {
    if (const auto* launch = op.as<Launch>()) {
      launches.emplace_back(const_cast<Launch*>(launch), Padding(*launch, context));
    } else if (const auto* loop = op.as<Parallel>(); loop != nullptr && !launches.empty()) {
      launches.back().second.count(*loop, facts);
    } else if (const auto* alloc = op.as<Alloc>(); alloc != nullptr && alloc->hints.count("layout") != 0) {
      layouts.emplace(alloc->buffer.get(), *Fragment::parse(std::get<std::string>(alloc->hints.at("layout"))));
    } else if (const auto* gemm = op.as<Gemm>(); gemm != nullptr && !launches.empty()) {
      const auto found = layouts.find(gemm->c.buffer.get());
      if (found != layouts.end()) launches.back().second.count(*gemm, found->second);
    }
  });
  for (auto& [launch, padding] : launches) {
    const Substitution s = padding.chosen();
    if (s.empty()) continue;
    visit_ops(launch->body, [&](Op& op) {
      auto* alloc = op.as<Alloc>();
      const auto it = alloc == nullptr ? s.buffers.end() : s.buffers.find(alloc->buffer.get());
      if (it != s.buffers.end()) alloc->buffer = it->second;
    });
    substitute(launch->body, s);
  }
}

}  // namespace tl
