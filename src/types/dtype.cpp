#include "types/dtype.h"

#include <array>
#include <charconv>

namespace tl {
namespace {

/// One spelling of the language: a complete element type.
struct NamedType {
  std::string_view name;
  DType type;
};

constexpr std::array kNamedTypes = {
    NamedType{"bool", DType::boolean()},
    NamedType{"int4", DType::i4()},
    NamedType{"int8", DType::i8()},
    NamedType{"int16", DType::i16()},
    NamedType{"int32", DType::i32()},
    NamedType{"int64", DType::i64()},
    NamedType{"uint4", DType::u4()},
    NamedType{"uint8", DType::u8()},
    NamedType{"uint16", DType::u16()},
    NamedType{"uint32", DType::u32()},
    NamedType{"uint64", DType::u64()},
    NamedType{"float16", DType::f16()},
    NamedType{"float32", DType::f32()},
    NamedType{"float64", DType::f64()},
    NamedType{"bfloat16", DType::bf16()},
    NamedType{"tfloat32", DType::tf32()},
    NamedType{"float8_e3m4", {TypeClass::kFloat8E3M4, 8}},
    NamedType{"float8_e4m3", {TypeClass::kFloat8E4M3, 8}},
    NamedType{"float8_e4m3b11fnuz", {TypeClass::kFloat8E4M3B11FNUZ, 8}},
    NamedType{"float8_e4m3fn", {TypeClass::kFloat8E4M3FN, 8}},
    NamedType{"float8_e4m3fnuz", {TypeClass::kFloat8E4M3FNUZ, 8}},
    NamedType{"float8_e5m2", {TypeClass::kFloat8E5M2, 8}},
    NamedType{"float8_e5m2fnuz", {TypeClass::kFloat8E5M2FNUZ, 8}},
    NamedType{"float8_e8m0fnu", {TypeClass::kFloat8E8M0FNU, 8}},
    NamedType{"float6_e2m3fn", {TypeClass::kFloat6E2M3FN, 6}},
    NamedType{"float6_e3m2fn", {TypeClass::kFloat6E3M2FN, 6}},
    NamedType{"float4_e2m1fn", {TypeClass::kFloat4E2M1FN, 4}},
    NamedType{"float4_e2m1_unpacked", {TypeClass::kFloat4E2M1Unpacked, 8}},
    NamedType{"handle", DType::handle()},
    NamedType{"void", DType::void_()},
};

std::optional<DType> find_name(std::string_view name) {
  for (const NamedType& row : kNamedTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

/// A canonical decimal from 2 to 65535 (no sign, no leading zero).
std::optional<int> parse_lanes(std::string_view text) {
  if (text.empty() || text.front() < '1' || text.front() > '9') return std::nullopt;
  int lanes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lanes);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || lanes < 2 || lanes > 65535) return std::nullopt;
  return lanes;
}

}  // namespace

std::string DType::name() const {
  std::string text = "invalid";
  for (const NamedType& row : kNamedTypes) {
    if (row.type == element()) text = row.name;
  }
  if (lanes_ != 1) text += 'x' + std::to_string(lanes_);
  return text;
}

std::optional<DType> parse_dtype(std::string_view name) {
  if (const std::optional<DType> scalar = find_name(name)) return scalar;
  const std::size_t split = name.rfind('x');
  if (split == std::string_view::npos) return std::nullopt;
  const std::optional<DType> element = find_name(name.substr(0, split));
  const std::optional<int> lanes = parse_lanes(name.substr(split + 1));
  if (!element || !lanes || element->is_void()) return std::nullopt;
  return element->with_lanes(*lanes);
}

}  // namespace tl
