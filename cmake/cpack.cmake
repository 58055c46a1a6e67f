# Packages (scripts/package): a .deb, and an archive that can be unpacked anywhere. In the .deb manual pages are compressed and
# some files lie elsewhere: the component debian, in place of portable.
set(CPACK_PACKAGE_NAME sinew)
set(CPACK_PACKAGE_CONTACT "the authors of sinew <sinew@users.noreply.example.org>" CACHE STRING "maintainer of the packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulation and identification of flexible multibody systems")
set(CPACK_PACKAGE_DESCRIPTION "sinew simulates mechanisms of rigid and flexible bodies that a text file
describes, differentiates the simulation by every number of the file, and
finds those numbers, or forces, from measured signals. It has a command, a
C library and pages that show results in a browser.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/cpack_config.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" system)
set(CPACK_PACKAGE_FILE_NAME sinew-${PROJECT_VERSION}-${system})
set(CPACK_ARCHIVE_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})

find_program(DPKG_QUERY dpkg-query)
find_program(GZIP gzip)
if(DPKG_QUERY AND GZIP AND TARGET sinew_man)
  # Libraries that are loaded when first used: shlibdeps does not see them.
  function(package_of variable files)
    string(REGEX MATCHALL "[^\",]+" names "${files}")
    set(${variable} "" PARENT_SCOPE)
    if(NOT names)
      return()
    endif()
    list(GET names -1 name)
    execute_process(COMMAND ${DPKG_QUERY} -S "*/${name}" OUTPUT_VARIABLE owner ERROR_QUIET)
    string(REGEX REPLACE ":.*" "" owner "${owner}")
    set(${variable} "${owner}" PARENT_SCOPE)
  endfunction()
  package_of(hdf5 "${SINEW_HDF5_FILES}")
  package_of(mumps "${SINEW_MUMPS_FILES}")
  package_of(matio "${SINEW_MATIO_FILES}")
  package_of(ida "${SINEW_IDA_FILES}")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  string(REPLACE ";" ", " CPACK_DEBIAN_PACKAGE_DEPENDS "${hdf5};sensible-utils")
  string(REPLACE ";" ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS "${mumps};${matio}")
  string(REPLACE ";" ", " CPACK_DEBIAN_PACKAGE_SUGGESTS "${ida};chromium;libfyaml-dev;libsuitesparse-dev;liblapacke-dev;libopenblas-dev;libarpack2-dev")
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

  set(debian ${PROJECT_BINARY_DIR}/debian)
  file(WRITE ${debian}/changelog "sinew (${PROJECT_VERSION}) unstable; urgency=medium

  * Version ${PROJECT_VERSION}; what is new stands in CHANGELOG.md.

 -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 2026 00:00:00 +0000
")
  add_custom_command(OUTPUT ${debian}/changelog.gz DEPENDS sinew_man ${debian}/changelog
    COMMAND ${GZIP} -9nkf changelog
    COMMAND ${CMAKE_COMMAND} -E rm -rf man1
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${man} man1
    COMMAND ${GZIP} -9nr man1
    WORKING_DIRECTORY ${debian} VERBATIM)
  add_custom_target(sinew_debian DEPENDS ${debian}/changelog.gz)
  install(DIRECTORY ${debian}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT debian EXCLUDE_FROM_ALL)
  install(FILES share/debian/copyright ${debian}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT debian EXCLUDE_FROM_ALL)
  sinew_pc(${debian}/sinew.pc lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig lib)
  install(FILES ${debian}/sinew.pc DESTINATION lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig
    COMPONENT debian EXCLUDE_FROM_ALL)
  install(FILES share/completions/_sinew DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
    COMPONENT debian EXCLUDE_FROM_ALL)
endif()
include(CPack)
