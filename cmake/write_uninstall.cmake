# After an installation: write share/sinew/uninstall.cmake beside what was installed, which removes it again, wherever it lies
# by then. Not for packages, whose parts are installed one by one.
if(CMAKE_INSTALL_COMPONENT)
  return()
endif()
set(files share/sinew/uninstall.cmake)
foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
  file(RELATIVE_PATH file ${CMAKE_INSTALL_PREFIX} ${file})
  list(APPEND files ${file})
endforeach()
list(JOIN files "\n  " files)
file(WRITE $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/sinew/uninstall.cmake "# Removes this sinew: cmake -P FILE
set(files
  ${files})
cmake_path(SET prefix NORMALIZE \${CMAKE_CURRENT_LIST_DIR}/../..)
foreach(file IN LISTS files)
  file(REMOVE \${prefix}/\${file})
  # folders of ours that are empty now
  cmake_path(GET file PARENT_PATH folder)
  file(GLOB left \${prefix}/\${folder}/*)
  if(folder MATCHES \"/sinew\$\" AND NOT left)
    file(REMOVE_RECURSE \${prefix}/\${folder})
  endif()
endforeach()
list(LENGTH files n)
message(STATUS \"\${n} files removed from \${prefix}\")
")
