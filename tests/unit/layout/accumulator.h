#pragma once

#include "layout/fragment.h"
#include "unit/layout/random_layouts.h"

namespace tl {

/// The accumulator of a 16x8 matrix instruction: lane l holds rows l/4 and l/4 + 8, columns 2 (l mod 4) and the next.
inline Fragment accumulator_16x8() {
  return Fragment::from_thread_value({16, 8}, layout_of("((4,8),(2,2)):((2,8),(1,64))")).value();
}

}  // namespace tl
