// Whether a header of a prelude defines a function.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "embedded/cfamily_prelude.h"
#include "support/text_file.h"

namespace tl::testing {

/// `header` is one of a machine's own or of those that all share; macros may define the function.
inline bool prelude_defines(std::span<const TextFile> own, std::string_view header, const std::string& name) {
  for (const std::span<const TextFile> files : {own, std::span<const TextFile>(embedded::cfamily_prelude::files)}) {
    for (const TextFile& file : files) {
      if (file.name != header) continue;
      for (const std::string& text : {" " + name + "(", "(" + name + ")", "(" + name + ", "}) {
        if (file.text.find(text) != std::string_view::npos) return true;
      }
    }
  }
  return false;
}

}  // namespace tl::testing
