/* Spring and damper along the line between two planar (n = 2) or spatial (n = 3) points: the force F =
   f d with f = k (1 - l0/l) + c ldot/l, d from the first point to the second, l = |d|. With l0 = 0 and c = 0
   the force k d is regular at l = 0; otherwise points that meet have no direction of the force, which is a
   numerical failure. n is a constant wherever these are called. */
#ifndef SN_ELEMENT_LINE_H
#define SN_ELEMENT_LINE_H

#include "math/plane.h"
#include "math/rot3.h"
#include "sinew/class.h"

typedef struct sn_line_law {
    double k, l0, c;
} sn_line_law;

enum { SN_LINE_K, SN_LINE_L0, SN_LINE_C };

/* l and 1/l are 0 where they are not needed. */
typedef struct sn_line {
    double d[3], u[3], l, il, du, f; /* u: rate of d, du = d.u */
} sn_line;

static inline double sn_line_dot(const int n, const double *a, const double *b)
{
    return n == 2 ? sn_dot2(a, b) : sn_dot3(a, b);
}

/* The force, d and u being known */
static inline sn_status sn_line_open(const int n, const sn_line_law s, sn_line *y)
{
    y->l = y->il = y->du = 0;
    y->f = s.k;
    if (s.c == 0 && (s.l0 == 0 || s.k == 0)) return SN_OK;
    double l2 = sn_line_dot(n, y->d, y->d);
    if (!(l2 > 0)) return SN_ERR_NUMERIC;
    y->l = sqrt(l2);
    y->il = 1 / y->l;
    y->du = sn_line_dot(n, y->d, y->u);
    y->f += (s.c * y->du * y->il - s.k * s.l0) * y->il;
    return SN_OK;
}

/* Length for derivatives by l0 and c, and for the force along the line, where the force itself may not need
 * it
 */
static inline sn_status sn_line_measure(const int n, sn_line *y)
{
    if (y->l == 0) y->l = sqrt(sn_line_dot(n, y->d, y->d));
    if (!(y->l > 0)) return SN_ERR_NUMERIC;
    y->il = 1 / y->l;
    y->du = sn_line_dot(n, y->d, y->u);
    return SN_OK;
}

/* D = dF/dd, G = dF/du */
static inline void sn_line_tangent(const int n, const sn_line_law s, const sn_line *y, double *D, double *G)
{
    double il2 = y->il * y->il, c = s.c * il2;
    double a = s.k * s.l0 * il2 * y->il - 2 * c * y->du * il2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            D[n * i + j] = y->d[i] * (a * y->d[j] + c * y->u[j]) + (i == j ? y->f : 0);
            G[n * i + j] = c * y->d[i] * y->d[j];
        }
}

/* df by one of the law's numbers; another: 0 */
static inline sn_status sn_line_by(const int n, const sn_line_law s, int which, sn_line *y, double *df)
{
    *df = 0;
    if (which == SN_LINE_L0 || which == SN_LINE_C || (which == SN_LINE_K && s.l0 != 0))
        SN_TRY(sn_line_measure(n, y));
    if (which == SN_LINE_K) *df = 1 - s.l0 * y->il;
    if (which == SN_LINE_L0) *df = -s.k * y->il;
    if (which == SN_LINE_C) *df = y->du * y->il * y->il;
    return SN_OK;
}

/* Derivatives of N = f l, by d: k e + c (u - (e.u) e)/l, by u: c e; points that meet under no force have no
   direction e */
static inline void sn_line_along(const int n, const sn_line_law s, sn_line *y, double *by_d, double *by_u)
{
    int apart = sn_line_measure(n, y) == SN_OK;
    for (int k = 0; k < n; k++) {
        double e = y->d[k] * y->il;
        by_d[k] = apart ? s.k * e + s.c * (y->u[k] - y->du * y->il * e) * y->il : 0;
        by_u[k] = apart ? s.c * e : 0;
    }
}

/* The spring's force over l alone, at length l */
static inline double sn_line_elastic(const sn_line_law s, double l)
{
    return s.l0 == 0 ? s.k : l > 0 ? s.k * (l - s.l0) / l : 0;
}

#endif
