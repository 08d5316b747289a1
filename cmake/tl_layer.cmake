# tl_layer(<folder> [NEEDS <layer>...]): the static library tl_<folder> of every .cpp file below src/<folder>.
# A folder without a .cpp file gets an empty one, so that it is a library like the others. Headers under a folder named
# prelude are text for generated programs and never compiled here.
function(tl_layer folder)
  cmake_parse_arguments(arg "" "" "NEEDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/prelude/|/support/fmt_impl\\.cpp$")
  if(NOT sources)
    set(sources ${TL_GENERATED_DIR}/empty.cpp)
    if(NOT EXISTS ${sources})
      file(WRITE ${sources} "// Stands in for the sources of a folder that has none.\n")
    endif()
  endif()
  list(TRANSFORM arg_NEEDS PREPEND tl_ OUTPUT_VARIABLE needs)
  add_library(tl_${folder} STATIC ${sources})
  target_include_directories(tl_${folder} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/src ${TL_GENERATED_DIR})
  target_link_libraries(tl_${folder} PUBLIC ${needs})
  tl_precompile(tl_${folder} SET layers HEADERS ${TL_STANDARD_HEADERS})
endfunction()
