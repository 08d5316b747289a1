#include "simulate/ascend/element_value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "simulate/ascend/operation.h"
#include "types/float_format.h"

namespace tl::simulate::ascend {

using namespace tl_ascend;

namespace {

DType type_of(int element) {
  switch (element) {
    case kF16:
      return *parse_dtype("float16");
    case kF8e4m3:
      return *parse_dtype("float8_e4m3fn");
    default:
      return *parse_dtype("float8_e5m2");
  }
}

/// All values of a format of at most 16 bits, by pattern.
std::vector<float> values_of(int element, size_t count) {
  std::vector<float> out(count);
  const DType type = type_of(element);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(decode_float(type, i));
  return out;
}

template <class T>
T load_as(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <class T>
void store_whole(uint8_t* bytes, float value) {
  using Limits = std::numeric_limits<T>;
  const double bounded =
      std::clamp(static_cast<double>(value), static_cast<double>(Limits::min()), static_cast<double>(Limits::max()));
  const T whole = value != value ? T{0} : static_cast<T>(std::nearbyint(bounded));
  std::memcpy(bytes, &whole, sizeof(T));
}

uint16_t f16_of(float value) {
  const auto u = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(u >> 16 & 0x8000);
  const uint32_t magnitude = u & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // rounds beyond the largest finite number
  if (magnitude < 0x38800000) {
    // A multiple of 2^-24: the addition rounds to it.
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(sum) - std::bit_cast<uint32_t>(0.5f)));
  }
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - (112 << 10)));
}

uint16_t bf16_of(float value) {
  const auto u = std::bit_cast<uint32_t>(value);
  if ((u & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(u >> 16 | 0x40);
  return static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

}  // namespace

int64_t element_bytes(int element) {
  switch (element) {
    case kF32:
    case kI32:
    case kU32:
      return 4;
    case kF16:
    case kBf16:
    case kI16:
    case kU16:
      return 2;
    case kI64:
    case kU64:
      return 8;
    default:
      return 1;
  }
}

float element_value(const uint8_t* bytes, int element) {
  static const std::vector<float> halves = values_of(kF16, 65536), e4m3 = values_of(kF8e4m3, 256),
                                  e5m2 = values_of(kF8e5m2, 256);
  switch (element) {
    case kF32:
      return load_as<float>(bytes);
    case kF16:
      return halves[load_as<uint16_t>(bytes)];
    case kBf16:
      return std::bit_cast<float>(uint32_t{load_as<uint16_t>(bytes)} << 16);
    case kI8:
      return load_as<int8_t>(bytes);
    case kU8:
      return *bytes;
    case kI16:
      return load_as<int16_t>(bytes);
    case kU16:
      return load_as<uint16_t>(bytes);
    case kI32:
      return static_cast<float>(load_as<int32_t>(bytes));
    case kF8e4m3:
      return e4m3[*bytes];
    case kF8e5m2:
      return e5m2[*bytes];
    default:
      return 0;
  }
}

void store_value(uint8_t* bytes, float value, int element) {
  switch (element) {
    case kF32:
      std::memcpy(bytes, &value, 4);
      return;
    case kF16: {
      const uint16_t bits = f16_of(value);
      std::memcpy(bytes, &bits, 2);
      return;
    }
    case kBf16: {
      const uint16_t bits = bf16_of(value);
      std::memcpy(bytes, &bits, 2);
      return;
    }
    case kI8:
      return store_whole<int8_t>(bytes, value);
    case kU8:
      return store_whole<uint8_t>(bytes, value);
    case kI16:
      return store_whole<int16_t>(bytes, value);
    default:
      return;
  }
}

float to_hf32(float value) {
  const auto u = std::bit_cast<uint32_t>(value);
  if ((u & 0x7f800000) == 0x7f800000) return value;
  return std::bit_cast<float>((u + 0xfff + (u >> 13 & 1)) & ~uint32_t{0x1fff});
}

void store_atomically(uint8_t* to, const uint8_t* from, int64_t bytes, int operation, int element) {
  const int64_t size = element_bytes(element);
  for (int64_t i = 0; i + size <= bytes; i += size) {
    if (element == kI32) {
      const auto a = load_as<int32_t>(to + i), b = load_as<int32_t>(from + i);
      const auto sum = static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
      const int32_t result = operation == 1 ? sum : operation == 2 ? std::max(a, b) : std::min(a, b);
      std::memcpy(to + i, &result, 4);
      continue;
    }
    const float a = element_value(to + i, element), b = element_value(from + i, element);
    store_value(to + i, operation == 1 ? a + b : operation == 2 ? std::max(a, b) : std::min(a, b), element);
  }
}

}  // namespace tl::simulate::ascend
