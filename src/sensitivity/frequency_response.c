/* Frequency response about a state at rest, H = Y(s) T(s)^-1 b + direct at s = i w, and its derivatives:

       dH = u'(db - dT z) + dY z + d direct,   T z = b,   T'u = Y' */
#include "sensitivity/complex_lu.h"
#include "sensitivity/vibration.h"

#include <string.h>

struct sn_response {
    const sn_vibration *v;
    sn_complex_lu lu;
    double complex *z, *u, *f; /* inputs x n, channels x n, n */
};

sn_status sn_response_new(const sn_vibration *v, sn_response **out, sn_err *err)
{
    sn_response *r;
    size_t n = (size_t)v->n;
    *out = NULL;
    if (!SN_NEW(r, 1)) return SN_OUT_OF_MEM(err);
    r->v = v;
    sn_status status = sn_complex_lu_new(v->n, &r->lu, err);
    if (!status && (!SN_NEW(r->z, n * (size_t)v->n_input + 1) ||
                    !SN_NEW(r->u, n * (size_t)v->n_channel + 1) || !SN_NEW(r->f, n + 1)))
        status = SN_OUT_OF_MEM(err);
    if (status)
        sn_response_free(r);
    else
        *out = r;
    return status;
}

void sn_response_free(sn_response *r)
{
    if (!r) return;
    sn_complex_lu_free(&r->lu);
    sn_free(r->z), sn_free(r->u), sn_free(r->f);
    sn_free(r);
}

/* Row c of Y(s). */
static double complex shown(const sn_vibration_matrices *y, size_t at, double complex s)
{
    return y->Y[0][at] + s * (y->Y[1][at] + s * y->Y[2][at]);
}

/* f = db - dT z */
static void load(const sn_vibration *v, const sn_vibration_matrices *by, double complex s, size_t input,
                 const double complex *z, double complex *f)
{
    size_t n = (size_t)v->n;
    for (size_t i = 0; i < n; i++) f[i] = by->b[input * n + i];
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            size_t at = j * n + i;
            f[i] -= (by->A[0][at] + s * (by->A[1][at] + s * by->A[2][at])) * z[j];
        }
}

static void derivatives(sn_response *r, double complex s, double complex *dH)
{
    const sn_vibration *v = r->v;
    size_t n = (size_t)v->n, ni = (size_t)v->n_input, nc = (size_t)v->n_channel;
    for (size_t k = 0; k < (size_t)v->np; k++) {
        const sn_vibration_matrices *by = &v->by[k];
        double complex *to = dH + k * nc * ni;
        memset(to, 0, sizeof *to * nc * ni);
        for (size_t i = 0; by->x && i < ni; i++) {
            const double complex *z = r->z + i * n;
            load(v, by, s, i, z, r->f);
            for (size_t c = 0; c < nc; c++) {
                double complex sum = by->direct[c * ni + i];
                for (size_t j = 0; j < n; j++)
                    sum += r->u[c * n + j] * r->f[j] + shown(by, c * n + j, s) * z[j];
                to[c * ni + i] = sum;
            }
        }
    }
}

sn_status sn_response_at(sn_response *r, double w, double complex *H, double complex *dH, sn_err *err)
{
    const sn_vibration *v = r->v;
    size_t n = (size_t)v->n, ni = (size_t)v->n_input, nc = (size_t)v->n_channel;
    const double complex s = _Complex_I * w;
    for (size_t k = 0; k < n * n; k++) r->lu.A[k] = v->at.A[0][k] + s * (v->at.A[1][k] + s * v->at.A[2][k]);
    if (sn_complex_lu_factor(&r->lu))
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "there is no frequency response at %g rad/s: the model is singular", w);
    for (size_t k = 0; k < n * ni; k++) r->z[k] = v->at.b[k];
    if (sn_complex_lu_solve(&r->lu, 0, v->n_input, r->z)) return SN_ERR_NUMERIC;
    for (size_t c = 0; c < nc; c++)
        for (size_t i = 0; i < ni; i++) {
            double complex sum = v->at.direct[c * ni + i];
            for (size_t j = 0; j < n; j++) sum += shown(&v->at, c * n + j, s) * r->z[i * n + j];
            H[c * ni + i] = sum;
        }
    if (!dH) return SN_OK;
    for (size_t k = 0; k < n * nc; k++) r->u[k] = shown(&v->at, k, s);
    if (sn_complex_lu_solve(&r->lu, 1, v->n_channel, r->u)) return SN_ERR_NUMERIC;
    derivatives(r, s, dH);
    return SN_OK;
}
