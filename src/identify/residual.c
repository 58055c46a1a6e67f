/* From a sample of the model to residuals in units of the noise, their loss and the normal equations. Where
   noise follows itself in time residuals and their derivatives are those of its innovations (noise_model.h):
   least squares of them are generalised least squares. */
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

/* The filter of a channel, or NULL. What is held out is compared as it is: a filter would follow its own
   errors. */
static sn_whitener *filter_of(const sn_experiment *x, const sn_part *p, int c)
{
    return p->white && !p->plain && !x->hold_out && x->noise[c].kind ? &p->white[c] : NULL;
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
        sn_whitener *w = filter_of(x, p, c);
        p->model[at] = y[c], p->r[at] = r;
        if (isnan(r)) continue;
        if (w) {
            p->whole[0] = r;
            for (size_t a = 0; derivatives && a < n; a++) p->whole[1 + a] = by[a] * scale;
            w->columns = derivatives ? p->n + 1 : 1;
            sn_whiten(w, x->t[row], p->whole);
            r = p->r[at] = p->whole[0], by = p->whole + 1, scale = 1;
        }
        p->cost += loss(s->huber, r, &weight);
        p->count++;
        if (!derivatives) continue;
        for (size_t a = 0; p->J && a < n; a++) p->J[at * n + a] = by[a] * scale;
        for (size_t a = 0; a < n; a++) {
            double w_a = weight * scale * by[a];
            p->g[a] += w_a * r;
            for (size_t b = 0; b <= a; b++) p->A[a * n + b] += w_a * scale * by[b];
        }
    }
}

void sn_part_whiten(const sn_experiment *x, const sn_part *p, double *column, double *room)
{
    for (int c = 0; c < x->n_channel; c++) {
        if (!filter_of(x, p, c)) continue;
        sn_whitener w = {.m = &x->noise[c].m, .columns = 1, .x = room};
        for (int i = 0; i < x->n; i++) {
            size_t at = (size_t)i * (size_t)x->n_channel + (size_t)c;
            if (!isnan(p->r[at])) sn_whiten(&w, x->t[i], &column[at]);
        }
    }
}

double sn_part_residual(const sn_experiment *x, const sn_part *p, int row, int c)
{
    size_t at = (size_t)row * (size_t)x->n_channel + (size_t)c;
    if (isnan(p->r[at]) || !filter_of(x, p, c)) return p->r[at];
    return (p->model[at] - x->y[at]) * sqrt(x->weight) / x->sigma[c];
}
