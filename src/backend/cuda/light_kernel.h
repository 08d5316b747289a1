#pragma once

#include "ir/ops.h"

namespace tl {

/// Whether the launch does so little with each element that it waits for memory whatever becomes of its code: threads
/// neither meet nor loop, and a stored value takes a few plain operations.
bool is_light(const Launch& launch);

}  // namespace tl
