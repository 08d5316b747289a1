// tl.artifact_* and tl.toolchain_*: from functions to artifacts, and artifacts as files.

#include "binding/arguments.h"
#include "binding/boundary.h"
#include "binding/runtime_objects.h"
#include "driver/compile.h"
#include "driver/relocate.h"
#include "runtime/artifact_json.h"
#include "runtime/host_text.h"
#include "runtime/host_toolchain.h"

namespace tl::binding {
namespace {

ffi::String text(const std::string& s) { return ffi::String(s); }

/// `function` with these parameters as outputs.
FunctionHandle function_with_outputs(const FunctionHandle& function, const Args& outputs) {
  std::shared_ptr<Function> changed = clone(*function->value);
  changed->outputs = to_ints(outputs);
  return FunctionHandle(std::shared_ptr<const Function>(std::move(changed)));
}

/// [artifact, warnings, one text a kernel of the first variant: a warning in case its registers are spilled]. The
/// artifact has no binary yet.
ffi::Array<ffi::Any> artifact_compile(const FunctionHandle& function, const ffi::String& target,
                                      const OptionMap& config, const ffi::String& dump_folder) {
  CompileOptions options;
  options.target = std::string(target);
  options.config = to_attrs(config);
  options.dump_folder = std::string(dump_folder);
  Compilation compiled = compile(*function->value, options);
  const auto rendered = [](const std::vector<Diagnostic>& diagnostics) {
    ffi::Array<ffi::Any> out;
    for (const Diagnostic& d : diagnostics) out.push_back(text(render(d)));
    return out;
  };
  const ffi::Array<ffi::Any> warnings = rendered(compiled.warnings), if_spilled = rendered(compiled.if_spilled);
  return {ArtifactHandle(std::move(compiled.artifact)), warnings, if_spilled};
}

void build_host(Artifact& artifact, const std::vector<std::string>& flags, double timeout, bool keep_files,
                const std::string& cache_folder) {
  HostCompilation job = host_compilation(artifact, flags);
  job.timeout_seconds = timeout;
  job.keep_files = keep_files;
  artifact.binary = compile_shared_object(find_host_toolchain(cache_folder), job);
}

/// `artifact` with `source` compiled by its target's compiler.
ArtifactHandle artifact_build(const ArtifactHandle& artifact, const ffi::String& source, const Args& flags,
                              double timeout, bool keep_files, const ffi::String& cache_folder) {
  Artifact built = *artifact->value;
  built.source = std::string(source);
  if (target_device_type(built.target) == Device::kCuda) {
    build_cuda(built, 0, to_strings(flags), timeout, keep_files);
  } else {
    build_host(built, to_strings(flags), timeout, keep_files, std::string(cache_folder));
  }
  return ArtifactHandle(std::move(built));
}

LaterCode& later_code(Artifact& artifact, int64_t variant) {
  TL_CHECK(variant > 0 && static_cast<size_t>(variant) <= artifact.later.size(), "no such variant");
  return artifact.later[variant - 1];
}

/// `artifact` with the text of a later variant replaced by `source`, and compiled.
ArtifactHandle artifact_build_variant(const ArtifactHandle& artifact, int64_t variant, const ffi::String& source,
                                      const Args& flags, double timeout, bool keep_files) {
  Artifact built = *artifact->value;
  later_code(built, variant).source = std::string(source);
  build_cuda(built, static_cast<int>(variant), to_strings(flags), timeout, keep_files);
  return ArtifactHandle(std::move(built));
}

/// [name, text, binary] of every variant that has a text of its own.
ffi::Array<ffi::Any> artifact_variants(const ArtifactHandle& artifact) {
  const Artifact& a = *artifact->value;
  ffi::Array<ffi::Any> out;
  for (size_t i = 0; i <= a.later.size(); ++i) {
    const int code = static_cast<int>(i);
    out.push_back(ffi::Array<ffi::Any>{text(a.variants[i].name), text(a.source_of(code)),
                                       ffi::Bytes(std::string(a.binary_of(code)))});
  }
  return out;
}

ffi::Map<ffi::String, ffi::Bytes> files_of_artifact(const ArtifactHandle& artifact) {
  ffi::Map<ffi::String, ffi::Bytes> out;
  for (auto& [name, content] : artifact_files(*artifact->value)) out.Set(text(name), ffi::Bytes(std::move(content)));
  return out;
}

ArtifactHandle artifact_load(const ffi::Map<ffi::String, ffi::Bytes>& files) {
  std::map<std::string, std::string> contents;
  for (const auto& [name, content] : files)
    contents.emplace(std::string(name), std::string(content.data(), content.size()));
  return ArtifactHandle(artifact_from_files(contents));
}

/// The artifact for `function`, whose text is that of the compiled one but may stand elsewhere.
ArtifactHandle relocated(const ArtifactHandle& artifact, const FunctionHandle& function) {
  Artifact moved = *artifact->value;
  relocate(moved, *function->value);
  return ArtifactHandle(std::move(moved));
}

constexpr const char* kParamKinds[] = {"tensor", "scalar", "pointer"};

/// [kind, name, dtype, extents (int, or text where it is not constant), output] for every parameter.
ffi::Array<ffi::Any> artifact_params(const ArtifactHandle& artifact) {
  ffi::Array<ffi::Any> out;
  for (const ParamSpec& param : artifact->value->signature.params) {
    ffi::Array<ffi::Any> shape;
    for (const Dim& dim : param.shape) {
      if (const auto extent = dim.value.as_constant()) {
        shape.push_back(*extent);
      } else {
        shape.push_back(text(dim.text));
      }
    }
    out.push_back(ffi::Array<ffi::Any>{ffi::String(kParamKinds[static_cast<int>(param.kind)]), text(param.name),
                                       text(param.dtype.name()), shape, param.output});
  }
  return out;
}

ffi::String toolchain_stamp(const ffi::String& cache_folder) {
  return text(find_host_toolchain(std::string(cache_folder)).stamp);
}

ffi::Array<ffi::Any> compile_flags() {
  ffi::Array<ffi::Any> out;
  for (const std::string& flag : host_compile_flags()) out.push_back(text(flag));
  return out;
}

ffi::String artifact_text(const ArtifactHandle& artifact, const ffi::String& part) {
  const Artifact& a = *artifact->value;
  if (part == "name") return text(a.name);
  if (part == "target") return text(a.target);
  if (part == "source") return text(a.source);
  if (part == "host_source") return text(a.host_source.empty() ? host_text(a) : a.host_source);
  TL_CHECK(part == "program", "an artifact has no such text");
  return text(a.program);
}

int64_t dtype_code(const ffi::String& name) { return to_dtype({name.data(), name.size()}).code(); }

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  Registry(Origin::kBuilder)
      .def("tl.function_with_outputs", +function_with_outputs)
      .def("tl.artifact_compile", +artifact_compile)
      .def("tl.artifact_build", +artifact_build)
      .def("tl.artifact_build_variant", +artifact_build_variant)
      .def("tl.artifact_variants", +artifact_variants)
      .def("tl.artifact_files", +files_of_artifact)
      .def("tl.artifact_load", +artifact_load)
      .def("tl.artifact_relocate", +relocated)
      .def("tl.artifact_params", +artifact_params)
      .def("tl.artifact_text", +artifact_text)
      .def("tl.toolchain_stamp", +toolchain_stamp)
      .def(
          "tl.host_cpu_identity", +[]() { return text(host_cpu_identity()); })
      .def("tl.host_compile_flags", +compile_flags)
      .def("tl.dtype_code", +dtype_code);
}

}  // namespace tl::binding
