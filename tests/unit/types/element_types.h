// Every element type of the language by its name, and values that tests of scalars like to try.
#pragma once

#include <array>
#include <limits>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "types/scalar.h"

namespace tl {

inline constexpr std::array<std::pair<std::string_view, DType>, 28> kElementTypes = {{
    {"bool", {TypeClass::kBool, 8}},
    {"int4", {TypeClass::kInt, 4}},
    {"int8", {TypeClass::kInt, 8}},
    {"int16", {TypeClass::kInt, 16}},
    {"int32", {TypeClass::kInt, 32}},
    {"int64", {TypeClass::kInt, 64}},
    {"uint4", {TypeClass::kUInt, 4}},
    {"uint8", {TypeClass::kUInt, 8}},
    {"uint16", {TypeClass::kUInt, 16}},
    {"uint32", {TypeClass::kUInt, 32}},
    {"uint64", {TypeClass::kUInt, 64}},
    {"float16", {TypeClass::kFloat, 16}},
    {"float32", {TypeClass::kFloat, 32}},
    {"float64", {TypeClass::kFloat, 64}},
    {"bfloat16", {TypeClass::kBFloat, 16}},
    {"tfloat32", {TypeClass::kTFloat32, 32}},
    {"float8_e3m4", {TypeClass::kFloat8E3M4, 8}},
    {"float8_e4m3", {TypeClass::kFloat8E4M3, 8}},
    {"float8_e4m3b11fnuz", {TypeClass::kFloat8E4M3B11FNUZ, 8}},
    {"float8_e4m3fn", {TypeClass::kFloat8E4M3FN, 8}},
    {"float8_e4m3fnuz", {TypeClass::kFloat8E4M3FNUZ, 8}},
    {"float8_e5m2", {TypeClass::kFloat8E5M2, 8}},
    {"float8_e5m2fnuz", {TypeClass::kFloat8E5M2FNUZ, 8}},
    {"float8_e8m0fnu", {TypeClass::kFloat8E8M0FNU, 8}},
    {"float6_e2m3fn", {TypeClass::kFloat6E2M3FN, 6}},
    {"float6_e3m2fn", {TypeClass::kFloat6E3M2FN, 6}},
    {"float4_e2m1fn", {TypeClass::kFloat4E2M1FN, 4}},
    {"float4_e2m1_unpacked", {TypeClass::kFloat4E2M1Unpacked, 8}},
}};

inline std::vector<DType> types_where(bool (*wanted)(DType)) {
  std::vector<DType> types;
  for (const auto& [name, type] : kElementTypes) {
    if (wanted(type)) types.push_back(type);
  }
  return types;
}
inline std::vector<DType> integer_types() {
  return types_where([](DType t) { return t.is_integral(); });
}
inline std::vector<DType> float_types() {
  return types_where([](DType t) { return t.is_floating(); });
}

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline void PrintTo(const DType& t, std::ostream* out) { *out << t.name(); }
inline void PrintTo(const Scalar& s, std::ostream* out) { *out << s.text() << ":" << s.dtype().name(); }

}  // namespace tl
