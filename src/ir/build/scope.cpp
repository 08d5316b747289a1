#include "ir/build/scope.h"

#include "ir/walk.h"

namespace tl {

void Scope::close() {
  for (const void* node : blocks_.back()) entries_[node].live = false;
  blocks_.pop_back();
}

void Scope::define(const Var& var, const Loc& loc, uint8_t dependence) {
  entries_[var.get()] = {loc, dependence, true};
  kept_vars_.push_back(var);
  blocks_.back().push_back(var.get());
}

void Scope::define_everywhere(const Var& var, const Loc& loc) {
  entries_[var.get()] = {loc, kUniform, true};
  kept_vars_.push_back(var);
}

void Scope::define(const Buffer& buffer) {
  entries_[buffer.get()] = {buffer->loc, kUniform, true};
  kept_buffers_.push_back(buffer);
  blocks_.back().push_back(buffer.get());
}

std::optional<Scope::Missing> Scope::check(const void* node, const std::string& name, bool is_buffer) const {
  const auto it = entries_.find(node);
  if (it != entries_.end() && it->second.live) return std::nullopt;
  const bool was_defined = it != entries_.end();
  return Missing{name, is_buffer, was_defined, was_defined ? it->second.loc : Loc()};
}

std::optional<Scope::Missing> Scope::missing(const Buffer& buffer) const {
  return check(buffer.get(), buffer->name, true);
}

std::optional<Scope::Missing> Scope::missing(const Expr& e) const {
  std::optional<Missing> found;
  visit_exprs(e, [&](const Expr& part) {
    if (found) return;
    if (const auto* var = part.as<VarNode>()) found = check(var, var->name, false);
    if (const auto* load = part.as<LoadNode>()) found = missing(load->buffer);
  });
  return found;
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
