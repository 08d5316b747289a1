#include "passes/tile/check_definedness.h"

#include <fmt/format.h>

#include <unordered_map>
#include <vector>

#include "analysis/accesses.h"
#include "ir/intrinsics.h"
#include "ir/walk.h"

namespace tl {
namespace {

struct Uses {
  bool given = false;
  const Op* first_read = nullptr;
};

/// Whether an op that reads and writes a region takes the old contents into account.
bool keeps_old(const Op& op) {
  if (const auto* gemm = op.as<Gemm>()) return is_const_int(gemm->clear, 0);
  const auto* reduce = op.as<Reduce>();
  return reduce != nullptr && !reduce->clear;
}

class DefinednessCheck {
 public:
  explicit DefinednessCheck(const Function& function) : aliases_(function) {
    visit_ops(function.body, [&](const Op& op) { collect(op); });
  }

  void report(Diagnostics& diagnostics) const {
    for (const Buffer& buffer : allocated_) {
      const Uses& uses = uses_.at(buffer.get());
      if (uses.given || uses.first_read == nullptr) continue;
      const bool accumulates = keeps_old(*uses.first_read) && writes(*uses.first_read, buffer);
      Diagnostic& d = diagnostics.warning(
          121, uses.first_read->loc,
          accumulates ? fmt::format("Buffer read before initialization: `{}` is accumulated into, but never cleared",
                                    buffer->name)
                      : fmt::format("Buffer read before initialization: nothing writes `{}`", buffer->name));
      if (buffer->loc) d.notes.push_back({"it was allocated here", buffer->loc});
      d.help = accumulates ? fmt::format("T.clear({}) before the loop", buffer->name) : "write it before it is read";
    }
  }

 private:
  void collect(const Op& op) {
    if (const auto* alloc = op.as<Alloc>()) {
      if (alloc->buffer->space == MemorySpace::kGlobal) return;
      allocated_.push_back(alloc->buffer);
      uses_[alloc->buffer.get()].given = static_cast<bool>(alloc->init);
    }
    const bool old = keeps_old(op);
    for_each_region(op, [&](const RegionAccess& a) {
      Uses* uses = uses_of(a.region->buffer);
      if (uses == nullptr) return;
      const bool writes = a.role == FieldRole::kWrites || (a.role == FieldRole::kReadsWrites && !old);
      if (writes) uses->given = true;
      if (!writes && uses->first_read == nullptr) uses->first_read = &op;
    });
    if (const auto* store = op.as<Store>()) {
      if (Uses* uses = uses_of(store->buffer)) uses->given = true;
    }
    for_each_expr(op, [&](const Expr& e) { visit_exprs(e, [&](const Expr& part) { collect(op, part); }); });
  }

  void collect(const Op& op, const Expr& e) {
    // A foreign function may fill what its arguments name.
    if (const auto* call = e.as<CallNode>(); call != nullptr && call->intrinsic->effect == Effect::kWrites) {
      for (const Expr& arg : call->args) {
        const auto* load = arg.as<LoadNode>();
        Uses* uses = load != nullptr ? uses_of(load->buffer) : nullptr;
        if (uses != nullptr) uses->given = true;
      }
    }
    const auto* load = e.as<LoadNode>();
    Uses* uses = load != nullptr ? uses_of(load->buffer) : nullptr;
    if (uses != nullptr && uses->first_read == nullptr) uses->first_read = &op;
  }

  Uses* uses_of(const Buffer& buffer) {
    const auto it = uses_.find(aliases_.root(buffer).get());
    return it == uses_.end() ? nullptr : &it->second;
  }

  bool writes(const Op& op, const Buffer& root) const {
    bool found = false;
    for_each_region(op, [&](const RegionAccess& a) {
      found |= a.role == FieldRole::kReadsWrites && aliases_.root(a.region->buffer) == root;
    });
    return found;
  }

  Aliases aliases_;
  std::vector<Buffer> allocated_;
  std::unordered_map<const BufferNode*, Uses> uses_;
};

}  // namespace

void check_definedness(const Function& function, Diagnostics& diagnostics) {
  DefinednessCheck(function).report(diagnostics);
}

}  // namespace tl
