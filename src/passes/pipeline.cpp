#include "passes/pipeline.h"

#include <chrono>

#include "ir/text.h"

namespace tl {
namespace {

const std::vector<Step> kHost = {
    {"check-program", "what cannot be right is refused before anything is rearranged"},
    {"lower-scans", "scans are parallel loops to all passes behind"},
    {"simplify", "constants and bounds decide branches once, so that later passes see plain programs"},
    {"outline-host-statements", "from here on all work is in launches"},
    {"serialize-pipelines", "one core runs a tile program: copies and compute do not overlap"},
    {"serialize-groups", "roles run one after the other"},
    {"clip-copies", "tile copies touch only what exists, and say what becomes of the rest"},
    {"guard-accesses", "element accesses that may leave a buffer get their condition"},
    {"clamp-loops", "conditions on a loop variable become loop bounds, so that the interior stays free of them"},
    {"split-threads", "code on thread indices runs for all threads between barriers"},
    {"lower-parallel", "points of a parallel loop become the innermost iterations of plain loops"},
    {"lower-tiles", "what is left of tile operations is loops, rows to reduce, and the prelude's gemm"},
    {"simplify", "bounds of the new loops fold"},
    {"stream-stores", "what loops write is known now"},
};

const std::vector<Step> kCuda = {
    {"check-program", "what cannot be right is refused before anything is rearranged"},
    {"state-assumptions", "passes find among their facts what this variant's calls satisfy"},
    {"lower-scans", "scans are parallel loops to all passes behind"},
    {"simplify", "constants and bounds decide branches once, so that later passes see plain programs"},
    {"outline-host-statements", "from here on all work is in launches"},
    {"pipeline-copies", "tiles and loops are still whole; what cannot overlap is left for the next pass"},
    {"serialize-pipelines", "copies and compute of one iteration follow each other"},
    {"serialize-groups", "roles run one after the other"},
    {"tiles-to-loops", "one mechanism distributes work over threads"},
    {"guard-accesses", "element accesses that may leave a buffer get their condition"},
    {"forward-tiles", "accesses have their conditions, and no tile has a layout yet"},
    {"infer-layouts", "all tiles of a launch are laid out together, before any of them is taken apart"},
    {"pad-shared", "which threads read which elements is known, and strides are still free"},
    {"lower-threads", "every statement says what one thread does"},
    {"simplify", "coordinates and conditions of the new loops fold"},
    {"advance-loads", "loads of whole vectors are statements of their own now, and barriers are not there yet"},
    {"unroll-streams", "which loads are vectors is known, and barriers are not there yet"},
    {"group-quotients", "what a thread computes for its registers is one nest of loops a statement"},
    {"narrow-indices", "ranges of all variables are known now"},
    {"allocate-shared", "which buffers share bytes decides where barriers are needed"},
    {"insert-barriers", "last, so that every access is seen"},
};

const std::vector<Step> kAscend = {
    {"check-program", "what cannot be right is refused before anything is rearranged"},
    {"simplify", "constants and bounds decide branches once, so that later passes see plain programs"},
    {"outline-host-statements", "from here on all work is in launches"},
    {"version-buffers", "tiles and loops are still whole"},
    {"align-core-rows", "how many versions there are is known"},
    {"orient-operands", "what products say of their tiles is as the user wrote it"},
    {"clip-copies", "engines move what exists, and say what becomes of the rest"},
    {"lower-core-tiles", "every statement of a core is of one engine"},
    {"enter-cores", "functions of threads are launches to the passes behind"},
    {"lower-scans", "scans are parallel loops to all passes behind"},
    {"tiles-to-loops", "one mechanism distributes work over threads"},
    {"guard-accesses", "element accesses that may leave a buffer get their condition"},
    {"infer-layouts", "all tiles of a function of threads are laid out together"},
    {"lower-threads", "every statement says what one thread does"},
    {"simplify", "coordinates and conditions of the new loops fold"},
    {"narrow-indices", "ranges of all variables are known now"},
    {"allocate-shared", "scratch of threads gets its place"},
    {"insert-barriers", "every access of the threads is seen"},
    {"place-core-buffers", "all buffers are known, and nothing has flags yet"},
    {"insert-flags", "last, so that every access of the engines is seen"},
};

const std::vector<Step> kNone = {
    {"check-program", "what cannot be right is refused"},
};

}  // namespace

const std::vector<Step>& pipeline_for(TargetKind kind) {
  switch (kind) {
    case TargetKind::kHost:
      return kHost;
    case TargetKind::kCuda:
      return kCuda;
    case TargetKind::kAscend:
      return kAscend;
    case TargetKind::kInterpreter:
      return kNone;
  }
  return kNone;
}

Stage final_stage(TargetKind kind) {
  if (kind == TargetKind::kCuda) return Stage::kThread;
  if (kind == TargetKind::kAscend) return Stage::kCore;
  return kind == TargetKind::kHost ? Stage::kHost : Stage::kAny;
}

bool config_flag(const PassContext& context, std::string_view key) {
  const auto it = context.config.find(std::string(key));
  const bool* value = it == context.config.end() ? nullptr : std::get_if<bool>(&it->second);
  return value != nullptr && *value;
}

void run_passes(Function& function, std::span<const std::string_view> passes, PassContext& context,
                const PipelineOptions& options) {
  int index = 0;
  for (const std::string_view name : passes) {
    const Pass* pass = find_pass(name);
    TL_CHECK(pass != nullptr, "no pass named " + std::string(name));
    const std::string text = options.observe ? print(function, {.positions = true}) : std::string();
    const auto start = std::chrono::steady_clock::now();
    pass->run(function, context);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    context.diagnostics.throw_if_errors();
    if (options.verify) check_sound(function, Stage::kAny, std::string(name));
    if (options.observe) {
      options.observe({name, index, took.count(), print(function, {.positions = true}) != text, function});
    }
    ++index;
  }
}

}  // namespace tl
