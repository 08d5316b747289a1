#include "ir/build/describe.h"

#include <fmt/format.h>

#include "ir/build/linear.h"
#include "ir/text.h"

namespace tl {

std::string shape_text(const std::vector<Expr>& shape) {
  std::string out;
  for (const Expr& extent : shape) out += (out.empty() ? "" : ", ") + python_text(extent);
  return shape.size() == 1 ? "(" + out + ",)" : "(" + out + ")";
}

std::string buffer_text(const BufferNode& buffer) {
  return fmt::format("`{}`, {} {} {}", buffer.name, space_name(buffer.space), buffer.dtype.name(),
                     shape_text(buffer.shape));
}

std::string region_text(const Region& region) {
  std::string out;
  for (size_t i = 0; i < region.offsets.size(); ++i) {
    const Expr &begin = region.offsets[i], &extent = region.extents[i];
    out += i == 0 ? "" : ", ";
    if (is_const_int(extent, 1)) {
      out += python_text(begin);
    } else if (as_int(begin) && as_int(extent)) {
      out += fmt::format("{}:{}", *as_int(begin), *as_int(begin) + *as_int(extent));
    } else {
      out += fmt::format("{}:{} + {}", python_text(begin), python_text(begin), python_text(extent));
    }
  }
  return fmt::format("{}[{}]", region.buffer->name, out);
}

Diagnostic& with_declaration(Diagnostic& diagnostic, const Buffer& buffer) {
  const char* what = buffer->loc ? ", is declared here" : "";
  diagnostic.notes.push_back({buffer_text(*buffer) + what, buffer->loc});
  return diagnostic;
}

std::string counted(size_t count, const char* singular, const char* plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

}  // namespace tl
