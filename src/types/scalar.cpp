#include "types/scalar.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tl {
namespace {

static_assert(sizeof(Scalar) == 16 && std::is_trivially_copyable_v<Scalar>);

/// Keeps the low bits of an integer type and extends them to 64 by the type's sign.
uint64_t wrap(DType t, uint64_t value) {
  if (t.is_bool()) return value != 0;
  const int unused = 64 - t.bits();
  const uint64_t top = value << unused;
  return t.is_int() ? static_cast<uint64_t>(static_cast<int64_t>(top) >> unused) : top >> unused;
}

/// An integer as a double that rounds to any float of at most 51 significant bits as the integer itself would: what
/// does not fit into 53 bits is kept as an odd last bit (round to odd: Boldo and Melquiond, 2008).
double to_double_sticky(uint64_t magnitude, bool negative) {
  const int excess = std::max(0, static_cast<int>(std::bit_width(magnitude)) - 53);
  uint64_t kept = magnitude >> excess;
  if (kept << excess != magnitude) kept |= 1;
  const double value = std::ldexp(static_cast<double>(kept), excess);
  return negative ? -value : value;
}

/// Truncates towards zero and saturates; NaN is 0.
uint64_t float_to_integer(DType t, double value) {
  if (std::isnan(value)) return 0;
  const int magnitude_bits = t.is_int() ? t.bits() - 1 : t.bits();
  const double bound = std::ldexp(1.0, magnitude_bits);  // one more than the largest value
  if (value >= bound) return integer_max(t);
  if (t.is_int()) return static_cast<uint64_t>(value <= -bound ? integer_min(t) : static_cast<int64_t>(value));
  return value <= 0 ? 0 : static_cast<uint64_t>(value);
}

double quiet_nan() { return std::numeric_limits<double>::quiet_NaN(); }

std::string hex(uint64_t value) {
  char digits[16];
  return "0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, value, 16).ptr);
}

template <class Float>
std::string shortest(Float value) {
  char buffer[64];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

/// Reads a whole text as one number; the options are a base for integers, none for floats.
template <class Number, class... Options>
std::optional<Number> parse_number(std::string_view text, Options... options) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, options...);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Scalar Scalar::boolean(bool value) { return {DType::boolean(), value}; }

Scalar Scalar::of_int(DType t, int64_t value) {
  if (!t.is_floating()) return {t, wrap(t, static_cast<uint64_t>(value))};
  if (t.is_float(64)) return {t, std::bit_cast<uint64_t>(static_cast<double>(value))};
  const uint64_t bits = static_cast<uint64_t>(value);
  return of_float(t, to_double_sticky(value < 0 ? -bits : bits, value < 0));
}

Scalar Scalar::of_uint(DType t, uint64_t value) {
  if (!t.is_floating()) return {t, wrap(t, value)};
  if (t.is_float(64)) return {t, std::bit_cast<uint64_t>(static_cast<double>(value))};
  return of_float(t, to_double_sticky(value, false));
}

Scalar Scalar::of_float(DType t, double value) {
  if (t.is_floating()) return {t, std::bit_cast<uint64_t>(round_to_float(t, value))};
  if (t.is_bool()) return boolean(value != 0);
  return {t, float_to_integer(t, value)};
}

Scalar Scalar::of_bits(DType t, uint64_t bits) {
  if (t.is_floating()) return {t, std::bit_cast<uint64_t>(decode_float(t, bits))};
  return {t, wrap(t, t.is_bool() ? bits & 0xFF : bits)};
}

double Scalar::as_float() const { return std::bit_cast<double>(raw_); }

double Scalar::to_double() const {
  if (dtype_.is_floating()) return as_float();
  return dtype_.is_int() ? static_cast<double>(as_int()) : static_cast<double>(raw_);
}

bool Scalar::truthy() const { return dtype_.is_floating() ? as_float() != 0 : raw_ != 0; }

bool Scalar::is_nan() const { return dtype_.is_floating() && std::isnan(as_float()); }

uint64_t Scalar::to_bits() const {
  if (dtype_.is_floating()) return encode_float(dtype_, as_float());
  return raw_ & (~uint64_t{0} >> (64 - dtype_.bits()));
}

std::string Scalar::text() const {
  if (dtype_.is_bool()) return raw_ != 0 ? "true" : "false";
  if (dtype_.is_int()) return std::to_string(as_int());
  if (!dtype_.is_floating()) return std::to_string(raw_);
  if (is_nan()) return *this == of_float(dtype_, quiet_nan()) ? "nan" : "nan(" + hex(to_bits()) + ")";
  // e8m0 rounds up whatever exceeds its smallest number, so a float32's digits would not do.
  const bool all_digits = dtype_.is_float(64) || !float_format(dtype_).has_zero();
  return all_digits ? shortest(as_float()) : shortest(static_cast<float>(as_float()));
}

namespace {

std::optional<Scalar> parse_float(DType t, std::string_view text) {
  constexpr std::string_view kPattern = "nan(0x";
  if (text.starts_with(kPattern) && text.ends_with(")")) {
    text.remove_prefix(kPattern.size());
    text.remove_suffix(1);
    const std::optional<uint64_t> bits = parse_number<uint64_t>(text, 16);
    if (!bits || !Scalar::of_bits(t, *bits).is_nan()) return std::nullopt;
    return Scalar::of_bits(t, *bits);
  }
  if (t.is_float(32)) {
    if (const std::optional<float> value = parse_number<float>(text)) return Scalar::of_float(t, *value);
  }
  const std::optional<double> value = parse_number<double>(text);
  return value ? std::optional(Scalar::of_float(t, *value)) : std::nullopt;
}

}  // namespace

std::optional<Scalar> parse_scalar(DType t, std::string_view text) {
  if (t.is_floating()) return parse_float(t, text);
  if (t.is_bool() && (text == "true" || text == "false")) return Scalar::boolean(text == "true");
  if (t.is_int()) {
    const std::optional<int64_t> value = parse_number<int64_t>(text);
    if (!value || Scalar::of_int(t, *value).as_int() != *value) return std::nullopt;
    return Scalar::of_int(t, *value);
  }
  const std::optional<uint64_t> value = t.is_uint() || t.is_handle() ? parse_number<uint64_t>(text) : std::nullopt;
  if (!value || Scalar::of_uint(t, *value).as_uint() != *value) return std::nullopt;
  return Scalar::of_uint(t, *value);
}

namespace {

/// The value as a double that rounds to `to` as the exact value would; of a NaN only the sign is kept.
double source_for(DType to, Scalar value) {
  if (value.is_nan()) return std::copysign(quiet_nan(), value.as_float());
  if (value.dtype().is_floating()) return value.as_float();
  if (to.is_float(64)) return value.to_double();
  const bool negative = value.dtype().is_int() && value.as_int() < 0;
  return to_double_sticky(negative ? -value.as_uint() : value.as_uint(), negative);
}

}  // namespace

Scalar cast(Scalar value, DType to, Overflow overflow) {
  const DType from = value.dtype();
  if (from == to) return value;
  if (!to.is_floating()) {
    if (from.is_floating()) return Scalar::of_float(to, value.as_float());
    return Scalar::of_uint(to, value.as_uint());  // the same low bits for signed and unsigned sources
  }
  return Scalar::of_float(to, round_to_float(to, source_for(to, value), overflow));
}

}  // namespace tl
