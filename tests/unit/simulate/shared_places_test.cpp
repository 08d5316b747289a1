// Shared buffers that have their places in the memory of a block.
#include <gtest/gtest.h>

#include "unit/simulate/run_program.h"

namespace tl {
namespace {

/// What is read from `s`, at byte 0, once `t` is allocated and `then` has run.
double first_of_s(const std::string& offset_of_t, const std::string& then) {
  Array a = floats(std::vector<double>(4));
  run("func @f params [%A: global float32[4]] { launch [%b: int32], [1], lanes=[%x: int32, %y: int32, %z: int32], "
      "threads=[4], hints={\"shared_bytes\": 32} { alloc %s: shared float32[4], hints={\"offset\": 0} "
      "store %s, [%x], 1.0:float32 alloc %t: shared float32[4], hints={\"offset\": " +
          offset_of_t + "} " + then + " store %A, [%x], %s[%x] } }",
      {a.arg()});
  return a.at(0).to_double();
}

TEST(SharedPlaces, BuffersInOnePlaceShareItsBytes) {
  EXPECT_EQ(first_of_s("0", "store %t, [%x], 2.0:float32"), 2);
  EXPECT_EQ(first_of_s("16", "store %t, [%x], 2.0:float32"), 1);
}

TEST(SharedPlaces, APlaceIsLeftAloneUntilItIsWritten) { EXPECT_EQ(first_of_s("0", ""), 1); }

TEST(SharedPlaces, WhatDoesNotFitHasMemoryOfItsOwn) { EXPECT_EQ(first_of_s("24", "store %t, [%x], 2.0:float32"), 1); }

}  // namespace
}  // namespace tl
