# The installed package: the weft program, headers and static libraries of core, graph, models and backends, and a CMake
# package whose targets are weft::core, weft::graph, weft::models and weft::backends.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_targets core graph models backends backend_reference)
foreach(backend cpu opencl)
  if(TARGET backend_${backend})
    list(APPEND package_targets backend_${backend})
  endif()
endforeach()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)

install(TARGETS weft RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${package_targets} EXPORT weft_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT weft_targets NAMESPACE weft:: DESTINATION ${package_dir})
install(DIRECTORY core graph models DESTINATION include/weft FILES_MATCHING PATTERN *.hpp PATTERN testing EXCLUDE)
install(FILES backends/all.hpp DESTINATION include/weft/backends)
install(FILES LICENSE third_party/LICENSES.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(scripts/cmake/weft-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake
        DESTINATION ${package_dir})
