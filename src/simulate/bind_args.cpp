#include "simulate/bind_args.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/text.h"

namespace tl::simulate {
namespace {

/// One thing that an argument fixes: an extent or a stride of the parameter has this value.
struct Equation {
  Expr expr;
  int64_t value;
  int code;
  std::string what;
};

class Binder {
 public:
  Binder(const Function& function, std::span<const Arg> args, Program& program, Machine& machine)
      : function_(function), args_(args), program_(program), m_(machine) {}

  void run() {
    if (args_.size() != function_.params.size()) {
      stop(100, function_.loc,
           fmt::format("`{}` takes {} arguments, but {} were given", function_.name, function_.params.size(),
                       args_.size()));
    }
    for (size_t i = 0; i < args_.size(); ++i) {
      if (const auto* buffer = std::get_if<Buffer>(&function_.params[i])) {
        tensor(*buffer, args_[i]);
      } else {
        scalar(std::get<Var>(function_.params[i]), args_[i]);
      }
    }
    diagnostics_.throw_if_errors();
    solve();
    check();
    diagnostics_.throw_if_errors();
    set_symbols();
  }

 private:
  void scalar(const Var& param, const Arg& arg) {
    const auto* value = std::get_if<Scalar>(&arg);
    if (value == nullptr) {
      diagnostics_.error(101, function_.loc,
                         fmt::format("argument `{}` is a tensor, not a {}", param.name(), param.dtype().name()));
      return;
    }
    const Scalar converted = cast(*value, param.dtype());
    program_.var_of[param.get()]->values[0] = raw_of(converted);
    if (!param.dtype().is_floating()) symbols_.set(param, converted.as_int());
  }

  void tensor(const Buffer& param, const Arg& arg) {
    const auto* given = std::get_if<TensorArg>(&arg);
    const auto refuse = [&](int code, std::string what) {
      diagnostics_.error(code, param->loc ? param->loc : function_.loc,
                         fmt::format("argument `{}` {}", param->name, what));
    };
    if (given == nullptr) return refuse(101, "is a number, not a tensor");
    if (given->dtype != param->dtype) {
      return refuse(103, fmt::format("has dtype {}, expected {}", given->dtype.name(), param->dtype.name()));
    }
    if (given->shape.size() != param->rank() || given->strides.size() != param->rank()) {
      return refuse(102, fmt::format("has {} dimensions, expected {}", given->shape.size(), param->rank()));
    }
    BufferSlot& slot = *program_.buffer_of[param.get()];
    slot.set_shape(given->shape, given->strides);
    if (given->data == nullptr && slot.span > 0) return refuse(107, "has no data");
    for (size_t d = 0; d < param->rank(); ++d) {
      equations_.push_back(
          {param->shape[d], given->shape[d], 104, fmt::format("`{}` in dimension {}", param->name, d)});
    }
    give_memory(slot, given->data);
    match_strides(*param, *given);
  }

  void give_memory(BufferSlot& slot, void* data) {
    slot.memory = std::make_shared<Memory>();
    Memory& memory = *slot.memory;
    memory.data = static_cast<uint8_t*>(data) - slot.origin * slot.codec.bits() / 8;
    memory.copy_bytes = (slot.span * slot.codec.bits() + 7) / 8;
    memory.cell_bits = program_.cell_bits_of(slot.buffer);
    memory.cells = slot.span * slot.codec.bits() / memory.cell_bits;
    if (m_.check) memory.shadow.reset(memory.cells, true, true, program_.every_reader);
  }

  void match_strides(const BufferNode& param, const TensorArg& given) {
    const bool empty = std::find(given.shape.begin(), given.shape.end(), 0) != given.shape.end();
    int64_t contiguous = 1;
    for (size_t d = param.rank(); d-- > 0; contiguous *= given.shape[d]) {
      const std::string what = fmt::format("`{}` in dimension {}", param.name, d);
      // The stride of an extent of 1 leads nowhere; it only gives a symbol its value.
      const bool matters = !empty && given.shape[d] != 1;
      if (!param.strides.empty() && (matters || param.strides[d].kind() == ExprKind::kVar)) {
        equations_.push_back({param.strides[d], given.strides[d], 105, what});
      } else if (param.strides.empty() && matters && given.strides[d] != contiguous) {
        diagnostics_.error(105, param.loc ? param.loc : function_.loc,
                           fmt::format("the stride of {} is {}, expected {} (row-major, without gaps)", what,
                                       given.strides[d], contiguous));
      }
    }
  }

  /// Symbols get their values first where they stand alone, then where they are the one unknown of a sum.
  void solve() {
    for (const Equation& e : equations_) {
      if (e.expr.kind() == ExprKind::kVar && symbols_.unknown(e.expr)) symbols_.set(e.expr, e.value);
    }
    for (bool found = true; found;) {
      found = false;
      for (const Equation& e : equations_) {
        const Expr unknown = symbols_.unknown(e.expr);
        if (!unknown) continue;
        const auto sum = symbols_.linear(e.expr, unknown);
        if (!sum || sum->factor == 0 || (e.value - sum->rest) % sum->factor != 0) continue;
        symbols_.set(unknown, (e.value - sum->rest) / sum->factor);
        found = true;
      }
    }
  }

  void check() {
    for (const Equation& e : equations_) {
      const auto want = symbols_.value(e.expr);
      if (want == e.value) continue;
      const std::string kind = e.code == 104 ? "extent" : "stride";
      const std::string expected = want ? std::to_string(*want) : python_text(e.expr);
      diagnostics_.error(e.code, function_.loc,
                         fmt::format("the {} of {} is {}, expected {}", kind, e.what, e.value, expected));
    }
    diagnostics_.throw_if_errors();
    for (const Var& symbol : function_.symbols) check_value(symbol);
  }

  void check_value(const Var& symbol) {
    const auto value = symbols_.value(symbol);
    const DType t = symbol.dtype();
    if (!value) {
      diagnostics_.error(104, function_.loc, fmt::format("no argument tells the value of `{}`", symbol.name()));
    } else if (Scalar::of_int(t, *value).as_int() != *value) {
      diagnostics_.error(104, function_.loc,
                         fmt::format("`{}` is {}, which its type {} cannot hold", symbol.name(), *value, t.name()));
    }
  }

  void set_symbols() {
    for (const Var& symbol : function_.symbols) {
      program_.var_of[symbol.get()]->values[0] = raw_of(Scalar::of_int(symbol.dtype(), *symbols_.value(symbol)));
    }
  }

  const Function& function_;
  std::span<const Arg> args_;
  Program& program_;
  Machine& m_;
  Symbols symbols_;
  std::vector<Equation> equations_;
  Diagnostics diagnostics_;
};

}  // namespace

void bind_args(const Function& function, std::span<const Arg> args, Program& program, Machine& machine) {
  Binder(function, args, program, machine).run();
}

}  // namespace tl::simulate
