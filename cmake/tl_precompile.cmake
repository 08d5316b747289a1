# Parsing the standard library is most of what a source file costs, so it is parsed once a set of targets that are compiled
# with the same options. Files still include what they use; -DTL_PRECOMPILE=OFF builds without.

option(TL_PRECOMPILE "Parse the headers of the standard library once" ON)

set(TL_STANDARD_HEADERS
    <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <random> <span> <string> <string_view>
    <unordered_map> <unordered_set> <variant> <vector> <fmt/format.h>)

# tl_precompile(<target> SET <name> HEADERS <header>...): the first target of a set compiles its headers, the others take
# them from it.
function(tl_precompile target)
  cmake_parse_arguments(arg "" "SET" "HEADERS" ${ARGN})
  if(NOT TL_PRECOMPILE)
    return()
  endif()
  get_property(owner GLOBAL PROPERTY tl_precompiled_${arg_SET})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
    set_property(GLOBAL PROPERTY tl_precompiled_${arg_SET} ${target})
  endif()
endfunction()
