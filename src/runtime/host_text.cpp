#include "runtime/host_text.h"

#include <fmt/format.h>

#include <cctype>
#include <sstream>
#include <vector>

#include "support/diagnostic.h"

namespace tl {
namespace {

/// A text and whether it needs parentheses as an operand.
struct Operand {
  std::string text;
  bool compound = false;

  std::string operand() const { return compound ? "(" + text + ")" : text; }
};

bool is_number(const std::string& word) {
  return std::isdigit(static_cast<unsigned char>(word.back())) != 0 &&
         (std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word[0] == '-');
}

/// Applies one word of a program's postfix text to the stack.
class InfixWriter {
 public:
  explicit InfixWriter(std::span<const std::string> names) : names_(names) {}

  void word(const std::string& w) {
    if (is_number(w)) {
      stack_.push_back({w});
    } else if (w[0] == '$') {
      const size_t slot = std::stoul(w.substr(1));
      stack_.push_back({slot < names_.size() ? names_[slot] : w});
    } else if (w == "select") {
      const Operand other = pop(), then = pop(), condition = pop();
      stack_.push_back({fmt::format("{} ? {} : {}", condition.operand(), then.operand(), other.operand()), true});
    } else if (w == "~" || w == "not" || w == "neg") {
      const char* sign = w == "~" ? "~" : w == "not" ? "not " : "-";
      stack_.push_back({sign + pop().operand(), true});
    } else if (w == "abs" || (w.size() > 1 && is_number(w.substr(1)))) {
      const char* prefix = w[0] == 'i' ? "int" : w[0] == 'u' ? "uint" : "";
      stack_.push_back({fmt::format("{}{}({})", prefix, w == "abs" ? w : w.substr(1), pop().text)});
    } else {
      binary(w);
    }
  }
  std::string result() { return pop().text; }

 private:
  void binary(const std::string& w) {
    const Operand y = pop(), x = pop();
    const bool is_function = w != "and" && w != "or" && std::isalpha(static_cast<unsigned char>(w[0])) != 0;
    if (is_function) {
      stack_.push_back({fmt::format("{}({}, {})", w, x.text, y.text)});
    } else {
      stack_.push_back({fmt::format("{} {} {}", x.operand(), w, y.operand()), true});
    }
  }
  Operand pop() {
    TL_CHECK(!stack_.empty(), "a program pops an empty stack");
    Operand top = std::move(stack_.back());
    stack_.pop_back();
    return top;
  }

  std::span<const std::string> names_;
  std::vector<Operand> stack_;
};

class HostWriter {
 public:
  explicit HostWriter(const Artifact& artifact) : artifact_(artifact) {}

  std::string run() {
    for (const ParamSpec& param : artifact_.signature.params) write(param);
    for (const SlotBinding& binding : artifact_.signature.bindings) write(binding);
    for (const Variant& variant : artifact_.variants) write(variant);
    return std::move(out_);
  }

 private:
  std::string text(const IntProgram& program) const { return infix_text(program, artifact_.signature.slot_names); }

  std::string dims(const std::vector<Dim>& values) const {
    std::string list;
    for (const Dim& dim : values) list += (list.empty() ? "" : ", ") + text(dim.value);
    return list;
  }

  void line(int depth, const std::string& content) {
    out_ += std::string(static_cast<size_t>(depth) * 2, ' ') + content + "\n";
  }

  void write(const ParamSpec& param) {
    const char* role = param.output ? "output" : param.kind == ParamKind::kScalar ? "scalar" : "input";
    if (param.kind != ParamKind::kTensor) {
      line(0, fmt::format("{} {}: {}", role, param.name, param.dtype.name()));
      return;
    }
    const std::string strides = param.strides.empty() ? "" : fmt::format(" strides ({})", dims(param.strides));
    line(0, fmt::format("{} {}: {} ({}){}", role, param.name, param.dtype.name(), dims(param.shape), strides));
  }

  void write(const SlotBinding& binding) {
    std::string sources;
    for (const SlotSource& source : binding.sources) sources += (sources.empty() ? "" : ", else ") + describe(source);
    line(0, fmt::format("let {} = {}", artifact_.signature.slot_names[binding.slot], sources));
  }

  std::string describe(const SlotSource& source) const {
    constexpr const char* kForms[] = {"{}.shape[{}]", "{}.strides[{}]", "{}", "address of {}"};
    const std::string& name = artifact_.signature.params[source.field.param].name;
    std::string out = fmt::format(fmt::runtime(kForms[static_cast<int>(source.field.kind)]), name, source.field.axis);
    if (source.offset.as_constant() != 0) out = fmt::format("({} - {})", out, text(source.offset));
    if (source.scale.as_constant() != 1) out += fmt::format(" / {}", text(source.scale));
    return out;
  }

  void write(const Variant& variant) {
    line(0, fmt::format("variant \"{}\" if {}:", variant.name, text(variant.predicate)));
    for (size_t i = 0; i < variant.program.workspaces.size(); ++i) {
      line(1, fmt::format("workspace {}: {} bytes", i, text(variant.program.workspaces[i])));
    }
    write(variant.program.steps, 1);
  }

  void write(const HostSteps& steps, int depth) {
    for (const HostStep& step : steps) std::visit([&](const auto& s) { write(s, depth); }, step.node());
  }
  void write(const LetStep& step, int depth) {
    line(depth, fmt::format("{} = {}", artifact_.signature.slot_names[step.slot], text(step.value)));
  }
  void write(const LoopStep& step, int depth) {
    line(depth, fmt::format("for {} in {} .. {} by {}:", artifact_.signature.slot_names[step.slot], text(step.begin),
                            text(step.end), text(step.step)));
    write(step.body, depth + 1);
  }
  void write(const IfStep& step, int depth) {
    line(depth, fmt::format("if {}:", text(step.condition)));
    write(step.then_steps, depth + 1);
    if (step.else_steps.empty()) return;
    line(depth, "else:");
    write(step.else_steps, depth + 1);
  }
  void write(const AssertStep& step, int depth) {
    line(depth, fmt::format("assert {}: {}", text(step.condition), artifact_.messages[step.message].text));
  }
  void write(const LaunchStep& step, int depth) {
    const KernelInfo& kernel = artifact_.kernels[step.kernel];
    std::string args;
    for (const KernelArg& arg : step.args) args += (args.empty() ? "" : ", ") + describe(arg);
    line(depth, fmt::format("launch {}<<<({}, {}, {}), ({}, {}, {})>>>({})", kernel.symbol, text(step.grid[0]),
                            text(step.grid[1]), text(step.grid[2]), kernel.threads[0], kernel.threads[1],
                            kernel.threads[2], args));
  }
  std::string describe(const KernelArg& arg) const {
    switch (arg.kind) {
      case KernelArg::Kind::kParam:
        return artifact_.signature.params[arg.index].name;
      case KernelArg::Kind::kSlot:
        return artifact_.signature.slot_names[arg.index];
      case KernelArg::Kind::kGridState:
        return "grid state";
      case KernelArg::Kind::kWorkspace:
        break;
    }
    return fmt::format("workspace {}", arg.index);
  }

  const Artifact& artifact_;
  std::string out_;
};

}  // namespace

std::string infix_text(const IntProgram& program, std::span<const std::string> slot_names) {
  InfixWriter writer(slot_names);
  std::istringstream words(program.text());
  for (std::string word; words >> word;) writer.word(word);
  return writer.result();
}

std::string host_text(const Artifact& artifact) { return HostWriter(artifact).run(); }

}  // namespace tl
