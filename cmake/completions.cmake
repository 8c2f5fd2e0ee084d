# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion for shells, made of the program's rows of options.  `batconv_table` is batconv without the scripts: it prints the rows,
# of which awk makes the scripts, and these become a part of batconv, for 'batconv help --completion=SHELL'.  What cannot run here (cross
# builds without an emulator) has and installs none.
set(BATCONV_BASH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/bash-completion/completions CACHE STRING "Where bash looks for completions")
set(BATCONV_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completions")
set(BATCONV_FISH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d CACHE STRING "Where fish looks for completions")

find_program(AWK NAMES awk mawk gawk)
set(completions ${CMAKE_BINARY_DIR}/completions)

# make_completion SHELL FOLDER NAME: NAME is what the file is called there.
function(make_completion shell folder name)
  set(file ${completions}/${shell}/${name})
  set(code ${CMAKE_SOURCE_DIR}/cmake/completion/code.${shell})
  file(MAKE_DIRECTORY ${completions}/${shell})
  add_custom_command(OUTPUT ${file}
    COMMAND ${AWK} -v shell=${shell} -v code=${code} -f ${CMAKE_SOURCE_DIR}/cmake/completion/completion.awk ${completions}/table > ${file}
    DEPENDS ${completions}/table ${code} ${CMAKE_SOURCE_DIR}/cmake/completion/completion.awk VERBATIM)
  install(FILES ${file} DESTINATION ${folder})
endfunction()

# Shells find bash's and fish's by the name of the program; zsh's file says which it is for.
function(link_completion target link folder)
  file(CREATE_LINK ${target} ${CMAKE_BINARY_DIR}/completions/${link} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/completions/${link} DESTINATION ${folder})
endfunction()

if(AWK AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
  add_executable(batconv_table $<TARGET_OBJECTS:batconv_cli>)
  target_link_libraries(batconv_table PRIVATE batconv_core batconv_flags)
  file(MAKE_DIRECTORY ${completions})
  add_custom_command(OUTPUT ${completions}/table COMMAND batconv_table help --table > ${completions}/table DEPENDS batconv_table VERBATIM)
  make_completion(bash ${BATCONV_BASH_COMPLETIONS} batconv)
  make_completion(zsh ${BATCONV_ZSH_COMPLETIONS} _batconv)
  make_completion(fish ${BATCONV_FISH_COMPLETIONS} batconv.fish)
  set(scripts ${completions}/bash/batconv ${completions}/zsh/_batconv ${completions}/fish/batconv.fish)
  add_custom_command(OUTPUT ${completions}/completions.c
    COMMAND ${AWK} -f ${CMAKE_SOURCE_DIR}/cmake/completion/embed.awk ${scripts} > ${completions}/completions.c
    DEPENDS ${scripts} ${CMAKE_SOURCE_DIR}/cmake/completion/embed.awk VERBATIM)
  target_sources(batconv PRIVATE ${completions}/completions.c)
  foreach(name IN LISTS BATCONV_INSTALLED_NAMES)
    link_completion(batconv ${name} ${BATCONV_BASH_COMPLETIONS})
    link_completion(batconv.fish ${name}.fish ${BATCONV_FISH_COMPLETIONS})
  endforeach()
endif()
