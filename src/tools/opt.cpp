#include <cstdio>
#include <sstream>

#include "backend/cuda/cuda_emitter.h"
#include "driver/compile.h"
#include "driver/demands.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tools/command_line.h"

namespace tl {
namespace {

std::vector<std::string> passes_of(const CommandLine& line, const RunLine& run, const Target& target) {
  std::vector<std::string> out;
  if (const std::string listed = line.option("passes"); !listed.empty()) {
    std::istringstream names(listed);
    for (std::string name; std::getline(names, name, ',');) out.push_back(name);
  } else if (!run.passes.empty()) {
    out = run.passes;
  } else {
    for (const Step& step : pipeline_for(target.kind)) out.emplace_back(step.pass);
  }
  for (const std::string& name : out) {
    if (find_pass(name) == nullptr) {
      std::string known;
      for (const Pass& pass : all_passes()) known += (known.empty() ? "" : ", ") + std::string(pass.name);
      throw CompileError(Diagnostic{Severity::kError, 111, "no pass named `" + name + "`", {}, {}, "passes: " + known});
    }
  }
  return out;
}

}  // namespace

int run_opt(const CommandLine& line) {
  const std::string text = read_text(line.files[0]);
  const RunLine run = read_run_line(text);
  const auto from_file = run.options.find("target");
  const std::string name = line.option("target", from_file == run.options.end() ? "host" : from_file->second);
  const Target* target = find_target(name);
  if (target == nullptr)
    throw CompileError(Diagnostic{Severity::kError, 109, "Target " + name + " is not supported", {}, {}, {}});
  auto function = parse_function(text, line.files[0]);
  Diagnostics diagnostics;
  const Attrs config;
  // Of a device's variants, the one that rests on what framework tensors have.
  const bool general = line.options.count("general") + run.options.count("general") != 0;
  PassContext context =
      pass_context(*target, config, diagnostics, general ? Demands() : usual_demands(*function, *target));
  const std::vector<std::string> passes = passes_of(line, run, *target);
  const std::vector<std::string_view> names(passes.begin(), passes.end());
  run_passes(*function, names, context, {});
  for (const Diagnostic& d : diagnostics.all()) std::fprintf(stderr, "%s\n", render(d).c_str());
  std::fputs(print(*function, {.positions = line.options.count("positions") != 0}).c_str(), stdout);
  return 0;
}

int run_emit(const CommandLine& line) {
  CompileOptions options;
  options.target = line.option("target", "host");
  const auto function = parse_function(read_text(line.files[0]), line.files[0]);
  const Target* target = find_target(options.target);
  // What already says what one thread does is written as it is.
  if (target != nullptr && target->kind == TargetKind::kCuda && verify(*function, Stage::kThread).empty()) {
    std::fputs(emit_cuda(*function, LineTable(*function), *target).text.c_str(), stdout);
    return 0;
  }
  std::fputs(compile(*function, options).artifact.source.c_str(), stdout);
  return 0;
}

}  // namespace tl
