#include "driver/cuda_target.h"

#include <gtest/gtest.h>

namespace tl {
namespace {

TEST(CudaTarget, RunsOnDevicesOfItsMajorNumberFromItsMinorOneOn) {
  const auto name = [](int major, int minor) {
    const Target* target = cuda_target_of(major, minor);
    return target == nullptr ? "" : std::string(target->name);
  };
  EXPECT_EQ(name(8, 0), "sm_80");
  EXPECT_EQ(name(8, 6), "sm_86");
  EXPECT_EQ(name(8, 7), "sm_86");
  EXPECT_EQ(name(8, 9), "sm_89");
  EXPECT_EQ(name(9, 0), "sm_90a");
  EXPECT_EQ(name(10, 0), "sm_100a");
  EXPECT_EQ(name(12, 0), "sm_120a");
  // Code for sm_100a runs on 10.0 alone.
  EXPECT_EQ(name(10, 3), "");
  EXPECT_EQ(name(7, 0), "");
}

}  // namespace
}  // namespace tl
