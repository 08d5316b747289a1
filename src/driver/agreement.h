#pragma once

#include <vector>

#include "ir/function.h"

namespace tl {

/// How far two right results of one tensor may be apart.
struct Agreement {
  enum class Kind : uint8_t {
    kExact,  // bit by bit, any NaN being any NaN
    kUlp,    // `ulp` units in the last place of the element
    kLoose,  // some units in the last place of the tensor's largest element
  };
  Kind kind = Kind::kExact;
  int ulp = 0;

  bool operator==(const Agreement&) const = default;
};

struct AgreementOptions {
  /// The program is made so that no sum of floats rounds, in whatever order it is made: sums are exact too.
  bool exact_sums = false;
};

/// One entry a parameter: what reaches it. Integers, and floats that come from operators alone, are exact. An
/// elementary function of exact values that goes straight into a tensor has the accuracy of types/math_fn.h. Whatever
/// is computed from inexact values, or where they decide, is loose.
std::vector<Agreement> agreements_of(const Function& function, AgreementOptions options = {});

/// Whether `a` and `b`, elements of one tensor, agree. `largest` is the largest finite magnitude of the tensor.
bool agree(const Scalar& a, const Scalar& b, const Agreement& agreement, double largest);

}  // namespace tl
