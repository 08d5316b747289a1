#pragma once

#include <string>

#include "backend/cfamily/c_statements.h"

namespace tl {

/// How floats are handed to a device's printf: as numbers of which type, and by which formats.
struct PrintfFloats {
  DType type;
  const char* format;
  const char* wide_format;
};

/// Statements of devices that have printf.
class DeviceStatements : public CStatements {
 protected:
  DeviceStatements(CExpr& exprs, const LineTable& lines, PrintfFloats floats)
      : CStatements(exprs, lines), floats_(floats) {}

  using CStatements::op;
  void op(const Print& op);
  /// One printf: a format, who prints, the rest of the format, and what it takes.
  virtual void print_line(const std::string& head, const std::string& tail, const std::string& values) = 0;
  /// `text` as a part of a printf format that stands for itself.
  static std::string literally(const std::string& text);

 private:
  void print_region(const Print& op, const std::string& head);
  std::string printed(const Expr& e);
  const char* format_of(DType t) const;

  PrintfFloats floats_;
};

}  // namespace tl
