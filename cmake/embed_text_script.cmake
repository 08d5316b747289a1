# Run by tl_embed_text at build time: writes HEADER and SOURCE, which hold the text of FILES under tl::embedded::NAME.

set(declarations "")
set(definitions "")
set(rows "")
foreach(path IN LISTS FILES)
  get_filename_component(file_name ${path} NAME)
  get_filename_component(stem ${path} NAME_WE)
  string(MAKE_C_IDENTIFIER ${stem} identifier)
  file(READ ${path} text)
  string(APPEND declarations "extern const std::string_view ${identifier};\n")
  string(APPEND definitions "constexpr std::string_view ${identifier} = R\"TL_TEXT(${text})TL_TEXT\";\n")
  string(APPEND rows "    {\"${file_name}\", ${identifier}},\n")
endforeach()

file(WRITE ${HEADER} "// Written by tl_embed_text.
#pragma once

#include <span>
#include <string_view>

#include \"support/text_file.h\"

namespace tl::embedded::${NAME} {
${declarations}extern const std::span<const TextFile> files;
}  // namespace tl::embedded::${NAME}
")
file(WRITE ${SOURCE} "// Written by tl_embed_text.
#include \"embedded/${NAME}.h\"

namespace tl::embedded::${NAME} {
${definitions}
namespace {
constexpr TextFile kFiles[] = {
${rows}};
}  // namespace

constexpr std::span<const TextFile> files{kFiles};
}  // namespace tl::embedded::${NAME}
")
