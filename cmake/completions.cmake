# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion for shells.  The program writes it ('batconv help --completion=SHELL', src/cli/completion.c): from its rows of options,
# and from completion/code.SHELL, which is a part of the program.  Cross builds without an emulator install no files.
set(BATCONV_BASH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/bash-completion/completions CACHE STRING "Where bash looks for completions")
set(BATCONV_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completions")
set(BATCONV_FISH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d CACHE STRING "Where fish looks for completions")

set(completions ${CMAKE_BINARY_DIR}/completions)
# install_completion(SHELL FOLDER NAME): NAME is what the file is called there.
function(install_completion shell folder name)
  set(file ${completions}/${shell}/${name})
  file(MAKE_DIRECTORY ${completions}/${shell})
  add_custom_command(OUTPUT ${file} COMMAND batconv help --completion=${shell} > ${file} DEPENDS batconv VERBATIM)
  add_custom_target(completion_${shell} ALL DEPENDS ${file})
  install(FILES ${file} DESTINATION ${folder})
endfunction()

# Shells find bash's and fish's by the name of the program; zsh's file says which it is for.
function(link_completion target link folder)
  file(CREATE_LINK ${target} ${completions}/${link} SYMBOLIC)
  install(FILES ${completions}/${link} DESTINATION ${folder})
endfunction()

if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  install_completion(bash ${BATCONV_BASH_COMPLETIONS} batconv)
  install_completion(zsh ${BATCONV_ZSH_COMPLETIONS} _batconv)
  install_completion(fish ${BATCONV_FISH_COMPLETIONS} batconv.fish)
  foreach(name IN LISTS BATCONV_INSTALLED_NAMES)
    link_completion(batconv ${name} ${BATCONV_BASH_COMPLETIONS})
    link_completion(batconv.fish ${name}.fish ${BATCONV_FISH_COMPLETIONS})
  endforeach()
endif()
