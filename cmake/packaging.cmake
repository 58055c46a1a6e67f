# Install: the library, its headers, the command, its manual pages and completions, a CMake package and a pkg-config file.
# The last two carry the full paths of what a static libsinew needs, so that a program that uses sinew links without hints of
# its own. Nothing that is installed knows where it lies: the tree can be moved. Packages: cpack.cmake.
include(CMakePackageConfigHelpers)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # cpack packs what there is; it builds no tests

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
install(TARGETS sinew EXPORT sinew)
install(TARGETS sinew_cli sinew_conformance)
install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY build/site/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html OPTIONAL) # made by scripts/site
install(FILES share/completions/sinew.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sinew)
install(FILES share/completions/sinew.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# What lies elsewhere on Debian, or has another form there, belongs to the component portable.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT portable)
install(FILES share/completions/_sinew DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT portable)
if(NOT CMAKE_CROSSCOMPILING) # the command writes its manual pages itself
  set(man ${PROJECT_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${man}/sinew.1
    COMMAND ${CMAKE_COMMAND} -DSINEW=$<TARGET_FILE:sinew_cli> -DOUT=${man} -P ${PROJECT_SOURCE_DIR}/cmake/man.cmake
    DEPENDS sinew_cli cmake/man.cmake share/man/sinew-conformance.1 VERBATIM)
  add_custom_target(sinew_man ALL DEPENDS ${man}/sinew.1)
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT portable)
  if(TARGET cli_tests)
    add_dependencies(cli_tests sinew_man)
  endif()
endif()
install(EXPORT sinew NAMESPACE sinew:: FILE sinewConfig.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake DESTINATION ${package_dir})

# The .pc file finds its prefix from where it lies: an installed tree may be moved.
list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE pc_dl)
list(JOIN SINEW_LIBRARIES " " pc_private)
list(JOIN instrument " " pc_instrument)
function(sinew_pc file folder pc_libdir)
  file(RELATIVE_PATH pc_prefix /prefix/${folder} /prefix)
  configure_file(cmake/sinew.pc.in ${file} @ONLY)
endfunction()
sinew_pc(${PROJECT_BINARY_DIR}/sinew.pc ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT portable)
install(SCRIPT cmake/write_uninstall.cmake COMPONENT portable)
include(cpack)
