# {fmt} from the system's headers, compiled once into tl_fmt. The distribution's libfmt.so is not linked, so that a built
# wheel needs nothing but glibc and libstdc++, and no other file pays for the header-only mode.

find_path(TL_FMT_INCLUDE_DIR fmt/format-inl.h)
if(NOT TL_FMT_INCLUDE_DIR)
  message(FATAL_ERROR "The headers of {fmt} were not found; on Debian and Ubuntu: apt-get install libfmt-dev")
endif()

add_library(tl_fmt STATIC src/support/fmt_impl.cpp)
if(NOT TL_FMT_INCLUDE_DIR STREQUAL "/usr/include")
  target_include_directories(tl_fmt SYSTEM PUBLIC ${TL_FMT_INCLUDE_DIR})
endif()
