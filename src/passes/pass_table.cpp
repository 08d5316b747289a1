#include <algorithm>

#include "passes/core/align_core_rows.h"
#include "passes/core/enter_cores.h"
#include "passes/core/insert_flags.h"
#include "passes/core/lower_core_tiles.h"
#include "passes/core/orient_operands.h"
#include "passes/core/place_core_buffers.h"
#include "passes/core/version_buffers.h"
#include "passes/lower/clamp_loops.h"
#include "passes/lower/clip_copies.h"
#include "passes/lower/guard_accesses.h"
#include "passes/lower/lower_parallel.h"
#include "passes/lower/lower_scans.h"
#include "passes/lower/lower_tiles.h"
#include "passes/lower/outline_host_statements.h"
#include "passes/lower/serialize_groups.h"
#include "passes/lower/serialize_pipelines.h"
#include "passes/lower/split_threads.h"
#include "passes/lower/stream_stores.h"
#include "passes/pass.h"
#include "passes/thread/advance_loads.h"
#include "passes/thread/allocate_shared.h"
#include "passes/thread/forward_tiles.h"
#include "passes/thread/group_quotients.h"
#include "passes/thread/infer_layouts.h"
#include "passes/thread/insert_barriers.h"
#include "passes/thread/lower_threads.h"
#include "passes/thread/narrow_indices.h"
#include "passes/thread/pad_shared.h"
#include "passes/thread/pipeline_copies.h"
#include "passes/thread/state_assumptions.h"
#include "passes/thread/tiles_to_loops.h"
#include "passes/thread/unroll_streams.h"
#include "passes/tile/check_program.h"
#include "passes/tile/simplify.h"

namespace tl {
namespace {

const std::vector<Pass> kPasses = {
    {"check-program", check_program, "refuse what cannot be right in the program as a whole"},
    {"simplify", simplify_function, "fold expressions, branches and loops that bounds decide"},
    {"outline-host-statements", outline_host_statements,
     "put statements outside launches into launches of one program"},
    {"serialize-pipelines", serialize_pipelines, "run pipelined loops and asynchronous copies in program order"},
    {"serialize-groups", serialize_groups, "run groups of threads one after the other"},
    {"clip-copies", clip_copies, "keep tile copies and fills inside their buffers"},
    {"guard-accesses", guard_accesses, "give element accesses that may leave their buffer a condition"},
    {"clamp-loops", clamp_loops, "turn conditions on parallel loop variables into extents"},
    {"split-threads", split_threads, "run code on thread indices for all threads between barriers"},
    {"lower-parallel", lower_parallel, "turn parallel loops into nests of loops"},
    {"lower-scans", lower_scans, "write scans as parallel loops over rows or parts of rows"},
    {"lower-tiles", lower_tiles, "turn tile operations into loops over elements"},
    {"stream-stores", stream_stores, "let stores of rows of large tensors bypass the caches"},
    {"state-assumptions", state_assumptions, "state what is known about the sizes of calls"},
    {"pipeline-copies", pipeline_copies, "let pipelined loops load the shared tiles of later iterations ahead"},
    {"tiles-to-loops", tiles_to_loops, "turn tile copies and fills into parallel loops"},
    {"infer-layouts", infer_layouts, "lay fragments and parallel loops out over the threads of their launch"},
    {"pad-shared", pad_shared, "lengthen rows of shared tiles that threads read by columns"},
    {"lower-threads", lower_threads, "turn statements of a tile program into statements of one thread"},
    {"forward-tiles", forward_tiles, "make one statement of launches that are chains of element-wise ones"},
    {"advance-loads", advance_loads, "start loads before reductions over threads that they need not wait for"},
    {"unroll-streams", unroll_streams, "say how many iterations of loops over global memory make one"},
    {"group-quotients", group_quotients, "gather quotients of a thread by one divisor"},
    {"narrow-indices", narrow_indices, "make arithmetic on indices in 32 bits where it cannot overflow"},
    {"allocate-shared", allocate_shared, "give shared buffers their place in the block's shared memory"},
    {"insert-barriers", insert_barriers, "order threads where they touch each other's memory"},
    {"insert-flags", insert_flags, "order the engines of a core where they touch each other's memory"},
    {"place-core-buffers", place_core_buffers, "give buffers their place in the memories of a core"},
    {"version-buffers", version_buffers, "give buffers of pipelined loops a version for each iteration under way"},
    {"orient-operands", orient_operands, "lay tiles in L0 as the cube unit reads them"},
    {"align-core-rows", align_core_rows, "make rows of tiles of a core whole blocks, as engines move them"},
    {"lower-core-tiles", lower_core_tiles, "make tile statements of cores statements of one engine each"},
    {"enter-cores", enter_cores, "separate programs of cores from the functions of threads that they start"},
};

}  // namespace

const std::vector<Pass>& all_passes() { return kPasses; }

const Pass* find_pass(std::string_view name) {
  const auto row = std::find_if(kPasses.begin(), kPasses.end(), [&](const Pass& p) { return p.name == name; });
  return row == kPasses.end() ? nullptr : &*row;
}

}  // namespace tl
