#include "runtime/device_memory.h"

#include <cstdlib>
#include <numeric>

#include "unit/runtime/cuda_fixture.h"

namespace tl::testing {
namespace {

class DeviceMemoryTest : public OnFakeCuda {
 protected:
  void SetUp() override {
    OnFakeCuda::SetUp();
    setenv("TILELANG_LIBCUDA", TL_FAKE_CUDA, 1);
  }
  void TearDown() override { unsetenv("TILELANG_LIBCUDA"); }
};

TEST_F(DeviceMemoryTest, KeepsWhatIsCopiedThere) {
  std::vector<uint8_t> bytes(100), back(100);
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  {
    DeviceMemory memory(bytes.size());
    EXPECT_EQ(fake().allocated.at(memory.address()), bytes.size());
    memory.fill_from(bytes.data());
    memory.copy_to(back.data());
  }
  EXPECT_EQ(back, bytes);
  EXPECT_TRUE(fake().allocated.empty());
}

TEST_F(DeviceMemoryTest, IsGivenUpWithALostDevice) {
  auto memory = std::make_unique<DeviceMemory>(8);
  fake().sticky = 700;
  memory.reset();
  EXPECT_THROW(DeviceMemory(8), CompileError);
}

}  // namespace
}  // namespace tl::testing
