#include "simulate/ascend/region_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulate/ascend/machine.h"

namespace tl::simulate::ascend {

using namespace tl_ascend;

namespace {

constexpr size_t kThreadStack = 128 << 10;
constexpr uint32_t kWarp = 32, kMostThreads = 2048;

}  // namespace

RegionRunner::RegionRunner(Machine& machine, uint64_t ub_bytes)
    : machine_(machine), written_(ub_bytes), read_(ub_bytes), touched_((ub_bytes >> kPageShift) + 1) {}

RegionRunner::~RegionRunner() {
  closing_ = true;
  for (Worker* worker : std::vector<Worker*>(free_)) worker->fiber->resume();
}

void RegionRunner::attach(Host& host) {
  host.ub_written = written_.data();
  host.ub_read = read_.data();
  host.ub_touched = touched_.data();
}

void RegionRunner::run(const Record& record, Operation& operation) {
  const RegionCall& call = *record.region;
  const uint64_t count = uint64_t{call.threads.x} * call.threads.y * call.threads.z;
  if (!operation.require(count >= 1 && count <= kMostThreads,
                         fmt::format("a region of {} threads; 1 to {} are allowed", count, kMostThreads))) {
    return;
  }
  Host& host = machine_.host;
  call_ = &call;
  line_ = record.line;
  threads_.assign(count, {});
  next_ = done_ = 0;
  first_time_ = ++time_;
  host.block_dim = call.threads;
  host.in_region = 1;
  std::exception_ptr error;
  try {
    run_threads();
  } catch (...) {
    error = std::current_exception();
  }
  if (error != nullptr) end_threads();
  host.in_region = 0;
  if (error != nullptr) std::rethrow_exception(error);
  record_accesses(operation);
}

void RegionRunner::run_threads() {
  while (done_ < threads_.size()) {
    if (next_ < threads_.size()) {
      if (free_.empty()) {
        Worker* worker = workers_.emplace_back(std::make_unique<Worker>()).get();
        worker->fiber = std::make_unique<Fiber>([this, worker] { work(*worker); }, kThreadStack);
        free_.push_back(worker);
      }
      Worker* worker = free_.back();
      free_.pop_back();
      resume(*worker);
    } else if (!release_warps()) {
      release_barrier();
    }
    run_ready();
  }
}

void RegionRunner::end_threads() {
  ending_ = true;
  for (Thread& thread : threads_) {
    if (thread.state == State::kWaiting || thread.state == State::kDone) continue;
    try {
      resume(*thread.worker);
    } catch (const Abandoned&) {
    }
  }
}

void RegionRunner::work(Worker& worker) {
  while (!closing_) {
    while (next_ < threads_.size()) {
      const uint32_t mine = next_++;
      threads_[mine].worker = &worker;
      switch_to(mine);
      call_->body(call_->args.data());
      threads_[mine].state = State::kDone;
      ++done_;
    }
    free_.push_back(&worker);
    worker.fiber->pause();
  }
}

void RegionRunner::switch_to(uint32_t thread) {
  current_ = thread;
  const Dim3 size = call_->threads;
  machine_.host.thread = {thread % size.x, thread / size.x % size.y, thread / (size.x * size.y)};
  machine_.host.stamp = time_ << kTimeShift | thread;
}

void RegionRunner::resume(Worker& worker) { worker.fiber->resume(); }

Fiber* RegionRunner::fiber() const {
  return machine_.host.in_region != 0 ? threads_[current_].worker->fiber.get() : nullptr;
}

void RegionRunner::block(State state, int line) {
  const uint32_t mine = current_;
  threads_[mine].state = state;
  threads_[mine].line = line;
  threads_[mine].worker->fiber->pause();
  if (ending_) throw Abandoned();
  switch_to(mine);
}

void RegionRunner::sync_threads(int line) { block(State::kAtBarrier, line); }

void RegionRunner::warp(uint64_t value, int line, Lanes* lanes) {
  threads_[current_].value = value;
  threads_[current_].lanes = lanes;
  block(State::kAtWarp, line);
}

/// In each warp whose lanes all wait, the lanes at the call of the first of them go on together.
bool RegionRunner::release_warps() {
  bool any = false;
  for (size_t base = 0; base < threads_.size(); base += kWarp) {
    const size_t end = std::min(threads_.size(), base + kWarp);
    size_t first = base;
    while (first < end && threads_[first].state != State::kAtWarp) ++first;
    if (first == end) continue;
    Lanes all{};
    for (size_t i = first; i < end; ++i) {
      const Thread& thread = threads_[i];
      if (thread.state != State::kAtWarp || thread.line != threads_[first].line) continue;
      all.value[i - base] = thread.value;
      all.active |= 1u << (i - base);
    }
    for (size_t i = first; i < end; ++i) {
      if ((all.active >> (i - base) & 1) == 0) continue;
      *threads_[i].lanes = all;
      threads_[i].lanes->lane = static_cast<uint32_t>(i - base);
      threads_[i].state = State::kReady;
    }
    any = true;
  }
  return any;
}

void RegionRunner::release_barrier() {
  int line = 0, other = 0;
  uint64_t there = 0;
  for (Thread& thread : threads_) {
    if (thread.state != State::kAtBarrier) continue;
    ++there;
    if (line == 0) line = thread.line;
    if (thread.line != line) other = thread.line;
    thread.state = State::kReady;
  }
  ++time_;
  if (there == threads_.size() && other == 0) return;
  if (!machine_.book.wants(76, line, other)) return;
  machine_.book.add(76, line,
                    other != 0 ? std::string("threads of one region wait at different asc_syncthreads")
                               : fmt::format("asc_syncthreads is reached by {} of {} threads", there, threads_.size()),
                    other, other != 0 ? "others wait here" : "",
                    "all threads of a region must reach the same asc_syncthreads equally often");
}

void RegionRunner::run_ready() {
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].state != State::kReady) continue;
    threads_[i].state = State::kWaiting;
    resume(*threads_[i].worker);
  }
}

/// Adds the accesses to one page as runs of bytes with one line; a run may have begun in the page before.
void RegionRunner::collect(std::vector<Run>& runs, uint64_t base, const uint64_t* marks, uint64_t bytes) const {
  for (uint64_t i = 0; i < bytes; ++i) {
    const uint64_t mark = marks[i];
    if (mark >> kTimeShift < first_time_) continue;
    const int line = static_cast<int>(mark >> kLineShift & kLineMask);
    const bool atomic = (mark & kThreadMask) == kAtomicThread;
    if (runs.empty() || runs.back().last != base + i || runs.back().line != line || runs.back().atomic != atomic) {
      runs.push_back({base + i, base + i, line, atomic});
    }
    ++runs.back().last;
  }
}

/// What the region has read and written, as accesses of its operation.
void RegionRunner::record_accesses(Operation& operation) {
  Memory& ub = operation.core().ub();
  std::vector<uint64_t> numbers;
  for (const auto& [number, marks] : page_of_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  for (const bool writes : {false, true}) {
    std::vector<Run> runs;
    for (uint64_t p = 0; p < touched_.size(); ++p) {
      if (touched_[p] == 0) continue;
      const uint64_t base = p << kPageShift;
      collect(runs, base, &(writes ? written_ : read_)[base], std::min<uint64_t>(kPage, ub.bytes.size() - base));
    }
    for (const Run& run : runs) {
      operation.at(kSimtAccess, run.line);
      const auto first = static_cast<int64_t>(run.first), size = static_cast<int64_t>(run.last - run.first);
      writes ? operation.write(ub, first, size) : operation.read(ub, first, size);
    }
    runs.clear();
    for (const uint64_t number : numbers) {
      const Page& marks = *page_of_[number];
      collect(runs, number << kPageShift, writes ? marks.written : marks.read, kPage);
    }
    for (const Run& run : runs) record_gm(operation, run, writes);
  }
  std::fill(touched_.begin(), touched_.end(), uint8_t{0});
  page_of_.clear();
}

void RegionRunner::record_gm(Operation& operation, Run run, bool writes) {
  operation.at(kSimtAccess, run.line);
  while (run.first < run.last) {
    const Tensor* tensor = machine_.gm.find(run.first);
    if (tensor == nullptr) return;
    const uint64_t end = std::min(run.last, tensor->range.base + tensor->range.bytes);
    const auto size = static_cast<int64_t>(end - run.first);
    writes ? operation.write_gm(run.first, size, run.atomic) : operation.read_gm(run.first, size);
    run.first = end;
  }
}

RegionRunner::Page& RegionRunner::page(uint64_t address) {
  Page*& found = page_of_[address >> kPageShift];
  if (found == nullptr) {
    if (pages_.size() < page_of_.size()) pages_.push_back(std::make_unique<Page>());
    found = pages_[page_of_.size() - 1].get();
  }
  return *found;
}

}  // namespace tl::simulate::ascend
