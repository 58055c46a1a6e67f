#include "integrator/discrete_gradient.h"

#include <math.h>
#include <string.h>

/* Motions that move nothing (the turn of two points about their line) get a share of A's diagonal, so that it
   can be solved; what they would take away is nothing. One refinement takes the share's own effect away. */
static const double share = 1e-12;

static void substitute(const sn_discrete *z, double *b)
{
    const int k = z->k;
    const double *L = z->L;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < i; j++) b[i] -= L[i * k + j] * b[j];
        b[i] /= L[i * k + i];
    }
    for (int i = k - 1; i >= 0; i--) {
        for (int j = i + 1; j < k; j++) b[i] -= L[j * k + i] * b[j];
        b[i] /= L[i * k + i];
    }
}

/* b <- A^-1 b */
static void solve(const sn_discrete *z, double *b)
{
    const int k = z->k;
    double left[SN_RIGID];
    for (int i = 0; i < k; i++) left[i] = b[i];
    substitute(z, b);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) left[i] -= z->A[i * k + j] * b[j];
    substitute(z, left);
    for (int i = 0; i < k; i++) b[i] += left[i];
}

static void factor(sn_discrete *z)
{
    const int k = z->k;
    double *L = z->L, *A = z->A;
    memset(A, 0, sizeof z->A);
    for (int r = 0; r < z->n; r++)
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++) A[i * k + j] += z->G[r] * z->Z[r * k + i] * z->Z[r * k + j];
    memcpy(L, A, sizeof z->L);
    for (int i = 0; i < k; i++) L[i * k + i] = L[i * k + i] > 0 ? (1 + share) * L[i * k + i] : 1;
    for (int j = 0; j < k; j++) {
        for (int l = 0; l < j; l++)
            for (int i = j; i < k; i++) L[i * k + j] -= L[i * k + l] * L[j * k + l];
        double root = sqrt(fmax(L[j * k + j], 1e-3 * share * fmax(A[j * k + j], 1e-300)));
        for (int i = j; i < k; i++) L[i * k + j] = i == j ? root : L[i * k + j] / root;
    }
}

/* y = Z'x, weighed by G where it is not NULL */
static void project(const sn_discrete *z, const double *G, const double *x, double *y)
{
    for (int i = 0; i < z->k; i++) y[i] = 0;
    for (int r = 0; r < z->n; r++)
        for (int i = 0; i < z->k; i++) y[i] += z->Z[r * z->k + i] * (G ? G[r] : 1) * x[r];
}

static double row(const sn_discrete *z, const double *Z, int r, const double *y)
{
    double sum = 0;
    for (int i = 0; i < z->k; i++) sum += Z[r * z->k + i] * y[i];
    return sum;
}

void sn_discrete_begin(sn_discrete *z)
{
    factor(z);
    project(z, z->G, z->d, z->y);
    solve(z, z->y);
    z->s = z->least * z->least;
    for (int r = 0; r < z->n; r++) {
        z->w[r] = z->d[r] - row(z, z->Z, r, z->y);
        z->s += z->G[r] * z->w[r] * z->w[r];
    }
}

void sn_discrete_force(sn_discrete *z, const double *f, double V, double *result)
{
    double work = 0;
    project(z, NULL, f, z->u);
    solve(z, z->u);
    for (int r = 0; r < z->n; r++) {
        z->P[r] = f[r] - z->G[r] * row(z, z->Z, r, z->u);
        work += z->P[r] * z->d[r];
    }
    z->kappa = (V - work) / z->s;
    for (int r = 0; r < z->n; r++) result[r] = z->P[r] + z->kappa * z->G[r] * z->w[r];
}

void sn_discrete_derivative(const sn_discrete *z, const sn_discrete_change *c, double *dw, double *result)
{
    const int n = z->n, k = z->k;
    double dA_y[SN_RIGID] = {0}, dA_u[SN_RIGID] = {0}, dy[SN_RIGID] = {0}, du[SN_RIGID], ds = 0, work = 0;
    project(z, NULL, c->f, du);
    if (c->d) project(z, z->G, c->d, dy);
    for (int r = c->Z ? c->from : n; r < (c->Z ? c->to : n); r++) {
        const double *dZ = c->Z + r * k, *Z = z->Z + r * k;
        double by = z->G[r] * row(z, z->Z, r, z->y), bu = z->G[r] * row(z, z->Z, r, z->u),
               dby = z->G[r] * row(z, c->Z, r, z->y), dbu = z->G[r] * row(z, c->Z, r, z->u);
        /* P + G Z u is the force, w + Z y the increment */
        double f = z->P[r] + bu, d = z->d[r];
        for (int i = 0; i < k; i++) {
            dA_y[i] += dZ[i] * by + Z[i] * dby, dA_u[i] += dZ[i] * bu + Z[i] * dbu;
            dy[i] += dZ[i] * z->G[r] * d, du[i] += dZ[i] * f;
        }
    }
    for (int i = 0; i < k; i++) dy[i] -= dA_y[i], du[i] -= dA_u[i];
    solve(z, dy), solve(z, du);
    for (int r = 0; r < n; r++) {
        int moves = c->Z && r >= c->from && r < c->to;
        dw[r] = (c->d ? c->d[r] : 0) - row(z, z->Z, r, dy) - (moves ? row(z, c->Z, r, z->y) : 0);
        result[r] = c->f[r] - z->G[r] * (row(z, z->Z, r, du) + (moves ? row(z, c->Z, r, z->u) : 0));
        ds += 2 * z->G[r] * z->w[r] * dw[r];
        work += result[r] * z->d[r] + (c->d ? z->P[r] * c->d[r] : 0);
    }
    double dk = (c->V - work - z->kappa * ds) / z->s;
    for (int r = 0; r < n; r++) result[r] += z->G[r] * (dk * z->w[r] + z->kappa * dw[r]);
}
