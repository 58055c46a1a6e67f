/* Matrices as MatrixMarket files (Boisvert, Pozo, Remington 1996), names as plain lists. */
#ifndef SN_IO_MTX_H
#define SN_IO_MTX_H

#include "sinew/sinew.h"

/* Where they go, and the files that must not be replaced. */
typedef struct sn_mtx_folder {
    const char *path;
    int n_input;
    const char *const *input;
} sn_mtx_folder;

/* FOLDER/NAME.mtx, "coordinate real general", numbers with 17 digits; the folder is made where it is missing.
 */
sn_status sn_mtx_write(const sn_mtx_folder *folder, const char *name, const sn_sparse *a, const char *comment,
                       sn_err *err);
/* Likewise of a dense matrix, row by row: "array real general". */
typedef struct sn_mtx_dense {
    int rows, cols;
    const double *x;
} sn_mtx_dense;
sn_status sn_mtx_write_dense(const sn_mtx_folder *folder, const char *name, const sn_mtx_dense *a,
                             const char *comment, sn_err *err);
/* FOLDER/NAME.txt, one name a line. */
sn_status sn_names_write(const sn_mtx_folder *folder, const char *name, int n, const char *const *names,
                         sn_err *err);

#endif
