#include <fmt/format.h>

#include <cstdio>

#include "simulate/tile.h"

namespace tl::simulate {
namespace {

class PrintStatement final : public Statement {
 public:
  PrintStatement(uint32_t site, std::string message, NodeList values, TileRefPtr region)
      : Statement(site), message_(std::move(message)), values_(std::move(values)), region_(std::move(region)) {}

  void run(Machine& m, LaneSet& lanes) override {
    std::vector<Values> values;
    for (const NodePtr& node : values_) values.push_back(node->eval(m, lanes));
    if (region_ != nullptr) region_->locate(m, lanes);
    lanes.each([&](int lane) {
      std::string line = prefix(m, lane) + message_;
      for (size_t i = 0; i < values.size(); ++i) {
        if (!line.empty() && line.back() != ' ') line += ' ';
        line += scalar_of(values_[i]->dtype(), values[i][lane]).text();
      }
      if (region_ != nullptr)
        line += (line.empty() || line.back() == ' ' ? "" : " ") + region_text(m, region_->at(lane));
      write(m, line);
    });
  }

 private:
  /// "[tile program (0, 1)] ", with the thread or the iteration where the statement runs for each of them.
  static std::string prefix(Machine& m, int lane) {
    if (!m.in_launch) return {};
    const std::string program = m.program_text(m.timeline.program());
    if (m.world == World::kUniform) return fmt::format("[{}] ", program);
    const auto linear = static_cast<int64_t>(m.members[lane]);
    if (m.world == World::kThreads) {
      return fmt::format("[{}, thread {}] ", program, coordinates_text(linear, m.threads, true));
    }
    return fmt::format("[{}, iteration {}] ", program, coordinates_text(linear, m.point_extents, false));
  }

  /// "name[0:2, 0:3] = [[1, 2, 3], [4, 5, ?]]": `?` where nothing has been written.
  std::string region_text(Machine& m, const Tile& tile) {
    read_tile(m, tile, raw_of(Scalar::zero(tile.buffer->codec.dtype())), Undefined::kPass, elements_);
    std::string out = tile.buffer->buffer->name + "[";
    for (size_t d = 0; d < tile.extents.size(); ++d) {
      out += fmt::format("{}{}:{}", d == 0 ? "" : ", ", tile.offsets[d], tile.offsets[d] + tile.extents[d]);
    }
    out += "] = ";
    size_t next = 0;
    append(tile, 0, next, out);
    return out;
  }

  void append(const Tile& tile, size_t d, size_t& next, std::string& out) const {
    if (d == tile.extents.size()) {
      const bool defined = elements_.defined.empty() || elements_.defined[next] != 0;
      out += defined ? scalar_of(tile.buffer->codec.dtype(), elements_.values[next]).text() : "?";
      ++next;
      return;
    }
    out += '[';
    for (int64_t i = 0; i < tile.extents[d]; ++i) {
      if (i > 0) out += ", ";
      append(tile, d + 1, next, out);
    }
    out += ']';
  }

  static void write(Machine& m, const std::string& line) {
    if (m.options.print) {
      m.call_out([&] { m.options.print(line); });
    } else {
      std::printf("%s\n", line.c_str());
    }
  }

  std::string message_;
  NodeList values_;
  TileRefPtr region_;
  TileValues elements_;
};

}  // namespace

StatementPtr make_print(uint32_t site, std::string message, NodeList values, TileRefPtr region) {
  return std::make_unique<PrintStatement>(site, std::move(message), std::move(values), std::move(region));
}

}  // namespace tl::simulate
