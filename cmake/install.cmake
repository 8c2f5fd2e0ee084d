# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakePackageConfigHelpers)

install(TARGETS batconv RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
option(BATCONV_INSTALL_PERF2BOLT "Install a link perf2bolt, which takes perf2bolt's options" OFF)
if(BATCONV_INSTALL_PERF2BOLT)
  file(CREATE_LINK batconv ${CMAKE_BINARY_DIR}/perf2bolt SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/perf2bolt DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS bat_static bat_shared EXPORT bat-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/bat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
file(CREATE_LINK batconv.1 ${CMAKE_BINARY_DIR}/batconv-convert.1 SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/batconv-convert.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 FILES_MATCHING PATTERN "*.3")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN man EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bat)
install(EXPORT bat-targets FILE bat-config.cmake NAMESPACE batconv:: DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/bat-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/bat-config-version.cmake DESTINATION ${package_dir})

configure_file(cmake/bat.pc.in ${CMAKE_BINARY_DIR}/bat.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/bat.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
