# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakePackageConfigHelpers)

# A .pc file names the prefix that it is installed to, which `cmake --install --prefix` chooses late.
set(install_prefix "@install_prefix@")
function(install_pc name)
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc.in @ONLY)
  install(CODE "
    set(install_prefix \"\${CMAKE_INSTALL_PREFIX}\")
    configure_file(\"${CMAKE_BINARY_DIR}/${name}.pc.in\" \"${CMAKE_BINARY_DIR}/${name}.pc\" @ONLY)")
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
function(install_version name)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/${name}-config-version.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/${name}-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/${name})
endfunction()

install(TARGETS batconv RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
option(BATCONV_INSTALL_PERF2BOLT "Install a link perf2bolt, which takes perf2bolt's options" OFF)
option(BATCONV_INSTALL_MERGE_FDATA "Install a link merge-fdata, which takes merge-fdata's options" OFF)
option(BATCONV_INSTALL_HEATMAP "Install a link llvm-bolt-heatmap, which takes llvm-bolt-heatmap's options" OFF)
set(BATCONV_INSTALLED_NAMES)
if(BATCONV_INSTALL_PERF2BOLT)
  list(APPEND BATCONV_INSTALLED_NAMES perf2bolt)
endif()
if(BATCONV_INSTALL_MERGE_FDATA)
  list(APPEND BATCONV_INSTALLED_NAMES merge-fdata)
endif()
if(BATCONV_INSTALL_HEATMAP)
  list(APPEND BATCONV_INSTALLED_NAMES llvm-bolt-heatmap)
endif()
foreach(name IN LISTS BATCONV_INSTALLED_NAMES)
  file(CREATE_LINK batconv ${CMAKE_BINARY_DIR}/${name} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
  file(CREATE_LINK batconv-${name}.1 ${CMAKE_BINARY_DIR}/${name}.1 SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endforeach()
install(TARGETS bat_static bat_shared EXPORT bat-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/bat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
file(CREATE_LINK batconv.1 ${CMAKE_BINARY_DIR}/batconv-convert.1 SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/batconv-convert.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 FILES_MATCHING PATTERN "*.3")
# Not with the modes of the checkout, which another umask or a read-only source directory gives it.
set(fleet examples/fleet)
install(PROGRAMS ${fleet}/batconv-fleet ${fleet}/batconv-fleet-step ${fleet}/batconv-fleet.sbatch DESTINATION ${CMAKE_INSTALL_DATADIR}/batconv/${fleet})
install(FILES ${fleet}/share.sh ${fleet}/batconv-record.yaml DESTINATION ${CMAKE_INSTALL_DATADIR}/batconv/${fleet})
install(CODE "
  set(FROM \"${CMAKE_SOURCE_DIR}/${fleet}/batconv-record.service\")
  set(TO \"${CMAKE_BINARY_DIR}/batconv-record.service\")
  set(BINDIR \"${CMAKE_INSTALL_BINDIR}\")")
install(SCRIPT cmake/unit.cmake)
# No unit of the system's: who wants it enables it by its path.
install(FILES ${CMAKE_BINARY_DIR}/batconv-record.service DESTINATION ${CMAKE_INSTALL_DATADIR}/batconv/${fleet})
# Commands in PATH, which find their parts by where the links lead.
file(RELATIVE_PATH fleet_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/batconv/${fleet})
foreach(name batconv-fleet batconv-fleet-step)
  file(CREATE_LINK ${fleet_from_bin}/${name} ${CMAKE_BINARY_DIR}/${name} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
file(CREATE_LINK batconv-fleet.1 ${CMAKE_BINARY_DIR}/batconv-fleet-step.1 SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/batconv-fleet-step.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN man EXCLUDE)

install(EXPORT bat-targets FILE bat-config.cmake NAMESPACE batconv::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/bat)
install_version(bat)
install_pc(bat)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -D MANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
      -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake)
endif()
