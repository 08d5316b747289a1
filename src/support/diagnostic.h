#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/source_loc.h"

namespace tl {

/// The Python exception class a user mistake surfaces as, besides `tilelang.TileLangError`.
enum class ErrorClass : uint8_t {
  kValue,
  kType,
  kRuntime,
  kIndex,
  kAssertion,
  kAttribute,
  kName,
  kKey,
  kNotImplemented
};

std::string_view error_class_name(ErrorClass cls);

enum class Severity : uint8_t { kError, kWarning, kNote };

/// One row of `diagnostic_codes.def`: a stable code such as TL031, its Python class, and what it is about.
struct DiagnosticCode {
  int number;
  ErrorClass cls;
  std::string_view title;
};

/// Looks a code up by its number; an unknown number is an internal error.
const DiagnosticCode& diagnostic_code(int number);
/// Every code, in order: the documentation and the tests walk it.
const std::vector<DiagnosticCode>& all_diagnostic_codes();

struct DiagnosticNote {
  std::string message;
  Loc loc;
};

/// A statement about the user's program: what was found, where, what is allowed, and what to do next.
struct Diagnostic {
  Severity severity = Severity::kError;
  int code = 0;
  std::string message;
  Loc loc;
  std::vector<DiagnosticNote> notes;
  std::string help;
};

/// Returns line `line` (from 1) of `file`, or an empty string when it cannot be read.
using SourceReader = std::function<std::string(const std::string& file, int line)>;
SourceReader file_source_reader();

/// The form of every message: header, arrow, source line with a caret, notes, call chain of macros, help.
std::string render(const Diagnostic& diagnostic, const SourceReader& read = file_source_reader());

/// Thrown for mistakes of the user; carries every diagnostic found in the run.
class CompileError : public std::exception {
 public:
  explicit CompileError(std::vector<Diagnostic> diagnostics);
  explicit CompileError(Diagnostic diagnostic) : CompileError(std::vector<Diagnostic>{std::move(diagnostic)}) {}
  const char* what() const noexcept override { return text_.c_str(); }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  ErrorClass error_class() const;
  /// The same errors, at `loc` where they have no place of their own.
  CompileError at(const Loc& loc) const;

 private:
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
};

/// What `f` gives; a CompileError of it is at `loc` where it has no place of its own.
template <class F>
auto located(const Loc& loc, F&& f) {
  try {
    return f();
  } catch (const CompileError& e) {
    throw e.at(loc);
  }
}

/// Thrown for failures of ours. The driver adds a reproducer to it.
class InternalError : public std::exception {
 public:
  explicit InternalError(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// Throws `InternalError` with the place in our own source when `condition` is false.
#define TL_CHECK(condition, message)                                                   \
  do {                                                                                 \
    if (!(condition)) ::tl::internal_error(__FILE__, __LINE__, #condition, (message)); \
  } while (false)

[[noreturn]] void internal_error(const char* file, int line, const char* condition, const std::string& message);

/// Collects diagnostics, so that one run reports several.
class Diagnostics {
 public:
  /// Adds an error and returns it for notes and help to be filled in; valid until the next call.
  Diagnostic& error(int code, Loc loc, std::string message);
  /// Code 0: a warning without a stable number.
  Diagnostic& warning(int code, Loc loc, std::string message);
  bool has_errors() const;
  const std::vector<Diagnostic>& all() const { return all_; }
  /// Throws `CompileError` with all errors if there is one; warnings stay.
  void throw_if_errors();

 private:
  std::vector<Diagnostic> all_;
};

}  // namespace tl
