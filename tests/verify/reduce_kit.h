/* Bodies to be reduced: models from text, bricks of eight nodes, and blocks of memory. */
#ifndef SN_VERIFY_REDUCE_KIT_H
#define SN_VERIFY_REDUCE_KIT_H

#include "kit.h"

#include "reduce/fe_model.h"

static inline void *reduce_alloc(sn_block *b, size_t n, size_t size)
{
    return sn_arena_alloc(b->owner, n, size);
}
static inline sn_block reduce_block(sn_arena *arena)
{
    return (sn_block){.alloc = reduce_alloc, .owner = arena};
}

/* A body and what it is made of */
typedef struct reduced_case {
    sn_arena arena;
    sn_fe_body fe;
    sn_reduced_body *b;
} reduced_case;

static inline void reduce_close(reduced_case *k) { sn_arena_free(&k->arena); }

/* The interfaces are nodes by name, ended by NULL */
static inline sn_status reduce_text(const char *text, const char *const *interface, sn_fe_options o,
                                    int at_static, reduced_case *k, sn_err *err)
{
    sn_model *m;
    sn_values *p = NULL;
    sn_fe_point point[8];
    int node[8];
    *k = (reduced_case){.b = NULL};
    sn_block block = reduce_block(&k->arena);
    SN_TRY(sn_model_read_text("body", text, strlen(text), &m, err));
    sn_status s = sn_values_new(m, &p, err);
    if (!s) s = sn_values_update(p, err);
    if (!s) s = sn_fe_of_model(m, p, at_static, &k->arena, &k->fe, err);
    for (int i = 0; !s && interface[i]; i++) {
        node[i] = sn_fe_node(&k->fe, interface[i]);
        point[i] = (sn_fe_point){.name = interface[i], .n = 1, .node = &node[i]};
        if (node[i] >= 0) memcpy(point[i].X, k->fe.X + 3 * node[i], sizeof point[i].X);
        o.n_interface = i + 1;
    }
    o.point = point;
    if (!s) s = sn_reduce_body(&k->fe, &o, &block, &k->b, err);
    sn_values_free(p);
    sn_model_free(m);
    return s;
}

/* ---- a box of n x n x n bricks ---- */

typedef struct box {
    int n[3];
    double size[3], E, nu, rho;
} box;

static const double box_gauss = 0.57735026918962576451;

static inline void box_shape(const double *x, double *N, double D[8][3])
{
    for (int a = 0; a < 8; a++) {
        double s[3], f[3];
        for (int c = 0; c < 3; c++) s[c] = a >> c & 1 ? 1 : -1, f[c] = 0.5 * (1 + s[c] * x[c]);
        N[a] = f[0] * f[1] * f[2];
        D[a][0] = 0.5 * s[0] * f[1] * f[2], D[a][1] = 0.5 * s[1] * f[0] * f[2],
        D[a][2] = 0.5 * s[2] * f[0] * f[1];
    }
}

/* K and M (24 x 24) of a brick with sides h */
static inline void box_brick(const box *b, const double *h, double *K, double *M)
{
    const double lam = b->E * b->nu / ((1 + b->nu) * (1 - 2 * b->nu)), mu = b->E / (2 * (1 + b->nu)),
                 w = h[0] * h[1] * h[2] / 8;
    memset(K, 0, 576 * sizeof *K), memset(M, 0, 576 * sizeof *M);
    for (int g = 0; g < 8; g++) {
        const double x[3] = {g & 1 ? box_gauss : -box_gauss, g & 2 ? box_gauss : -box_gauss,
                             g & 4 ? box_gauss : -box_gauss};
        double N[8], D[8][3];
        box_shape(x, N, D);
        for (int a = 0; a < 8; a++)
            for (int c = 0; c < 3; c++) D[a][c] *= 2 / h[c];
        for (int a = 0; a < 8; a++)
            for (int e = 0; e < 8; e++) {
                double dot = D[a][0] * D[e][0] + D[a][1] * D[e][1] + D[a][2] * D[e][2];
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++) {
                        K[24 * (3 * a + i) + 3 * e + j] +=
                            w * (lam * D[a][i] * D[e][j] + mu * D[a][j] * D[e][i] + (i == j) * mu * dot);
                        M[24 * (3 * a + i) + 3 * e + j] += (i == j) * w * b->rho * N[a] * N[e];
                    }
            }
    }
}

static inline int box_node(const box *b, int i, int j, int k)
{
    return i + (b->n[0] + 1) * (j + (b->n[1] + 1) * k);
}

/* The body, its corner at the origin */
static inline void box_body(const box *b, sn_arena *arena, sn_fe_body *fe)
{
    const int nodes = (b->n[0] + 1) * (b->n[1] + 1) * (b->n[2] + 1);
    const double h[3] = {b->size[0] / b->n[0], b->size[1] / b->n[1], b->size[2] / b->n[2]};
    double K[576], M[576], *X = sn_arena_alloc(arena, 3 * (size_t)nodes, sizeof *X);
    int *dof = sn_arena_alloc(arena, 6 * (size_t)nodes, sizeof *dof);
    const char **name = sn_arena_alloc(arena, (size_t)nodes, sizeof *name);
    sn_triplets k = {0}, m = {0};
    box_brick(b, h, K, M);
    for (int z = 0; z <= b->n[2]; z++)
        for (int y = 0; y <= b->n[1]; y++)
            for (int x = 0; x <= b->n[0]; x++) {
                const int at = box_node(b, x, y, z);
                X[3 * at] = x * h[0], X[3 * at + 1] = y * h[1], X[3 * at + 2] = z * h[2];
                for (int c = 0; c < 6; c++) dof[6 * at + c] = c < 3 ? 3 * at + c : -1;
                name[at] = sn_arena_printf(arena, "%d", at + 1);
                if (x == b->n[0] || y == b->n[1] || z == b->n[2]) continue;
                for (int i = 0; i < 24; i++)
                    for (int j = 0; j < 24; j++) {
                        const int a = i / 3, e = j / 3;
                        const int r = 3 * box_node(b, x + (a & 1), y + (a >> 1 & 1), z + (a >> 2 & 1)) +
                                      i % 3,
                                  c = 3 * box_node(b, x + (e & 1), y + (e >> 1 & 1), z + (e >> 2 & 1)) +
                                      j % 3;
                        sn_triplets_add(&k, r, c, K[24 * i + j]);
                        sn_triplets_add(&m, r, c, M[24 * i + j]);
                    }
            }
    *fe = (sn_fe_body){.n = 3 * nodes, .n_node = nodes, .node = name, .X = X, .dof = dof};
    sn_triplets_compress(arena, &k, fe->n, fe->n, &fe->K, NULL);
    sn_triplets_compress(arena, &m, fe->n, fe->n, &fe->M, NULL);
    sn_triplets_free(&k), sn_triplets_free(&m);
}

/* The face at one end along x */
static inline sn_fe_point box_face(const box *b, sn_arena *arena, const char *name, int end)
{
    int *node = sn_arena_alloc(arena, (size_t)((b->n[1] + 1) * (b->n[2] + 1)), sizeof *node), n = 0;
    for (int z = 0; z <= b->n[2]; z++)
        for (int y = 0; y <= b->n[1]; y++) node[n++] = box_node(b, end ? b->n[0] : 0, y, z);
    return (sn_fe_point){name, n, node, {end ? b->size[0] : 0, 0.5 * b->size[1], 0.5 * b->size[2]}};
}

#endif
