#pragma once

#include <optional>

#include "layout/fragment.h"

namespace tl {

/// The layout (thread, register) -> element that equals `element` everywhere, if there is no padding and one exists.
std::optional<Layout> fit_thread_value(int64_t threads, int64_t registers, const Fragment::SlotFunction& element);

}  // namespace tl
