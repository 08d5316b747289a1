#include "ir/intrinsics.h"

#include <algorithm>

namespace tl {
namespace {

// Calls that are not elementary functions. Elementary functions get their rows from types/math_fn.h.
const Intrinsic kMachineRows[] = {
    {"extern", 1, -1, Effect::kWrites, std::nullopt,
     "Calls the function named by the first argument, a string, with the other arguments. It may read and write "
     "anything its arguments reach."},
    {"pure_extern", 1, -1, Effect::kPure, std::nullopt,
     "Calls the function named by the first argument, a string. Equal arguments give equal results and nothing else "
     "happens."},
};

std::vector<Intrinsic> make_rows() {
  std::vector<Intrinsic> rows;
  for (size_t i = 0; i < kNumMathFns; ++i) {
    const auto fn = static_cast<MathFn>(i);
    const MathFnInfo& info = math_fn_info(fn);
    rows.push_back({info.name, info.arity, info.arity, Effect::kPure, fn, "The elementary function of that name."});
  }
  rows.insert(rows.end(), std::begin(kMachineRows), std::end(kMachineRows));
  return rows;
}

}  // namespace

const std::vector<Intrinsic>& all_intrinsics() {
  static const auto& rows = *new std::vector<Intrinsic>(make_rows());
  return rows;
}

const Intrinsic* find_intrinsic(std::string_view name) {
  const auto& rows = all_intrinsics();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Intrinsic& r) { return r.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

const Intrinsic* intrinsic_of(MathFn fn) { return &all_intrinsics()[static_cast<size_t>(fn)]; }

}  // namespace tl
