#include "support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace tl {
namespace {

constexpr std::string_view kClassNames[] = {"ValueError", "TypeError",      "RuntimeError",
                                            "IndexError", "AssertionError", "AttributeError",
                                            "NameError",  "KeyError",       "NotImplementedError"};

std::string header(const Diagnostic& d) {
  const char* word = d.severity == Severity::kError ? "error" : d.severity == Severity::kWarning ? "warning" : "note";
  return d.code != 0 ? fmt::format("{}[TL{:03}]: {}", word, d.code, d.message) : fmt::format("{}: {}", word, d.message);
}

std::string marked_line(const Loc& loc, const SourceReader& read) {
  const std::string line = read ? read(loc->file, loc->line) : std::string();
  if (line.empty()) return {};
  std::string out = fmt::format("\n{:>5} | {}", loc->line, line);
  if (loc->column > 0) {
    const int width = std::max(1, std::min<int>(loc->end_column, static_cast<int>(line.size()) + 1) - loc->column);
    out += fmt::format("\n      | {}{}", std::string(loc->column - 1, ' '), std::string(width, '^'));
  }
  return out;
}

std::string call_chain(const Loc& loc, const SourceReader& read) {
  std::string out;
  for (const LocNode* at = loc.get(); at != nullptr && at->caller; at = at->caller.get()) {
    out += fmt::format("\n  in macro {}, called at {}", at->macro, to_string(at->caller));
    out += marked_line(at->caller, read);
  }
  return out;
}

}  // namespace

std::string_view error_class_name(ErrorClass cls) { return kClassNames[static_cast<int>(cls)]; }

SourceReader file_source_reader() {
  return [](const std::string& file, int line) {
    std::ifstream in(file);
    std::string text;
    for (int i = 0; i < line; ++i) {
      if (!std::getline(in, text)) return std::string();
    }
    return text;
  };
}

std::string render(const Diagnostic& d, const SourceReader& read) {
  std::string out = header(d);
  if (d.loc) {
    out += fmt::format("\n  --> {}", to_string(d.loc));
    out += marked_line(d.loc, read);
    out += call_chain(d.loc, read);
  }
  for (const DiagnosticNote& note : d.notes) {
    out += fmt::format("\nnote: {}", note.message);
    if (note.loc) out += fmt::format(": {}", to_string(note.loc));
  }
  if (!d.help.empty()) out += fmt::format("\nhelp: {}", d.help);
  return out;
}

CompileError::CompileError(std::vector<Diagnostic> diagnostics) : diagnostics_(std::move(diagnostics)) {
  TL_CHECK(!diagnostics_.empty(), "a CompileError carries at least one diagnostic");
  for (const Diagnostic& d : diagnostics_) text_ += (text_.empty() ? "" : "\n\n") + render(d);
}

CompileError CompileError::at(const Loc& loc) const {
  std::vector<Diagnostic> placed = diagnostics_;
  for (Diagnostic& d : placed) {
    if (!d.loc) d.loc = loc;
  }
  return CompileError(std::move(placed));
}

ErrorClass CompileError::error_class() const { return diagnostic_code(diagnostics_.front().code).cls; }

void internal_error(const char* file, int line, const char* condition, const std::string& message) {
  throw InternalError(fmt::format("internal error at {}:{}: {} [{}]", file, line, message, condition));
}

Diagnostic& Diagnostics::error(int code, Loc loc, std::string message) {
  diagnostic_code(code);
  all_.push_back({Severity::kError, code, std::move(message), std::move(loc), {}, {}});
  return all_.back();
}

Diagnostic& Diagnostics::warning(int code, Loc loc, std::string message) {
  if (code != 0) diagnostic_code(code);
  all_.push_back({Severity::kWarning, code, std::move(message), std::move(loc), {}, {}});
  return all_.back();
}

bool Diagnostics::has_errors() const {
  return std::any_of(all_.begin(), all_.end(), [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

void Diagnostics::throw_if_errors() {
  if (!has_errors()) return;
  std::vector<Diagnostic> errors;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(errors),
               [](const Diagnostic& d) { return d.severity == Severity::kError; });
  throw CompileError(std::move(errors));
}

}  // namespace tl
