#include "runtime/artifact_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "runtime/arguments.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 7;

/// Enumerators in their order, as they are spelled.
constexpr const char* kParamKinds[] = {"tensor", "scalar", "pointer"};
constexpr const char* kFieldKinds[] = {"extent", "stride", "scalar", "address"};
constexpr const char* kArgKinds[] = {"param", "slot", "workspace", "grid state"};
constexpr const char* kMessageKinds[] = {"assert", "print"};

template <class E, size_t N>
E enumerator(const char* const (&names)[N], const Json& json) {
  const auto text = json.get<std::string>();
  const auto found = std::find(std::begin(names), std::end(names), text);
  TL_CHECK(found != std::end(names), "unknown word in an artifact: " + text);
  return static_cast<E>(found - std::begin(names));
}

Json to_json(const IntProgram& program) { return program.text(); }
IntProgram program_from(const Json& json) {
  const auto text = json.get<std::string>();
  auto program = IntProgram::parse(text);
  TL_CHECK(program.has_value(), "unreadable program in an artifact: " + text);
  return *std::move(program);
}

DType dtype_from(const Json& json) {
  const auto text = json.get<std::string>();
  const auto dtype = parse_dtype(text);
  TL_CHECK(dtype.has_value(), "unknown dtype in an artifact: " + text);
  return *dtype;
}

Json to_json(const Dim& dim);
Json to_json(const ParamSpec& param);
Json to_json(const SlotSource& source);
Json to_json(const SlotBinding& binding);
Json to_json(const KernelInfo& kernel);
Json to_json(const Message& message);
Json to_json(const KernelArg& arg);
Json to_json(const HostStep& step);
Json to_json(const Variant& variant);

/// A list of anything that has to_json.
template <class T>
Json list(const std::vector<T>& values) {
  Json out = Json::array();
  for (const T& value : values) out.push_back(to_json(value));
  return out;
}

template <class F>
auto list_from(const Json& json, F&& read) {
  TL_CHECK(json.is_array(), "an artifact has something else where a list belongs");
  std::vector<decltype(read(json))> out;
  for (const Json& item : json) out.push_back(read(item));
  return out;
}

Json to_json(const Dim& dim) { return {{"value", to_json(dim.value)}, {"text", dim.text}}; }
Dim dim_from(const Json& j) { return {program_from(j.at("value")), j.at("text")}; }

Json to_json(const ParamSpec& p) {
  return {{"name", p.name},
          {"kind", kParamKinds[static_cast<int>(p.kind)]},
          {"dtype", p.dtype.name()},
          {"shape", list(p.shape)},
          {"strides", list(p.strides)},
          {"alignment", p.alignment},
          {"output", p.output},
          {"used", p.used},
          {"written", p.written}};
}
ParamSpec param_from(const Json& j) {
  ParamSpec p;
  p.name = j.at("name");
  p.kind = enumerator<ParamKind>(kParamKinds, j.at("kind"));
  p.dtype = dtype_from(j.at("dtype"));
  p.shape = list_from(j.at("shape"), dim_from);
  p.strides = list_from(j.at("strides"), dim_from);
  p.alignment = j.at("alignment");
  p.output = j.at("output");
  p.used = j.at("used");
  p.written = j.at("written");
  return p;
}

Json to_json(const SlotSource& s) {
  return {{"field", kFieldKinds[static_cast<int>(s.field.kind)]},
          {"param", s.field.param},
          {"axis", s.field.axis},
          {"scale", to_json(s.scale)},
          {"offset", to_json(s.offset)}};
}
SlotSource source_from(const Json& j) {
  return {{enumerator<ArgumentField::Kind>(kFieldKinds, j.at("field")), j.at("param"), j.at("axis")},
          program_from(j.at("scale")),
          program_from(j.at("offset"))};
}

Json to_json(const SlotBinding& b) {
  return {{"slot", b.slot}, {"dtype", b.dtype.name()}, {"sources", list(b.sources)}};
}
SlotBinding binding_from(const Json& j) {
  return {j.at("slot"), dtype_from(j.at("dtype")), list_from(j.at("sources"), source_from)};
}

Json to_json(const KernelInfo& k) {
  return {{"symbol", k.symbol},
          {"threads", k.threads},
          {"shared_bytes", k.shared_bytes},
          {"registers", k.registers},
          {"spill_bytes", k.spill_bytes},
          {"static_shared_bytes", k.static_shared_bytes},
          {"programs_meet", k.programs_meet},
          {"light", k.light},
          {"code", k.code},
          {"file", k.loc ? k.loc->file : ""},
          {"span", k.loc ? Json{k.loc->line, k.loc->column, k.loc->end_column} : Json{0, 0, 0}}};
}
KernelInfo kernel_from(const Json& j) {
  const Json& span = j.at("span");
  const bool known = span.at(0) != 0;
  return {j.at("symbol"),        j.at("threads"),
          j.at("shared_bytes"),  j.at("registers"),
          j.at("spill_bytes"),   j.at("static_shared_bytes"),
          j.at("programs_meet"), j.at("light"),
          j.at("code"),          known ? make_loc(j.at("file"), span.at(0), span.at(1), span.at(2)) : Loc()};
}

Json to_json(const Message& m) {
  return {{"kind", kMessageKinds[static_cast<int>(m.kind)]},
          {"text", m.text},
          {"labels", m.labels},
          {"file", m.file},
          {"span", {m.line, m.column, m.end_column}}};
}
Message message_from(const Json& j) {
  const Json& span = j.at("span");
  return {enumerator<Message::Kind>(kMessageKinds, j.at("kind")),
          j.at("text"),
          j.at("labels"),
          j.at("file"),
          span.at(0),
          span.at(1),
          span.at(2)};
}

Json to_json(const KernelArg& a) { return {kArgKinds[static_cast<int>(a.kind)], a.index}; }
KernelArg arg_from(const Json& j) { return {enumerator<KernelArg::Kind>(kArgKinds, j.at(0)), j.at(1)}; }

/// Each step is an object whose "step" says which.
struct StepWriter {
  Json operator()(const LetStep& s) const { return {{"step", "let"}, {"slot", s.slot}, {"value", to_json(s.value)}}; }
  Json operator()(const LoopStep& s) const {
    return {{"step", "loop"},        {"slot", s.slot},        {"begin", to_json(s.begin)},
            {"end", to_json(s.end)}, {"by", to_json(s.step)}, {"body", list(s.body)}};
  }
  Json operator()(const IfStep& s) const {
    return {{"step", "if"},
            {"condition", to_json(s.condition)},
            {"then", list(s.then_steps)},
            {"else", list(s.else_steps)}};
  }
  Json operator()(const LaunchStep& s) const {
    return {{"step", "launch"},
            {"kernel", s.kernel},
            {"grid", {to_json(s.grid[0]), to_json(s.grid[1]), to_json(s.grid[2])}},
            {"args", list(s.args)}};
  }
  Json operator()(const AssertStep& s) const {
    return {{"step", "assert"}, {"condition", to_json(s.condition)}, {"message", s.message}};
  }
};

Json to_json(const HostStep& step) { return std::visit(StepWriter(), step.node()); }

HostStep step_from(const Json& j) {
  const auto steps = [&](const char* key) { return list_from(j.at(key), step_from); };
  const auto program = [&](const char* key) { return program_from(j.at(key)); };
  const auto kind = j.at("step").get<std::string>();
  if (kind == "let") return LetStep{j.at("slot"), program("value")};
  if (kind == "loop") return LoopStep{j.at("slot"), program("begin"), program("end"), program("by"), steps("body")};
  if (kind == "if") return IfStep{program("condition"), steps("then"), steps("else")};
  if (kind == "assert") return AssertStep{program("condition"), j.at("message")};
  TL_CHECK(kind == "launch", "unknown step in an artifact: " + kind);
  const Json& grid = j.at("grid");
  return LaunchStep{j.at("kernel"),
                    {program_from(grid.at(0)), program_from(grid.at(1)), program_from(grid.at(2))},
                    list_from(j.at("args"), arg_from)};
}

Json to_json(const Variant& v) {
  return {{"name", v.name},
          {"predicate", to_json(v.predicate)},
          {"workspaces", list(v.program.workspaces)},
          {"steps", list(v.program.steps)}};
}
Variant variant_from(const Json& j) {
  return {j.at("name"),
          program_from(j.at("predicate")),
          {list_from(j.at("workspaces"), program_from), list_from(j.at("steps"), step_from)}};
}

Json describe(const Artifact& a) {
  return {{"format", kFormat},
          {"name", a.name},
          {"target", a.target},
          {"params", list(a.signature.params)},
          {"slots", a.signature.slot_names},
          {"bindings", list(a.signature.bindings)},
          {"kernels", list(a.kernels)},
          {"later_texts", a.later.size()},
          {"variants", list(a.variants)},
          {"messages", list(a.messages)}};
}

Artifact from_description(const Json& j) {
  TL_CHECK(j.at("format") == kFormat, "an artifact of another format");
  Artifact a;
  a.name = j.at("name");
  a.target = j.at("target");
  a.signature.params = list_from(j.at("params"), param_from);
  a.signature.slot_names = j.at("slots");
  a.signature.bindings = list_from(j.at("bindings"), binding_from);
  a.kernels = list_from(j.at("kernels"), kernel_from);
  a.later.resize(j.at("later_texts").get<size_t>());
  a.variants = list_from(j.at("variants"), variant_from);
  a.messages = list_from(j.at("messages"), message_from);
  return a;
}

/// The parts of an artifact that are files of their own: what they are called on the host and for CUDA.
struct FilePart {
  const char* host_file;
  const char* cuda_file;
  std::string Artifact::* content;

  const char* file(const Artifact& artifact) const {
    return target_device_type(artifact.target) == Device::kCuda ? cuda_file : host_file;
  }
};
constexpr FilePart kParts[] = {
    {artifact_file::kSource, artifact_file::kCudaSource, &Artifact::source},
    {artifact_file::kHostSource, artifact_file::kHostSource, &Artifact::host_source},
    {artifact_file::kProgram, artifact_file::kProgram, &Artifact::program},
    {artifact_file::kLibrary, artifact_file::kCubin, &Artifact::binary},
};

/// "kernel.cubin" of the text 2 is "kernel_2.cubin".
std::string numbered(const std::string& file, size_t code) {
  const size_t dot = file.rfind('.');
  return file.substr(0, dot) + "_" + std::to_string(code) + file.substr(dot);
}

struct LaterPart {
  const char* file;
  std::string LaterCode::* content;
};
constexpr LaterPart kLaterParts[] = {
    {artifact_file::kCudaSource, &LaterCode::source},
    {artifact_file::kCubin, &LaterCode::binary},
};

}  // namespace

std::map<std::string, std::string> artifact_files(const Artifact& artifact) {
  std::map<std::string, std::string> files;
  // Text that is not UTF-8 (the user's messages may hold anything) is replaced, not refused.
  files[artifact_file::kParams] = describe(artifact).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (const FilePart& part : kParts) {
    if (const std::string& content = artifact.*part.content; !content.empty()) files[part.file(artifact)] = content;
  }
  for (size_t i = 0; i < artifact.later.size(); ++i) {
    for (const LaterPart& part : kLaterParts) {
      const std::string& content = artifact.later[i].*part.content;
      if (!content.empty()) files[numbered(part.file, i + 1)] = content;
    }
  }
  return files;
}

Artifact artifact_from_files(const std::map<std::string, std::string>& files) {
  const auto description = files.find(artifact_file::kParams);
  TL_CHECK(description != files.end(), "an artifact without its description");
  try {
    Artifact artifact = from_description(Json::parse(description->second));
    for (const FilePart& part : kParts) {
      if (const auto found = files.find(part.file(artifact)); found != files.end())
        artifact.*part.content = found->second;
    }
    for (size_t i = 0; i < artifact.later.size(); ++i) {
      for (const LaterPart& part : kLaterParts) {
        if (const auto found = files.find(numbered(part.file, i + 1)); found != files.end()) {
          artifact.later[i].*part.content = found->second;
        }
      }
    }
    artifact.verify();
    return artifact;
  } catch (const nlohmann::json::exception& error) {
    throw InternalError(std::string("internal error: unreadable description of an artifact: ") + error.what());
  }
}

}  // namespace tl
