/* From a sample of the model to residuals in units of the noise, their loss and the normal equations. */
#include "identify/fit.h"

#include <math.h>

/* Huber's function and the weight it gives. */
static double loss(double huber, double r, double *weight)
{
    double a = fabs(r);
    *weight = 1;
    if (huber <= 0 || a <= huber) return 0.5 * r * r;
    *weight = huber / a;
    return huber * (a - 0.5 * huber);
}

void sn_part_add(const sn_study *s, const sn_experiment *x, sn_part *p, int row, int derivatives,
                 const double *y, const double *d)
{
    size_t n = (size_t)p->n;
    for (int c = 0; c < x->n_channel; c++) {
        size_t at = (size_t)row * (size_t)x->n_channel + (size_t)c;
        double one = x->sigma[c] * (x->relative ? x->relative[at] : 1);
        double weight, scale = sqrt(x->weight) / one, r = (y[c] - x->y[at]) * scale;
        const double *by = d + (size_t)c * n;
        p->model[at] = y[c], p->r[at] = r;
        if (isnan(r)) continue;
        p->cost += loss(s->huber, r, &weight);
        p->count++;
        if (!derivatives) continue;
        for (size_t a = 0; p->J && a < n; a++) p->J[at * n + a] = by[a] * scale;
        for (size_t a = 0; a < n; a++) {
            double w = weight * scale * by[a];
            p->g[a] += w * r;
            for (size_t b = 0; b <= a; b++) p->A[a * n + b] += w * scale * by[b];
        }
    }
}
