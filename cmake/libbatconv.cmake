# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The libraries of include/batconv.

# libbatconv-capture: what a sampler links.  libc only.
file(GLOB capture_sources CONFIGURE_DEPENDS lib/capture/*.c)
add_library(capture_objects OBJECT ${capture_sources})
target_include_directories(capture_objects PRIVATE include ${CMAKE_SOURCE_DIR})
target_link_libraries(capture_objects PRIVATE batconv_flags)
foreach(kind STATIC SHARED)
  string(TOLOWER batconv_capture_${kind} name)
  add_library(${name} ${kind} $<TARGET_OBJECTS:capture_objects>)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME batconv-capture EXPORT_NAME ${name})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:batconv_flags>)
endforeach()

# libbatconv: images, maps, snapshots, resolving.  Its parts are the program's; what
# the headers do not declare stays inside.
file(GLOB batconv_sources CONFIGURE_DEPENDS lib/*.c)
add_library(batconv_shared SHARED ${batconv_sources})
set_target_properties(batconv_shared PROPERTIES OUTPUT_NAME batconv EXPORT_NAME batconv_shared)
target_include_directories(batconv_shared PUBLIC
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(batconv_shared PRIVATE
  $<BUILD_INTERFACE:batconv_core> $<BUILD_INTERFACE:batconv_flags>)
# Libraries that only the program needs, such as libseccomp, are none of its own.
target_link_options(batconv_shared PRIVATE LINKER:--exclude-libs,ALL LINKER:--as-needed)

set_target_properties(batconv_shared batconv_capture_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${BATCONV_ABI})
export_versions(batconv_shared batconv)
export_versions(batconv_capture_shared batconv-capture)

install(TARGETS batconv_shared batconv_capture_static batconv_capture_shared EXPORT batconv-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/batconv DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT batconv-targets FILE batconv-config.cmake NAMESPACE batconv::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/batconv)
install_version(batconv)
install_pc(batconv)
install_pc(batconv-capture)

# The examples: built with everything, so that they stay true.
foreach(example sampler resolve translate)
  add_executable(example_${example} examples/${example}.c)
endforeach()
target_link_libraries(example_sampler PRIVATE batconv_capture_static batconv_flags)
target_compile_options(example_sampler PRIVATE -fno-omit-frame-pointer -fno-optimize-sibling-calls)
foreach(example resolve translate)
  target_link_libraries(example_${example} PRIVATE batconv_shared batconv_flags)
endforeach()
