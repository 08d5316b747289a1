#pragma once

#include "target/target.h"

namespace tl {

/// The row of the target table whose code runs on devices of this compute capability: that of the same number, else
/// the nearest below it with the same major number. A name that ends in "a" is for its own number alone. Null when the
/// table has none.
const Target* cuda_target_of(int major, int minor);

}  // namespace tl
