# nlohmann/json: one header, used by one file of src/runtime; nothing of it remains outside.

find_path(TL_JSON_INCLUDE_DIR nlohmann/json.hpp)
if(NOT TL_JSON_INCLUDE_DIR)
  message(FATAL_ERROR "The header of nlohmann/json was not found; on Debian and Ubuntu: apt-get install nlohmann-json3-dev")
endif()

add_library(tl_json INTERFACE)
if(NOT TL_JSON_INCLUDE_DIR STREQUAL "/usr/include")
  target_include_directories(tl_json SYSTEM INTERFACE ${TL_JSON_INCLUDE_DIR})
endif()
