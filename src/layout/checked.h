#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace tl {

/// Why a layout operation has no answer, in words for the person who asked: what was found and what is allowed.
struct LayoutError {
  std::string message;
};

/// The answer of a layout operation, or why there is none. Operations with preconditions return this: a layout that
/// exists is right, and nothing is approximated.
template <class T>
class [[nodiscard]] Checked {
 public:
  Checked(T value) : state_(std::move(value)) {}
  Checked(LayoutError error) : state_(std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// The value; throws std::logic_error with the message when there is none.
  const T& value() const& {
    if (!has_value()) throw std::logic_error(error());
    return std::get<0>(state_);
  }
  T value() && {
    if (!has_value()) throw std::logic_error(error());
    return std::get<0>(std::move(state_));
  }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }

  /// The message; only where there is no value.
  const std::string& error() const { return std::get<1>(state_).message; }

 private:
  std::variant<T, LayoutError> state_;
};

}  // namespace tl
