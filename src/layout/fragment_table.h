#pragma once

#include <cstdint>
#include <vector>

#include "layout/fragment.h"

namespace tl {

/// The slots of a fragment, enumerated.
struct Fragment::Table {
  std::vector<int32_t> element;       // of slot thread * registers + register; -1 for padding
  std::vector<int32_t> reg;           // of each element
  std::vector<int32_t> first_holder;  // of each element, an index in `holder`; one more at the end
  std::vector<int32_t> holder;        // the threads of each element, in increasing order
};

}  // namespace tl
