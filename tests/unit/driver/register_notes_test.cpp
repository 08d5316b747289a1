#include "driver/register_notes.h"

#include <gtest/gtest.h>

#include "driver/compile.h"
#include "ir/text.h"

namespace tl {
namespace {

/// The note of a program whose fragment of `rows` x 512 float32 is shared by `threads` threads.
Diagnostic note(int rows, int threads) {
  const std::string tile = "[" + std::to_string(rows) + ", 512]",
                    region = "[0 :+ " + std::to_string(rows) + ", 0 :+ 512]";
  const std::string text = "func @f params [%A: global float32" + tile + ", %B: global float32" + tile +
                           "] {\n"
                           "  launch [], [], threads=[" +
                           std::to_string(threads) +
                           "] {\n"
                           "    alloc %tile: fragment float32" +
                           tile + "\n    alloc %small: fragment bfloat16" + tile + "\n    tile.copy src=%A" + region +
                           ", dst=%tile" + region + "\n    tile.copy src=%tile" + region + ", dst=%small" + region +
                           "\n    tile.copy src=%small" + region + ", dst=%B" + region + "\n    tile.copy src=%tile" +
                           region + ", dst=%A" + region + "\n  }\n}\n";
  CompileOptions options;
  options.target = "sm_90a";
  const Compilation compiled = compile(*parse_function(text, "f.tl"), options);
  EXPECT_TRUE(compiled.warnings.empty());
  EXPECT_EQ(compiled.if_spilled.size(), compiled.artifact.kernels.size() / compiled.artifact.variants.size());
  return compiled.if_spilled.at(0);
}

TEST(RegisterNotes, CountWhatTilesTakeAndThreadsHave) {
  const Diagnostic d = note(128, 256);
  EXPECT_EQ(d.severity, Severity::kWarning);
  EXPECT_EQ(
      d.message,
      "the tiles of a thread take 384 registers, of the 255 that it has for everything; the rest is kept in memory");
  ASSERT_EQ(d.notes.size(), 1u);
  EXPECT_EQ(d.notes[0].message, "`tile`, the largest, takes 256");
  EXPECT_NE(d.help.find("more threads"), std::string::npos);
}

TEST(RegisterNotes, ThreadsOfALargeBlockHaveFewer) {
  EXPECT_NE(note(128, 1024).message.find("take 96 registers, of the 64 that it has"), std::string::npos);
  EXPECT_NE(note(128, 640).message.find("of the 96 that it has"), std::string::npos) << note(128, 640).message;
}

TEST(RegisterNotes, TilesThatFitLeaveTooLittleForTheRest) {
  EXPECT_NE(note(128, 512).message.find("take 192 registers, of the 128 that it has"), std::string::npos);
  EXPECT_EQ(
      note(64, 512).message,
      "the tiles of a thread take 96 of its 128 registers; with what it computes beside them these do not suffice, "
      "and some values are kept in memory");
}

TEST(RegisterNotes, ALaunchWithoutTilesIsToldOfItsThreads) {
  CompileOptions options;
  options.target = "sm_90a";
  const auto function = parse_function(
      "func @f params [%A: global float32[64]] {\n"
      "  launch [], [], threads=[64] {\n    parallel [%i: int32], [64] { store %A, [%i], 1.0:float32 }\n  }\n}\n");
  const Compilation compiled = compile(*function, options);
  EXPECT_EQ(compiled.if_spilled.at(0).message,
            "a thread needs more than the 255 registers it has, and keeps the rest in memory");
  options.target = "host";
  EXPECT_TRUE(compile(*function, options).if_spilled.empty());
}

}  // namespace
}  // namespace tl
