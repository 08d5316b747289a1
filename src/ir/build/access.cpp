#include "ir/build/access.h"

#include <fmt/format.h>

#include "ir/build/describe.h"
#include "ir/build/linear.h"

namespace tl {
namespace {

[[noreturn]] void refuse(int code, std::string message, const Buffer& buffer, std::string help = {}) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.help = std::move(help);
  with_declaration(d, buffer);
  throw CompileError(std::move(d));
}

void check_count(const Buffer& buffer, size_t given, AccessKind kind) {
  if (given == buffer->rank()) return;
  const std::string shape = shape_text(buffer->shape);
  const std::string help = fmt::format("provide exactly {}", counted(buffer->rank(), "index", "indices"));
  if (kind == AccessKind::kStore) {
    refuse(20,
           fmt::format(
               "Buffer {} is {}-dimensional (shape={}), it cannot be indexed with the {}-dimensional indices given",
               buffer->name, buffer->rank(), shape, given),
           buffer, help);
  }
  refuse(20,
         fmt::format("Buffer {} is {}-dimensional (shape={}), but {} index(es) were provided", buffer->name,
                     buffer->rank(), shape, given),
         buffer, help);
}

/// Counts a negative constant from the end, and checks a constant against a constant extent.
Expr normal_index(const Buffer& buffer, size_t dim, Expr index) {
  const auto value = as_int(index);
  if (!value) return index;
  const auto extent = as_int(buffer->shape[dim]);
  if (extent && (*value >= *extent || *value < -*extent)) {
    refuse(21,
           fmt::format("index {} is out of range for dimension {} of {}, which has extent {}", *value, dim,
                       buffer->name, *extent),
           buffer, fmt::format("use an index from {} to {}", -*extent, *extent - 1));
  }
  if (*value >= 0) return index;
  if (extent) return make_int(index.dtype(), *value + *extent);
  return promote::binary(BinaryOp::kAdd, buffer->shape[dim], index);
}

std::vector<Expr> integers(const std::vector<Operand>& operands, const Buffer& buffer, const char* what) {
  std::vector<Expr> out;
  for (const Operand& operand : operands) {
    out.push_back(promote::index(operand, 22, fmt::format("{} {} of {}", what, out.size(), buffer->name)));
  }
  return out;
}

}  // namespace

std::vector<Expr> element_indices(const Buffer& buffer, const std::vector<Operand>& indices, AccessKind kind) {
  check_count(buffer, indices.size(), kind);
  std::vector<Expr> out = integers(indices, buffer, "index");
  for (size_t i = 0; i < out.size(); ++i) out[i] = normal_index(buffer, i, std::move(out[i]));
  return out;
}

Expr element(const Buffer& buffer, const std::vector<Operand>& indices) {
  return load(buffer, element_indices(buffer, indices, AccessKind::kLoad));
}

Region region(const Buffer& buffer, const std::vector<Operand>& offsets, const std::vector<Operand>& extents) {
  check_count(buffer, offsets.size(), AccessKind::kLoad);
  check_count(buffer, extents.size(), AccessKind::kLoad);
  Region out{buffer, integers(offsets, buffer, "offset"), integers(extents, buffer, "extent")};
  for (size_t i = 0; i < out.extents.size(); ++i) {
    out.extents[i] = fold_linear(out.extents[i]);
    const auto extent = as_int(out.extents[i]);
    if (extent && *extent < 0) {
      refuse(27, fmt::format("the slice of dimension {} of {} has the negative extent {}", i, buffer->name, *extent),
             buffer, "write the smaller bound first");
    }
  }
  return out;
}

TileOperand TileOperand::element(const LoadNode& load) {
  TileOperand out(Region{load.buffer, load.indices, std::vector<Expr>(load.indices.size(), Expr(1))});
  out.form = Form::kElement;
  return out;
}

}  // namespace tl
