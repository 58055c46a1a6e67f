/* The way of a point of body 2 along a direction that is fixed in body 1, both of the plane: w = a1 . e with
   a1 = R(theta1) a, e = x2 + R(theta2) s - x1; its derivatives by (x1, y1, theta1, x2, y2, theta2). */
#ifndef SN_MATH_SLIDE2_H
#define SN_MATH_SLIDE2_H

#include "math/plane.h"

typedef struct sn_slide2 {
    double a[2], an[2]; /* the direction, turned, and its quarter turn */
    double p[2], pn[2]; /* arm R(theta2) s and its quarter turn */
    double e[2];
} sn_slide2;

static inline void sn_slide2_open(const double *q, const double *a, const double *s, sn_slide2 *g)
{
    sn_rot2(q[2], a, g->a);
    sn_perp2(g->a, g->an);
    sn_rot2(q[5], s, g->p);
    sn_perp2(g->p, g->pn);
    for (int k = 0; k < 2; k++) g->e[k] = q[3 + k] + g->p[k] - q[k];
}

static inline void sn_slide2_gradient(const sn_slide2 *g, double *b)
{
    b[3] = g->a[0], b[4] = g->a[1];
    b[0] = -b[3], b[1] = -b[4];
    b[2] = sn_dot2(g->an, g->e);
    b[5] = sn_dot2(g->a, g->pn);
}

/* K (6 x 6) += f times the second derivatives: row and column theta1, and (theta2, theta2) */
static inline void sn_slide2_curvature(const sn_slide2 *g, double f, double *K)
{
    const double ap = sn_dot2(g->a, g->p);
    const double h[6] = {-g->an[0], -g->an[1], -sn_dot2(g->a, g->e), g->an[0], g->an[1], ap};
    for (int j = 0; j < 6; j++) {
        K[2 * 6 + j] += f * h[j];
        if (j != 2) K[j * 6 + 2] += f * h[j];
    }
    K[5 * 6 + 5] -= f * ap;
}

/* Change of w, returned, and of its gradient with a by da and s by ds */
static inline double sn_slide2_change(const double *q, const sn_slide2 *g, const double *da, const double *ds,
                                      double *db)
{
    double a[2], an[2], p[2], pn[2];
    sn_rot2(q[2], da, a);
    sn_perp2(a, an);
    sn_rot2(q[5], ds, p);
    sn_perp2(p, pn);
    db[3] = a[0], db[4] = a[1];
    db[0] = -a[0], db[1] = -a[1];
    db[2] = sn_dot2(an, g->e) + sn_dot2(g->an, p);
    db[5] = sn_dot2(a, g->pn) + sn_dot2(g->a, pn);
    return sn_dot2(a, g->e) + sn_dot2(g->a, p);
}

#endif
