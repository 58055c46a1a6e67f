/* Matrices for the tests of linear solvers, elimination in long double, and the backward error of a solution.
 */
#ifndef LINSOL_MATRICES_H
#define LINSOL_MATRICES_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* A matrix in compressed columns. */
typedef struct matrix {
    int n, *Ap, *Ai;
    double *Ax;
} matrix;

static uint64_t seed;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static matrix new_matrix(int n, int nz)
{
    matrix A = {n, calloc((size_t)n + 1, sizeof(int)), calloc((size_t)nz + 1, sizeof(int)),
                calloc((size_t)nz + 1, sizeof(double))};
    return A;
}

static void free_matrix(matrix A)
{
    free(A.Ap);
    free(A.Ai);
    free(A.Ax);
}

/* The nonzeros of a dense matrix (by columns). */
static matrix from_dense(int n, const double *D)
{
    matrix A = new_matrix(n, n * n);
    int nz = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            if (D[i + j * n] != 0) {
                A.Ai[nz] = i;
                A.Ax[nz++] = D[i + j * n];
            }
        A.Ap[j + 1] = nz;
    }
    return A;
}

/* [M B'; B 0]: M symmetric with a dominant diagonal, B with a few entries a row and rows of different units.
 */
static matrix kkt(int nq, int nc, double mass)
{
    int n = nq + nc;
    double *D = calloc((size_t)n * (size_t)n, sizeof *D);
    for (int i = 0; i < nq; i++) {
        D[i + i * n] = mass * (3 + uniform());
        int j = (int)((uniform() + 1) * 0.5 * nq);
        if (j != i) D[i + j * n] = D[j + i * n] = 0.3 * mass * uniform();
    }
    for (int c = 0; c < nc; c++) {
        double unit = c % 2 ? 1 : 1e3;
        for (int e = 0; e < 4; e++) {
            int j = (c * nq / nc + e * (e + c % 2)) % nq;
            D[nq + c + j * n] = D[j + (nq + c) * n] = unit * ((e == 0) + 0.5 * uniform());
        }
    }
    matrix A = from_dense(n, D);
    free(D);
    return A;
}

static matrix random_sparse(int n, int per_column)
{
    double *D = calloc((size_t)n * (size_t)n, sizeof *D);
    for (int j = 0; j < n; j++) {
        D[(j * 7 + 3) % n + j * n] = 4 + uniform();
        for (int e = 0; e < per_column; e++) D[(int)((uniform() + 1) * 0.5 * n) + j * n] += uniform();
    }
    matrix A = from_dense(n, D);
    free(D);
    return A;
}

/* Nodes of `least` to `least + more` unknowns, each full with itself and with a node before it (a chain with
   a branch at each `fork`-th), some pairs in one triangle only; the first node is held by two equations. */
static matrix linked_nodes(int count, int least, int more, int fork)
{
    int from[64], n = 0, held;
    for (int i = 0; i < count; i++) from[i] = n, n += least + (more ? i % (more + 1) : 0);
    from[count] = held = n, n += 2;
    double *D = calloc((size_t)n * (size_t)n, sizeof *D);
    for (int i = 0; i < count; i++) {
        int before = i % fork == 0 ? i / 2 : i - 1;
        for (int r = from[i]; r < from[i + 1]; r++) {
            for (int c = from[i]; c < from[i + 1]; c++) D[r + c * n] = uniform() + (r == c ? 12 : 0);
            for (int c = from[before]; c < from[before + 1] && before < i; c++) {
                D[r + c * n] = uniform();
                if (i % 7 != 3) D[c + r * n] = uniform();
            }
        }
    }
    for (int e = 0; e < 2; e++) D[held + e + e * n] = D[e + (held + e) * n] = 3 + e;
    matrix A = from_dense(n, D);
    free(D);
    return A;
}

/* x <- A^-1 b or A^-T b by elimination with partial pivoting in long double. */
static void reference(matrix A, int transposed, const double *b, double *x)
{
    int n = A.n, w = n + 1;
    long double *T = calloc((size_t)n * (size_t)w + 1, sizeof *T);
    for (int j = 0; j < n; j++) {
        for (int p = A.Ap[j]; p < A.Ap[j + 1]; p++)
            T[transposed ? j * w + A.Ai[p] : A.Ai[p] * w + j] = A.Ax[p];
        T[j * w + n] = b[j];
    }
    for (int k = 0; k < n; k++) {
        int top = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(T[i * w + k]) > fabsl(T[top * w + k])) top = i;
        for (int j = k; j <= n; j++) {
            long double t = T[k * w + j];
            T[k * w + j] = T[top * w + j];
            T[top * w + j] = t;
        }
        for (int i = k + 1; i < n; i++) {
            long double f = T[i * w + k] / T[k * w + k];
            if (f != 0)
                for (int j = k; j <= n; j++) T[i * w + j] -= f * T[k * w + j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        long double s = T[i * w + n];
        for (int j = i + 1; j < n; j++) s -= T[i * w + j] * x[j];
        x[i] = (double)(s / T[i * w + i]);
    }
    free(T);
}

/* Largest over the rows of |b - A x| / (|A||x| + |b|): the componentwise backward error (Oettli, Prager). */
static double backward_error(matrix A, int transposed, const double *x, const double *b)
{
    double *r = calloc((size_t)A.n + 1, sizeof *r), *m = calloc((size_t)A.n + 1, sizeof *m), worst = 0;
    for (int j = 0; j < A.n; j++)
        for (int p = A.Ap[j]; p < A.Ap[j + 1]; p++) {
            int to = transposed ? j : A.Ai[p], from = transposed ? A.Ai[p] : j;
            r[to] += A.Ax[p] * x[from];
            m[to] += fabs(A.Ax[p] * x[from]);
        }
    for (int i = 0; i < A.n; i++) {
        double e = fabs(b[i] - r[i]) / (m[i] + fabs(b[i]) + DBL_MIN);
        if (!(e <= worst)) worst = e;
    }
    free(r);
    free(m);
    return worst;
}

/* Seven-point stencil on a cube of m^3 points, not symmetric. */
static matrix cube(int m)
{
    int n = m * m * m, nz = 0, step[] = {-m * m, -m, -1, 0, 1, m, m * m};
    matrix A = new_matrix(n, 7 * n);
    for (int j = 0; j < n; j++) {
        int at[] = {j % m, j / m % m, j / m / m};
        for (int s = 0; s < 7; s++) {
            int axis = s < 3 ? 2 - s : s - 4;
            if (s < 3 && at[axis] == 0) continue;
            if (s > 3 && at[axis] == m - 1) continue;
            A.Ai[nz] = j + step[s];
            A.Ax[nz++] = s == 3 ? 7 : -1 + 0.2 * uniform();
        }
        A.Ap[j + 1] = nz;
    }
    return A;
}

/* A chain of m nodes with three coordinates, each coupled to the next, KKT rows at one end. */
static matrix chain(int m)
{
    int n = 3 * m + 3, nz = 0;
    matrix A = new_matrix(n, 12 * n);
    for (int j = 0; j < n; j++) {
        int first = j / 3 * 3 - 3, last = j / 3 * 3 + 5;
        if (j >= 3 * m) {
            A.Ai[nz] = j - 3 * m;
            A.Ax[nz++] = 1;
        }
        for (int i = first < 0 ? 0 : first; j < 3 * m && i <= last && i < 3 * m; i++) {
            A.Ai[nz] = i;
            A.Ax[nz++] = i == j ? 8 : uniform();
        }
        if (j < 3) {
            A.Ai[nz] = 3 * m + j;
            A.Ax[nz++] = 1;
        }
        A.Ap[j + 1] = nz;
    }
    return A;
}

#endif
