#pragma once

#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace tl::simulate {

/// Code with a stack of its own, which can stop in its middle and go on later, on the thread of who resumes it.
class Fiber {
 public:
  /// Pages of the stack that are never touched take no memory.
  explicit Fiber(std::function<void()> body, size_t stack_bytes = size_t{1} << 20);
  /// The body has ended, or never begun.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body until it pauses or ends; throws what it throws.
  void resume();
  bool ended() const { return ended_; }

  // For the body:
  /// Back to who resumed it, until it is resumed again.
  void pause();
  /// Runs `f` on the stack of who resumed it, for code that looks at its stack; throws what it throws.
  void outside(const std::function<void()>& f);

 private:
  static void enter(unsigned high, unsigned low);
  void run();
  void to_body();
  void to_caller(bool for_good);

  std::function<void()> body_;
  size_t stack_bytes_;
  std::unique_ptr<std::byte[]> stack_;
  ucontext_t own_{}, caller_{};
  bool ended_ = false;
  std::exception_ptr error_;
  const std::function<void()>* request_ = nullptr;
  /// What the address sanitizer must know of the stack that is left.
  void* own_fake_stack_ = nullptr;
  const void* caller_stack_ = nullptr;
  size_t caller_stack_size_ = 0;
};

}  // namespace tl::simulate
