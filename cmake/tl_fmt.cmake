# {fmt} from the system's headers, compiled once into tl_fmt. The distribution's libfmt.so is not linked, so that a built
# wheel needs nothing but glibc and libstdc++, and no other file pays for the header-only mode.

find_path(TL_FMT_INCLUDE_DIR fmt/format-inl.h)
if(NOT TL_FMT_INCLUDE_DIR)
  message(FATAL_ERROR "The headers of {fmt} were not found; on Debian and Ubuntu: apt-get install libfmt-dev")
endif()

# src/support/fmt_impl.cpp instantiates what these two versions leave to their library.
file(STRINGS ${TL_FMT_INCLUDE_DIR}/fmt/core.h tl_fmt_version REGEX "#define FMT_VERSION (90|100)[0-9][0-9][0-9]$")
if(NOT tl_fmt_version)
  message(FATAL_ERROR "{fmt} 9 or 10 is needed; ${TL_FMT_INCLUDE_DIR}/fmt/core.h is of another version")
endif()

add_library(tl_fmt STATIC src/support/fmt_impl.cpp)
if(NOT TL_FMT_INCLUDE_DIR STREQUAL "/usr/include")
  target_include_directories(tl_fmt SYSTEM PUBLIC ${TL_FMT_INCLUDE_DIR})
endif()
