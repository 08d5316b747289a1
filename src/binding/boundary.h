#pragma once

// Exceptions and positions at the ABI.

#include <exception>
#include <utility>

#include "binding/objects.h"

namespace tl::binding {

/// Where a function of the ABI stands: on a builder, which knows position and earlier mistakes, or beside it.
enum class Origin : uint8_t { kBuilder, kBesideBuilder };

/// The ABI's error for an exception of ours: its kind is the name of the Python class, its message the rendered text.
/// What was thrown beside the current builder gets its position and follows the mistakes recorded there. To be called
/// while the exception is handled.
ffi::Error current_error(Origin origin);

/// The builder whose position stands for expressions made outside it: the last one made on this thread and not yet
/// ended.
BuilderObject* current_builder();
void begin_current(const BuilderHandle& builder);
void end_current(const BuilderHandle& builder);
/// The position with this id of `builder`; -1 is none.
Loc position(const BuilderObject& builder, int64_t id);

/// `f` with its exceptions turned into the ABI's errors.
template <class Result, class... A>
auto guarded(Result (*f)(A...), Origin origin) {
  return [f, origin](A... args) -> Result {
    try {
      return f(std::forward<A>(args)...);
    } catch (const ffi::Error&) {
      throw;
    } catch (const std::exception&) {
      throw current_error(origin);
    }
  };
}

/// Registers functions under "tl.<name>".
class Registry {
 public:
  explicit Registry(Origin origin) : origin_(origin) {}

  template <class F>
  Registry& def(const char* name, F f) {
    ffi::reflection::GlobalDef().def(name, guarded(+f, origin_));
    return *this;
  }

 private:
  Origin origin_;
};

}  // namespace tl::binding
