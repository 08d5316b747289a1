#include "simulate/fiber.h"

#include <cstdint>
#include <utility>

#include "support/diagnostic.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace tl::simulate {
namespace {

/// The sanitizer is told before a change of stacks where it goes, and behind it that it is done.
#if defined(__SANITIZE_ADDRESS__)
void leave_stack(void** keep, const void* to, size_t size) { __sanitizer_start_switch_fiber(keep, to, size); }
void enter_stack(void* kept, const void** from, size_t* size) { __sanitizer_finish_switch_fiber(kept, from, size); }
#else
void leave_stack(void**, const void*, size_t) {}
void enter_stack(void*, const void**, size_t*) {}
#endif

}  // namespace

Fiber::Fiber(std::function<void()> body, size_t stack_bytes)
    : body_(std::move(body)),
      stack_bytes_(stack_bytes),
      stack_(std::make_unique_for_overwrite<std::byte[]>(stack_bytes)) {
  TL_CHECK(getcontext(&own_) == 0, "no context for a stack");
  own_.uc_stack.ss_sp = stack_.get();
  own_.uc_stack.ss_size = stack_bytes_;
  own_.uc_link = nullptr;
  // makecontext passes ints.
  const auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
}

Fiber::~Fiber() = default;

void Fiber::enter(unsigned high, unsigned low) {
  reinterpret_cast<Fiber*>(static_cast<uintptr_t>(high) << 32 | low)->run();
}

void Fiber::run() {
  enter_stack(nullptr, &caller_stack_, &caller_stack_size_);
  try {
    body_();
  } catch (...) {
    error_ = std::current_exception();
  }
  ended_ = true;
  to_caller(true);
}

void Fiber::to_body() {
  void* fake_stack = nullptr;
  leave_stack(&fake_stack, stack_.get(), stack_bytes_);
  swapcontext(&caller_, &own_);
  enter_stack(fake_stack, nullptr, nullptr);
}

void Fiber::to_caller(bool for_good) {
  leave_stack(for_good ? nullptr : &own_fake_stack_, caller_stack_, caller_stack_size_);
  swapcontext(&own_, &caller_);
  enter_stack(own_fake_stack_, &caller_stack_, &caller_stack_size_);
}

void Fiber::resume() {
  to_body();
  while (request_ != nullptr) {
    try {
      (*request_)();
    } catch (...) {
      error_ = std::current_exception();
    }
    request_ = nullptr;
    to_body();
  }
  if (ended_ && error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Fiber::pause() { to_caller(false); }

void Fiber::outside(const std::function<void()>& f) {
  request_ = &f;
  to_caller(false);
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace tl::simulate
