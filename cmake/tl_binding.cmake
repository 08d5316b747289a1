# libtilelang.so: what Python and other languages load. It exports the names in exports.map and nothing else.

file(GLOB_RECURSE tl_binding_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/binding/*.cpp)
if(NOT tl_binding_sources)
  return()
endif()

find_package(tl_tvm_ffi REQUIRED)

add_library(tilelang SHARED ${tl_binding_sources})
target_link_libraries(tilelang PRIVATE tl_driver tl_tvm_ffi)
tl_precompile(tilelang SET layers HEADERS ${TL_STANDARD_HEADERS})
# libtvm_ffi.so is loaded by its Python package before this library, so no path to it is recorded.
set(tl_exports ${CMAKE_CURRENT_LIST_DIR}/exports.map)
target_link_options(tilelang PRIVATE -Wl,--version-script=${tl_exports} -Wl,--gc-sections -Wl,--no-undefined)
set_target_properties(tilelang PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib BUILD_WITH_INSTALL_RPATH ON LINK_DEPENDS ${tl_exports})
install(TARGETS tilelang LIBRARY DESTINATION tilelang/lib)
add_dependencies(product tilelang)
