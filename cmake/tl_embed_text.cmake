# tl_embed_text(<target> <name> <file>...): puts the text of files into a target.
#
# Generates embedded/<name>.h, where the namespace tl::embedded::<name> declares one std::string_view a file, called as the file
# without its extension, and `files`, a std::span of tl::TextFile {name, text} in the given order. Changing a file rebuilds only the
# generated source.
function(tl_embed_text target name)
  set(header ${TL_GENERATED_DIR}/embedded/${name}.h)
  set(source ${TL_GENERATED_DIR}/embedded/${name}.cpp)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_text_script.cmake)
  add_custom_command(
    OUTPUT ${header} ${source}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DHEADER=${header} -DSOURCE=${source} "-DFILES=${ARGN}" -P ${script}
    DEPENDS ${ARGN} ${script}
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE ${header} ${source})
endfunction()

# tl_embed_folder(<target> <name> <folder>): tl_embed_text of every header in a folder, in alphabetical order; nothing without any.
function(tl_embed_folder target name folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.h)
  if(files)
    tl_embed_text(${target} ${name} ${files})
  endif()
endfunction()
