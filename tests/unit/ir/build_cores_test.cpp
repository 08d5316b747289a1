// Launches of AI cores: regions, memories, and what may stand where.

#include "unit/ir/build_kernel.h"

namespace tl {
namespace {

using namespace testing;

/// A launch of 4 cores around `body`, which starts on line 10.
std::string cores(const std::function<void(Builder&)>& body, std::vector<Operand> grid = {4}) {
  return built([&](Builder& b) {
    LaunchOptions options;
    options.hints[kCoresHint] = true;
    b.launch(grid, {}, options);
    b.at(line(10));
    body(b);
    b.end();
  });
}

CopyOptions transposing() {
  CopyOptions options;
  options.hints[kTransposeHint] = true;
  return options;
}

Buffer placed(Builder& b, MemorySpace space, std::vector<Operand> shape, DType dtype = DType::f16()) {
  return b.alloc("x", dtype, shape, space);
}

TEST(BuildCores, TheLargestRegionCountsTheThreads) {
  EXPECT_EQ(cores([](Builder& b) {
              b.simt_region({32}, {{"latency", int64_t{9}}});
              b.end();
              b.simt_region({64, 8, 4});
              b.store(shared(b, "s", {2048}), {b.lanes()[0]}, 1.0);
              b.end();
            }),
            R"(func @f params [] {
  launch [%bx: int32], [4], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[2048, 1, 1], hints={"cores": true} {
    group engine="simt", count=32, hints={"latency": 9} {}
    group engine="simt", count=2048 {
      alloc %s: shared float16[2048]
      store %s, [%tx], 1.0:float16
    }
  }
}
)");
}

TEST(BuildCores, GridsAndRegionsAreChecked) {
  EXPECT_NE(cores([](Builder&) {}, {2, 2}).find("exactly one grid extent, not 2"), std::string::npos);
  EXPECT_NE(cores([](Builder& b) { b.simt_region({2049}); }).find("1 to 2048 threads"), std::string::npos);
  EXPECT_NE(cores([](Builder& b) { b.simt_region({}); }).find("1 to 2048 threads"), std::string::npos);
  EXPECT_NE(cores([](Builder& b) {
              b.simt_region({32});
              b.simt_region({32});
            }).find("VF regions do not nest"),
            std::string::npos);
  EXPECT_NE(kernel([](Builder& b) { b.simt_region({32}); }).find("not one of AI cores"), std::string::npos);
  EXPECT_NE(kernel([](Builder& b) { placed(b, MemorySpace::kL1, {16, 16}); }).find("l1 memory belongs to AI cores"),
            std::string::npos);
}

TEST(BuildCores, SeveralMistakesInOneReport) {
  const std::string text = cores([](Builder& b) {
    b.at(line(11));
    b.parallel({"i"}, {16});
    b.end();
    const Buffer a = placed(b, MemorySpace::kL1, {16, 16}), s = shared(b, "s", {16, 16}, DType::f32());
    b.at(line(12));
    b.copy(a, s);
    b.at(line(13));
    b.barrier();
  });
  EXPECT_NE(text.find("T.Parallel must be inside a VF block"), std::string::npos);
  EXPECT_NE(text.find("no data path from l1 to shared memory"), std::string::npos);
  EXPECT_NE(text.find("T.sync_threads must be inside a VF block"), std::string::npos);
}

TEST(BuildCores, TransposingCopies) {
  const auto copied = [](std::vector<Operand> offsets, std::vector<Operand> extents) {
    return cores([&](Builder& b) {
      const Buffer a = placed(b, MemorySpace::kL1, {2, 16, 32});
      const Buffer c = b.alloc("y", DType::f16(), {32, 16}, MemorySpace::kL0A);
      b.copy(region(a, offsets, extents), c, transposing());
    });
  };
  EXPECT_NE(copied({1, 0, 0}, {1, 16, 32})
                .find("src=%x[1 :+ 1, 0 :+ 16, 0 :+ 32], dst=%y[0 :+ 32, 0 :+ 16], hints={\"transpose\": true}"),
            std::string::npos);
  EXPECT_NE(copied({0, 0, 0}, {1, 16, 24}).find("dst=%y[0 :+ 24, 0 :+ 16]"), std::string::npos);
  EXPECT_NE(copied({0, 0, 0}, {2, 16, 32}).find("error[TL04"), std::string::npos);
  // A launch of threads has no such copies: the hint says nothing there.
  EXPECT_EQ(kernel([](Builder& b) {
              const Buffer from = shared(b, "s", {4, 8}), to = shared(b, "t", {4, 8});
              b.copy(from, to, transposing());
            }),
            "alloc %s: shared float16[4, 8]\nalloc %t: shared float16[4, 8]\n"
            "tile.copy src=%s[0 :+ 4, 0 :+ 8], dst=%t[0 :+ 4, 0 :+ 8]\n");
}

TEST(BuildCores, TilesInL0BeginAtTheirFirstElement) {
  const std::string text = cores([](Builder& b) {
    const Buffer c = b.alloc("c", DType::f32(), {2, 32, 16}, MemorySpace::kL0C),
                 s = shared(b, "s", {16, 16}, DType::f32());
    b.copy(region(c, {1, 0, 0}, {1, 16, 16}), s);
    b.copy(region(c, {0, 16, 0}, {1, 16, 16}), s);
  });
  EXPECT_NE(text.find("from its first row and column on, not from c[0, 16:32, 0:16]"), std::string::npos);
  EXPECT_EQ(text.find("c[1"), std::string::npos);
}

}  // namespace
}  // namespace tl
