#pragma once

#include "ir/op.h"

namespace tl {

/// What the user asked of a copy, never what the compiler chose.
enum class CopyPreference : uint8_t { kAny, kTma, kCpAsync, kSync };
enum class EvictionPolicy : uint8_t { kNormal, kFirst, kLast };

/// Copies a tile between memory spaces, converting the dtype. Extents are matched from the last dimension, extents of 1
/// aside. Outside the global buffer of `dst` nothing is written; outside the one of `src` reads give `pad` (0 if
/// absent).
struct Copy : OpOf<OpKind::kCopy> {
  static constexpr std::string_view kName = "tile.copy";
  Region src, dst;
  Expr pad;
  CopyPreference prefer = CopyPreference::kAny;
  EvictionPolicy evict = EvictionPolicy::kNormal;
  Attrs hints;
  static constexpr auto fields() {
    return std::tuple{
        reads("src", &Copy::src),      writes("dst", &Copy::dst),   operand("pad", &Copy::pad, FieldStyle::kKeyword),
        attr("prefer", &Copy::prefer), attr("evict", &Copy::evict), attr("hints", &Copy::hints)};
  }
};

/// The hint of a copy that swaps the last two dimensions: element (i, j) of `src` becomes (j, i) of `dst`, and the
/// extents are matched so.
inline constexpr const char* kTransposeHint = "transpose";

inline bool transposes(const Copy& copy) { return hint(copy.hints, kTransposeHint, false); }

/// The hint of a copy whose elements from outside of the global source have a value that the program does not state:
/// they are undefined.
inline constexpr const char* kDataSelectHint = "data_select";

/// Sets every element of `dst` to `value` (already of dst's dtype).
struct Fill : OpOf<OpKind::kFill> {
  static constexpr std::string_view kName = "tile.fill";
  Region dst;
  Expr value;
  static constexpr auto fields() {
    return std::tuple{writes("dst", &Fill::dst), operand("value", &Fill::value, FieldStyle::kKeyword)};
  }
};

/// How the warps of a block share the M x N tile of a gemm.
enum class WarpPolicy : uint8_t { kSquare, kFullRow, kFullCol };

/// C[M, N] += op(A)[M, K] * op(B)[K, N], or `=` where `clear` holds. Products and sums are made in the dtype of C or
/// wider, in any order of k. Leading extents of 1 are ignored.
struct Gemm : OpOf<OpKind::kGemm> {
  static constexpr std::string_view kName = "tile.gemm";
  Region a, b, c;
  bool transpose_a = false, transpose_b = false;
  WarpPolicy policy = WarpPolicy::kSquare;
  Expr clear = make_bool(false);
  Attrs hints;
  static constexpr auto fields() {
    return std::tuple{reads("a", &Gemm::a),
                      reads("b", &Gemm::b),
                      reads_writes("c", &Gemm::c),
                      attr("transpose_a", &Gemm::transpose_a),
                      attr("transpose_b", &Gemm::transpose_b),
                      attr("policy", &Gemm::policy),
                      operand("clear", &Gemm::clear, FieldStyle::kKeyword),
                      attr("hints", &Gemm::hints)};
  }
};

enum class ReduceKind : uint8_t { kSum, kAbsSum, kMax, kMin, kAbsMax, kBitAnd, kBitOr, kBitXor };

/// The dtype in which a reduction goes on: where a float takes part, float64 if one of the two is that and float32 if
/// not; else that of the result.
inline DType reduce_dtype(DType src, DType dst) {
  if (!src.is_floating() && !dst.is_floating()) return dst;
  return src.is_float(64) || dst.is_float(64) ? DType::f64() : DType::f32();
}

/// Reduces `src` along dimension `dim` into `dst`, whose shape drops that dimension or keeps it as 1. With `clear`
/// false the old contents of `dst` take part, as magnitudes where the kind is `absmax`. Elements are combined in
/// `reduce_dtype`, floats in any order. A NaN makes max and min NaN; a sum of bools is their `or`.
struct Reduce : OpOf<OpKind::kReduce> {
  static constexpr std::string_view kName = "tile.reduce";
  ReduceKind reduce = ReduceKind::kSum;
  Region src, dst;
  int64_t dim = 0;
  bool clear = true;
  Attrs hints;
  static constexpr auto fields() {
    return std::tuple{attr("reduce", &Reduce::reduce, FieldStyle::kPositional),
                      reads("src", &Reduce::src),
                      reads_writes("dst", &Reduce::dst),
                      attr("dim", &Reduce::dim, FieldStyle::kPositional),
                      attr("clear", &Reduce::clear),
                      attr("hints", &Reduce::hints)};
  }
};

/// Every element of `dst` becomes the combination of the elements of `src` up to its place along dimension `dim`, or
/// from it on with `reverse`. Both regions have the same extents; they are one region or have no element in common.
/// Elements are combined in `reduce_dtype`, floats in any order. A NaN makes a maximum NaN; a sum of bools is their
/// `or`.
struct Scan : OpOf<OpKind::kScan> {
  static constexpr std::string_view kName = "tile.scan";
  ReduceKind scan = ReduceKind::kSum;
  Region src, dst;
  int64_t dim = 0;
  bool reverse = false;
  static constexpr auto fields() {
    return std::tuple{attr("scan", &Scan::scan, FieldStyle::kPositional), reads("src", &Scan::src),
                      writes("dst", &Scan::dst), attr("dim", &Scan::dim, FieldStyle::kPositional),
                      attr("reverse", &Scan::reverse)};
  }
};

/// Copies a fragment into one of another layout over the same threads; the values stay.
struct Relayout : OpOf<OpKind::kRelayout> {
  static constexpr std::string_view kName = "tile.relayout";
  Region src, dst;
  static constexpr auto fields() { return std::tuple{reads("src", &Relayout::src), writes("dst", &Relayout::dst)}; }
};

}  // namespace tl
