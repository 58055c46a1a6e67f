/* HDF5, loaded at the first result: with all it brings it would be most of the start of every command.

   Include this instead of hdf5.h. Code keeps HDF5's own names, which stand for entries of a table here; call
   sn_h5_load before the first one, and all of them between sn_h5_enter and sn_h5_leave. A function that is
   not listed is missed by the linker: add it to h5_list.h and to the names below. */
#ifndef SN_BASE_H5_LOAD_H
#define SN_BASE_H5_LOAD_H

#include "sinew/base.h"

#include <hdf5.h>

typedef struct sn_h5_table {
#define SN_H5(name) __typeof__(name) *name;
#include "base/h5_list.h"
#undef SN_H5
} sn_h5_table;
extern sn_h5_table sn_h5;

/* Load HDF5 of the version of hdf5.h; SN_ERR_FILE when there is none. */
sn_status sn_h5_load(sn_err *err);

/* HDF5 is not made for threads: one at a time is between these two (not twice at once: there is no counting).
   It prints its errors by default; here it is quiet. */
typedef struct sn_h5_noise {
    H5E_auto2_t print;
    void *data;
} sn_h5_noise;
sn_h5_noise sn_h5_enter(void);
void sn_h5_leave(sn_h5_noise noise);

/* sn_h5_load compares versions. HDF5's own comparison, part of H5F_ACC_RDONLY and others, may abort. */
#undef H5CHECK
#define H5CHECK

#define H5Acreate2                   sn_h5.H5Acreate2
#define H5Aexists                    sn_h5.H5Aexists
#define H5Aget_space                 sn_h5.H5Aget_space
#define H5Aget_type                  sn_h5.H5Aget_type
#define H5Aopen                      sn_h5.H5Aopen
#define H5Aread                      sn_h5.H5Aread
#define H5Awrite                     sn_h5.H5Awrite
#define H5Dcreate2                   sn_h5.H5Dcreate2
#define H5Dget_create_plist          sn_h5.H5Dget_create_plist
#define H5Dget_offset                sn_h5.H5Dget_offset
#define H5Dget_space                 sn_h5.H5Dget_space
#define H5Dget_storage_size          sn_h5.H5Dget_storage_size
#define H5Dget_type                  sn_h5.H5Dget_type
#define H5Dopen2                     sn_h5.H5Dopen2
#define H5Dread                      sn_h5.H5Dread
#define H5Dwrite                     sn_h5.H5Dwrite
#define H5Eget_auto2                 sn_h5.H5Eget_auto2
#define H5Eset_auto2                 sn_h5.H5Eset_auto2
#define H5Ewalk2                     sn_h5.H5Ewalk2
#define H5FDregister                 sn_h5.H5FDregister
#define H5FDunregister               sn_h5.H5FDunregister
#define H5Fclose                     sn_h5.H5Fclose
#define H5Fcreate                    sn_h5.H5Fcreate
#define H5Fopen                      sn_h5.H5Fopen
#define H5Gcreate2                   sn_h5.H5Gcreate2
#define H5Idec_ref                   sn_h5.H5Idec_ref
#define H5Iget_type                  sn_h5.H5Iget_type
#define H5Lexists                    sn_h5.H5Lexists
#define H5Oopen                      sn_h5.H5Oopen
#define H5Pcreate                    sn_h5.H5Pcreate
#define H5Pget_driver_info           sn_h5.H5Pget_driver_info
#define H5Pget_external_count        sn_h5.H5Pget_external_count
#define H5Pget_layout                sn_h5.H5Pget_layout
#define H5Pset_alignment             sn_h5.H5Pset_alignment
#define H5Pset_alloc_time            sn_h5.H5Pset_alloc_time
#define H5Pset_attr_phase_change     sn_h5.H5Pset_attr_phase_change
#define H5Pset_driver                sn_h5.H5Pset_driver
#define H5Pset_fclose_degree         sn_h5.H5Pset_fclose_degree
#define H5Pset_file_locking          sn_h5.H5Pset_file_locking
#define H5Pset_fill_time             sn_h5.H5Pset_fill_time
#define H5Pset_fill_value            sn_h5.H5Pset_fill_value
#define H5Pset_layout                sn_h5.H5Pset_layout
#define H5Pset_libver_bounds         sn_h5.H5Pset_libver_bounds
#define H5Pset_obj_track_times       sn_h5.H5Pset_obj_track_times
#define H5Screate                    sn_h5.H5Screate
#define H5Screate_simple             sn_h5.H5Screate_simple
#define H5Sget_simple_extent_dims    sn_h5.H5Sget_simple_extent_dims
#define H5Sget_simple_extent_ndims   sn_h5.H5Sget_simple_extent_ndims
#define H5Sget_simple_extent_npoints sn_h5.H5Sget_simple_extent_npoints
#define H5Sselect_hyperslab          sn_h5.H5Sselect_hyperslab
#define H5Tcopy                      sn_h5.H5Tcopy
#define H5Tget_class                 sn_h5.H5Tget_class
#define H5Tget_size                  sn_h5.H5Tget_size
#define H5Tis_variable_str           sn_h5.H5Tis_variable_str
#define H5Tset_cset                  sn_h5.H5Tset_cset
#define H5Tset_size                  sn_h5.H5Tset_size
#define H5dont_atexit                sn_h5.H5dont_atexit
#define H5free_memory                sn_h5.H5free_memory
#define H5get_libversion             sn_h5.H5get_libversion
#define H5open                       sn_h5.H5open
#define H5P_CLS_DATASET_CREATE_ID_g  (*sn_h5.H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g     (*sn_h5.H5P_CLS_FILE_ACCESS_ID_g)
#define H5P_CLS_FILE_CREATE_ID_g     (*sn_h5.H5P_CLS_FILE_CREATE_ID_g)
#define H5P_CLS_GROUP_CREATE_ID_g    (*sn_h5.H5P_CLS_GROUP_CREATE_ID_g)
#define H5T_C_S1_g                   (*sn_h5.H5T_C_S1_g)
#define H5T_NATIVE_DOUBLE_g          (*sn_h5.H5T_NATIVE_DOUBLE_g)
#define H5T_NATIVE_FLOAT_g           (*sn_h5.H5T_NATIVE_FLOAT_g)
#define H5T_NATIVE_INT32_g           (*sn_h5.H5T_NATIVE_INT32_g)
#define H5T_NATIVE_INT64_g           (*sn_h5.H5T_NATIVE_INT64_g)
#define H5T_NATIVE_INT_g             (*sn_h5.H5T_NATIVE_INT_g)

/* links changed their names in 1.12 */
#if H5_VERSION_GE(1, 12, 0)
#define sn_h5_get_link sn_h5.H5Lget_info2
typedef H5L_info2_t sn_h5_link_info;
#else
#define sn_h5_get_link sn_h5.H5Lget_info
typedef H5L_info_t sn_h5_link_info;
#endif

#endif
