// Before:
//   group first=0, count=128 {
//     tile.copy src=%A[0 :+ 8], dst=%s[0 :+ 8]
//     barrier id=1, count=256
//   }
//   group first=128, count=128 {
//     barrier id=1, count=256
//     tile.copy src=%s[0 :+ 8], dst=%B[0 :+ 8]
//   }
// After:
//   tile.copy src=%A[0 :+ 8], dst=%s[0 :+ 8]
//   tile.copy src=%s[0 :+ 8], dst=%B[0 :+ 8]
//
// Groups next to each other run in any interleaving that their common barriers allow; each group's program, run up to
// its next barrier in turn, is one of them.

#include "passes/lower/serialize_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "analysis/uniform.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// A barrier that threads outside the group take part in.
bool joins_groups(const Op& op, const Group& group) {
  const auto* barrier = op.as<Barrier>();
  return barrier != nullptr && barrier->count > 0 && barrier->count != group.count;
}

/// One group's program, cut at the barriers it shares with others.
struct Role {
  Group* group;
  std::vector<Block> parts;
  /// `barriers[i]` ends `parts[i]`; the last part ends the group.
  std::vector<std::unique_ptr<Barrier>> barriers;
  size_t next = 0;
  bool waiting = false;

  bool done() const { return next == parts.size(); }
};

class GroupSerializer {
 public:
  GroupSerializer(const Uniformity& uniformity, PassContext& context) : uniformity_(uniformity), context_(context) {}

  void block(Block& ops) {
    for (OpPtr& op : ops) {
      for_each_block(*op, [&](std::string_view, Block& nested) { block(nested); });
    }
    Block out;
    for (size_t i = 0; i < ops.size();) {
      std::vector<Role> roles;
      for (; i < ops.size() && ops[i]->kind == OpKind::kGroup; ++i) roles.push_back(cut(static_cast<Group&>(*ops[i])));
      if (roles.empty()) {
        out.push_back(std::move(ops[i++]));
      } else {
        interleave(roles, out);
      }
    }
    // The groups' ops themselves live until here.
    ops = std::move(out);
  }

 private:
  Role cut(Group& group) {
    Role role{&group, {}, {}};
    role.parts.emplace_back();
    for (OpPtr& op : group.body) {
      if (joins_groups(*op, group)) {
        role.barriers.emplace_back(static_cast<Barrier*>(op.release()));
        role.parts.emplace_back();
        continue;
      }
      refuse_nested_barriers(*op, group);
      role.parts.back().push_back(std::move(op));
    }
    return role;
  }

  void refuse_nested_barriers(const Op& op, const Group& group) {
    for_each_block(op, [&](std::string_view, const Block& nested) {
      visit_ops(nested, [&](const Op& inner) {
        if (!joins_groups(inner, group)) return;
        context_.diagnostics
            .error(90, inner.loc, "a barrier between groups inside a loop or branch cannot run on this target")
            .help = "split the groups at the barrier, or choose a GPU target";
      });
    });
  }

  void interleave(std::vector<Role>& roles, Block& out) {
    for (Role& role : roles) {
      if (role.parts.size() > 1 && keeps_threads(role.parts)) hoist(role, out);
    }
    bool progress = true;
    while (progress) {
      progress = false;
      for (Role& role : roles) {
        if (role.waiting || role.done()) continue;
        emit(role, out);
        progress = true;
      }
      progress |= release(roles);
    }
    for (const Role& role : roles) {
      if (role.done()) continue;
      Diagnostic& d =
          context_.diagnostics.error(76, role.barriers[role.next - 1]->loc,
                                     fmt::format("the barrier waits for {} threads, which never come together",
                                                 role.barriers[role.next - 1]->count));
      d.help = "let groups of that many threads in all reach the barrier equally often";
      return;
    }
  }

  /// Appends the role's next part; the role then waits at the barrier that ends it.
  void emit(Role& role, Block& out) {
    Block part = std::move(role.parts[role.next++]);
    role.waiting = !role.done();
    if (part.empty()) return;
    if (!keeps_threads(part)) {
      for (OpPtr& op : part) out.push_back(std::move(op));
      return;
    }
    auto group = make_op<Group>(role.group->loc);
    group->engine = role.group->engine;
    group->first = role.group->first;
    group->count = role.group->count;
    group->hints = role.group->hints;
    group->body = std::move(part);
    out.push_back(std::move(group));
  }

  /// Lets those go on whose barrier is complete.
  static bool release(std::vector<Role>& roles) {
    std::map<int64_t, int64_t> arrived;
    const auto at = [](const Role& role) -> const Barrier& { return *role.barriers[role.next - 1]; };
    for (const Role& role : roles) {
      if (role.waiting) arrived[at(role).id] += role.group->count;
    }
    bool any = false;
    for (Role& role : roles) {
      if (!role.waiting || arrived[at(role).id] != at(role).count) continue;
      role.waiting = false;
      any = true;
    }
    return any;
  }

  /// Whether the ops are code of single threads, so that it matters which threads run them.
  bool keeps_threads(const Block& ops) const {
    std::unordered_set<const BufferNode*> own;
    bool keeps = false;
    const auto write = [&](const Buffer& buffer) {
      keeps |= is_per_thread(buffer->space) && own.count(buffer.get()) == 0;
    };
    visit_ops(ops, [&](const Op& op) {
      keeps |= !uniformity_.is_uniform(op);
      for_each_definition(op, [](const Var&) {}, [&](const Buffer& b) { own.insert(b.get()); });
      if (const auto* store = op.as<Store>()) write(store->buffer);
      for_each_region(op, [&](const RegionAccess& a) {
        if (a.role != FieldRole::kReads) write(a.region->buffer);
      });
    });
    return keeps;
  }
  bool keeps_threads(const std::vector<Block>& parts) const {
    return std::any_of(parts.begin(), parts.end(), [&](const Block& part) { return keeps_threads(part); });
  }

  /// Moves what several parts use out of the groups, as every part becomes a group of its own: allocations. A value
  /// bound in one part and used in another has no such place.
  void hoist(Role& role, Block& out) {
    std::unordered_map<const ExprNode*, size_t> bound_in;
    for (size_t i = 0; i < role.parts.size(); ++i) {
      Block& part = role.parts[i];
      Block kept;
      for (OpPtr& op : part) {
        if (const auto* bind = op->as<Bind>()) bound_in[bind->var.get()] = i;
        const auto* alloc = op->as<Alloc>();
        const bool moves = (alloc != nullptr && !alloc->init) || op->kind == OpKind::kView;
        (moves ? out : kept).push_back(std::move(op));
      }
      part = std::move(kept);
      visit_ops(std::as_const(part), [&](const Op& op) { refuse_crossing(op, bound_in, i); });
    }
  }

  void refuse_crossing(const Op& op, const std::unordered_map<const ExprNode*, size_t>& bound_in, size_t part) {
    for_each_expr(op, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& sub) {
        const auto it = bound_in.find(sub.get());
        if (it == bound_in.end() || it->second == part) return;
        context_.diagnostics
            .error(90, op.loc,
                   "a value bound before a barrier between groups and used behind it cannot be kept on this target")
            .help = "keep it in a variable of T.alloc_var made before the groups";
      });
    });
  }

  const Uniformity& uniformity_;
  PassContext& context_;
};

}  // namespace

void serialize_groups(Function& function, PassContext& context) {
  visit_ops(function.body, [&](Op& op) {
    auto* launch = op.as<Launch>();
    if (launch == nullptr) return;
    bool any = false;
    visit_ops(std::as_const(launch->body), [&](const Op& inner) { any |= inner.kind == OpKind::kGroup; });
    if (!any) return;
    const Uniformity uniformity(*launch);
    GroupSerializer(uniformity, context).block(launch->body);
  });
}

}  // namespace tl
