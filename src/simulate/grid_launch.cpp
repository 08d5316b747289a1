#include "simulate/grid_launch.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "simulate/fiber.h"

namespace tl::simulate {
namespace {

/// Programs of a launch that are under way at once; a device has no room for more.
constexpr int64_t kMostPrograms = 8192;

/// Thrown in a waiting program whose launch has failed.
struct Abandoned {};

/// The part of the machine's state that belongs to the program that runs.
struct ProgramState {
  ProgramAgents program;
  World world;
  Actor actor;
  const uint32_t* members;
  std::vector<CopyDone> copies_done;
  std::vector<std::vector<Clock>> closed_groups;
  std::vector<int64_t> point_extents;
  std::vector<uint8_t> shared_memory;

  void exchange(Machine& m) {
    std::swap(program, m.program);
    std::swap(world, m.world);
    std::swap(actor, m.actor);
    std::swap(members, m.members);
    std::swap(copies_done, m.copies_done);
    std::swap(closed_groups, m.closed_groups);
    std::swap(point_extents, m.point_extents);
    std::swap(shared_memory, m.shared_memory);
  }
};

class Together {
 public:
  Together(Machine& m, const ProgramRun& run) : m_(m), run_(run) {
    m_.meet_grid = [this](uint32_t at) { wait(at); };
  }
  /// Lets those that wait take down what they have built.
  ~Together() {
    abandoned_ = true;
    for (Member& member : members_) {
      if (member.begun && !member.fiber->ended()) resume(member);
    }
    m_.meet_grid = nullptr;
  }
  Together(const Together&) = delete;

  void add(int64_t linear, LaunchCode code) {
    Member& member = members_.emplace_back();
    member.linear = linear;
    member.code = std::move(code);
    member.fiber = std::make_unique<Fiber>([this, &member] {
      try {
        run_.body(member.code);
      } catch (const Abandoned&) {
      }
    });
  }

  void run() {
    while (step()) m_.timeline.start_launch();
  }

 private:
  struct Member {
    int64_t linear = 0;
    LaunchCode code;
    std::unique_ptr<Fiber> fiber;
    bool begun = false;
    /// Of the program while it waits; of the launch while it runs.
    ProgramState state;
    uint32_t waits_at = 0;
  };

  /// Runs every program up to its next barrier; false when all have ended.
  bool step() {
    for (Member& member : members_) {
      run_.begin(member.linear, member.code);
      if (!member.begun) {
        // It goes on as the launch has begun it.
        member.state = {m_.program, m_.world, m_.actor, m_.members, {}, {}, {}, std::move(m_.shared_memory)};
        member.begun = true;
      }
      resume(member);
    }
    const Member* waits = nullptr;
    const Member* ended = nullptr;
    for (const Member& member : members_) (member.fiber->ended() ? ended : waits) = &member;
    if (waits != nullptr && ended != nullptr) report(*waits, *ended);
    return waits != nullptr;
  }

  void resume(Member& member) {
    running_ = &member;
    Fiber* const outer = std::exchange(m_.fiber, member.fiber.get());
    member.state.exchange(m_);
    const auto back = [&] {
      member.state.exchange(m_);
      m_.fiber = outer;
      running_ = nullptr;
    };
    try {
      member.fiber->resume();
    } catch (...) {
      back();
      throw;
    }
    back();
  }

  /// In the program that runs.
  void wait(uint32_t at) {
    Member& member = *running_;
    member.waits_at = at;
    member.fiber->pause();
    if (abandoned_) throw Abandoned{};
  }

  [[noreturn]] void report(const Member& waits, const Member& ended) {
    int64_t waiting = 0;
    for (const Member& member : members_) waiting += member.fiber->ended() ? 0 : 1;
    stop(76, m_.sites[waits.waits_at].loc,
         fmt::format("T.sync_grid is reached by {} of {} tile programs; tile program {} has ended", waiting,
                     members_.size(), coordinates_text(ended.linear, m_.grid, true)),
         "all programs must reach it equally often; move it out of the branch or loop that depends on the program");
  }

  Machine& m_;
  const ProgramRun& run_;
  std::deque<Member> members_;
  Member* running_ = nullptr;
  bool abandoned_ = false;
};

}  // namespace

void run_together(Machine& m, uint32_t site, int64_t programs, const std::function<LaunchCode()>& code,
                  const ProgramRun& run) {
  if (programs > kMostPrograms) {
    stop(91, m.sites[site].loc,
         fmt::format("{} tile programs wait for each other; {} can be under way at once", programs, kMostPrograms),
         "use a smaller grid, and a loop over tiles in each program");
  }
  Together together(m, run);
  const Permutation order(programs, m.options.order_seed);
  for (int64_t i = 0; i < programs; ++i) together.add(order(i), code());
  together.run();
}

}  // namespace tl::simulate
