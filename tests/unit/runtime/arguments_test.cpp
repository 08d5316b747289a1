#include "runtime/arguments.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/diagnostic.h"
#include "unit/runtime/kernel_fixture.h"

namespace tl::testing {
namespace {

/// k(A: Tensor((m, 8), float32), B: Tensor((m * 2,), float32), s: int32)
Artifact two_tensors() {
  Artifact artifact = empty_artifact();
  artifact.signature.slot_names = {"m"};
  artifact.signature.params = {tensor("A", DType::f32(), {dim(slot(0), "m"), dim(8)}),
                               tensor("B", DType::f32(), {dim(binary(IntOp::kMul, slot(0), number(2)), "m * 2")}),
                               scalar("s", DType::i32())};
  artifact.signature.bindings = {bind_extent(0, 0, 0)};
  artifact.signature.bindings[0].dtype = DType::i32();
  // Where A is not given, m is half of B's extent.
  artifact.signature.bindings[0].sources.push_back({{ArgumentField::Kind::kExtent, 1, 0}, number(2), number(0)});
  artifact.verify();
  return artifact;
}

struct Call {
  Artifact artifact = two_tensors();
  Array<float> a{DType::f32(), {4, 8}}, b{DType::f32(), {8}};
  std::vector<Argument> arguments = {a.argument(), b.argument(), integer(3)};

  BoundCall bind() { return bind_call(artifact, arguments); }
};

/// The message and the code of the error that a change to a good call gives.
void expect_error(int code, const std::string& fragment, const std::function<void(Call&)>& change) {
  Call call;
  change(call);
  try {
    call.bind();
    ADD_FAILURE() << "accepted: " << fragment;
  } catch (const CompileError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, code);
    EXPECT_NE(error.diagnostics()[0].message.find(fragment), std::string::npos) << error.what();
  }
}

TEST(BindCall, GivesWordsAndSlots) {
  Call call;
  const BoundCall bound = call.bind();
  EXPECT_EQ(bound.words[0], reinterpret_cast<uint64_t>(call.a.data.data()));
  EXPECT_EQ(bound.words[2], 3u);
  EXPECT_EQ(bound.slots, (std::vector<int64_t>{4}));
}

TEST(BindCall, ChecksTheCount) {
  expect_error(100, "Kernel expected 3 inputs, but 2 are provided.", [](Call& c) { c.arguments.pop_back(); });
  expect_error(100, "k: num_args should be 3", [](Call& c) { c.arguments.push_back(integer(1)); });
}

TEST(BindCall, ChecksKinds) {
  expect_error(101, "kernel k input A expected pointer or tensor handle", [](Call& c) { c.arguments[0] = real(1); });
  expect_error(101, "got: list", [](Call& c) {
    c.arguments[1].kind = Argument::Kind::kOther;
    c.arguments[1].type_name = "list";
  });
  expect_error(101, "kernel k scalar s expected integer", [](Call& c) { c.arguments[2] = real(1); });
  expect_error(101, "kernel k scalar s expected integer; got: None", [](Call& c) { c.arguments[2] = Argument(); });
  expect_error(101, "1099511627776 is out of its range", [](Call& c) { c.arguments[2] = integer(int64_t{1} << 40); });
}

TEST(BindCall, ChecksNull) {
  expect_error(107, "kernel k input A is expected to have non-NULL pointer",
               [](Call& c) { c.arguments[0] = Argument(); });
  expect_error(107, "kernel k input A data pointer is NULL", [](Call& c) { c.arguments[0].tensor.data = nullptr; });
  expect_error(107, "Symbolic shape variable m requires at least one non-null buffer among: A, B", [](Call& c) {
    c.arguments[0] = c.arguments[1] = Argument();
    c.artifact.signature.params[0].used = c.artifact.signature.params[1].used = false;
  });
}

TEST(BindCall, UnusedTensorsMayBeNull) {
  Call call;
  call.arguments[0] = Argument();
  call.artifact.signature.params[0].used = false;
  EXPECT_EQ(call.bind().slots[0], 4);  // from B
}

TEST(BindCall, ChecksRankAndDtype) {
  expect_error(102, "kernel k input A ndim mismatch, expected 2; expected: 2, got: 1",
               [](Call& c) { c.arguments[0] = c.arguments[1]; });
  expect_error(103, "kernel k input A dtype mismatch, expected float32; got: float64",
               [](Call& c) { c.arguments[0].tensor.dtype = DType::f64(); });
  expect_error(103, "got: complex64", [](Call& c) {
    c.arguments[0].tensor.dtype = DType();
    c.arguments[0].tensor.dtype_text = "complex64";
  });
}

TEST(BindCall, ChecksExtents) {
  expect_error(104, "kernel k input A shape[1] violates packed ABI constraint; expected: 8, got: 4",
               [](Call& c) { c.a.shape = {8, 4}; });
  expect_error(104, "kernel k input B shape[0] violates packed ABI constraint; expected: 8 (m * 2), got: 7",
               [](Call& c) { c.b.shape = {7}; });
  expect_error(104, "gives `m` the value 3000000000, which its type int32 cannot hold",
               [](Call& c) { c.a.shape = {3000000000, 8}; });
}

TEST(BindCall, ChecksStrides) {
  expect_error(105, "kernel k input A expected to be compact array, but got non-compact strides", [](Call& c) {
    c.a.strides = {16, 1};
    c.arguments[0] = c.a.argument();
  });
  expect_error(105, "kernel k input A strides[0] violates packed ABI constraint; expected: 16, got: 8",
               [](Call& c) { c.artifact.signature.params[0].strides = {dim(16), dim(1)}; });
  expect_error(105, "not aligned to its elements of 4 bytes", [](Call& c) { c.arguments[0].tensor.byte_offset = 2; });
}

TEST(BindCall, ChecksTheDevice) {
  expect_error(106, "kernel k input A device_type mismatch, expected cpu; got: cuda",
               [](Call& c) { c.arguments[0].tensor.device = {Device::kCuda, 0}; });
  expect_error(106, "kernel k input B device_id violates packed ABI constraint; expected: 1, got: 0", [](Call& c) {
    c.artifact.target = "sm_90a";
    c.arguments[0].tensor.device = {Device::kCuda, 1};
    c.arguments[1].tensor.device = {Device::kCuda, 0};
  });
}

TEST(BindCall, ChecksLeaveToWrite) {
  expect_error(101, "kernel k input B is read-only, but the kernel writes to it", [](Call& c) {
    c.artifact.signature.params[1].written = true;
    c.arguments[0].tensor.read_only = c.arguments[1].tensor.read_only = true;
  });
}

TEST(BindCall, SizeOneDimensionsHaveAnyStride) {
  Call call;
  call.a = Array<float>(DType::f32(), {1, 8});
  call.a.strides = {999, 1};
  call.b = Array<float>(DType::f32(), {2});
  call.arguments = {call.a.argument(), call.b.argument(), boolean(true)};
  EXPECT_EQ(call.bind().words[2], 1u);
}

TEST(BindCall, TensorsWithoutElementsHaveAnyStridesAndNoData) {
  Call call;
  call.a = Array<float>(DType::f32(), {0, 8});
  call.a.strides = {1, 1};
  call.b = Array<float>(DType::f32(), {0});
  call.arguments = {call.a.argument(), call.b.argument(), integer(0)};
  call.arguments[0].tensor.data = nullptr;
  EXPECT_EQ(call.bind().slots[0], 0);
}

TEST(BindCall, ArgumentsMayOverlap) {
  Call call;
  call.arguments[1].tensor.data = call.arguments[0].tensor.data;
  EXPECT_NO_THROW(call.bind());
}

TEST(BindCall, SolvesALinearExtent) {
  Artifact artifact = empty_artifact();
  artifact.signature.slot_names = {"n", "m"};
  const IntProgram extent = binary(IntOp::kAdd, binary(IntOp::kMul, slot(1), slot(0)), number(3));
  artifact.signature.params = {scalar("n", DType::i32()), tensor("A", DType::i8(), {dim(extent, "m * n + 3")})};
  SlotBinding n, m;
  n.sources.push_back({{ArgumentField::Kind::kScalar, 0, 0}, number(1), number(0)});
  m.slot = 1;
  m.sources.push_back({{ArgumentField::Kind::kExtent, 1, 0}, slot(0), number(3)});
  artifact.signature.bindings = {n, m};
  artifact.verify();
  Array<int8_t> a(DType::i8(), {23});
  EXPECT_EQ(bind_call(artifact, std::vector{integer(4), a.argument()}).slots, (std::vector<int64_t>{4, 5}));
  // 24 - 3 is no multiple of 4, and 0 divides nothing: the extent's check says so.
  Array<int8_t> b(DType::i8(), {24});
  EXPECT_THROW(bind_call(artifact, std::vector{integer(4), b.argument()}), CompileError);
  EXPECT_THROW(bind_call(artifact, std::vector{integer(0), b.argument()}), CompileError);
}

TEST(OutputExtents, AreSolvedBeforeTheOutputExists) {
  Artifact artifact = empty_artifact();
  artifact.signature.slot_names = {"m"};
  // The output stands before the input that fixes its size.
  artifact.signature.params = {
      tensor("C", DType::f32(), {dim(binary(IntOp::kAdd, slot(0), number(1)), "m + 1"), dim(2)}, true),
      tensor("A", DType::f32(), {dim(slot(0), "m")})};
  artifact.signature.bindings = {bind_extent(0, 1, 0)};
  artifact.verify();
  Array<float> a(DType::f32(), {6});
  EXPECT_EQ(output_extents(artifact, std::vector{a.argument()}), (std::vector<std::vector<int64_t>>{{7, 2}}));
  EXPECT_THROW(output_extents(artifact, std::vector{a.argument(), a.argument()}), CompileError);
}

TEST(OutputExtents, ComeBeforeTheAddressOfTheOutput) {
  Artifact artifact = empty_artifact();
  artifact.signature.slot_names = {"m", "&C"};
  artifact.signature.params = {tensor("A", DType::f32(), {dim(slot(0), "m")}),
                               tensor("C", DType::f32(), {dim(slot(0), "m")}, true)};
  SlotBinding address;
  address.slot = 1;
  address.sources.push_back({{ArgumentField::Kind::kAddress, 1, 0}, number(1), number(0)});
  artifact.signature.bindings = {bind_extent(0, 0, 0), address};
  artifact.verify();
  Array<float> a(DType::f32(), {6}), c(DType::f32(), {6});
  EXPECT_EQ(output_extents(artifact, std::vector{a.argument()}), (std::vector<std::vector<int64_t>>{{6}}));
  const BoundCall call = bind_call(artifact, std::vector{a.argument(), c.argument()});
  EXPECT_EQ(call.slots[1], reinterpret_cast<int64_t>(c.data.data()));
}

TEST(BindCall, UsesTheMemoryOfAnEarlierCall) {
  Artifact artifact = empty_artifact();
  artifact.signature.slot_names = {"m"};
  artifact.signature.params = {tensor("A", DType::f32(), {dim(slot(0), "m")})};
  artifact.signature.bindings = {bind_extent(0, 0, 0)};
  BoundCall call;
  for (const int64_t m : {6, 3}) {
    Array<float> a(DType::f32(), {m});
    const std::vector<Argument> arguments{a.argument()};
    const void* memory = call.slots.data();
    bind_call(artifact, arguments, call);
    EXPECT_EQ(call.slots, std::vector<int64_t>{m});
    EXPECT_EQ(call.given, std::vector<const Argument*>{&arguments[0]});
    EXPECT_TRUE(memory == nullptr || memory == call.slots.data());
  }
}

TEST(Scalars, ConvertByTheirType) {
  Artifact artifact = empty_artifact();
  const auto word = [&](DType t, Argument a) {
    artifact.signature.params = {scalar("s", t)};
    return bind_call(artifact, std::vector{a}).words[0];
  };
  EXPECT_EQ(word(DType::i8(), integer(-1)), ~uint64_t{0});
  EXPECT_EQ(word(DType::u8(), integer(255)), 255u);
  EXPECT_EQ(word(DType::f32(), real(1)), 0x3f800000u);
  EXPECT_EQ(word(DType::f16(), integer(1)), 0x3c00u);
  EXPECT_EQ(word(DType::f64(), boolean(true)), 0x3ff0000000000000u);
  EXPECT_EQ(word(DType::boolean(), integer(7)), 1u);
  EXPECT_THROW(word(DType::u8(), integer(-1)), CompileError);
  EXPECT_THROW(word(DType::i8(), integer(128)), CompileError);
  EXPECT_THROW(word(DType::boolean(), real(1)), CompileError);
  Argument large = integer(-1);
  large.above_int64 = true;
  EXPECT_EQ(word(DType::u64(), large), ~uint64_t{0});
  EXPECT_THROW(word(DType::i64(), large), CompileError);
}

TEST(AcceptsDtype, HasTheStatedTolerance) {
  const DType e4m3fn(TypeClass::kFloat8E4M3FN, 8), e4m3(TypeClass::kFloat8E4M3, 8), e5m2(TypeClass::kFloat8E5M2, 8);
  EXPECT_TRUE(accepts_dtype(e4m3, e4m3fn));
  EXPECT_FALSE(accepts_dtype(e4m3, e5m2));
  EXPECT_TRUE(accepts_dtype(e5m2, DType(TypeClass::kFloat8E5M2FNUZ, 8)));
  EXPECT_TRUE(accepts_dtype(DType::boolean(), DType::u8()));
  EXPECT_FALSE(accepts_dtype(DType::u8(), DType::boolean()));
  EXPECT_TRUE(accepts_dtype(DType::tf32(), DType::f32()));
  EXPECT_TRUE(accepts_dtype(DType::i4(), DType::i8()));
  EXPECT_FALSE(accepts_dtype(DType::i8(), DType::u8()));
  EXPECT_FALSE(accepts_dtype(DType::bf16(), DType::f16()));
}

TEST(BindCall, PackedTypesCountTheirOwnElements) {
  Artifact artifact = empty_artifact();
  artifact.signature.params = {tensor("A", DType::i4(), {dim(3), dim(16)})};
  Array<int8_t> a(DType::i8(), {3, 8});
  EXPECT_NO_THROW(bind_call(artifact, std::vector{a.argument()}));
  a.strides = {8, 1};
  EXPECT_NO_THROW(bind_call(artifact, std::vector{a.argument()}));
  a.shape = {3, 7};
  EXPECT_THROW(bind_call(artifact, std::vector{a.argument()}), CompileError);
}

}  // namespace
}  // namespace tl::testing
