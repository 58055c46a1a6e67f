/* Cholesky coordinates: full matrices, eigenvalues by Jacobi's rotations. */
#include "cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fill(const sn_sparse *from, int n, double *A)
{
    memset(A, 0, sizeof *A * (size_t)from->rows * (size_t)n);
    for (int j = 0; j < from->cols; j++)
        for (int k = from->first[j]; k < from->first[j + 1]; k++) A[from->row[k] * n + j] += from->x[k];
}

/* M = L L', L in place of the lower half; the row where it fails, or -1 */
static int factor(int n, double *M)
{
    for (int j = 0; j < n; j++) {
        const double whole = M[j * n + j];
        for (int k = 0; k < j; k++) M[j * n + j] -= M[j * n + k] * M[j * n + k];
        if (!(M[j * n + j] > 1e-13 * whole)) return j;
        M[j * n + j] = sqrt(M[j * n + j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) M[i * n + j] -= M[i * n + k] * M[j * n + k];
            M[i * n + j] /= M[j * n + j];
        }
    }
    return -1;
}

/* L^-1 of each of the columns of A, n x m */
static void forward(int n, const double *L, int m, double *A)
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < m; c++) {
            for (int k = 0; k < i; k++) A[i * m + c] -= L[i * n + k] * A[k * m + c];
            A[i * m + c] /= L[i * n + i];
        }
}

static void transpose(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double x = A[i * n + j];
            A[i * n + j] = A[j * n + i], A[j * n + i] = x;
        }
}

static int count(size_t n, const double *A)
{
    double most = 0;
    int found = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(A[i]));
    for (size_t i = 0; i < n; i++) found += fabs(A[i]) > 1e-14 * most;
    return found;
}

/* Eigenvalues of a symmetric matrix, on its diagonal */
static void jacobi(int n, double *A)
{
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = 0, whole = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) *(i == j ? &whole : &off) += A[i * n + j] * A[i * n + j];
        if (!(off > 1e-26 * whole)) return;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                const double x = A[p * n + q];
                if (x == 0) continue;
                const double th = (A[q * n + q] - A[p * n + p]) / (2 * x),
                             t = (th < 0 ? -1 : 1) / (fabs(th) + sqrt(1 + th * th)), c = 1 / sqrt(1 + t * t),
                             s = t * c;
                for (int k = 0; k < n; k++) {
                    const double a = A[k * n + p], b = A[k * n + q];
                    A[k * n + p] = c * a - s * b, A[k * n + q] = s * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    const double a = A[p * n + k], b = A[q * n + k];
                    A[p * n + k] = c * a - s * b, A[q * n + k] = s * a + c * b;
                }
            }
    }
}

static double condition(int n, double *A)
{
    double most = 0, least = INFINITY;
    jacobi(n, A);
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(A[i * n + i])), least = fmin(least, fabs(A[i * n + i]));
    return most / least;
}

/* E = [M X; X' 0], X n x m; M = 1 where it is NULL */
static void equations(int n, int m, const double *M, const double *X, double *E)
{
    const int N = n + m;
    memset(E, 0, sizeof *E * (size_t)N * (size_t)N);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) E[i * N + j] = M ? M[i * n + j] : i == j;
        for (int j = 0; j < m; j++) E[i * N + n + j] = E[(n + j) * N + i] = X[i * m + j];
    }
}

static void scale(int n, int N, double *E)
{
    double *d = malloc(sizeof *d * (size_t)N);
    if (!d) return;
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += E[i * N + k] * E[i * N + k] / E[k * N + k];
        d[i] = 1 / sqrt(i < n ? E[i * N + i] : sum);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) E[i * N + j] *= d[i] * d[j];
    free(d);
}

int cli_cholesky_of(const sn_linear *l, cli_cholesky *out)
{
    const int n = l->nv, m = l->m, N = n + m;
    const size_t nn = (size_t)n * (size_t)n, NN = (size_t)N * (size_t)N;
    *out = (cli_cholesky){.massless = -1};
    if (N > CLI_CHOLESKY_MOST) return 1;
    double *M = malloc(sizeof *M * (2 * nn + (size_t)n * (size_t)m + 2 * NN + (size_t)m * (size_t)n + 1));
    if (!M) return 2;
    double *K = M + nn, *X = K + nn, *E = X + n * m, *F = E + NN, *B = F + NN;
    fill(&l->M, n, M), fill(&l->K, n, K), fill(&l->B, n, B);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) X[j * m + i] = B[i * n + j];
    out->stiffness[0] = count(nn, K);
    equations(n, m, M, X, E);
    out->equations[0] = count(NN, E);
    if ((out->massless = factor(n, M)) < 0) {
        memcpy(F, E, sizeof *F * NN);
        out->condition[0] = condition(N, F);
        scale(n, N, E);
        out->condition[2] = condition(N, E);
        forward(n, M, m, X);
        equations(n, m, NULL, X, E);
        out->equations[1] = count(NN, E);
        out->condition[1] = condition(N, E);
        forward(n, M, n, K), transpose(n, K), forward(n, M, n, K);
        out->stiffness[1] = count(nn, K);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) F[i * n + j] = 0.5 * (K[i * n + j] + K[j * n + i]);
        jacobi(n, F);
        for (int i = 0; i < n; i++) out->omega = fmax(out->omega, F[i * n + i]);
        out->omega = sqrt(out->omega);
    }
    free(M);
    return 0;
}
