include(CMakePackageConfigHelpers)

install(TARGETS ridgerunner EXPORT ridgerunner-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/ridgerunner ${PROJECT_BINARY_DIR}/generated/ridgerunner
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN service EXCLUDE)
if(TARGET ridgerunner_service)  # find_package(ridgerunner COMPONENTS service)
  install(TARGETS ridgerunner_service EXPORT ridgerunner-service-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/ridgerunner/service DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgerunner
          FILES_MATCHING PATTERN "*.h")
  install(EXPORT ridgerunner-service-targets NAMESPACE ridgerunner::
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ridgerunner)
endif()
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
