#include "driver/signature_of.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/facts.h"
#include "analysis/linear.h"
#include "ir/text.h"
#include "ir/walk.h"

namespace tl {
namespace {

/// An extent or a stride of a parameter, as the user wrote it.
struct Field {
  ArgumentField where;
  Expr value;
};

class Binder {
 public:
  explicit Binder(const Function& function) : function_(function) {}

  FunctionSignature run() {
    add_params();
    bind_symbols();
    for (size_t i = 0; i < function_.params.size(); ++i) {
      if (const auto* b = std::get_if<Buffer>(&function_.params[i])) describe(**b, out_.signature.params[i]);
    }
    return std::move(out_);
  }

 private:
  void add_params() {
    for (size_t i = 0; i < function_.params.size(); ++i) {
      ParamSpec spec;
      const int param = static_cast<int>(i);
      spec.output = std::count(function_.outputs.begin(), function_.outputs.end(), static_cast<int64_t>(i)) != 0;
      if (const auto* b = std::get_if<Buffer>(&function_.params[i])) {
        spec.name = (*b)->name;
        spec.dtype = (*b)->dtype;
        for (size_t d = 0; d < (*b)->rank(); ++d) {
          fields_.push_back({{ArgumentField::Kind::kExtent, param, static_cast<int>(d)}, (*b)->shape[d]});
        }
        for (size_t d = 0; d < (*b)->strides.size(); ++d) {
          fields_.push_back({{ArgumentField::Kind::kStride, param, static_cast<int>(d)}, (*b)->strides[d]});
        }
      } else {
        const Var& v = std::get<Var>(function_.params[i]);
        spec.name = v.name();
        spec.dtype = v.dtype();
        spec.kind = v.dtype().is_handle() ? ParamKind::kPointer : ParamKind::kScalar;
        if (v.dtype().is_integral() || v.dtype().is_bool())
          bind(v, SlotSource{{ArgumentField::Kind::kScalar, param, 0}});
      }
      out_.signature.params.push_back(std::move(spec));
    }
  }

  void bind(const Var& v, const SlotSource& source) {
    const int slot = out_.add_slot(v);
    SlotBinding binding;
    binding.slot = slot;
    binding.dtype = v.dtype();
    binding.sources.push_back(source);
    out_.signature.bindings.push_back(std::move(binding));
  }

  bool is_bound(const Expr& e) const {
    bool bound = true;
    visit_exprs(e, [&](const Expr& sub) {
      if (sub.kind() == ExprKind::kVar) bound &= out_.slots.count(sub.get()) != 0;
    });
    return bound;
  }

  /// All places where the symbol stands alone, in order: the first whose argument is given decides at run time.
  bool bind_alone(const Var& symbol) {
    SlotBinding binding;
    for (const Field& f : fields_) {
      // An output has no shape of its own yet.
      if (f.value.get() != symbol.get() || out_.signature.params[f.where.param].output) continue;
      binding.sources.push_back({f.where});
    }
    if (binding.sources.empty()) return false;
    binding.slot = out_.add_slot(symbol);
    binding.dtype = symbol.dtype();
    out_.signature.bindings.push_back(std::move(binding));
    return true;
  }

  /// c * symbol + rest, rest known.
  bool bind_linear(const Var& symbol) {
    const Facts none;
    for (const Field& f : fields_) {
      if (out_.signature.params[f.where.param].output) continue;
      const LinearForm form = exact_form(f.value, none);
      LinearForm ring = ring_form(f.value);
      const LinearForm& use = form.coefficient_of(symbol) != 0 ? form : ring;
      const auto c = static_cast<int64_t>(use.coefficient_of(symbol));
      if (!use.valid || c == 0) continue;
      const Expr rest = to_expr(use.without(symbol), symbol.dtype());
      bool again = false;
      visit_exprs(rest, [&](const Expr& sub) { again |= sub.get() == symbol.get(); });
      if (again || !is_bound(rest)) continue;
      SlotSource source{f.where, IntProgram::constant(c), program(rest)};
      bind(symbol, source);
      return true;
    }
    return false;
  }

  void bind_symbols() {
    for (const Var& symbol : function_.symbols) bind_alone(symbol);
    for (bool progress = true; progress;) {
      progress = false;
      for (const Var& symbol : function_.symbols) {
        if (out_.slots.count(symbol.get()) == 0) progress |= bind_linear(symbol);
      }
    }
    for (const Var& symbol : function_.symbols) {
      if (out_.slots.count(symbol.get()) != 0) continue;
      throw CompileError(Diagnostic{Severity::kError,
                                    104,
                                    fmt::format("no argument determines the symbolic dimension `{}`", symbol.name()),
                                    function_.loc,
                                    {},
                                    "give it as an extent of its own in some input, or pass it as a scalar"});
    }
  }

  IntProgram program(const Expr& e) const {
    return int_program_of(e, [this](const Var& v) { return out_.slot_of(v); });
  }

  void describe(const BufferNode& b, ParamSpec& spec) const {
    const auto dims = [&](const std::vector<Expr>& exprs) {
      std::vector<Dim> out;
      for (const Expr& e : exprs) out.push_back({program(e), as_int(e) ? std::string() : python_text(e)});
      return out;
    };
    spec.shape = dims(b.shape);
    spec.strides = dims(b.strides);
  }

  const Function& function_;
  std::vector<Field> fields_;
  FunctionSignature out_;
};

}  // namespace

int FunctionSignature::slot_of(const Var& v) const {
  const auto it = slots.find(v.get());
  return it == slots.end() ? -1 : it->second;
}

int FunctionSignature::add_slot(const Var& v) {
  const int slot = static_cast<int>(signature.slot_names.size());
  signature.slot_names.push_back(v.name());
  slots[v.get()] = slot;
  return slot;
}

int FunctionSignature::address_slot(int param) {
  const ArgumentField field{ArgumentField::Kind::kAddress, param, 0};
  for (const SlotBinding& binding : signature.bindings) {
    if (binding.sources.size() == 1 && binding.sources[0].field == field) return binding.slot;
  }
  SlotBinding binding;
  binding.slot = static_cast<int>(signature.slot_names.size());
  binding.sources.push_back({field});
  signature.slot_names.push_back("&" + signature.params[param].name);
  signature.bindings.push_back(std::move(binding));
  return signature.bindings.back().slot;
}

FunctionSignature signature_of(const Function& function) { return Binder(function).run(); }

}  // namespace tl
