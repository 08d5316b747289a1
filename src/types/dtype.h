// Element types: what a scalar or a short vector of scalars is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tl {

/// The family of an element type. Integers and IEEE floats come in several widths; every other class has one.
enum class TypeClass : uint8_t {
  kBool,
  kInt,
  kUInt,
  kFloat,
  kBFloat,
  kTFloat32,
  kFloat8E3M4,
  kFloat8E4M3,
  kFloat8E4M3B11FNUZ,
  kFloat8E4M3FN,
  kFloat8E4M3FNUZ,
  kFloat8E5M2,
  kFloat8E5M2FNUZ,
  kFloat8E8M0FNU,
  kFloat6E2M3FN,
  kFloat6E3M2FN,
  kFloat4E2M1FN,
  kFloat4E2M1Unpacked,
  kHandle,
  kVoid,
};

/// A type class, a width in bits and a number of vector lanes; a plain value of four bytes. A default DType is void.
class DType {
 public:
  constexpr DType() = default;
  constexpr DType(TypeClass cls, uint8_t bits, uint16_t lanes = 1) : cls_(cls), bits_(bits), lanes_(lanes) {}

  static constexpr DType boolean() { return {TypeClass::kBool, 8}; }
  static constexpr DType int_(int bits) { return {TypeClass::kInt, static_cast<uint8_t>(bits)}; }
  static constexpr DType uint_(int bits) { return {TypeClass::kUInt, static_cast<uint8_t>(bits)}; }
  static constexpr DType i4() { return int_(4); }
  static constexpr DType i8() { return int_(8); }
  static constexpr DType i16() { return int_(16); }
  static constexpr DType i32() { return int_(32); }
  static constexpr DType i64() { return int_(64); }
  static constexpr DType u4() { return uint_(4); }
  static constexpr DType u8() { return uint_(8); }
  static constexpr DType u16() { return uint_(16); }
  static constexpr DType u32() { return uint_(32); }
  static constexpr DType u64() { return uint_(64); }
  static constexpr DType f16() { return {TypeClass::kFloat, 16}; }
  static constexpr DType f32() { return {TypeClass::kFloat, 32}; }
  static constexpr DType f64() { return {TypeClass::kFloat, 64}; }
  static constexpr DType bf16() { return {TypeClass::kBFloat, 16}; }
  static constexpr DType tf32() { return {TypeClass::kTFloat32, 32}; }
  static constexpr DType handle() { return {TypeClass::kHandle, 64}; }
  static constexpr DType void_() { return {}; }

  constexpr TypeClass cls() const { return cls_; }
  /// Width of one lane in bits: 8 for bool and the unpacked fp4, 32 for tfloat32, 64 for a handle, 0 for void.
  constexpr int bits() const { return bits_; }
  constexpr int lanes() const { return lanes_; }

  constexpr bool is_bool() const { return cls_ == TypeClass::kBool; }
  /// Signed integer.
  constexpr bool is_int() const { return cls_ == TypeClass::kInt; }
  constexpr bool is_uint() const { return cls_ == TypeClass::kUInt; }
  /// Signed or unsigned integer; bool is not one.
  constexpr bool is_integral() const { return is_int() || is_uint(); }
  /// Any float class, from fp4 to float64.
  constexpr bool is_floating() const { return cls_ >= TypeClass::kFloat && cls_ <= TypeClass::kFloat4E2M1Unpacked; }
  /// float16, float32 or float64 (not bfloat16, not tfloat32) of this width.
  constexpr bool is_float(int bits) const { return cls_ == TypeClass::kFloat && bits_ == bits; }
  constexpr bool is_bfloat16() const { return cls_ == TypeClass::kBFloat; }
  constexpr bool is_float8() const { return cls_ >= TypeClass::kFloat8E3M4 && cls_ <= TypeClass::kFloat8E8M0FNU; }
  constexpr bool is_float6() const { return cls_ == TypeClass::kFloat6E2M3FN || cls_ == TypeClass::kFloat6E3M2FN; }
  /// Either form of fp4: two to a byte, or one to a byte.
  constexpr bool is_float4() const {
    return cls_ == TypeClass::kFloat4E2M1FN || cls_ == TypeClass::kFloat4E2M1Unpacked;
  }
  constexpr bool is_handle() const { return cls_ == TypeClass::kHandle; }
  constexpr bool is_void() const { return cls_ == TypeClass::kVoid; }
  constexpr bool is_scalar() const { return lanes_ == 1; }
  constexpr bool is_vector() const { return lanes_ > 1; }

  constexpr DType element() const { return {cls_, bits_, 1}; }
  constexpr DType with_lanes(int lanes) const { return {cls_, bits_, static_cast<uint16_t>(lanes)}; }

  /// Bits that one lane takes in a buffer: 4-bit types are packed two to a byte, 6-bit types take a byte each.
  constexpr int storage_bits() const { return bits_ == 6 ? 8 : bits_; }
  /// Bytes of one value: ceil(bits * lanes / 8).
  constexpr int64_t bytes() const { return (int64_t{bits_} * lanes_ + 7) / 8; }

  /// The language's spelling: "float32", "int8", "bool", "float8_e4m3fn", "float32x4", "handle", "void".
  std::string name() const;

  constexpr bool operator==(const DType&) const = default;

  /// All four bytes as one number, the same on every machine; for hashes and ordered containers.
  constexpr uint32_t code() const {
    return static_cast<uint32_t>(cls_) << 24 | static_cast<uint32_t>(bits_) << 16 | uint32_t{lanes_};
  }

 private:
  TypeClass cls_ = TypeClass::kVoid;
  uint8_t bits_ = 0;
  uint16_t lanes_ = 1;
};

static_assert(sizeof(DType) == 4);

/// Reads a type name; the exact inverse of DType::name(). Lanes are written "x2" to "x65535". Aliases ("half", "int",
/// "fp16") and widths outside the language ("float17", "int7") give nullopt.
std::optional<DType> parse_dtype(std::string_view name);

/// Smallest value of a bool or an integer type, lane by lane.
constexpr int64_t integer_min(DType t) { return t.is_int() ? int64_t{-1} << (t.bits() - 1) : 0; }

/// Largest value of a bool, an integer or a handle type, lane by lane.
constexpr uint64_t integer_max(DType t) {
  if (t.is_bool()) return 1;
  return ~uint64_t{0} >> (64 - t.bits() + (t.is_int() ? 1 : 0));
}

}  // namespace tl

template <>
struct std::hash<tl::DType> {
  std::size_t operator()(tl::DType t) const noexcept { return std::hash<uint32_t>{}(t.code()); }
};
