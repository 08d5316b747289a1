#include "simulate/codec.h"

#include <map>
#include <memory>
#include <mutex>

#include "simulate/value.h"
#include "types/float_format.h"

namespace tl::simulate {
namespace {

/// Tables are made once a dtype and kept: f16 and bf16 take half a megabyte each.
const Raw* table_of(DType dtype) {
  static auto& mutex = *new std::mutex;
  static auto& tables = *new std::map<uint32_t, std::unique_ptr<Raw[]>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Raw[]>& table = tables[dtype.code()];
  if (table == nullptr) {
    const uint32_t patterns = 1u << dtype.storage_bits();
    table = std::make_unique<Raw[]>(patterns);
    for (uint32_t bits = 0; bits < patterns; ++bits) table[bits] = raw_of(Scalar::of_bits(dtype, bits));
  }
  return table.get();
}

}  // namespace

Codec::Form Codec::form_of(DType t) {
  if (t.is_bool()) return Form::kBool;
  if (t.is_float(32)) return Form::kFloat32;
  const int bits = t.storage_bits();
  if (bits == 64) return Form::kWord64;
  if (bits == 4) return Form::kTable4;
  if (t.is_floating()) return bits == 8 ? Form::kTable8 : bits == 16 ? Form::kTable16 : Form::kOther32;
  if (t.is_int()) return bits == 8 ? Form::kInt8 : bits == 16 ? Form::kInt16 : Form::kInt32;
  return bits == 8 ? Form::kUInt8 : bits == 16 ? Form::kUInt16 : Form::kUInt32;
}

Codec::Codec(DType dtype) : dtype_(dtype), form_(form_of(dtype)), bits_(dtype.storage_bits()) {
  if (form_ == Form::kTable8 || form_ == Form::kTable16 || form_ == Form::kTable4) table_ = table_of(dtype);
}

Raw Codec::decode(uint64_t bits) const { return std::bit_cast<Raw>(decode_float(dtype_, bits)); }

uint64_t Codec::encode(Raw value) const {
  return dtype_.is_floating() ? encode_float(dtype_, std::bit_cast<double>(value)) : value;
}

}  // namespace tl::simulate
