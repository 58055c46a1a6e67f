/* Finite-element bodies into reduced ones (model/reduced_body.h): Craig-Bampton's static and fixed-interface
   modes, or free ones, made orthonormal without the six rigid-body motions. */
#ifndef SN_REDUCE_REDUCE_H
#define SN_REDUCE_REDUCE_H

#include "base/mem.h"
#include "linsol/linsol.h"
#include "model/reduced_body.h"
#include "sinew/sinew.h"

/* A mass particle: its displacement is N (3 x n) times those of the coordinates dof. */
typedef struct sn_fe_particle {
    double m, x[3];
    int n;
    const int *dof;
    const double *N;
} sn_fe_particle;

/* A body: M x'' + K x = f under the equations B x = 0, about where its nodes are. */
typedef struct sn_fe_body {
    int n, m;       /* coordinates, equations */
    sn_sparse M, K; /* n x n, both triangles */
    sn_sparse B;    /* m x n */
    sn_sparse C;    /* n x n, of dampers; no columns: there are none */
    int n_node;
    const char *const *node; /* names */
    const double *X;         /* n_node x 3 */
    const int *dof; /* n_node x 6: coordinates of displacements and rotations along the axes; -1: none */
    int n_particle; /* 0: not known, but for what M tells */
    const sn_fe_particle *particle;
    int n_line, n_triangle; /* of nodes, for pictures */
    const int *line, *triangle;
    int n_recovery, recovery_n; /* what is recovered: row r of `recover` is its column r, of n coordinates */
    const char *const *recovery, *const *recovery_component, *const *recovery_unit;
    sn_sparse recover;
    /* Nodes of a name that is none of `node`: others that they have, sets; list has room for all. Returns how
       many. NULL: there are none. */
    int (*named)(const void *ctx, const char *name, int *list);
    /* K where the coordinates are displaced by u (of size n); ctx must still be there. NULL: not known. */
    sn_status (*stiffness_at)(const void *ctx, const double *u, sn_arena *arena, sn_sparse *K, sn_err *err);
    const void *ctx;
} sn_fe_body;

/* A point of the body by name: a node with rotations, or nodes that are tied to it rigidly. */
typedef struct sn_fe_point {
    const char *name;
    int n;
    const int *node;
    double X[3]; /* place; of a single node its own */
} sn_fe_point;

typedef struct sn_fe_options {
    int n_interface, n_point;
    const sn_fe_point *point; /* interfaces first, then others, of single nodes */
    int modes;    /* at least so many fixed-interface (or free) modes (-1: 8, or what there is), */
    double up_to; /* and all up to this angular frequency; 0: does not count */
    int free;     /* free modes instead of Craig and Bampton's */
    const char *recipe;
    void (*tell)(void *ctx, const char *text); /* of long work; or NULL */
    void *ctx;
} sn_fe_options;

sn_status sn_reduce_body(const sn_fe_body *fe, const sn_fe_options *o, sn_block *block, sn_reduced_body **out,
                         sn_err *err);

/* ---- sparse.c ---- */

/* Coordinates x = T z, each a sum of up to three of z. */
typedef struct sn_ties {
    int n, z; /* of x, of z */
    int *count, (*at)[3];
    double (*f)[3];
} sn_ties;

/* x = T z */
void sn_ties_expand(const sn_ties *T, const double *z, double *x);
/* L'A R, L NULL: A R. Rows sorted, without duplicates. */
sn_status sn_sparse_tied(sn_arena *arena, const sn_sparse *A, const sn_ties *L, const sn_ties *R,
                         sn_sparse *out, sn_err *err);
/* [A, B'; B, 0] of the columns and rows from `from` on; B may have none. */
sn_status sn_sparse_bordered(sn_arena *arena, const sn_sparse *A, const sn_sparse *B, int from,
                             sn_sparse *out, sn_err *err);
/* y = A x, of columns beside each other. */
void sn_sparse_times(const sn_sparse *A, int columns, const double *x, double *y);
double sn_sparse_entry(const sn_sparse *A, int i, int j);
/* Largest |A - A'| over the largest |A|. */
double sn_sparse_asymmetry(const sn_sparse *A);
/* Triples (row, column, number) into columns; those at one place are added. */
typedef struct sn_triplets {
    int n, cap;
    int *row, *col;
    double *x;
} sn_triplets;
sn_status sn_triplets_add(sn_triplets *t, int row, int col, double x);
void sn_triplets_free(sn_triplets *t);
/* SN_ERR_INPUT: two entries have one place, which is told. */
sn_status sn_triplets_once(const sn_triplets *t, int *row, int *col);
sn_status sn_triplets_compress(sn_arena *arena, const sn_triplets *t, int rows, int cols, sn_sparse *out,
                               sn_err *err);

/* ---- craig_bampton.c ---- */

/* In the coordinates z: those of interfaces (six each), then all others. */
typedef struct sn_basis {
    const sn_fe_body *fe;
    const sn_fe_options *o;
    sn_arena *arena;
    sn_ties T;
    sn_sparse M, K, B;
    double *R; /* z x 6: rigid-body motions: shifts, turns about the origin */
    int nr;    /* vectors of the basis V, z x nr, of which the motions R are V c, c: nr x 6 */
    double *V, *c;
    int nd; /* modes: z x nd, squared angular frequencies */
    double *Z, *w2;
} sn_basis;

sn_status sn_basis_make(sn_basis *b, sn_err *err);
/* b->Z, b->w2: the basis without the rigid-body motions, orthonormal. */
sn_status sn_basis_orthogonalise(sn_basis *b, sn_err *err);

/* ---- lanczos.c ---- */

/* Solves with the stiffness of what is held, under the equations. */
typedef struct sn_held {
    const sn_basis *b;
    int from; /* coordinates below are held */
    int n;    /* others */
    sn_linsol *ls;
    sn_sparse A;
    double *z;  /* scratch of the solver */
    double *RM; /* of free modes: z x 6, R orthonormal with the mass, and M R; or NULL */
    double *R;
} sn_held;

/* The `want` lowest modes: into x (columns of z numbers) and w2. */
sn_status sn_held_modes(sn_held *h, int want, double *w2, double *x, sn_err *err);
/* How many modes lie below an angular frequency. */
sn_status sn_held_count(sn_held *h, double w, int *count, sn_err *err);

/* ---- integrals.c ---- */

/* Mass, integrals and invariants of b from the modes Phi (n x nd, column after column, of all coordinates).
 */
sn_status sn_body_integrals(const sn_fe_body *fe, const double *Phi, sn_block *block, sn_reduced_body *b,
                            sn_err *err);

/* ---- damping.c ---- */

/* b->damping from the modes Phi. Dampers that brake the body as a whole are refused. */
sn_status sn_body_damping(const sn_basis *basis, const double *Phi, sn_block *block, sn_reduced_body *b,
                          sn_err *err);

/* ---- axial.c ---- */

/* b->axial from the modes Phi, where the body tells its stiffness under load; b has its points already. */
sn_status sn_body_axial(const sn_fe_body *fe, const sn_fe_options *o, const double *Phi, sn_block *block,
                        sn_reduced_body *b, sn_err *err);
/* The buckling load that b->axial tells; 0: it is not known. */
double sn_body_buckling(const sn_reduced_body *b);

/* ---- body_write.c ---- */

/* The whole file or none. */
sn_status sn_reduced_body_write(const char *path, const sn_reduced_body *b, sn_err *err);

#endif
