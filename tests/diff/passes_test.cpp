// Every pass leaves a program's results as they are: interpret(before) == interpret(after), on random programs and on
// the examples of tests/ir. TL_RANDOM_PROGRAMS and TL_RANDOM_SEED choose other random programs.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "analysis/divisibility.h"
#include "analysis/facts.h"
#include "analysis/linear.h"
#include "differential_run.h"
#include "driver/demands.h"
#include "driver/differential.h"
#include "driver/shrink.h"
#include "ir/index.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "passes/pipeline.h"
#include "random_program.h"

namespace tl::testing {
namespace {

/// What a program may take; its loops over elements take more.
constexpr int64_t kMostSteps = 200000, kMostLoweredSteps = 50 * kMostSteps;

InterpretOptions quietly(bool check) {
  InterpretOptions options;
  options.check = check;
  options.step_limit = check ? kMostSteps : kMostLoweredSteps;
  options.print = [](std::string_view) {};
  return options;
}

/// What a program means: its arguments after the run. Nothing where the checker finds that it has no one meaning.
std::optional<ArgumentSet> meaning(const Function& function, const ArgumentSet& arguments) {
  ArgumentSet out = arguments;
  const RunReport report = run_on("interpret", function, out, quietly(true));
  for (const Finding& f : report.findings) {
    if (f.diagnostic.severity == Severity::kError && f.diagnostic.code != 124) return std::nullopt;
  }
  return out;
}

/// Values of symbols by name.
using Settings = std::map<std::string, int64_t>;

/// A machine's passes, and whether they may rest on what nearly every call gives.
struct Lowering {
  const char* target;
  bool usual;
};
constexpr Lowering kLowerings[] = {{"host", false}, {"sm_90a", true}, {"sm_90a", false}};

/// Calls that give what fast code rests on, and others.
struct Calls {
  int usual = 0, other = 0;
};

/// Whether a call with these arguments takes a variant with these demands. Memory is aligned here.
bool gives(const ArgumentSet& arguments, const Demands& demands, const Function& function) {
  if (demands.conditions().empty()) return true;
  FunctionSignature signature = signature_of(function);
  const IntProgram predicate = predicate_of({1, demands.sizes}, function, signature);
  Artifact artifact;
  artifact.name = function.name;
  artifact.signature = signature.signature;
  ArgumentSet given = arguments;
  std::vector<Argument> call;
  for (size_t i = 0; i < given.tensors.size(); ++i) call.push_back(argument_of(given.tensors[i], given.scalars[i]));
  return predicate.evaluate(bind_call(artifact, call).slots) != 0;
}

/// Code of threads whose barriers are all there is to order them, and which asks no more than it may: a race or an
/// access outside of a tensor that the checker finds.
std::string fault_in(const Function& lowered, const ArgumentSet& arguments) {
  InterpretOptions options = quietly(true);
  options.step_limit = kMostLoweredSteps;
  options.implicit_barriers = false;
  ArgumentSet now = arguments;
  for (const Finding& f : run_on("interpret", lowered, now, options).findings) {
    if (f.diagnostic.code == 123 || f.diagnostic.code == 120) return render(f.diagnostic);
  }
  return "";
}

/// The first move of several elements whose place in an array of a thread is no multiple of them, which the machine
/// cannot make; what the interpreter does is the same.
std::string unaligned_move_in(const Function& lowered) {
  std::string out;
  visit_ops(lowered.body, [&](const Op& op) {
    const auto* loop = op.as<For>();
    const auto* store = loop != nullptr && loop->body.size() == 1 ? loop->body[0]->as<Store>() : nullptr;
    if (store == nullptr || loop->loop != LoopKind::kVectorized || store->value.kind() != ExprKind::kLoad) return;
    const auto check = [&](const Buffer& buffer, const std::vector<Expr>& indices) {
      if (buffer->space != MemorySpace::kLocal || indices.size() != 1) return;
      LinearForm start = ring_form(widen_index(indices[0]));
      start.add(ring_form(widen_index(loop->var)), -1);
      if (!start.valid || !congruence(start, Facts()).is_multiple_of(*as_int(loop->end))) out = print(op);
    };
    check(store->buffer, store->indices);
    check(store->value.as<LoadNode>()->buffer, store->value.as<LoadNode>()->indices);
  });
  return out;
}

/// Runs the passes of a machine one by one and stops at the first that changes what the program does: "pass: where".
/// Notes passes that changed the program's text.
std::string first_faulty_pass(const Lowering& lowering, const Function& function, const ArgumentSet& arguments,
                              const ArgumentSet& meant, std::set<std::string>* changed, Calls* calls) {
  auto lowered = clone(function);
  Diagnostics diagnostics;
  const Attrs config;
  const Target& target = *find_target(lowering.target);
  const Demands demands = lowering.usual ? usual_demands(function, target) : Demands();
  const bool given = gives(arguments, demands, function);
  if (calls != nullptr && demands.count() > 1) ++(given ? calls->usual : calls->other);
  // The call takes another variant.
  if (!given) return "";
  PassContext context = pass_context(target, config, diagnostics, demands);
  for (const Step& step : pipeline_for(target.kind)) {
    const std::string before = print(*lowered);
    const std::string_view one[] = {step.pass};
    run_passes(*lowered, one, context, {});
    if (print(*lowered) == before) continue;
    if (changed != nullptr) changed->insert(std::string(step.pass));
    ArgumentSet now = arguments;
    run_on("interpret", *lowered, now, quietly(false));
    const std::string where = difference(function, "after", now, "before", meant, {.exact_sums = true});
    if (!where.empty()) return std::string(step.pass) + ": " + where;
  }
  if (target.kind == TargetKind::kCuda) {
    const std::string fault = fault_in(*lowered, arguments);
    if (!fault.empty()) return "all passes: " + fault;
    const std::string unaligned = unaligned_move_in(*lowered);
    if (!unaligned.empty()) return "lower-threads: unaligned " + unaligned;
  }
  return "";
}

/// The same for every machine; the answer begins with its name.
std::string first_faulty_pass(const Function& function, const ArgumentSet& arguments, const ArgumentSet& meant,
                              std::set<std::string>* changed = nullptr, Calls* calls = nullptr) {
  bool meet = false;
  visit_ops(function.body, [&](const Op& op) { meet |= is_grid_barrier(op); });
  for (const Lowering& lowering : kLowerings) {
    // The processor refuses programs that wait for each other.
    if (meet && std::string_view(lowering.target) == "host") continue;
    const std::string why = first_faulty_pass(lowering, function, arguments, meant, changed, calls);
    if (!why.empty()) return lowering.target + (", pass " + why);
  }
  return "";
}

/// The same for a candidate of the shrinker; its failures must name the same pass.
std::string shrunk(const Function& function, const Settings& settings, uint64_t seed, const std::string& why) {
  const std::string pass = why.substr(0, why.find(':'));
  const auto small = shrink(function, [&](const Function& candidate) {
    try {
      const ArgumentSet arguments = random_arguments(candidate, seed, settings);
      const auto meant = meaning(candidate, arguments);
      return meant && first_faulty_pass(candidate, arguments, *meant).rfind(pass + ":", 0) == 0;
    } catch (const std::exception&) {
      return false;
    }
  });
  return print(*small);
}

/// The sizes of a program, each made a multiple of 16.
Settings rounded(Settings settings) {
  for (auto& [name, value] : settings) value = value <= 1 ? value : (value + 15) / 16 * 16;
  return settings;
}

/// Whether no two elements of a tensor lie in the same place.
bool has_places_for_all(const TensorValue& tensor) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t d = 0; d < tensor.shape.size(); ++d) dims.emplace_back(tensor.strides[d], tensor.shape[d]);
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;
  for (const auto& [stride, extent] : dims) {
    if (extent > 1 && stride <= reach) return false;
    reach += std::max<int64_t>(extent - 1, 0) * stride;
  }
  return true;
}

/// Runs one program with one choice of sizes.
void check_program(const Function& function, const Settings& settings, uint64_t seed, const ArgumentSet& arguments,
                   const ArgumentSet& meant, std::set<std::string>* changed, Calls& calls) {
  std::string why;
  try {
    why = first_faulty_pass(function, arguments, meant, changed, &calls);
  } catch (const std::exception& e) {
    FAIL() << "seed " << seed << ": " << e.what() << "\n" << print(function);
  }
  if (!why.empty()) ADD_FAILURE() << "seed " << seed << ", " << why << "\n" << shrunk(function, settings, seed, why);
}

/// `changed` receives the passes that have changed a program.
void check_random_programs(const ProgramOptions& options, uint64_t first_seed, int programs,
                           std::set<std::string>* changed = nullptr) {
  Coverage coverage;
  Calls calls;
  for (int i = 0; i < programs && !::testing::Test::HasFailure(); ++i) {
    const uint64_t seed = first_seed + static_cast<uint64_t>(i);
    const RandomProgram program = random_program("f", seed, options, coverage);
    const Function& function = *program.function;
    EXPECT_EQ(print(*parse_function(print(function))), print(function)) << "seed " << seed;
    const ArgumentSet arguments = random_arguments(function, seed, program.settings);
    const auto meant = meaning(function, arguments);
    ASSERT_TRUE(meant) << "seed " << seed << " has no one meaning";
    check_program(function, program.settings, seed, arguments, *meant, changed, calls);
    const auto others = rounded(program.settings);
    if (others == program.settings) continue;
    const ArgumentSet more = random_arguments(function, seed, others);
    // With other extents, elements may lie over one another.
    if (!std::all_of(more.tensors.begin(), more.tensors.end(), has_places_for_all)) continue;
    if (const auto means = meaning(function, more)) check_program(function, others, seed, more, *means, changed, calls);
  }
  // Both kinds of calls were made.
  EXPECT_GT(calls.usual, programs / 20);
  EXPECT_GT(calls.other, programs / 20);
}

/// Multiples of 4 or 8 for all symbols; strides for rows of neighbours.
Settings even_sizes(const Function& function, uint64_t seed) {
  Settings out;
  const int64_t unit = seed % 4 == 0 ? 8 : 4;
  for (const Var& symbol : function.symbols) out[symbol.name()] = unit * (1 + static_cast<int64_t>(seed++ % 9));
  for (const Param& param : function.params) {
    const auto* buffer = std::get_if<Buffer>(&param);
    int64_t stride = 1;
    for (size_t d = buffer == nullptr ? 0 : (*buffer)->strides.size(); d-- > 0; stride *= 80) {
      if (const auto* v = (*buffer)->strides[d].as<VarNode>()) out[v->name] = stride;
    }
  }
  return out;
}

/// Runs the passes on the programs of a folder; how many runs had a meaning.
int check_programs_of(const std::string& folder, std::set<std::string>* changed = nullptr) {
  int runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TL_TESTS_DIR) / folder)) {
    if (entry.path().extension() != ".tl") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    // What the passes make of it follows.
    const std::string input = text.str().substr(0, text.str().find("# output:"));
    const int before = runs;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      std::unique_ptr<Function> function;
      ArgumentSet arguments;
      std::optional<ArgumentSet> meant;
      try {
        function = parse_function(input);
        // Code of threads is what passes make, not what they are given.
        if (!verify(*function, Stage::kTile).empty()) continue;
        // Any sizes, and such as the first variant of a device takes.
        arguments = random_arguments(*function, seed, seed % 2 == 0 ? even_sizes(*function, seed) : Settings());
        if (!std::all_of(arguments.tensors.begin(), arguments.tensors.end(), has_places_for_all)) continue;
        meant = meaning(*function, arguments);
        if (!meant) continue;
        EXPECT_EQ(first_faulty_pass(*function, arguments, *meant, changed), "") << entry.path() << " seed " << seed;
        ++runs;
      } catch (const CompileError&) {
        continue;  // an example of an error, or of a machine that is not here
      } catch (const std::exception& e) {
        ADD_FAILURE() << entry.path() << " seed " << seed << ": " << e.what();
      }
    }
    EXPECT_TRUE(runs > before || folder == "ir") << entry.path() << " has not run";
  }
  return runs;
}

/// Passes that make programs of engines, which run as Ascend C alone: tests/ascend compares what comes of them.
bool of_cores(std::string_view pass) {
  for (const Step& step : pipeline_for(TargetKind::kAscend)) {
    const auto same = [&](const Step& other) { return other.pass == step.pass; };
    const auto& cuda = pipeline_for(TargetKind::kCuda);
    const auto& host = pipeline_for(TargetKind::kHost);
    if (step.pass == pass && std::none_of(cuda.begin(), cuda.end(), same) &&
        std::none_of(host.begin(), host.end(), same))
      return true;
  }
  return false;
}

TEST(Passes, KeepWhatRandomProgramsDo) {
  std::set<std::string> changed;
  const RunSize size = run_size(200, 5000);
  check_random_programs({}, size.seed, size.programs, &changed);
  // What random programs are not regular enough for.
  check_programs_of("diff/regressions/passes", &changed);
  if (size.programs < 200) return;
  for (const Pass& pass : all_passes()) {
    if (pass.name == "check-program") continue;  // which changes nothing
    if (of_cores(pass.name)) continue;
    EXPECT_EQ(changed.count(std::string(pass.name)), 1u) << pass.name << " has changed no program";
  }
}

TEST(Passes, KeepWhatRandomProgramsOfAllTypesDo) {
  const RunSize size = run_size(100, 9000);
  check_random_programs({.dtypes = ProgramOptions::all_dtypes()}, size.seed, size.programs);
}

TEST(Passes, KeepWhatProgramsThatWaitForEachOtherDo) {
  ProgramOptions options;
  options.grid_barriers = true;
  std::set<std::string> changed;
  const RunSize size = run_size(60, 13000);
  check_random_programs(options, size.seed, size.programs, &changed);
  EXPECT_EQ(changed.count("insert-barriers"), 1u);
}

TEST(Passes, KeepWhatTheExamplesDo) { EXPECT_GT(check_programs_of("ir"), 10); }

TEST(Passes, KeepWhatSmallProgramsThatOnceWentWrongDo) {
  EXPECT_GT(check_programs_of("diff/regressions"), 5);
  EXPECT_GT(check_programs_of("diff/regressions/passes"), 0);
}

}  // namespace
}  // namespace tl::testing
