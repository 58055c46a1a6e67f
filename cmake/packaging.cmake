# Install: the library, its headers, the command, a CMake package and a pkg-config file. Both files carry the full
# paths of what a static libsinew needs, so that a program that uses sinew links without hints of its own.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
install(TARGETS sinew EXPORT sinew)
install(TARGETS sinew_cli sinew_conformance)
install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY build/site/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html OPTIONAL) # made by scripts/site
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES share/completions/sinew.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sinew)
install(EXPORT sinew NAMESPACE sinew:: FILE sinewConfig.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake DESTINATION ${package_dir})

# The .pc file finds its prefix from where it lies: an installed tree may be moved.
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE pc_dl)
list(JOIN SINEW_LIBRARIES " " pc_private)
list(JOIN instrument " " pc_instrument)
configure_file(cmake/sinew.pc.in sinew.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
