/* Values and files of MATLAB's level 5: see result_mat.c. Between sn_mat_enter and sn_mat_leave only. */
#ifndef SN_IO_MAT_VALUE_H
#define SN_IO_MAT_VALUE_H

#include "base/mem.h"
#include "io/mat_load.h"
#include "sinew/sinew.h"

/* NULL: out of memory. name: of a variable, NULL: of a part of one. What they point to is in the arena. */
matvar_t *sn_mat_text(sn_arena *arena, const char *name, const char *text);
/* A row of n texts; all NULL: all are empty. */
matvar_t *sn_mat_texts(sn_arena *arena, const char *name, int n, const char *const *text);
/* x row by row. */
matvar_t *sn_mat_matrix(sn_arena *arena, const char *name, int rows, int cols, const double *x);

/* Where it goes, and the files that must not be replaced. */
typedef struct sn_mat_file {
    const char *path;
    int n_input;
    const char *const *input;
} sn_mat_file;
/* Written atomically. */
sn_status sn_mat_write(const sn_mat_file *to, int n, matvar_t *const *all, sn_err *err);

#endif
