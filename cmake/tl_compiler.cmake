# How every target of the project is compiled.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "TileLang needs g++ 12 or newer, found ${CMAKE_CXX_COMPILER_VERSION}; "
                      "on Debian and Ubuntu: apt-get install g++-12")
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# Contraction stays off: the interpreter and constant folding must round exactly as the source says.
add_compile_options(-Wall -Wextra -Wpedantic -Werror -ffp-contract=off -ffunction-sections -fdata-sections)

set(TL_SANITIZE "" CACHE STRING "Sanitizers for the C++ tests, as g++ names them: address,undefined or thread")
if(TL_SANITIZE)
  add_compile_options(-fsanitize=${TL_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${TL_SANITIZE})
endif()

find_program(TL_CCACHE ccache)
if(TL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache must be told that precompiled headers may be trusted to hold what their sources say.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${TL_CCACHE})
  add_compile_options(-fpch-preprocess)
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

set(TL_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
