include(CMakePackageConfigHelpers)

install(TARGETS ridgerunner EXPORT ridgerunner-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# What a user may rely on, and nothing else of the house: cmake/installed_headers.txt, which script/check_includes
# checks. (The service is a program, not a library to build upon.)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/installed_headers.txt installed_headers)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/installed_headers.txt)
foreach(header ${installed_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/src/ridgerunner/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgerunner/${folder})
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/generated/ridgerunner/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgerunner)
install(EXPORT ridgerunner-targets NAMESPACE ridgerunner:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ridgerunner)
configure_package_config_file(cmake/ridgerunner-config.cmake.in ${PROJECT_BINARY_DIR}/ridgerunner-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ridgerunner)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ridgerunner-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ridgerunner-config.cmake ${PROJECT_BINARY_DIR}/ridgerunner-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ridgerunner)
# Relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/ridgerunner.pc.in ${PROJECT_BINARY_DIR}/ridgerunner.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ridgerunner.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET ridgerunner_cli)
  install(TARGETS ridgerunner_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
