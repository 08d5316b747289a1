#include "driver/relocate.h"

#include <map>
#include <tuple>

#include "ir/text.h"
#include "ir/walk.h"

namespace tl {
namespace {

using Place = std::tuple<std::string, int, int>;

std::vector<Loc> positions(const Function& function) {
  std::vector<Loc> out;
  visit_ops(function.body, [&](const Op& op) { out.push_back(op.loc); });
  return out;
}

}  // namespace

void relocate(Artifact& artifact, const Function& function) {
  const auto compiled = parse_function(artifact.program);
  const std::vector<Loc> from = positions(*compiled), to = positions(function);
  TL_CHECK(from.size() == to.size(), "an artifact of another function");
  std::map<Place, Loc> moved;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i]) moved.emplace(Place(from[i]->file, from[i]->line, from[i]->column), to[i]);
  }
  for (Message& message : artifact.messages) {
    const auto found = moved.find(Place(message.file, message.line, message.column));
    if (found == moved.end() || !found->second) continue;
    message.file = found->second->file;
    message.line = found->second->line;
    message.column = found->second->column;
    message.end_column = found->second->end_column;
  }
  for (KernelInfo& kernel : artifact.kernels) {
    if (!kernel.loc) continue;
    const auto found = moved.find(Place(kernel.loc->file, kernel.loc->line, kernel.loc->column));
    if (found != moved.end()) kernel.loc = found->second;
  }
  artifact.program = print(function, {.positions = true});
}

}  // namespace tl
