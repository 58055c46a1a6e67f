# What sinew links: SINEW_LIBRARIES (full paths) and SINEW_INCLUDE_DIRS; what it loads when first used:
# SINEW_HDF5_FILES, SINEW_MATIO_FILES, SINEW_MUMPS_FILES and (or empty) SINEW_IDA_FILES; for the tests SINEW_TEST_LIBRARIES, SINEW_HDF5_LIBRARIES and
# SINEW_IDA_LIBRARIES. All that is missing is told at once. The Debian packages are those of scripts/setup.
include(CheckCSourceCompiles)
include(CheckLibraryExists)
find_package(PkgConfig)
set(missing "")

# need(name, Debian package, variables that must have been found...)
function(need name package)
  foreach(variable IN LISTS ARGN)
    if(NOT ${variable})
      set(missing "${missing}\n  ${name}   (Debian: ${package})" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Through pkg-config: NAME_FOUND, NAME_LINK_LIBRARIES, NAME_INCLUDE_DIRS. The first module that exists counts.
macro(find_module name)
  if(PKG_CONFIG_FOUND)
    pkg_search_module(${name} QUIET ${ARGN})
  endif()
endmacro()

need(pkg-config pkg-config PKG_CONFIG_FOUND)

find_module(FYAML libfyaml)
need(libfyaml libfyaml-dev FYAML_FOUND)

# A plain hdf5.pc may be the one for MPI, which would clash with the stand-in that MUMPS brings.
find_module(HDF5 hdf5-serial hdf5)
if("${HDF5_LINK_LIBRARIES}" MATCHES "mpi")
  set(HDF5_FOUND FALSE)
endif()
set(HDF5_LIBRARY ${HDF5_LINK_LIBRARIES})
list(FILTER HDF5_LIBRARY INCLUDE REGEX "libhdf5[^/]*$")
need("HDF5, serial" libhdf5-dev HDF5_FOUND HDF5_LIBRARY)

find_path(MATIO_INCLUDE_DIR matio.h)
find_library(MATIO_LIBRARY matio)
need(libmatio libmatio-dev MATIO_INCLUDE_DIR MATIO_LIBRARY)

find_module(OPENBLAS openblas)
need(OpenBLAS libopenblas-dev OPENBLAS_FOUND)

# Some builds of OpenBLAS bring LAPACKE with them; Debian's does not.
find_path(LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke openblas)
if(OPENBLAS_FOUND)
  check_library_exists("${OPENBLAS_LINK_LIBRARIES}" LAPACKE_dgesv "" OPENBLAS_HAS_LAPACKE)
endif()
if(OPENBLAS_HAS_LAPACKE)
  set(LAPACKE_LIBRARY "")
  need(LAPACKE liblapacke-dev LAPACKE_INCLUDE_DIR)
else()
  find_library(LAPACKE_LIBRARY lapacke)
  need(LAPACKE liblapacke-dev LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY)
endif()

find_path(KLU_INCLUDE_DIR suitesparse/klu.h)
foreach(part klu btf amd colamd suitesparseconfig)
  string(TOUPPER ${part} PART)
  find_library(${PART}_LIBRARY ${part})
endforeach()
need("KLU (SuiteSparse)" libsuitesparse-dev KLU_INCLUDE_DIR KLU_LIBRARY BTF_LIBRARY AMD_LIBRARY COLAMD_LIBRARY
  SUITESPARSECONFIG_LIBRARY)

# The sequential MUMPS with its stand-in for MPI. Debian marks these libraries by _seq.
find_path(MUMPS_INCLUDE_DIR dmumps_c.h PATH_SUFFIXES MUMPS mumps_seq)
find_library(DMUMPS_LIBRARY NAMES dmumps_seq PATHS ENV MUMPS_DIR PATH_SUFFIXES lib)
need("MUMPS, sequential" libmumps-seq-dev MUMPS_INCLUDE_DIR DMUMPS_LIBRARY)

find_library(ARPACK_LIBRARY arpack)
need(ARPACK libarpack2-dev ARPACK_LIBRARY)

# IDA of SUNDIALS, 6 or newer, for the scheme bdf: without it that scheme alone is missing, and the tests that compare with it. Headers
# of a SUNDIALS that was built for MPI ask for another MPI than the stand-in that MUMPS brings: it counts as not found.
find_path(IDA_INCLUDE_DIR ida/ida.h)
if(IDA_INCLUDE_DIR)
  set(CMAKE_REQUIRED_INCLUDES ${IDA_INCLUDE_DIR})
  check_c_source_compiles("#include <ida/ida.h>\nint main(void) { return 0; }" IDA_COMPILES)
  unset(CMAKE_REQUIRED_INCLUDES)
endif()
find_library(SUNDIALS_IDA_LIBRARY sundials_ida)
set(ida_version 0)
if(IDA_INCLUDE_DIR AND EXISTS ${IDA_INCLUDE_DIR}/sundials/sundials_config.h)
  file(STRINGS ${IDA_INCLUDE_DIR}/sundials/sundials_config.h line REGEX "define SUNDIALS_VERSION_MAJOR ")
  string(REGEX MATCH "[0-9]+" ida_version "${line}")
endif()

if(SINEW_BUILD_TESTS)
  find_module(CMOCKA cmocka)
  need("cmocka (tests)" libcmocka-dev CMOCKA_FOUND)
  set(SINEW_IDA_LIBRARIES "")
  foreach(part ida nvecserial sunlinsoldense sunmatrixdense)
    string(TOUPPER SUNDIALS_${part} PART)
    find_library(${PART}_LIBRARY sundials_${part})
    list(APPEND SINEW_IDA_LIBRARIES ${${PART}_LIBRARY})
  endforeach()
  if(NOT IDA_COMPILES OR NOT SINEW_IDA_LIBRARIES OR "${SINEW_IDA_LIBRARIES}" MATCHES "NOTFOUND")
    set(SINEW_IDA_LIBRARIES "")
  endif()
  set(SINEW_TEST_LIBRARIES ${CMOCKA_LINK_LIBRARIES})
  set(SINEW_HDF5_LIBRARIES ${HDF5_LINK_LIBRARIES})
endif()

if(missing)
  message(FATAL_ERROR "sinew needs, and did not find:${missing}\n"
    "On Debian scripts/setup installs what the build needs, scripts/setup --test also what the tests need.")
endif()

# files_of(variable, library): the names by which a library can be loaded at run time, as a C list: its soname (the
# name of its file where it has none), and before that its path where the loader would not look by itself.
function(files_of variable library)
  if(library MATCHES "\\.a$")
    message(FATAL_ERROR "sinew loads this library at run time and needs a shared one: ${library}")
  endif()
  file(REAL_PATH ${library} file)
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(GET file FILENAME name)
  execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE dynamic ERROR_QUIET)
  if("${dynamic}" MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    set(name ${CMAKE_MATCH_1})
  endif()
  set(files "\"${name}\"")
  if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    set(files "\"${folder}/${name}\",${files}")
  endif()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# Loaded when first used (src/base/dynamic_library.h), so that they do not slow down every start.
list(GET HDF5_LIBRARY 0 HDF5_LIBRARY)
files_of(SINEW_HDF5_FILES ${HDF5_LIBRARY})
files_of(SINEW_MATIO_FILES ${MATIO_LIBRARY})
files_of(SINEW_MUMPS_FILES ${DMUMPS_LIBRARY})
set(SINEW_IDA_FILES "")
if(IDA_COMPILES AND SUNDIALS_IDA_LIBRARY MATCHES "\\.so" AND ida_version GREATER_EQUAL 6)
  files_of(SINEW_IDA_FILES ${SUNDIALS_IDA_LIBRARY})
endif()

set(SINEW_LIBRARIES ${KLU_LIBRARY} ${BTF_LIBRARY} ${AMD_LIBRARY} ${COLAMD_LIBRARY} ${SUITESPARSECONFIG_LIBRARY}
  ${ARPACK_LIBRARY} ${LAPACKE_LIBRARY} ${OPENBLAS_LINK_LIBRARIES} ${FYAML_LINK_LIBRARIES})
set(SINEW_INCLUDE_DIRS ${FYAML_INCLUDE_DIRS} ${HDF5_INCLUDE_DIRS} ${OPENBLAS_INCLUDE_DIRS} ${LAPACKE_INCLUDE_DIR}
  ${KLU_INCLUDE_DIR} ${MATIO_INCLUDE_DIR} ${MUMPS_INCLUDE_DIR})
if(SINEW_IDA_FILES)
  list(APPEND SINEW_INCLUDE_DIRS ${IDA_INCLUDE_DIR})
endif()
list(REMOVE_DUPLICATES SINEW_INCLUDE_DIRS)
