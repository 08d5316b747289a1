#include "passes/tile/check_cores.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "ir/walk.h"

namespace tl {
namespace {

constexpr const char* kCheck = "[TileLang Semantic Check] ";

bool is_of_cube(MemorySpace space) {
  return space == MemorySpace::kL1 || space == MemorySpace::kL0A || space == MemorySpace::kL0B ||
         space == MemorySpace::kL0C;
}

class CoreCheck {
 public:
  CoreCheck(const Launch& launch, Diagnostics& diagnostics) : diagnostics_(diagnostics) { block(launch.body); }

 private:
  void block(const Block& ops) {
    for (const OpPtr& op : ops) {
      if (const auto* alloc = op->as<Alloc>(); alloc != nullptr && region_ == nullptr) {
        of_core_.insert(alloc->buffer.get());
      }
      if (const auto* view = op->as<View>(); view != nullptr && of_core_.count(view->source.get()) != 0) {
        of_core_.insert(view->buffer.get());
      }
      uses(*op);
      const auto* group = op->as<Group>();
      const Group* outer = region_;
      if (group != nullptr && is_simt_region(*group)) region_ = group;
      for_each_block(std::as_const(*op), [&](std::string_view, const Block& nested) { block(nested); });
      region_ = outer;
    }
  }

  void uses(const Op& op) {
    for_each_expr(op, [&](const Expr& e) {
      visit_exprs(e, [&](const Expr& part) {
        if (const auto* load = part.as<LoadNode>()) element(op, load->buffer, false);
      });
    });
    if (const auto* store = op.as<Store>()) element(op, store->buffer, true);
    for_each_region(op, [&](const RegionAccess& access) {
      if (region_ != nullptr) of_threads(op, access.region->buffer, access.role != FieldRole::kReads);
    });
  }

  void element(const Op& op, const Buffer& buffer, bool writes) {
    if (!is_of_cube(buffer->space)) {
      if (region_ != nullptr) of_threads(op, buffer, writes);
      return;
    }
    if (!reported_.insert(buffer.get()).second) return;
    Diagnostic& d =
        diagnostics_.error(46, op.loc,
                           fmt::format("an element of `{}` is {}, but tiles of {} memory are moved as a whole",
                                       buffer->name, writes ? "written" : "read", space_name(buffer->space)));
    declared(d, buffer);
    d.help = "copy the tile to T.alloc_shared or to global memory";
  }

  /// In a region: a buffer that the core's scalar code may hold.
  void of_threads(const Op& op, const Buffer& buffer, bool writes) {
    const bool variable = buffer->space == MemorySpace::kVar;
    if (!is_per_thread(buffer->space) || of_core_.count(buffer.get()) == 0 || (variable && !writes)) return;
    if (!reported_.insert(buffer.get()).second) return;
    Diagnostic& d = diagnostics_.error(
        79, op.loc,
        variable
            ? fmt::format("{}variable `{}` was allocated outside of a VF block and may not be written inside of one",
                          kCheck, buffer->name)
            : fmt::format("{}local array `{}` was allocated outside of a VF block and may not be used inside of one",
                          kCheck, buffer->name));
    declared(d, buffer);
    d.notes.push_back({"the region is here", region_->loc});
    d.help = "allocate it in the region; what the core shall see goes through T.alloc_shared";
  }

  static void declared(Diagnostic& d, const Buffer& buffer) {
    if (buffer->loc) d.notes.push_back({fmt::format("`{}` was allocated here", buffer->name), buffer->loc});
  }

  Diagnostics& diagnostics_;
  const Group* region_ = nullptr;
  std::unordered_set<const BufferNode*> of_core_, reported_;
};

void refuse_regions(const Launch& launch, Diagnostics& diagnostics) {
  visit_ops(launch.body, [&](const Op& op) {
    const auto* group = op.as<Group>();
    if (group == nullptr || !is_simt_region(*group)) return;
    diagnostics.error(79, op.loc, fmt::format("{}a region of vector threads in a launch without cores", kCheck)).help =
        "open the launch with T.Kernel of tilelang.ascend.language";
  });
}

}  // namespace

void check_cores(const Launch& launch, const Target& target, Diagnostics& diagnostics) {
  if (!runs_on_cores(launch)) return refuse_regions(launch, diagnostics);
  if (target.kind == TargetKind::kHost || target.kind == TargetKind::kCuda) {
    diagnostics
        .error(90, launch.loc,
               fmt::format("this launch is one of AI cores (tilelang.ascend.language), which {} does not have",
                           target.name))
        .help = "compile it for target=\"ascend\", or run it with target=\"interpret\"";
    return;
  }
  CoreCheck(launch, diagnostics);
}

}  // namespace tl
