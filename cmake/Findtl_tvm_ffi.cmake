# The target tl_tvm_ffi: headers and library of the Python package apache-tvm-ffi, found through the Python of .venv in the
# tree, else the first one on the path; -DTL_PYTHON=<python> names another. A wheel's build uses the Python that builds it.

if(SKBUILD)
  set(TL_PYTHON ${Python3_EXECUTABLE})
elseif(NOT TL_PYTHON)
  find_program(TL_PYTHON NAMES python python3 HINTS ${CMAKE_CURRENT_SOURCE_DIR}/.venv/bin NO_CMAKE_SYSTEM_PATH)
endif()

function(tl_tvm_ffi_config option result)
  execute_process(
    COMMAND ${TL_PYTHON} -m tvm_ffi.config ${option}
    OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_VARIABLE error)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${TL_PYTHON} cannot say where apache-tvm-ffi is; "
                        "run: ${TL_PYTHON} -m pip install 'apache-tvm-ffi>=0.1.12,<0.2'\n${error}")
  endif()
  set(${result} ${output} PARENT_SCOPE)
endfunction()

tl_tvm_ffi_config(--includedir tl_tvm_ffi_include)
tl_tvm_ffi_config(--dlpack-includedir tl_tvm_ffi_dlpack)
tl_tvm_ffi_config(--libfiles tl_tvm_ffi_library)

add_library(tl_tvm_ffi INTERFACE)
target_include_directories(tl_tvm_ffi SYSTEM INTERFACE ${tl_tvm_ffi_include} ${tl_tvm_ffi_dlpack})
target_link_libraries(tl_tvm_ffi INTERFACE ${tl_tvm_ffi_library})
set(tl_tvm_ffi_FOUND TRUE)
