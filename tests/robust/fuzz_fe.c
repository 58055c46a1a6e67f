/* Fuzzing: any bytes are a matrix, a list of rows, a mesh, a table of nodes, or Nastran's. */
#include "robust/fuzz.h"

#include "reduce/fe_files.h"

static void read_mesh(const char *path, sn_status (*read)(const char *, sn_arena *, sn_fe_mesh *, sn_err *))
{
    sn_arena arena = {0};
    sn_fe_mesh m = {0};
    sn_err err;
    sn_err_clear(&err);
    sn_status s = read(path, &arena, &m, &err);
    check_reports(s, &err);
    for (int i = 0; !s && i < m.n_set; i++)
        for (int k = 0; k < m.set[i].n; k++)
            if (m.set[i].node[k] < 0 || m.set[i].node[k] >= m.n_node) abort();
    for (int i = 0; !s && i < m.n_face; i++)
        for (int c = 0; c < 4; c++)
            if (m.face[i][c] >= m.n_node || (c < 3 && m.face[i][c] < 0)) abort();
    sn_fe_mesh_free(&m);
    sn_arena_free(&arena);
}

static sn_status read_grids(const char *path, sn_arena *arena, sn_fe_mesh *m, sn_err *err)
{
    (void)arena;
    return sn_fe_read_grids(path, m, err);
}

/* Entries of DMIG among the nodes of the same bytes */
static void read_dmig(const char *path)
{
    sn_fe_mesh m = {0};
    sn_triplets t = {0};
    sn_err err;
    sn_err_clear(&err);
    sn_status s = sn_fe_read_grids(path, &m, &err);
    sn_err_clear(&err);
    if (!s) s = sn_fe_read_dmig(path, NULL, &m, &t, &err), check_reports(s, &err);
    for (int k = 0; k < t.n; k++)
        if (t.row[k] < 0 || t.row[k] >= 6 * m.n_node || t.col[k] < 0 || t.col[k] >= 6 * m.n_node) abort();
    sn_triplets_free(&t);
    sn_fe_mesh_free(&m);
}

static void check_matrix(sn_status s, const sn_sparse *A)
{
    for (int j = 0; !s && j < A->cols; j++)
        for (int k = A->first[j]; k < A->first[j + 1]; k++)
            if (A->row[k] < 0 || A->row[k] >= A->rows || (k > A->first[j] && A->row[k] <= A->row[k - 1]))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = as_file("body.inp", data, size);
    sn_arena arena = {0};
    sn_sparse A = {0};
    int n, (*pair)[2];
    sn_err err;
    read_mesh(path, sn_fe_read_inp);
    read_mesh(path, sn_fe_read_csv);
    read_mesh(path, read_grids);
    read_dmig(path);
    sn_err_clear(&err);
    sn_status s = sn_fe_read_matrix(path, 1, &arena, &A, &err);
    check_reports(s, &err);
    check_matrix(s, &A);
    sn_err_clear(&err);
    s = sn_fe_read_op4(path, NULL, 1, &arena, &A, &err);
    check_reports(s, &err);
    check_matrix(s, &A);
    sn_err_clear(&err);
    check_reports(sn_fe_read_dofs(path, &arena, &n, &pair, &err), &err);
    sn_arena_free(&arena);
    return 0;
}
