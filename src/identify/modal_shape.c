/* Measured shapes have any scale. The model's shape is brought to the measured one by the factor that fits
   best: a real shape m by the real part of the model's, turned to be as real as it can be,

       D = Re(exp(-i theta) phi),   theta = arg(sum w phi^2) / 2,

   a complex one by a complex factor a, in real numbers Re m = Re phi Re a - Im phi Im a ... = D (Re a, Im a).
   Modes that coincide are fitted together, each with a factor of its own. What is left, m - D a with the best
   a, is the residual; of its derivative

       d(D a) = dD a + D da,    D'W D da = dD'W (m - D a) - D'W dD a   (Golub and Pereyra, 1973) */
#include "identify/modal.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

typedef struct entries {
    int n, width; /* numbers, factors */
    int *column;
    double *m, *w;             /* measured, weights */
    double *D, *dD;            /* n x width */
    double *N, *a, *da, *left; /* normal matrix; factors; n: m - D a */
} entries;

static double sigma_of(const sn_experiment *x, int row, int c)
{
    return x->sigma[c] * (x->relative ? x->relative[row * x->n_channel + c] : 1);
}

double sn_modal_mac(const sn_experiment *x, int row, const double complex *y)
{
    double mm = 0, yy = 0;
    double complex my = 0;
    int n = 0;
    for (int c = 0; c < x->n_channel; c++) {
        const sn_modal_column *q = &x->modal->column[c];
        double m = x->y[row * x->n_channel + c], w = 1 / (sigma_of(x, row, c) * sigma_of(x, row, c));
        if (!sn_is_shape(q->kind) || isnan(m)) continue;
        double complex u = y[q->sensor], unit = q->kind == SN_COLUMN_SHAPE_IM ? _Complex_I : 1;
        mm += w * m * m, my += w * conj(m * unit) * u, n++;
        if (q->kind != SN_COLUMN_SHAPE_IM) yy += w * creal(u * conj(u));
    }
    return n > 1 && mm > 0 && yy > 0 ? creal(my * conj(my)) / (mm * yy) : NAN;
}

static void gather(const sn_experiment *x, int row, entries *q)
{
    for (int c = 0; c < x->n_channel; c++) {
        double m = x->y[row * x->n_channel + c];
        if (!sn_is_shape(x->modal->column[c].kind) || isnan(m)) continue;
        q->column[q->n] = c, q->m[q->n] = m;
        q->w[q->n++] = 1 / (sigma_of(x, row, c) * sigma_of(x, row, c));
    }
}

/* exp(-i theta), and with dy its derivative. */
static double complex upright(const sn_experiment *x, const entries *q, const double complex *y,
                              const double complex *dy, double complex *change)
{
    double complex sum = 0, by = 0;
    for (int i = 0; i < q->n; i++) {
        double complex u = y[x->modal->column[q->column[i]].sensor];
        sum += q->w[i] * u * u;
        if (dy) by += 2 * q->w[i] * u * dy[x->modal->column[q->column[i]].sensor];
    }
    double theta = cabs(sum) > 0 ? carg(sum) / 2 : 0;
    double complex f = cexp(-_Complex_I * theta);
    *change = cabs(sum) > 0 ? -_Complex_I * cimag(by / sum) / 2 * f : 0;
    return f;
}

/* D of the shapes y (k rows of sensors); with dy dD. */
static void design(const sn_experiment *x, const entries *q, int k, const double complex *y,
                   const double complex *dy, double *D)
{
    int sensors = x->modal->n_sensor;
    for (int j = 0; j < k; j++) {
        const double complex *u = y + j * sensors, *du = dy ? dy + j * sensors : NULL;
        double complex change, f = upright(x, q, u, du, &change);
        for (int i = 0; i < q->n; i++) {
            const sn_modal_column *c = &x->modal->column[q->column[i]];
            double complex v = du ? du[c->sensor] : u[c->sensor];
            if (c->kind == SN_COLUMN_SHAPE)
                D[i * q->width + j] = creal(du ? f * v + change * u[c->sensor] : f * v);
            else if (c->kind == SN_COLUMN_SHAPE_RE)
                D[i * q->width + 2 * j] = creal(v), D[i * q->width + 2 * j + 1] = -cimag(v);
            else
                D[i * q->width + 2 * j] = cimag(v), D[i * q->width + 2 * j + 1] = creal(v);
        }
    }
}

/* x <- (D'W D)^-1 x; coinciding modes that the sensors cannot tell apart share the factor. */
static int solve(const entries *q, double *x)
{
    int n = q->width;
    double trace = 0;
    memset(q->N, 0, sizeof *q->N * (size_t)n * (size_t)n);
    for (int i = 0; i < q->n; i++)
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) q->N[a * n + b] += q->w[i] * q->D[i * n + a] * q->D[i * n + b];
    for (int a = 0; a < n; a++) trace += q->N[a * n + a];
    for (int a = 0; a < n; a++) q->N[a * n + a] += 1e-14 * trace + 1e-300;
    return LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, q->N, n, x, 1) != 0;
}

static int fit(entries *q)
{
    int n = q->width;
    memset(q->a, 0, sizeof *q->a * (size_t)n);
    for (int i = 0; i < q->n; i++)
        for (int a = 0; a < n; a++) q->a[a] += q->w[i] * q->D[i * n + a] * q->m[i];
    if (solve(q, q->a)) return 1;
    for (int i = 0; i < q->n; i++) {
        q->left[i] = q->m[i];
        for (int a = 0; a < n; a++) q->left[i] -= q->D[i * n + a] * q->a[a];
    }
    return 0;
}

/* Change of D a along dD, by entries. */
static int change(entries *q, double *out)
{
    int n = q->width;
    memset(q->da, 0, sizeof *q->da * (size_t)n);
    for (int i = 0; i < q->n; i++) {
        out[i] = 0;
        for (int a = 0; a < n; a++) out[i] += q->dD[i * n + a] * q->a[a];
        for (int a = 0; a < n; a++)
            q->da[a] += q->w[i] * (q->dD[i * n + a] * q->left[i] - q->D[i * n + a] * out[i]);
    }
    if (solve(q, q->da)) return 1;
    for (int i = 0; i < q->n; i++)
        for (int a = 0; a < n; a++) out[i] += q->D[i * n + a] * q->da[a];
    return 0;
}

static int room(entries *q, size_t columns, size_t width)
{
    return SN_NEW(q->column, columns) && SN_NEW(q->m, columns) && SN_NEW(q->w, columns) &&
           SN_NEW(q->left, columns) && SN_NEW(q->D, columns * width) && SN_NEW(q->dD, columns * width) &&
           SN_NEW(q->N, width * width) && SN_NEW(q->a, width) && SN_NEW(q->da, width);
}

sn_status sn_modal_shape(const sn_experiment *x, int row, const sn_mode_jet *jet, int np, double *model,
                         double *by, sn_err *err)
{
    entries q = {.n = 0};
    double *out = NULL;
    size_t size = (size_t)jet->k * (size_t)x->modal->n_sensor;
    sn_status status =
        room(&q, (size_t)x->n_channel + 1, 2 * (size_t)jet->k + 1) && SN_NEW(out, x->n_channel + 1)
            ? SN_OK
            : SN_OUT_OF_MEM(err);
    if (!status) gather(x, row, &q);
    q.width = q.n && x->modal->column[q.column[0]].kind == SN_COLUMN_SHAPE ? jet->k : 2 * jet->k;
    for (int c = 0; c < x->n_channel; c++)
        if (sn_is_shape(x->modal->column[c].kind)) model[c] = NAN;
    int bad = 0;
    if (!status && q.n) {
        design(x, &q, jet->k, jet->y, NULL, q.D);
        bad = fit(&q);
        for (int i = 0; i < q.n; i++) model[q.column[i]] = q.m[i] - q.left[i];
    }
    for (int p = 0; p < np && !status && q.n && !bad; p++) {
        design(x, &q, jet->k, jet->y, jet->dy + (size_t)p * size, q.dD);
        bad = change(&q, out);
        for (int i = 0; i < q.n; i++) by[q.column[i] * np + p] = out[i];
    }
    if (bad)
        status = sn_fail(err, SN_ERR_NUMERIC, NULL, "the sensors see nothing of the mode of row %d", row + 1);
    sn_free(q.column), sn_free(q.m), sn_free(q.w), sn_free(q.left), sn_free(q.D), sn_free(q.dD), sn_free(q.N);
    sn_free(q.a), sn_free(q.da), sn_free(out);
    return status;
}
