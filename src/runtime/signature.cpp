#include "runtime/signature.h"

#include <fmt/format.h>

#include "support/diagnostic.h"

namespace tl {
namespace {

/// Checks one signature; `bound_` says which slots have a value so far.
class Verifier {
 public:
  explicit Verifier(const Signature& signature) : signature_(signature), bound_(signature.slot_names.size(), false) {}

  void run() {
    for (const SlotBinding& binding : signature_.bindings) check_binding(binding);
    for (const ParamSpec& param : signature_.params) check_param(param);
  }

 private:
  void check_binding(const SlotBinding& binding) {
    TL_CHECK(binding.slot >= 0 && static_cast<size_t>(binding.slot) < bound_.size(), "a binding names no slot");
    TL_CHECK(!binding.sources.empty(), "slot without a source: " + signature_.slot_names[binding.slot]);
    for (const SlotSource& source : binding.sources) {
      check_field(source.field);
      check_program(source.scale, "a scale");
      check_program(source.offset, "an offset");
    }
    bound_[binding.slot] = true;
  }

  void check_field(const ArgumentField& field) {
    TL_CHECK(field.param >= 0 && static_cast<size_t>(field.param) < signature_.params.size(), "no such parameter");
    const ParamSpec& param = signature_.params[field.param];
    using Kind = ArgumentField::Kind;
    TL_CHECK(!param.output || field.kind == Kind::kAddress,
             "what is not its address cannot be read from an output: " + param.name);
    switch (field.kind) {
      case Kind::kExtent:
      case Kind::kStride:
        TL_CHECK(param.kind == ParamKind::kTensor, "extents and strides belong to tensors: " + param.name);
        TL_CHECK(field.axis >= 0 && static_cast<size_t>(field.axis) < param.shape.size(),
                 "no such axis: " + param.name);
        break;
      case Kind::kScalar:
        TL_CHECK(param.kind == ParamKind::kScalar && !param.dtype.is_floating(), "not an integer: " + param.name);
        break;
      case Kind::kAddress:
        TL_CHECK(param.kind != ParamKind::kScalar, "a scalar has no address: " + param.name);
    }
  }

  void check_param(const ParamSpec& param) {
    TL_CHECK(param.kind == ParamKind::kTensor || param.shape.empty(), "only tensors have a shape: " + param.name);
    TL_CHECK(param.kind == ParamKind::kTensor || !param.output, "only tensors are outputs: " + param.name);
    TL_CHECK(param.strides.empty() || param.strides.size() == param.shape.size(), "strides of another rank");
    for (const Dim& dim : param.shape) check_program(dim.value, "an extent of " + param.name);
    for (const Dim& dim : param.strides) check_program(dim.value, "a stride of " + param.name);
  }

  void check_program(const IntProgram& program, const std::string& what) {
    TL_CHECK(program.complete(), what + " is no complete program");
    TL_CHECK(static_cast<size_t>(program.slot_count()) <= bound_.size(), what + " reads a slot that does not exist");
    for (const int slot : program.slots_read()) {
      TL_CHECK(bound_[slot], fmt::format("{} reads `{}` before it is bound", what, signature_.slot_names[slot]));
    }
  }

  const Signature& signature_;
  std::vector<bool> bound_;
};

std::vector<int> indices(const std::vector<ParamSpec>& params, bool output) {
  std::vector<int> found;
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].output == output) found.push_back(static_cast<int>(i));
  }
  return found;
}

}  // namespace

std::vector<int> Signature::input_indices() const { return indices(params, false); }
std::vector<int> Signature::output_indices() const { return indices(params, true); }
void Signature::verify() const { Verifier(*this).run(); }

}  // namespace tl
