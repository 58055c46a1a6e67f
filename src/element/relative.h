/* Elements that act on relative coordinates of two bodies: sliding along an axis, turning about it.

   A coordinate s(q) has the rate sd = b.v with b = ds/dq, and H = db/dq in the nodes' variations. A law
   f(s, sd) gives r = f b, dr/dq = b (f_s b' + f_v v'H) + f H, dr/dv = f_v b b'. */
#ifndef SN_ELEMENT_RELATIVE_H
#define SN_ELEMENT_RELATIVE_H

#include "sinew/class.h"

#include <string.h>

enum { SN_SLIDE, SN_TURN, SN_RELATIVE_MAX = 12 };

typedef struct sn_relative {
    double s, sd, b[SN_RELATIVE_MAX], H[SN_RELATIVE_MAX * SN_RELATIVE_MAX]; /* H of nv columns */
} sn_relative;

typedef struct sn_law {
    double f, s, v; /* force, df/ds, df/dsd */
} sn_law;

/* A kind: its coordinates and its law. p: the slots of the law, which start at `base`. */
typedef struct sn_relative_kind {
    /* s, b, and H where it is asked for; all zero before */
    sn_status (*coordinate)(const sn_in *in, int which, int tangent, sn_relative *g);
    /* change of s, and of b (zero before), by slot, reference coordinate or field */
    double (*dcoordinate)(const sn_in *in, int which, int index, double *db);
    int (*acts)(const double *p, int which);
    void (*law)(const double *p, const int *opt, int which, double s, double sd, sn_law *f);
    double (*dlaw)(const double *p, const int *opt, int which, int index, double s, double sd);
    int base;
} sn_relative_kind;

static inline double sn_relative_dot(int n, const double *a, const double *b)
{
    double x = 0;
    for (int i = 0; i < n; i++) x += a[i] * b[i];
    return x;
}

static inline sn_status sn_relative_open(const sn_relative_kind *k, const sn_in *in, int which, int tangent,
                                         sn_relative *g, sn_law *f)
{
    memset(g->b, 0, sizeof g->b);
    if (tangent) memset(g->H, 0, sizeof g->H);
    SN_TRY(k->coordinate(in, which, tangent, g));
    g->sd = sn_relative_dot(in->nv, g->b, in->v);
    k->law(in->s + k->base, in->opt, which, g->s, g->sd, f);
    return SN_OK;
}

/* row += df/dq: f_s b + f_v v'H */
static inline void sn_relative_row(const sn_in *in, const sn_relative *g, const sn_law *f, double sign,
                                   double *row)
{
    int nv = in->nv;
    for (int j = 0; j < nv; j++) row[j] += sign * f->s * g->b[j];
    for (int i = 0; i < nv && f->v != 0; i++)
        for (int j = 0; j < nv; j++) row[j] += sign * f->v * in->v[i] * g->H[nv * i + j];
}

static inline sn_status sn_relative_eval(const sn_relative_kind *k, const sn_in *in, double *r, double *K,
                                         double *C)
{
    int nv = in->nv;
    sn_relative g;
    sn_law f;
    for (int which = SN_SLIDE; which <= SN_TURN; which++) {
        double row[SN_RELATIVE_MAX] = {0};
        if (!k->acts(in->s + k->base, which)) continue;
        SN_TRY(sn_relative_open(k, in, which, K != NULL, &g, &f));
        for (int i = 0; i < nv; i++) r[i] += f.f * g.b[i];
        if (!K) continue;
        sn_relative_row(in, &g, &f, 1, row);
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < nv; j++) {
                K[nv * i + j] += g.b[i] * row[j] + f.f * g.H[nv * i + j];
                if (C) C[nv * i + j] += f.v * g.b[i] * g.b[j];
            }
    }
    return SN_OK;
}

/* Change of the force of one coordinate by `index`; db is the change of b. */
static inline double sn_relative_df(const sn_relative_kind *k, const sn_in *in, int which, int index,
                                    const sn_relative *g, const sn_law *f, double *db)
{
    double ds;
    memset(db, 0, SN_RELATIVE_MAX * sizeof *db);
    ds = k->dcoordinate(in, which, index, db);
    double df = f->s * ds + f->v * sn_relative_dot(in->nv, db, in->v);
    if (index >= k->base && index < in->ns)
        df += k->dlaw(in->s + k->base, in->opt, which, index - k->base, g->s, g->sd);
    return df;
}

/* Also of a coordinate on which nothing acts: the derivative by its stiffness does not vanish. */
static inline sn_status sn_relative_dparam(const sn_relative_kind *k, const sn_in *in, int index, double *dr)
{
    sn_relative g;
    sn_law f;
    double db[SN_RELATIVE_MAX];
    for (int which = SN_SLIDE; which <= SN_TURN; which++) {
        if (sn_relative_open(k, in, which, 0, &g, &f) != SN_OK) {
            if (k->acts(in->s + k->base, which)) return SN_ERR_NUMERIC;
            continue;
        }
        double df = sn_relative_df(k, in, which, index, &g, &f, db);
        for (int i = 0; i < in->nv; i++) dr[i] += df * g.b[i] + f.f * db[i];
    }
    return SN_OK;
}

/* The force of one coordinate at an end (2 unless 1 is asked for); rows of its derivatives or NULL */
static inline sn_status sn_relative_local(const sn_relative_kind *k, const sn_in *in, int which, int end,
                                          double *y, double *by_q, double *by_v)
{
    double sign = end == 1 ? -1 : 1;
    sn_relative g;
    sn_law f;
    *y = 0;
    if (!k->acts(in->s + k->base, which)) return SN_OK;
    SN_TRY(sn_relative_open(k, in, which, by_q != NULL, &g, &f));
    *y = sign * f.f;
    if (by_q) sn_relative_row(in, &g, &f, sign, by_q);
    for (int i = 0; by_v && i < in->nv; i++) by_v[i] += sign * f.v * g.b[i];
    return SN_OK;
}

static inline sn_status sn_relative_dlocal(const sn_relative_kind *k, const sn_in *in, int which, int end,
                                           int index, double *dy)
{
    sn_relative g;
    sn_law f;
    double db[SN_RELATIVE_MAX];
    *dy = 0;
    if (sn_relative_open(k, in, which, 0, &g, &f) != SN_OK)
        return k->acts(in->s + k->base, which) ? SN_ERR_NUMERIC : SN_OK;
    *dy = (end == 1 ? -1 : 1) * sn_relative_df(k, in, which, index, &g, &f, db);
    return SN_OK;
}

/* Both coordinates: y = (N along, M about), the output `force_local` */
static inline sn_status sn_relative_output(const sn_relative_kind *k, const sn_in *in, int end, double *y,
                                           sn_dout *d)
{
    for (int which = SN_SLIDE; which <= SN_TURN; which++)
        SN_TRY(sn_relative_local(k, in, which, end, y + which, d && d->q ? d->q + in->nv * which : NULL,
                                 d && d->v ? d->v + in->nv * which : NULL));
    return SN_OK;
}

static inline sn_status sn_relative_doutput(const sn_relative_kind *k, const sn_in *in, int end, int index,
                                            double *dy)
{
    for (int which = SN_SLIDE; which <= SN_TURN; which++)
        SN_TRY(sn_relative_dlocal(k, in, which, end, index, dy + which));
    return SN_OK;
}

#define SN_RELATIVE_OUTPUT                                                                                   \
    {                                                                                                        \
        "force_local",                                                                                       \
            "force along the axis and moment about it on the element at its end (2 unless asked)", 2,        \
            {"N", "M"},                                                                                      \
        {                                                                                                    \
            "N", "N*m"                                                                                       \
        }                                                                                                    \
    }

#endif
