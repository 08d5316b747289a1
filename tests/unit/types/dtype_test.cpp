#include "types/dtype.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

#include "unit/types/element_types.h"

namespace tl {
namespace {

TEST(DTypeTest, IsASmallPlainValue) {
  static_assert(sizeof(DType) == 4 && std::is_trivially_copyable_v<DType>);
  static_assert(DType() == DType::void_() && DType::f32().with_lanes(4).element() == DType::f32());
  EXPECT_EQ(DType::f32().with_lanes(4).code(), DType(TypeClass::kFloat, 32, 4).code());
}

TEST(DTypeTest, NameAndParseAreInverse) {
  std::unordered_set<std::string> names;
  std::unordered_set<DType> types;
  for (const auto& [name, type] : kElementTypes) {
    EXPECT_EQ(type.name(), name);
    EXPECT_EQ(parse_dtype(name), type) << name;
    names.insert(type.name());
    types.insert(type);
    for (int lanes : {2, 3, 4, 8, 16, 32, 64, 65535}) {
      const DType vector = type.with_lanes(lanes);
      EXPECT_EQ(vector.name(), std::string(name) + "x" + std::to_string(lanes));
      EXPECT_EQ(parse_dtype(vector.name()), vector) << vector.name();
    }
  }
  EXPECT_EQ(names.size(), kElementTypes.size());
  EXPECT_EQ(types.size(), kElementTypes.size());
  EXPECT_EQ(parse_dtype("handle"), DType::handle());
  EXPECT_EQ(parse_dtype("void"), DType::void_());
}

TEST(DTypeTest, ParseRejectsEverythingElse) {
  for (const char* name : {"",           "half",          "fp16",        "int",       "float",           "long",
                           "float17",    "int7",          "uint1",       "int128",    "Float32",         " float32",
                           "float32 ",   "float32x",      "float32x1",   "float32x0", "float32x+2",      "float32x02",
                           "float32x-2", "float32x65536", "float32x2x2", "x4",        "float8",          "float8_e5m3",
                           "voidx2",     "float32x 2",    "float4_e2m1", "bool8",     "custom[tfloat32]"}) {
    EXPECT_EQ(parse_dtype(name), std::nullopt) << name;
  }
}

TEST(DTypeTest, Predicates) {
  EXPECT_TRUE(DType::i8().is_int() && DType::i8().is_integral() && !DType::i8().is_uint() &&
              !DType::i8().is_floating());
  EXPECT_TRUE(DType::u8().is_uint() && DType::u8().is_integral() && !DType::u8().is_int());
  EXPECT_TRUE(DType::boolean().is_bool() && !DType::boolean().is_integral() && !DType::boolean().is_floating());
  EXPECT_TRUE(DType::f16().is_float(16) && !DType::bf16().is_float(16) && !DType::tf32().is_float(32));
  EXPECT_TRUE(DType::handle().is_handle() && !DType::handle().is_floating() && DType().is_void());
  int floats = 0, fp8 = 0, fp6 = 0, fp4 = 0;
  for (const auto& [name, type] : kElementTypes) {
    EXPECT_EQ(type.is_floating(), name.find("float") != std::string_view::npos) << name;
    floats += type.is_floating();
    fp8 += type.is_float8();
    fp6 += type.is_float6();
    fp4 += type.is_float4();
  }
  EXPECT_EQ(floats, 17);
  EXPECT_EQ(fp8, 8);
  EXPECT_EQ(fp6, 2);
  EXPECT_EQ(fp4, 2);
}

TEST(DTypeTest, Sizes) {
  const DType fp4(TypeClass::kFloat4E2M1FN, 4), fp6(TypeClass::kFloat6E3M2FN, 6);
  EXPECT_EQ(DType::boolean().bytes(), 1);
  EXPECT_EQ(DType::f64().with_lanes(2).bytes(), 16);
  EXPECT_EQ(fp4.bytes(), 1);
  EXPECT_EQ(fp4.with_lanes(3).bytes(), 2);
  EXPECT_EQ(fp4.storage_bits(), 4);
  EXPECT_EQ(fp6.with_lanes(4).bytes(), 3);
  EXPECT_EQ(fp6.storage_bits(), 8);
  EXPECT_EQ(DType::i4().with_lanes(64).bytes(), 32);
  EXPECT_EQ(DType(TypeClass::kFloat4E2M1Unpacked, 8).bytes(), 1);
  EXPECT_EQ(DType::tf32().storage_bits(), 32);
  EXPECT_EQ(DType().bytes(), 0);
  EXPECT_EQ(DType::f64().with_lanes(65535).bytes(), 524280);
}

TEST(DTypeTest, IntegerLimits) {
  struct Row {
    DType type;
    int64_t min;
    uint64_t max;
  };
  for (const Row& row :
       {Row{DType::boolean(), 0, 1}, Row{DType::i4(), -8, 7}, Row{DType::u4(), 0, 15}, Row{DType::i8(), -128, 127},
        Row{DType::u8(), 0, 255}, Row{DType::i16(), -32768, 32767}, Row{DType::u16(), 0, 65535},
        Row{DType::i32(), INT32_MIN, INT32_MAX}, Row{DType::u32(), 0, UINT32_MAX},
        Row{DType::i64(), INT64_MIN, INT64_MAX}, Row{DType::u64(), 0, UINT64_MAX}}) {
    EXPECT_EQ(integer_min(row.type), row.min) << row.type.name();
    EXPECT_EQ(integer_max(row.type), row.max) << row.type.name();
  }
}

}  // namespace
}  // namespace tl
