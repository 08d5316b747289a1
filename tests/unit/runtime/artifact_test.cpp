#include "runtime/artifact.h"

#include <gtest/gtest.h>

#include "runtime/artifact_json.h"
#include "support/diagnostic.h"
#include "unit/runtime/kernel_fixture.h"

namespace tl::testing {
namespace {

/// Has every kind of step, argument, field and message.
Artifact full_artifact() {
  Artifact a = empty_artifact();
  a.source = "// source\n";
  a.host_source = "launch";
  a.program = "fn k {}\n";
  a.binary = std::string(
      "\x7f"
      "ELF\0\n\r",
      7);
  a.signature.slot_names = {"m", "address", "n", "i"};
  a.signature.params = {tensor("A", DType::f16(), {dim(slot(0), "m"), dim(4)}),
                        tensor("C", DType(TypeClass::kFloat8E4M3FN, 8), {dim(slot(0), "m")}, true),
                        scalar("n", DType::i32())};
  a.signature.params[0].strides = {dim(8), dim(1)};
  a.signature.params[0].used = false;
  a.signature.bindings = {bind_extent(0, 0, 0), bind_extent(1, 0, 0), bind_extent(2, 0, 0)};
  a.signature.bindings[1].sources[0].field = {ArgumentField::Kind::kAddress, 0, 0};
  a.signature.bindings[2].sources[0].field = {ArgumentField::Kind::kScalar, 2, 0};
  a.signature.bindings[2].dtype = DType::i32();
  a.kernels = {{"k_kernel", {128, 1, 1}, 4096}, {"k_kernel_1", {32, 2, 1}, 0}};
  a.messages = {{Message::Kind::kAssert, "no \xff luck", {"m > 0"}, "f.py", 3, 5, 9},
                {Message::Kind::kPrint, "v", {"A[0]", "A[1]"}, "f.py", 4, 5, 9}};
  LaunchStep launch;
  launch.kernel = 1;
  launch.grid[0] = slot(0);
  launch.args = {{KernelArg::Kind::kParam, 1}, {KernelArg::Kind::kSlot, 3}, {KernelArg::Kind::kWorkspace, 0}};
  HostProgram program;
  program.workspaces = {binary(IntOp::kMul, slot(0), number(4))};
  program.steps = {LetStep{3, number(2)}, LoopStep{3, number(0), slot(2), number(1), {launch}},
                   IfStep{slot(2), {AssertStep{slot(0), 0}}, {launch}}};
  a.variants.insert(a.variants.begin(), {"aligned 16", *IntProgram::parse("$1 16 % 0 =="), program});
  a.verify();
  return a;
}

TEST(ArtifactFiles, ReadBackAsTheSameArtifact) {
  const Artifact artifact = full_artifact();
  auto files = artifact_files(artifact);
  const Artifact again = artifact_from_files(files);
  EXPECT_EQ(artifact_files(again), files);
  EXPECT_EQ(again.binary, artifact.binary);
  EXPECT_EQ(again.signature.bindings[2].dtype, DType::i32());
  EXPECT_EQ(again.variants.size(), 2u);
  EXPECT_EQ(again.messages[1].labels, artifact.messages[1].labels);
  EXPECT_FALSE(again.signature.params[0].used);
}

TEST(ArtifactFiles, OfAGpuHaveTheirOwnNames) {
  Artifact artifact = full_artifact();
  artifact.target = "sm_90a";
  artifact.kernels[0].registers = 168;
  artifact.kernels[0].spill_bytes = 8;
  artifact.kernels[0].static_shared_bytes = 512;
  artifact.kernels[1].code = 1;
  artifact.kernels[1].loc = make_loc("add.py", 7, 5, 31);
  artifact.later = {{"// second source\n", "second binary"}};
  auto files = artifact_files(artifact);
  EXPECT_EQ(files.at("device_kernel.cu"), artifact.source);
  EXPECT_EQ(files.at("kernel.cubin"), artifact.binary);
  EXPECT_EQ(files.at("device_kernel_1.cu"), "// second source\n");
  EXPECT_EQ(files.at("kernel_1.cubin"), "second binary");
  EXPECT_EQ(files.count("device_kernel.cpp") + files.count("kernel_lib.so"), 0u);
  const Artifact again = artifact_from_files(files);
  EXPECT_EQ(artifact_files(again), files);
  EXPECT_EQ(again.kernels[1].code, 1);
  EXPECT_EQ(again.binary_of(1), "second binary");
  EXPECT_EQ(again.binary, artifact.binary);
  EXPECT_EQ(again.kernels[0].registers, 168);
  EXPECT_FALSE(again.kernels[0].loc);
  EXPECT_EQ(to_string(again.kernels[1].loc), to_string(artifact.kernels[1].loc));
  EXPECT_EQ(again.kernels[1].loc->end_column, 31);
}

TEST(ArtifactFiles, LeaveOutWhatIsEmpty) {
  const auto files = artifact_files(empty_artifact());
  EXPECT_EQ(files.size(), 1u);
  EXPECT_EQ(files.count(artifact_file::kParams), 1u);
}

/// Every description cut short, or with one character changed, is either refused or makes a valid artifact: nothing
/// crashes.
TEST(ArtifactFiles, SurviveDamage) {
  auto files = artifact_files(full_artifact());
  const std::string good = files[artifact_file::kParams];
  int refused = 0;
  for (size_t i = 0; i < good.size(); i += 3) {
    for (const bool cut : {true, false}) {
      std::string bad = good;
      if (cut) {
        bad.resize(i);
      } else {
        bad[i] = bad[i] == '9' ? '{' : '9';
      }
      files[artifact_file::kParams] = bad;
      try {
        artifact_from_files(files).verify();
      } catch (const InternalError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, static_cast<int>(good.size() / 3));
  files.erase(artifact_file::kParams);
  EXPECT_THROW(artifact_from_files(files), InternalError);
}

void expect_refused(const std::string& fragment, void (*change)(Artifact&)) {
  Artifact artifact = full_artifact();
  change(artifact);
  try {
    artifact.verify();
    ADD_FAILURE() << "accepted: " << fragment;
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
  }
}

TEST(ArtifactVerify, NamesWhatDoesNotFit) {
  expect_refused("a kernel without a text", [](Artifact& a) { a.kernels[1].code = 1; });
  expect_refused("a text without a variant", [](Artifact& a) { a.later.resize(2); });
  expect_refused("always applies", [](Artifact& a) { a.variants.pop_back(); });
  expect_refused("before it is bound", [](Artifact& a) {
    std::swap(a.signature.bindings[0], a.signature.bindings[1]);
    a.signature.bindings[0].sources[0].offset = slot(0);
  });
  expect_refused("cannot be read from an output",
                 [](Artifact& a) { a.signature.bindings[0].sources[0].field.param = 1; });
  expect_refused("no such axis", [](Artifact& a) { a.signature.bindings[0].sources[0].field.axis = 2; });
  expect_refused("strides of another rank", [](Artifact& a) { a.signature.params[0].strides.pop_back(); });
  expect_refused("names no kernel", [](Artifact& a) { a.kernels.pop_back(); });
  expect_refused("names nothing", [](Artifact& a) { a.variants[0].program.workspaces.clear(); });
  expect_refused("no message", [](Artifact& a) { a.messages.clear(); });
  expect_refused("no such slot", [](Artifact& a) { a.signature.slot_names.pop_back(); });
}

}  // namespace
}  // namespace tl::testing
