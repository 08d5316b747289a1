#include "driver/compile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "backend/ascend/ascend_emitter.h"
#include "backend/cuda/cuda_emitter.h"
#include "backend/host/host_emitter.h"
#include "driver/ascend_executor.h"
#include "driver/demands.h"
#include "driver/host_program_of.h"
#include "driver/parameter_use.h"
#include "driver/register_notes.h"
#include "driver/signature_of.h"
#include "ir/text.h"

namespace tl {
namespace {

/// Writes what a failing pass saw, and how to run it again. Returns the file's name, or why there is none.
std::string write_reproducer(const std::string& before, std::string_view target, const std::string& message) {
  const char* folder = std::getenv("TL_REPRODUCER_DIR");
  const std::filesystem::path path =
      std::filesystem::path(folder != nullptr ? folder : std::filesystem::temp_directory_path()) /
      fmt::format("tilelang-reproducer-{}-{:x}.tl", getpid(), std::hash<std::string>{}(before));
  std::ofstream out(path);
  out << "# run: --target=" << target << "\n";
  for (size_t at = 0; at < message.size();) {
    const size_t end = std::min(message.find('\n', at), message.size());
    out << "# " << message.substr(at, end - at) << "\n";
    at = end + 1;
  }
  out << before;
  return out ? path.string() : std::string("(no reproducer could be written)");
}

std::filesystem::path dump_folder(const CompileOptions& options) {
  if (!options.dump_folder.empty()) return options.dump_folder;
  const char* from_environment = std::getenv("TL_DUMP");
  return from_environment != nullptr ? std::filesystem::path(from_environment) : std::filesystem::path();
}

PipelineOptions pipeline_options(const CompileOptions& options) {
  PipelineOptions out;
  const std::filesystem::path folder = dump_folder(options);
  if (folder.empty()) {
    out.observe = options.observe;
    return out;
  }
  std::filesystem::create_directories(folder);
  out.observe = [folder, next = options.observe](const PassReport& report) {
    std::ofstream file(folder / fmt::format("{:03}_{}.tl", report.index, report.pass));
    file << (report.changed ? "" : "# (unchanged)\n") << print(report.function, {.positions = true});
    if (next) next(report);
  };
  return out;
}

Message message_of(const EmittedMessage& m) {
  Message out;
  out.kind = m.is_print ? Message::Kind::kPrint : Message::Kind::kAssert;
  out.text = m.text;
  out.labels = m.labels;
  if (m.loc) {
    out.file = m.loc->file;
    out.line = m.loc->line;
    out.column = m.loc->column;
    out.end_column = m.loc->end_column;
  }
  return out;
}

/// Counts the kernels of a variant from `first`.
void renumber(HostSteps& steps, int first) {
  for (HostStep& step : steps) {
    if (auto* launch = std::get_if<LaunchStep>(&step)) launch->kernel += first;
    if (auto* loop = std::get_if<LoopStep>(&step)) renumber(loop->body, first);
    if (auto* branch = std::get_if<IfStep>(&step)) {
      renumber(branch->then_steps, first);
      renumber(branch->else_steps, first);
    }
  }
}

/// One way to run the function.
struct Lowering {
  Demands demands;
  std::unique_ptr<Function> function;
};

EmittedSource emit_source(const Function& function, const LineTable& lines, const Target& target) {
  switch (target.kind) {
    case TargetKind::kCuda:
      return emit_cuda(function, lines, target);
    case TargetKind::kAscend:
      return emit_ascend(function, lines);
    default:
      return emit_host(function, lines);
  }
}

/// The signature, and a variant with a text of its own a lowering.
void emit(const std::vector<Lowering>& lowerings, const LineTable& lines, const Target& target, Artifact& artifact) {
  FunctionSignature signature = signature_of(*lowerings.back().function);
  std::vector<EmittedMessage> messages;
  for (const Lowering& lowering : lowerings) {
    const Function& function = *lowering.function;
    EmittedSource source = emit_source(function, lines, target);
    // A text numbers its messages from 0.
    TL_CHECK(messages.empty() || source.messages.empty(), "several texts with messages in " + artifact.name);
    for (EmittedMessage& m : source.messages) messages.push_back(std::move(m));
    Variant variant;
    variant.name = lowering.demands.text();
    variant.program = host_program_of(function, source.kernels, signature, messages);
    renumber(variant.program.steps, static_cast<int>(artifact.kernels.size()));
    variant.predicate = predicate_of(lowering.demands, function, signature);
    const int code = static_cast<int>(artifact.variants.size());
    for (const EmittedKernel& k : source.kernels) {
      artifact.kernels.push_back({k.symbol, k.threads, k.shared_bytes});
      artifact.kernels.back().code = code;
      artifact.kernels.back().programs_meet = k.programs_meet;
      artifact.kernels.back().light = k.light;
      artifact.kernels.back().loc = k.loc;
    }
    artifact.variants.push_back(std::move(variant));
    if (code == 0) {
      artifact.source = std::move(source.text);
    } else {
      artifact.later.push_back({std::move(source.text), ""});
    }
  }
  artifact.signature = std::move(signature.signature);
  for (const EmittedMessage& m : messages) artifact.messages.push_back(message_of(m));
}

void interpret_artifact(const Function& function, Artifact& artifact) {
  artifact.signature = signature_of(function).signature;
  artifact.source = artifact.program;
  Variant variant;
  variant.name = "interpreted";
  artifact.variants.push_back(std::move(variant));
}

std::unique_ptr<Function> lowered(const Function& function, const Target& target, const Demands& demands,
                                  const Attrs& config, Diagnostics& diagnostics, const PipelineOptions& options) {
  auto out = clone(function);
  std::vector<std::string_view> passes;
  for (const Step& step : pipeline_for(target.kind)) passes.push_back(step.pass);
  PassContext context = pass_context(target, config, diagnostics, demands);
  run_passes(*out, passes, context, options);
  check_sound(*out, final_stage(target.kind), "the pipeline");
  // Passes have read them; code of threads has none of its own.
  std::erase_if(out->body, [](const OpPtr& op) { return op->kind == OpKind::kAssume; });
  return out;
}

/// The lowerings for a target, the most demanding one first, each with the demands that make a difference. `general`
/// says whether the first one is through.
std::vector<Lowering> lowerings_of(const Function& function, const Target& target, const CompileOptions& options,
                                   Diagnostics& diagnostics, bool& general) {
  // What the user did wrong is the same for all of them.
  const auto again = [&](const Demands& demands) {
    Diagnostics unread;
    return lowered(function, target, demands, options.config, unread, {});
  };
  const Demands usual = usual_demands(function, target);
  auto first = lowered(function, target, usual, options.config, diagnostics, pipeline_options(options));
  std::vector<Lowering> out;
  if (usual.empty()) {
    out.push_back({{}, std::move(first)});
    return out;
  }
  general = true;
  auto last = again({});
  if (!structural_equal(*first, *last)) {
    const Demands needed = needed_demands(
        usual, *first, *last, [&](const Demands& fewer) { return structural_equal(*first, *again(fewer)); });
    out.push_back({needed, std::move(first)});
  }
  out.push_back({{}, std::move(last)});
  return out;
}

std::string supported_targets() {
  std::string out;
  for (const Target& t : all_targets()) {
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", t.name);
  }
  return out;
}

}  // namespace

Compilation compile(const Function& function, const CompileOptions& options) {
  const Target* target = find_target(options.target);
  if (target == nullptr) {
    throw CompileError(Diagnostic{Severity::kError,
                                  109,
                                  fmt::format("Target {} is not supported", options.target),
                                  {},
                                  {},
                                  "this version compiles for " + supported_targets()});
  }
  Compilation out;
  out.artifact.name = function.name;
  out.artifact.target = std::string(target->name);
  out.artifact.program = print(function, {.positions = true});
  Diagnostics diagnostics;
  const LineTable lines(function);
  bool general = false;
  try {
    const std::vector<Lowering> lowerings = lowerings_of(function, *target, options, diagnostics, general);
    if (target->kind == TargetKind::kInterpreter) {
      interpret_artifact(function, out.artifact);
    } else {
      emit(lowerings, lines, *target, out.artifact);
      if (target->kind == TargetKind::kCuda) {
        out.if_spilled = register_notes(function, *lowerings[0].function, *target);
      }
    }
    mark_parameter_use(function, out.artifact.signature);
    out.artifact.verify();
  } catch (const InternalError& e) {
    const std::string file =
        write_reproducer(out.artifact.program, std::string(target->name) + (general ? " --general" : ""), e.what());
    throw InternalError(fmt::format("{}\nreproducer: {} (run it with: tlc opt {})", e.what(), file, file));
  }
  out.warnings = diagnostics.all();
  return out;
}

std::vector<std::string> host_compile_flags() {
  // Wrapping arithmetic and no contraction are the language's rules; views read memory under other types.
  return {"-std=c++17",
          "-x",
          "c++",
          "-O3",
          "-march=native",
          "-mprefer-vector-width=512",
          "-fPIC",
          "-fvisibility=hidden",
          "-fwrapv",
          "-fno-strict-aliasing",
          "-ffp-contract=off",
          "-fno-math-errno",
          "-fno-trapping-math",
          "-fno-exceptions",
          "-fno-rtti",
          "-w"};
}

HostCompilation host_compilation(const Artifact& artifact, const std::vector<std::string>& flags) {
  const Target* target = find_target(artifact.target);
  const bool simulates = target != nullptr && target->kind == TargetKind::kAscend;
  HostCompilation job;
  job.kernel = artifact.name;
  job.source = simulates ? ascend_host_text(artifact) : artifact.source;
  job.flags = simulates ? ascend_host_flags() : host_compile_flags();
  job.flags.insert(job.flags.end(), flags.begin(), flags.end());
  return job;
}

std::vector<std::string> cuda_compile_flags() {
  // As on the host: a * b + c rounds twice.
  return {"-std=c++17", "--fmad=false"};
}

CudaCompilation cuda_compilation(const Artifact& artifact, int code, const std::vector<std::string>& flags) {
  CudaCompilation job;
  job.kernel = artifact.name;
  job.source = artifact.source_of(code);
  job.arch = artifact.target;
  job.flags = cuda_compile_flags();
  job.flags.insert(job.flags.end(), flags.begin(), flags.end());
  job.light = std::all_of(artifact.kernels.begin(), artifact.kernels.end(),
                          [&](const KernelInfo& k) { return k.code != code || k.light; });
  return job;
}

}  // namespace tl
