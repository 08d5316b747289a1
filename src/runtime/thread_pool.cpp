#include "runtime/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tl {
namespace {

using Body = std::function<void(int64_t, int64_t)>;
using Clock = std::chrono::steady_clock;

/// Work that is left below this is not worth waking a sleeping thread for, which takes 5 to 50 microseconds.
constexpr double kWorthWaking = 15e-6;
/// The aim of one range: long beside the counter's cost, short beside the whole launch.
constexpr double kRangeTime = 100e-6;
/// How often a waiting thread looks again before it sleeps: some ten microseconds, so that launches in a row find it
/// awake.
constexpr int kSpins = 400;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Waits until `word` is not `old`.
void wait_change(const std::atomic<uint32_t>& word, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (word.load(std::memory_order_acquire) != old) return;
    relax();
  }
  word.wait(old, std::memory_order_acquire);
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Threads that sleep until work is offered. One piece of work at a time; the gate counts who is inside it.
class Pool {
 public:
  explicit Pool(int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    stop_.store(true, std::memory_order_relaxed);
    offers_.fetch_add(1, std::memory_order_release);
    offers_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  int workers() const { return static_cast<int>(threads_.size()); }

  /// Runs the ranges of [first, total) here and in up to `wanted` other threads. Returns what a program took here.
  float run(const Body& body, int64_t first, int64_t total, int64_t range, int wanted) {
    body_ = &body;
    total_ = total;
    range_ = range;
    next_.store(first, std::memory_order_relaxed);
    gate_.store(kOpen, std::memory_order_release);
    offers_.fetch_add(1, std::memory_order_release);
    if (wanted >= workers()) {
      offers_.notify_all();
    } else {
      for (int i = 0; i < wanted; ++i) offers_.notify_one();
    }
    const Clock::time_point start = Clock::now();
    const int64_t done = take_ranges();
    const double elapsed = seconds_since(start);
    // Nobody enters from here on; those inside finish their last range.
    uint32_t inside = gate_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
    while (inside != 0) {
      wait_change(gate_, inside);
      inside = gate_.load(std::memory_order_acquire);
    }
    return done == 0 ? 0.0f : static_cast<float>(elapsed / static_cast<double>(done));
  }

 private:
  static constexpr uint32_t kOpen = 1u << 31;

  int64_t take_ranges() {
    for (int64_t done = 0;;) {
      const int64_t first = next_.fetch_add(range_, std::memory_order_relaxed);
      if (first >= total_) return done;
      const int64_t last = std::min(first + range_, total_);
      (*body_)(first, last);
      done += last - first;
    }
  }

  void work();

  bool enter() {
    uint32_t gate = gate_.load(std::memory_order_acquire);
    while ((gate & kOpen) != 0) {
      if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

  /// What is offered: written by the caller while the gate is shut and nobody is inside.
  const Body* body_ = nullptr;
  int64_t total_ = 0;
  int64_t range_ = 1;
  std::atomic<int64_t> next_{0};

  std::atomic<uint32_t> gate_{0};
  std::atomic<uint32_t> offers_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

thread_local bool inside_body = false;

void Pool::work() {
  inside_body = true;
  uint32_t seen = 0;
  for (;;) {
    wait_change(offers_, seen);
    seen = offers_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    if (!enter()) continue;
    take_ranges();
    // The caller waits for the last one to leave, and only once the gate is shut.
    if ((gate_.fetch_sub(1, std::memory_order_acq_rel) & kOpen) == 0) gate_.notify_all();
  }
}

/// The pool and the turn to use it. Never destroyed: threads may still sleep in it when the process ends, and a child
/// of a fork leaves its parent's behind.
struct PoolOwner {
  std::mutex turn;
  std::unique_ptr<Pool> pool;

  Pool& with_workers(int workers) {
    if (!pool || pool->workers() != workers) {
      pool.reset();
      pool = std::make_unique<Pool>(workers);
    }
    return *pool;
  }
};

std::atomic<PoolOwner*> current_owner{nullptr};
std::atomic<int> chosen_count{0};

PoolOwner& owner() {
  PoolOwner* found = current_owner.load(std::memory_order_acquire);
  if (found != nullptr) return *found;
  // The threads of a fork's parent do not exist in the child, and its mutex may be held: both are left behind there.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { current_owner.store(nullptr); });
  static_cast<void>(registered);
  auto* made = new PoolOwner;
  if (current_owner.compare_exchange_strong(found, made)) return *made;
  delete made;
  return *found;
}

int environment_count(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::clamp(std::atoi(text), 0, 4096);
}

int default_count() {
  for (const char* name : {"TL_NUM_THREADS", "OMP_NUM_THREADS"}) {
    if (const int count = environment_count(name); count > 0) return count;
  }
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Runs ranges here, each twice as long as the one before, until nothing is left or they have taken long enough to be
/// worth sharing. Returns how many programs are done.
int64_t run_alone(int64_t total, const Body& body, Pace& pace) {
  const Clock::time_point start = Clock::now();
  int64_t done = 0;
  for (int64_t range = std::max<int64_t>(1, total / 4); done < total; range *= 2) {
    const int64_t last = std::min(done + range, total);
    body(done, last);
    done = last;
    const double elapsed = seconds_since(start);
    pace.store(static_cast<float>(elapsed / static_cast<double>(done)), std::memory_order_relaxed);
    if (elapsed > kWorthWaking) break;
  }
  return done;
}

/// Ranges of about kRangeTime, at least four for each thread where there are that many programs.
int64_t range_length(int64_t programs, int threads, float pace) {
  const int64_t most = std::max<int64_t>(1, programs / (4 * int64_t{threads}));
  if (pace <= 0) return most;
  return static_cast<int64_t>(std::clamp(kRangeTime / pace, 1.0, static_cast<double>(most)));
}

}  // namespace

int thread_count() {
  const int chosen = chosen_count.load(std::memory_order_relaxed);
  if (chosen > 0) return chosen;
  static const int count = default_count();
  return count;
}

void set_thread_count(int count) { chosen_count.store(std::max(0, count), std::memory_order_relaxed); }

void parallel_for(int64_t total, const Body& body, Pace& pace) {
  if (total <= 0) return;
  const int threads = thread_count();
  if (threads <= 1 || inside_body || total == 1) {
    body(0, total);
    return;
  }
  const float known = pace.load(std::memory_order_relaxed);
  const bool small = known > 0 && known * static_cast<double>(total) < kWorthWaking;
  const int64_t done = small ? run_alone(total, body, pace) : 0;
  if (done == total) return;

  const int64_t range = range_length(total - done, threads, pace.load(std::memory_order_relaxed));
  const int64_t others = std::min<int64_t>(threads - 1, (total - done + range - 1) / range);
  PoolOwner& shared = owner();
  const std::lock_guard<std::mutex> turn(shared.turn);
  inside_body = true;
  const float found = shared.with_workers(threads - 1).run(body, done, total, range, static_cast<int>(others));
  inside_body = false;
  if (found > 0) pace.store(found, std::memory_order_relaxed);
}

}  // namespace tl
