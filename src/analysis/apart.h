#pragma once

#include "analysis/facts.h"
#include "ir/buffer.h"

namespace tl {

/// Whether two boxes in one buffer provably have no element in common: along one of its dimensions, or because their
/// offsets are digits (quotients and remainders) of two numbers that differ, with a box for each value of the digits.
bool apart(const Region& a, const Region& b, const Facts& facts);

}  // namespace tl
