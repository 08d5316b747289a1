#include "runtime/argument_errors.h"

#include <fmt/format.h>

#include "support/diagnostic.h"

namespace tl {
namespace {

struct DeviceRow {
  int32_t type;
  std::string_view name;
};

/// The device types of DLPack that an array may come from.
constexpr DeviceRow kDevices[] = {
    {1, "cpu"},     {2, "cuda"},     {3, "cuda_host"},  {4, "opencl"},   {7, "vulkan"},        {8, "metal"},
    {9, "vpi"},     {10, "rocm"},    {11, "rocm_host"}, {12, "ext_dev"}, {13, "cuda_managed"}, {14, "oneapi"},
    {15, "webgpu"}, {16, "hexagon"}, {17, "maia"},      {18, "trn"},
};

struct HelpRow {
  int code;
  std::string_view help;
};

/// What to do about each kind of wrong argument.
constexpr HelpRow kHelp[] = {
    {101, "pass arrays of NumPy, PyTorch or another library for tensors, Python numbers for scalars"},
    {102, "give the array that number of dimensions, as with reshape"},
    {103, "convert the array, or declare the parameter with its dtype"},
    {104, "pass an array of that shape, or declare the extent as T.dynamic to take any"},
    {105, "pass a contiguous copy, as of numpy.ascontiguousarray(x) or x.contiguous(), or declare a T.StridedTensor"},
    {106, "move the array to the device of the kernel"},
    {107, "pass an array: the kernel reads or writes it"},
};

std::string help_of(int code) {
  for (const HelpRow& row : kHelp) {
    if (row.code == code) return std::string(row.help);
  }
  return {};
}

/// What pointers need, which arrays have.
std::string help_of_pointer(int code) {
  return code == 105 ? "pass an address that is a multiple of the size of the elements behind it" : help_of(code);
}

std::string_view kind_word(const ParamSpec& param) { return param.kind == ParamKind::kScalar ? "scalar" : "input"; }

std::string describe_param(const ParamSpec& param) {
  switch (param.kind) {
    case ParamKind::kScalar:
      return param.dtype.name();
    case ParamKind::kPointer:
      return "pointer";
    case ParamKind::kTensor:
      break;
  }
  std::string shape;
  for (const Dim& dim : param.shape) {
    if (!shape.empty()) shape += ", ";
    const auto constant = dim.value.as_constant();
    shape += constant && dim.text.empty() ? std::to_string(*constant) : dim.text;
  }
  return fmt::format("Tensor(({}{}), {})", shape, param.shape.size() == 1 ? "," : "", param.dtype.name());
}

}  // namespace

std::string device_type_name(int32_t type) {
  for (const DeviceRow& row : kDevices) {
    if (row.type == type) return std::string(row.name);
  }
  return fmt::format("device type {}", type);
}

int32_t target_device_type(std::string_view target) { return target.starts_with("sm_") ? Device::kCuda : Device::kCpu; }

void throw_argument_error(int code, const Artifact& artifact, const ParamSpec& param, std::string text) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = fmt::format("kernel {} {} {} {}", artifact.name, kind_word(param), param.name, text);
  diagnostic.notes.push_back({fmt::format("`{}` is declared as {}", param.name, describe_param(param)), {}});
  diagnostic.help = param.kind == ParamKind::kPointer ? help_of_pointer(code) : help_of(code);
  throw CompileError(std::move(diagnostic));
}

void throw_wrong_count(const Artifact& artifact, size_t expected, size_t given) {
  Diagnostic diagnostic;
  diagnostic.code = 100;
  diagnostic.message = fmt::format("Kernel expected {} inputs, but {} are provided. ({}: num_args should be {})",
                                   expected, given, artifact.name, expected);
  std::string names;
  for (const ParamSpec& param : artifact.signature.params) {
    if (!param.output) names += (names.empty() ? "" : ", ") + param.name;
  }
  diagnostic.notes.push_back({fmt::format("the inputs are: {}", names.empty() ? "none" : names), {}});
  throw CompileError(std::move(diagnostic));
}

void throw_unbound_symbol(const Artifact& artifact, const SlotBinding& binding) {
  std::string names;
  for (const SlotSource& source : binding.sources) {
    names += (names.empty() ? "" : ", ") + artifact.signature.params[source.field.param].name;
  }
  Diagnostic diagnostic;
  diagnostic.code = 107;
  diagnostic.message =
      fmt::format("kernel {}: Symbolic shape variable {} requires at least one non-null buffer among: {}",
                  artifact.name, artifact.signature.slot_names[binding.slot], names);
  throw CompileError(std::move(diagnostic));
}

std::string describe_kind(const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::kNull:
      return "None";
    case Argument::Kind::kTensor:
      return "tensor";
    case Argument::Kind::kBool:
      return "bool";
    case Argument::Kind::kInt:
      return "int";
    case Argument::Kind::kFloat:
      return "float";
    case Argument::Kind::kOther:
      break;
  }
  return std::string(argument.type_name);
}

std::string describe_dim(const Dim& dim, int64_t value) {
  if (dim.text.empty() || dim.value.as_constant()) return std::to_string(value);
  return fmt::format("{} ({})", value, dim.text);
}

}  // namespace tl
