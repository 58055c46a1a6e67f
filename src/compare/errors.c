/* References, errors and observed orders of the cases. */
#include "compare/cases.h"

#include <math.h>
#include <string.h>

static double distance(const sn_problem *p, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < p->n_quantity; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum) / p->scale;
}

/* Is x the case of the variant in which number k has value i and all others their last one? */
static int stands_at(const sn_case *x, const sn_variant *v, int k, int i)
{
    if (x->variant != v || x->is_reference) return 0;
    for (int j = 0; j < v->n_refined; j++)
        if (x->value[j] != (j == k ? i : v->refined[j].n - 1)) return 0;
    return 1;
}

static sn_case *find(const sn_cases *c, const sn_problem *p, const sn_variant *v, int k, int i)
{
    for (int j = p->first; j < p->first + p->n; j++)
        if (stands_at(&c->item[j], v, k, i)) return c->item[j].state == SN_CASE_DONE ? &c->item[j] : NULL;
    return NULL;
}

static double ratio(const sn_refined *r, int i)
{
    double q = r->size[i] / r->size[i - 1];
    return q > 1 ? q : 1 / q;
}

/* The order p that three solutions show whose errors are proportional to size^p: with steps of ratio a, then
   b, their differences are as (a^p - 1) b^p to b^p - 1. Falling in p: bisection. NAN: they do not converge.
 */
static double order_of(double d1, double d2, double a, double b)
{
    double lo = 0.05, hi = 12;
    if (!(d1 > 0) || !(d2 > 0) || !(d2 < d1)) return NAN;
    for (int i = 0; i < 60; i++) {
        double p = (lo + hi) / 2, want = (pow(b, p) - 1) / ((pow(a, p) - 1) * pow(b, p));
        if (want > d2 / d1)
            lo = p;
        else
            hi = p;
    }
    return (lo + hi) / 2;
}

/* The last case of a variant, and what refining each number further would change in it, by the order that its
   last three values show: Richardson's extrapolation. */
static const sn_case *limit_of(const sn_cases *c, const sn_problem *p, const sn_variant *v, int extrapolate,
                               double *y)
{
    const sn_case *last = find(c, p, v, -1, 0);
    if (!last) return NULL;
    memcpy(y, last->r.y, sizeof last->r.y);
    for (int k = 0; extrapolate && k < v->n_refined; k++) {
        const sn_refined *r = &v->refined[k];
        const sn_case *one = r->n > 2 ? find(c, p, v, k, r->n - 3) : NULL,
                      *two = r->n > 1 ? find(c, p, v, k, r->n - 2) : NULL;
        if (!one || !two) continue;
        double b = ratio(r, r->n - 1),
               order = order_of(distance(p, one->r.y, two->r.y), distance(p, two->r.y, last->r.y),
                                ratio(r, r->n - 2), b);
        if (!(order > 0.5 && order < 8)) continue;
        for (int i = 0; i < p->n_quantity; i++) y[i] += (last->r.y[i] - two->r.y[i]) / (pow(b, order) - 1);
    }
    return last;
}

/* The reference of a variant into y; 0: there is none. is: the case that is the reference itself. */
static int reference_of(const sn_cases *c, const sn_problem *p, const sn_variant *v, double *y,
                        const sn_case **is)
{
    *is = NULL;
    if (p->reference == SN_REFERENCE_NUMBERS) {
        memcpy(y, p->number, sizeof p->number);
        return 1;
    }
    if (p->finer) {
        const sn_case *x = &c->item[p->first];
        memcpy(y, x->r.y, sizeof x->r.y);
        *is = x;
        return x->state == SN_CASE_DONE;
    }
    const sn_variant *of = p->reference == SN_REFERENCE_VARIANT ? &p->variant[p->of] : v;
    const sn_case *last = limit_of(c, p, of, p->reference != SN_REFERENCE_FINEST, y);
    if (last && distance(p, y, last->r.y) == 0) *is = last; /* nothing was extrapolated */
    return last != NULL;
}

/* From the case with the next coarser value of the number that is refined. */
static void judge_order(const sn_cases *c, const sn_problem *p, sn_case *x)
{
    const sn_variant *v = x->variant;
    for (int k = 0; k < v->n_refined; k++) {
        const sn_refined *r = &v->refined[k];
        int i = x->value[k];
        if (!i || !stands_at(x, v, k, i)) continue;
        const sn_case *coarser = find(c, p, v, k, i - 1);
        if (!coarser || !(coarser->error > 0) || !(x->error > 0)) continue;
        double order = log(coarser->error / x->error) / log(ratio(r, i));
        if (!isnan(x->order) && i == r->n - 1) continue; /* the last case belongs to all: the first number */
        x->order = order;
    }
}

void sn_cases_judge(sn_cases *c)
{
    double y[SN_CASE_QUANTITIES];
    const sn_case *is;
    for (int i = 0; i < c->n_case; i++) {
        sn_case *x = &c->item[i];
        x->error = x->order = NAN;
        if (x->state != SN_CASE_DONE || x->is_reference) continue;
        if (reference_of(c, x->problem, x->variant, y, &is) && is != x)
            x->error = distance(x->problem, x->r.y, y);
    }
    for (int i = 0; i < c->n_case; i++)
        if (c->item[i].state == SN_CASE_DONE) judge_order(c, c->item[i].problem, &c->item[i]);
}
