#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "simulate/lanes.h"
#include "types/dtype.h"

namespace tl::simulate {

/// Reads and writes elements of one scalar dtype in memory; little-endian, 4-bit elements packed two to a byte with the
/// first one in the low half. What it reads and writes is what `Scalar::of_bits` and `Scalar::to_bits` say.
class Codec {
 public:
  explicit Codec(DType dtype = DType::boolean());

  DType dtype() const { return dtype_; }
  /// Bits of an element in memory.
  int bits() const { return bits_; }

  Raw load(const uint8_t* base, int64_t index) const {
    switch (form_) {
      case Form::kInt8:
        return extended<int8_t>(base, index);
      case Form::kInt16:
        return extended<int16_t>(base, index);
      case Form::kInt32:
        return extended<int32_t>(base, index);
      case Form::kWord64:
        return read<uint64_t>(base, index);
      case Form::kUInt8:
        return base[index];
      case Form::kUInt16:
        return read<uint16_t>(base, index);
      case Form::kUInt32:
        return read<uint32_t>(base, index);
      case Form::kBool:
        return base[index] != 0;
      case Form::kFloat32: {
        const float value = read<float>(base, index);
        return value == value ? std::bit_cast<Raw>(double{value}) : decode(read<uint32_t>(base, index));
      }
      case Form::kTable8:
        return table_[base[index]];
      case Form::kTable16:
        return table_[read<uint16_t>(base, index)];
      case Form::kTable4:
        return table_[base[index >> 1] >> (index & 1) * 4 & 15];
      case Form::kOther32:
        return decode(read<uint32_t>(base, index));
    }
    return 0;
  }

  void store(uint8_t* base, int64_t index, Raw value) const {
    switch (form_) {
      case Form::kInt8:
      case Form::kUInt8:
      case Form::kBool:
        base[index] = static_cast<uint8_t>(value);
        return;
      case Form::kInt16:
      case Form::kUInt16:
        return write(base, index, static_cast<uint16_t>(value));
      case Form::kInt32:
      case Form::kUInt32:
        return write(base, index, static_cast<uint32_t>(value));
      case Form::kWord64:
        return write(base, index, value);
      case Form::kFloat32: {
        const double wide = std::bit_cast<double>(value);
        if (wide == wide) return write(base, index, static_cast<float>(wide));
        return write(base, index, static_cast<uint32_t>(encode(value)));
      }
      case Form::kTable8:
        base[index] = static_cast<uint8_t>(encode(value));
        return;
      case Form::kTable16:
        return write(base, index, static_cast<uint16_t>(encode(value)));
      case Form::kTable4: {
        uint8_t& byte = base[index >> 1];
        const int shift = static_cast<int>(index & 1) * 4;
        byte = static_cast<uint8_t>((byte & ~(15 << shift)) | static_cast<int>(encode(value) & 15) << shift);
        return;
      }
      case Form::kOther32:
        return write(base, index, static_cast<uint32_t>(encode(value)));
    }
  }

 private:
  enum class Form : uint8_t {
    kInt8,
    kInt16,
    kInt32,
    kWord64,
    kUInt8,
    kUInt16,
    kUInt32,
    kBool,
    kFloat32,
    kTable8,
    kTable16,
    kTable4,
    kOther32,
  };

  template <class T>
  static T read(const uint8_t* base, int64_t index) {
    T value;
    std::memcpy(&value, base + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  static Raw extended(const uint8_t* base, int64_t index) {
    return static_cast<Raw>(static_cast<int64_t>(read<T>(base, index)));
  }
  template <class T>
  static void write(uint8_t* base, int64_t index, T value) {
    std::memcpy(base + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  }
  static Form form_of(DType dtype);
  Raw decode(uint64_t bits) const;
  uint64_t encode(Raw value) const;

  DType dtype_;
  Form form_;
  int bits_;
  /// The value of every pattern of a narrow float or a 4-bit type.
  const Raw* table_ = nullptr;
};

}  // namespace tl::simulate
