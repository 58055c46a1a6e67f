/* Spatial joints from three primitive equations between a marker on body 1 and one on body 2.

   Markers p_i = x_i + R_i s_i, axes R_i d with d fixed in the body. In the reference configuration R = 1, so
   that s_i = at - X_i and an axis is the same vector for both bodies.

     along(k)       e_k . (p2 - p1)                    e_k a global axis
     within(d)      (R1 d) . (p2 - p1)
     square(d, e)   (R1 d) . (R2 e)

   With Q = R1'R2, w = R1'(x2 - x1) + Q s2, h = Q'd, b = Q e the gradients by (x2; -x1; th1; th2) are
     along          e; th1: -s1 x R1'e; th2: s2 x R2'e
     within         R1 d; th1: d x w; th2: s2 x h
     square         0; th1: d x b; th2: e x h
   and by d~ Q e~ = b h' - (d.b) Q the second derivatives need no product of matrices. All are linear in each
   of s1, s2, d, e: the derivative by one of them is the equation with that one replaced by its change.

   A node without rotation has R = 1 and cannot carry an arm: s = 0. */
#ifndef SN_JOINT_SPACE_H
#define SN_JOINT_SPACE_H

#include "math/rot3.h"
#include "sinew/class.h"

/* Two bodies: where their coordinates are, how they lie. */
typedef struct sn_pair {
    int nv, x[2], th[2]; /* places of positions and rotations among the coordinates; -1: none */
    double R1[9], R2[9], Q[9], s1[3], s2[3], w[3], dx[3];
} sn_pair;

/* A value and its gradient: by x2 (by x1 the opposite), th1, th2. */
typedef struct sn_row {
    double phi, x[3], th1[3], th2[3];
} sn_row;

/* e: any vector, sum of the multipliers times the global axes */
static inline void sn_pair_along(const sn_pair *p, const double *e, sn_row *r)
{
    double a1[3], a2[3];
    sn_tmul3(p->R1, e, a1);
    sn_tmul3(p->R2, e, a2);
    r->phi = sn_dot3(e, p->dx) + sn_dot3(a2, p->s2) - sn_dot3(a1, p->s1);
    memcpy(r->x, e, sizeof r->x);
    sn_cross3(a1, p->s1, r->th1);
    sn_cross3(p->s2, a2, r->th2);
}

static inline void sn_pair_within(const sn_pair *p, const double *d, sn_row *r)
{
    double h[3];
    sn_tmul3(p->Q, d, h);
    r->phi = sn_dot3(d, p->w) - sn_dot3(d, p->s1);
    sn_mul3(p->R1, d, r->x);
    sn_cross3(d, p->w, r->th1);
    sn_cross3(p->s2, h, r->th2);
}

static inline void sn_pair_square(const sn_pair *p, const double *d, const double *e, sn_row *r)
{
    double b[3], h[3];
    sn_mul3(p->Q, e, b);
    sn_tmul3(p->Q, d, h);
    r->phi = sn_dot3(d, b);
    r->x[0] = r->x[1] = r->x[2] = 0;
    sn_cross3(d, b, r->th1);
    sn_cross3(e, h, r->th2);
}

/* r += f times another row */
static inline void sn_row_add(double f, const sn_row *from, sn_row *r)
{
    r->phi += f * from->phi;
    for (int i = 0; i < 3; i++) {
        r->x[i] += f * from->x[i];
        r->th1[i] += f * from->th1[i];
        r->th2[i] += f * from->th2[i];
    }
}

/* g += f times the row, in the order of the coordinates */
static inline void sn_row_put(const sn_pair *p, double f, const sn_row *r, double *g)
{
    for (int i = 0; i < 3; i++) {
        if (p->x[0] >= 0) g[p->x[0] + i] -= f * r->x[i];
        if (p->x[1] >= 0) g[p->x[1] + i] += f * r->x[i];
        if (p->th[0] >= 0) g[p->th[0] + i] += f * r->th1[i];
        if (p->th[1] >= 0) g[p->th[1] + i] += f * r->th2[i];
    }
}

/* the row times velocities */
static inline double sn_row_rate(const sn_pair *p, const sn_row *r, const double *v)
{
    double y = 0;
    if (p->x[0] >= 0) y -= sn_dot3(r->x, v + p->x[0]);
    if (p->x[1] >= 0) y += sn_dot3(r->x, v + p->x[1]);
    if (p->th[0] >= 0) y += sn_dot3(r->th1, v + p->th[0]);
    if (p->th[1] >= 0) y += sn_dot3(r->th2, v + p->th[1]);
    return y;
}

/* K += second derivatives of the equation; multipliers are a factor of e or d. */
void sn_pair_along_K(const sn_pair *p, const double *e, double *K);
void sn_pair_within_K(const sn_pair *p, const double *d, double *K);
void sn_pair_square_K(const sn_pair *p, const double *d, const double *e, double *K);
/* v'K v */
double sn_pair_bend(const sn_pair *p, const double *K, const double *v);

enum { SN_PAIR_MAX = 12 }; /* coordinates of two frames */

/* Equations of a joint. Axes by number: 0 x, 1 y, 2 z (the joint's axis), 3 the second axis.
   SN_SKEW is the small rotation that axes a and b see, (square(a, b) - square(b, a))/2. */
enum { SN_ALONG, SN_WITHIN, SN_SQUARE, SN_SKEW };
typedef struct sn_equation {
    int form, a, b;
    const char *name, *unit;
} sn_equation;

/* A joint: its equations, and which slots hold its place (-1: node 2), its axis (-1: the axes are the global
   ones) and its second axis (-1: none). */
typedef struct sn_space {
    int n;
    sn_equation eq[6];
    int at, axis, axis2;
} sn_space;

/* Constants: s1 (0), s2 (3), x (6), y (9), z (12), second axis (15), lengths of the axes as given (18, 19) */
enum { SN_SPACE_S1 = 0, SN_SPACE_S2 = 3, SN_SPACE_AXES = 6, SN_SPACE_LENGTH = 18, SN_SPACE_NC = 20 };

void sn_space_pair(const sn_in *in, sn_pair *p);
sn_status sn_space_layout(const sn_space *j, sn_layout *l, sn_err *err);
sn_status sn_space_prepare(const sn_space *j, const sn_in *in, double *c, sn_err *err);
sn_status sn_space_eval(const sn_space *j, const sn_in *in, sn_joint_out *out);
sn_status sn_space_rate(const sn_space *j, const sn_in *in, double *phi_t, double *gamma);
sn_status sn_space_dparam(const sn_space *j, const sn_in *in, int index, double *dr, double *dphi);
/* dc = derivative of the constants by the number `index` */
void sn_space_dconstants(const sn_space *j, const sn_in *in, int index, double *dc);
/* Change of within(z), the way along the axis, with the constants' change dc. */
void sn_space_dway(const sn_in *in, const sn_pair *p, const double *dc, sn_row *r);

/* Unit vector and length; the axes x and y that belong to z; their derivatives along dw, dz. */
double sn_space_unit(const double *w, double *u);
void sn_space_dunit(const double *u, double length, const double *dw, double *du);
void sn_space_triad(const double *z, double *x, double *y);
void sn_space_dtriad(const double *z, const double *x, const double *dz, double *dx, double *dy);

/* The usual slots. */
#define SN_SPACE_AT                                                                                          \
    {                                                                                                        \
        "at", "m", "place of the joint in the reference configuration", 3,                                   \
            SN_PLACED | SN_ON_NODE1 | SN_ON_NODE2, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@j.x;@j.y;@j.z"  \
    }
#define SN_SPACE_AXIS(name, doc)                                                                             \
    {                                                                                                        \
        name, "", doc ", in the reference configuration, of any length", 3, SN_ROTATES, SN_REQUIRED,         \
            -SN_INFINITE, SN_INFINITE, NULL                                                                  \
    }

/* The functions of a kind that is nothing but a list of equations, and its table. picture: its symbol. */
#define SN_SPACE_KIND(kind, list, text, views, first, picture)                                               \
    static sn_status layout(sn_layout *l, sn_err *err) { return sn_space_layout(&(list), l, err); }          \
    static sn_status prepare(const sn_in *in, double *c, sn_err *err)                                        \
    {                                                                                                        \
        return sn_space_prepare(&(list), in, c, err);                                                        \
    }                                                                                                        \
    static sn_status eval(const sn_in *in, sn_joint_out *out) { return sn_space_eval(&(list), in, out); }    \
    static sn_status rate(const sn_in *in, double *phi_t, double *gamma)                                     \
    {                                                                                                        \
        return sn_space_rate(&(list), in, phi_t, gamma);                                                     \
    }                                                                                                        \
    static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)                            \
    {                                                                                                        \
        return sn_space_dparam(&(list), in, index, dr, dphi);                                                \
    }                                                                                                        \
    static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, picture, 0, NULL};                      \
    extern const sn_joint_class sn_joint_##kind;                                                             \
    const sn_joint_class sn_joint_##kind = {                                                                 \
        .name = #kind,                                                                                       \
        .doc = text,                                                                                         \
        .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = views, .ask_first = first},       \
        .slots = slots,                                                                                      \
        .layout = layout,                                                                                    \
        .prepare = prepare,                                                                                  \
        .eval = eval,                                                                                        \
        .rate = rate,                                                                                        \
        .dparam = dparam,                                                                                    \
        .geometry = &geometry,                                                                               \
    }

#endif
