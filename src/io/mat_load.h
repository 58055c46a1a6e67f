/* libmatio, which writes MATLAB files, loaded at the first one. Include this instead of matio.h; call
   sn_mat_load before the first of its functions, and all of them between sn_mat_enter and sn_mat_leave. */
#ifndef SN_IO_MAT_LOAD_H
#define SN_IO_MAT_LOAD_H

#include "sinew/base.h"

#include <matio.h>

#define SN_MAT_LIST(X)                                                                                       \
    X(Mat_GetLibraryVersion)                                                                                 \
    X(Mat_LogInitFunc)                                                                                       \
    X(Mat_CreateVer)                                                                                         \
    X(Mat_Close)                                                                                             \
    X(Mat_VarCreate)                                                                                         \
    X(Mat_VarCreateStruct)                                                                                   \
    X(Mat_VarAddStructField)                                                                                 \
    X(Mat_VarSetStructFieldByName)                                                                           \
    X(Mat_VarFree)                                                                                           \
    X(Mat_VarWrite)

typedef struct sn_mat_table {
#define SN_MAT(name) __typeof__(name) *name;
    SN_MAT_LIST(SN_MAT)
#undef SN_MAT
} sn_mat_table;
extern sn_mat_table sn_mat;

/* SN_ERR_FILE when there is none. */
sn_status sn_mat_load(sn_err *err);
/* One thread at a time; HDF5 may be entered in between. */
void sn_mat_enter(void);
void sn_mat_leave(void);

#define Mat_GetLibraryVersion       sn_mat.Mat_GetLibraryVersion
#define Mat_LogInitFunc             sn_mat.Mat_LogInitFunc
#define Mat_CreateVer               sn_mat.Mat_CreateVer
#define Mat_Close                   sn_mat.Mat_Close
#define Mat_VarCreate               sn_mat.Mat_VarCreate
#define Mat_VarCreateStruct         sn_mat.Mat_VarCreateStruct
#define Mat_VarAddStructField       sn_mat.Mat_VarAddStructField
#define Mat_VarSetStructFieldByName sn_mat.Mat_VarSetStructFieldByName
#define Mat_VarFree                 sn_mat.Mat_VarFree
#define Mat_VarWrite                sn_mat.Mat_VarWrite

#endif
