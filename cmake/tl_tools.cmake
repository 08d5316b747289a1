# tlc: opt, run, emit and shrink on text IR.

file(GLOB_RECURSE tl_tools_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/tools/*.cpp)
if(NOT tl_tools_sources)
  return()
endif()

add_executable(tlc ${tl_tools_sources})
target_link_libraries(tlc PRIVATE tl_driver)
set_target_properties(tlc PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(SKBUILD)
  install(TARGETS tlc RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR})
endif()
add_dependencies(product tlc)
