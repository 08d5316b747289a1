#include "ir/build/scope.h"

#include "ir/walk.h"

namespace tl {

void Scope::close() {
  for (const void* node : blocks_.back()) entries_[node].live = false;
  blocks_.pop_back();
}

void Scope::define(const Var& var, const Loc& loc, uint8_t dependence) {
  entries_[var.get()] = {loc, dependence};
  kept_vars_.push_back(var);
  blocks_.back().push_back(var.get());
}

void Scope::define_everywhere(const Var& var, const Loc& loc) {
  entries_[var.get()] = {loc};
  everywhere_.insert(var.get());
  kept_vars_.push_back(var);
}

void Scope::define_everywhere(const Buffer& buffer) {
  entries_[buffer.get()] = {buffer->loc};
  kept_buffers_.push_back(buffer);
}

void Scope::define(const Buffer& buffer) {
  entries_[buffer.get()] = {buffer->loc};
  kept_buffers_.push_back(buffer);
  blocks_.back().push_back(buffer.get());
}

std::optional<Scope::Missing> Scope::use(const void* node, const std::string& name, bool is_buffer) {
  const auto it = entries_.find(node);
  if (it == entries_.end()) return Missing{name, is_buffer, false, Loc()};
  it->second.used = true;
  if (it->second.live) return std::nullopt;
  return Missing{name, is_buffer, true, it->second.loc};
}

std::optional<Scope::Missing> Scope::use(const Buffer& buffer) { return use(buffer.get(), buffer->name, true); }

std::optional<Scope::Missing> Scope::use(const Expr& e) {
  std::optional<Missing> first;
  visit_exprs(e, [&](const Expr& part) {
    std::optional<Missing> missing;
    if (const auto* var = part.as<VarNode>()) missing = use(var, var->name, false);
    if (const auto* load = part.as<LoadNode>()) missing = use(load->buffer);
    if (missing && !first) first = missing;
  });
  return first;
}

bool Scope::used(const Var& var) const {
  const auto it = entries_.find(var.get());
  return it != entries_.end() && it->second.used;
}

uint8_t Scope::dependence(const Expr& e) const {
  uint8_t bits = kUniform;
  visit_exprs(e, [&](const Expr& part) {
    if (part.kind() != ExprKind::kVar) return;
    const auto it = entries_.find(part.get());
    if (it != entries_.end()) bits |= it->second.dependence;
  });
  return bits;
}

std::string Scope::unique_name(const std::string& wanted) {
  const std::string base = wanted.empty() ? "v" : wanted;
  std::string name = base;
  while (next_number_.count(name) != 0) name = base + "_" + std::to_string(++next_number_[base]);
  next_number_.emplace(name, 0);
  return name;
}

}  // namespace tl
