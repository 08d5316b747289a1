#include <fmt/format.h>

#include "simulate/statement.h"

namespace tl::simulate {
namespace {

class BindStatement final : public Statement {
 public:
  BindStatement(uint32_t site, VarSlot* var, NodePtr value) : Statement(site), var_(var), value_(std::move(value)) {}
  void run(Machine& m, LaneSet& lanes) override {
    const Values values = value_->eval(m, lanes);
    const auto one = [&](int lane) { var_->values[static_cast<size_t>(lane)] = values[lane]; };
    var_->varies ? lanes.each(one) : one(0);
  }

 private:
  VarSlot* var_;
  NodePtr value_;
};

class StoreStatement final : public Statement {
 public:
  StoreStatement(uint32_t site, std::unique_ptr<ElementRef> element, NodePtr value)
      : Statement(site), element_(std::move(element)), value_(std::move(value)) {}

  void run(Machine& m, LaneSet& lanes) override {
    element_->locate(m, lanes);
    const Values values = value_->eval(m, lanes);
    BufferSlot& buffer = element_->buffer();
    if (m.check) {
      const uint32_t event = m.timeline.event(element_->site(), m.actor);
      lanes.each([&](int lane) {
        if (element_->at(lane) >= 0) note_write(m, buffer, element_->at(lane), lane, {event, m.members[lane]});
      });
    }
    lanes.each([&](int lane) {
      if (element_->at(lane) >= 0) buffer.codec.store(buffer.base(lane), element_->at(lane), values[lane]);
    });
  }

 private:
  std::unique_ptr<ElementRef> element_;
  NodePtr value_;
};

std::vector<int64_t> integers(Machine& m, const LaneSet& lanes, const NodeList& nodes) {
  std::vector<int64_t> out;
  for (const NodePtr& node : nodes) out.push_back(static_cast<int64_t>(node->scalar(m, lanes)));
  return out;
}

class AllocStatement final : public Statement {
 public:
  AllocStatement(uint32_t site, BufferSlot* buffer, NodeList shape, NodeList strides, NodePtr init, int copies,
                 int cell_bits, bool every_reader, int64_t offset)
      : Statement(site),
        buffer_(buffer),
        shape_(std::move(shape)),
        strides_(std::move(strides)),
        init_(std::move(init)),
        copies_(copies),
        cell_bits_(cell_bits),
        every_reader_(every_reader),
        offset_(offset) {}

  void run(Machine& m, LaneSet& lanes) override {
    BufferSlot& b = *buffer_;
    b.set_shape(integers(m, lanes, shape_), integers(m, lanes, strides_));
    const int64_t bytes = (b.span * b.codec.bits() + 7) / 8;
    if (b.memory == nullptr || b.memory->copy_bytes != bytes) {
      make(m, bytes);
    } else if (!b.is_private) {
      reset(m);
    }
    if (is_placed(m, bytes)) b.memory->data = m.shared_memory.data() + offset_;
    b.is_private ? lanes.each([&](int lane) { start(m, lane); }) : start(m, 0);
    if (init_ != nullptr) set_initial(m, lanes);
  }

 private:
  void make(Machine& m, int64_t bytes) {
    buffer_->memory = std::make_shared<Memory>();
    Memory& memory = *buffer_->memory;
    memory.space = buffer_->buffer->space;
    memory.copies = copies_;
    memory.copy_bytes = bytes;
    memory.cell_bits = cell_bits_;
    memory.cells = (bytes * 8 + cell_bits_ - 1) / cell_bits_;
    try {
      memory.owned.resize(is_placed(m, bytes) ? 0 : static_cast<size_t>(bytes * copies_));
      reset(m);
    } catch (const std::exception&) {  // bad_alloc or length_error
      stop(91, m.sites[site()].loc,
           fmt::format("`{}` takes {} bytes, for which there is no memory", buffer_->buffer->name, bytes * copies_));
    }
    memory.data = memory.owned.data();
  }
  void reset(Machine& m) {
    if (!m.check) return;
    buffer_->memory->shadow.reset(buffer_->memory->cells * copies_, !buffer_->is_private, false, every_reader_);
  }
  bool is_placed(const Machine& m, int64_t bytes) const {
    return offset_ >= 0 && offset_ + bytes <= static_cast<int64_t>(m.shared_memory.size());
  }
  /// A place may be another buffer's until this one is written.
  void start(Machine& m, int lane) {
    Memory& memory = *buffer_->memory;
    if (!memory.owned.empty()) std::fill_n(buffer_->base(lane), memory.copy_bytes, kUnwritten);
    if (m.check) memory.shadow.define(buffer_->lane_cells(lane), memory.cells, false);
  }
  void set_initial(Machine& m, LaneSet& lanes) {
    const Values init = init_->eval(m, lanes);
    const auto one = [&](int lane) {
      for (int64_t i = 0; i < buffer_->span; ++i) buffer_->codec.store(buffer_->base(lane), i, init[lane]);
      if (m.check) buffer_->memory->shadow.define(buffer_->lane_cells(lane), buffer_->memory->cells);
    };
    buffer_->is_private ? lanes.each(one) : one(0);
  }

  BufferSlot* buffer_;
  NodeList shape_, strides_;
  NodePtr init_;
  int copies_, cell_bits_;
  bool every_reader_;
  int64_t offset_;
};

class PlaceStatement final : public Statement {
 public:
  PlaceStatement(uint32_t site, BufferSlot* buffer, NodeList shape, NodeList strides, NodePtr address, int cell_bits,
                 bool every_reader)
      : Statement(site),
        buffer_(buffer),
        shape_(std::move(shape)),
        strides_(std::move(strides)),
        address_(std::move(address)),
        cell_bits_(cell_bits),
        every_reader_(every_reader) {}

  void run(Machine& m, LaneSet& lanes) override {
    BufferSlot& b = *buffer_;
    b.set_shape(integers(m, lanes, shape_), integers(m, lanes, strides_));
    const Raw address = address_->scalar(m, lanes);
    if (address == 0 && b.span > 0) {
      stop(107, m.sites[site()].loc, fmt::format("the address of `{}` is 0", b.buffer->name),
           "pass the address of memory, or a tensor");
    }
    b.memory = std::make_shared<Memory>();
    Memory& memory = *b.memory;
    memory.data = reinterpret_cast<uint8_t*>(address) - b.origin * b.codec.bits() / 8;
    memory.copy_bytes = (b.span * b.codec.bits() + 7) / 8;
    memory.cell_bits = cell_bits_;
    memory.cells = b.span * b.codec.bits() / cell_bits_;
    if (m.check) memory.shadow.reset(memory.cells, true, true, every_reader_);
  }

 private:
  BufferSlot* buffer_;
  NodeList shape_, strides_;
  NodePtr address_;
  int cell_bits_;
  bool every_reader_;
};

class ViewStatement final : public Statement {
 public:
  ViewStatement(uint32_t site, BufferSlot* buffer, BufferSlot* source, NodeList shape, NodeList strides)
      : Statement(site), buffer_(buffer), source_(source), shape_(std::move(shape)), strides_(std::move(strides)) {}
  void run(Machine& m, LaneSet& lanes) override {
    buffer_->set_shape(integers(m, lanes, shape_), integers(m, lanes, strides_));
    buffer_->memory = source_->memory;
    const int64_t mine = buffer_->span * buffer_->codec.bits(), theirs = source_->span * source_->codec.bits();
    if (mine > theirs) {
      stop(26, m.sites[site()].loc,
           fmt::format("`{}` takes {} bits, but `{}` has {}", buffer_->buffer->name, mine, source_->buffer->name,
                       theirs));
    }
  }

 private:
  BufferSlot *buffer_, *source_;
  NodeList shape_, strides_;
};

class EvaluateStatement final : public Statement {
 public:
  EvaluateStatement(uint32_t site, NodePtr value) : Statement(site), value_(std::move(value)) {}
  void run(Machine& m, LaneSet& lanes) override { value_->eval(m, lanes); }

 private:
  NodePtr value_;
};

/// The first active lane for which the condition does not hold, or -1.
int first_failure(Machine& m, const LaneSet& lanes, Node& condition) {
  const Values values = condition.eval(m, lanes);
  int failed = -1;
  lanes.each([&](int lane) {
    if (values[lane] == 0 && failed < 0) failed = lane;
  });
  return failed;
}

class AssertStatement final : public Statement {
 public:
  AssertStatement(uint32_t site, NodePtr condition, std::string message)
      : Statement(site), condition_(std::move(condition)), message_(std::move(message)) {}
  void run(Machine& m, LaneSet& lanes) override {
    const int failed = first_failure(m, lanes, *condition_);
    if (failed < 0) return;
    std::vector<Diagnostic> all(1);
    all[0].code = 110;
    all[0].loc = m.sites[site()].loc;
    all[0].message = message_.empty() ? "assertion failed" : fmt::format("assertion failed: {}", message_);
    if (m.in_launch) all[0].notes.push_back({fmt::format("in {}", m.name_of(m.stamp(site(), failed))), {}});
    for (const Finding& finding : m.findings.all()) all.push_back(finding.diagnostic);
    throw CompileError(std::move(all));
  }

 private:
  NodePtr condition_;
  std::string message_;
};

class AssumeStatement final : public Statement {
 public:
  AssumeStatement(uint32_t site, NodePtr condition, std::string text)
      : Statement(site), condition_(std::move(condition)), text_(std::move(text)) {}
  void run(Machine& m, LaneSet& lanes) override {
    if (!m.check) return;
    const int failed = first_failure(m, lanes, *condition_);
    if (failed < 0) return;
    m.findings.report(110, site(), 0, m.sites[site()], [&](Diagnostic& d) {
      d.message = fmt::format("`{}` is assumed but does not hold", text_);
      d.help = "leave out the T.assume, or make it hold where the kernel is called";
      if (m.in_launch) d.notes.push_back({fmt::format("in {}", m.name_of(m.stamp(site(), failed))), {}});
    });
  }

 private:
  NodePtr condition_;
  std::string text_;
};

}  // namespace

StatementPtr make_bind(uint32_t site, VarSlot* var, NodePtr value) {
  return std::make_unique<BindStatement>(site, var, std::move(value));
}

StatementPtr make_store(uint32_t site, std::unique_ptr<ElementRef> element, NodePtr value) {
  return std::make_unique<StoreStatement>(site, std::move(element), std::move(value));
}

StatementPtr make_alloc(uint32_t site, BufferSlot* buffer, NodeList shape, NodeList strides, NodePtr init, int copies,
                        int cell_bits, bool every_reader, int64_t offset) {
  return std::make_unique<AllocStatement>(site, buffer, std::move(shape), std::move(strides), std::move(init), copies,
                                          cell_bits, every_reader, offset);
}

StatementPtr make_placed(uint32_t site, BufferSlot* buffer, NodeList shape, NodeList strides, NodePtr address,
                         int cell_bits, bool every_reader) {
  return std::make_unique<PlaceStatement>(site, buffer, std::move(shape), std::move(strides), std::move(address),
                                          cell_bits, every_reader);
}

StatementPtr make_view(uint32_t site, BufferSlot* buffer, BufferSlot* source, NodeList shape, NodeList strides) {
  return std::make_unique<ViewStatement>(site, buffer, source, std::move(shape), std::move(strides));
}

StatementPtr make_evaluate(uint32_t site, NodePtr value) {
  return std::make_unique<EvaluateStatement>(site, std::move(value));
}

StatementPtr make_assert(uint32_t site, NodePtr condition, std::string message) {
  return std::make_unique<AssertStatement>(site, std::move(condition), std::move(message));
}

StatementPtr make_assume(uint32_t site, NodePtr condition, std::string text) {
  return std::make_unique<AssumeStatement>(site, std::move(condition), std::move(text));
}

}  // namespace tl::simulate
