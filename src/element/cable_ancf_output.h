/* What sensors read of cable_ancf: forces and strains at an end, with their changes. */
#ifndef SN_ELEMENT_CABLE_ANCF_OUTPUT_H
#define SN_ELEMENT_CABLE_ANCF_OUTPUT_H

#include "element/cable_ancf.h"

enum { OUT_FORCE, OUT_FORCE_LOCAL, OUT_STRAIN };

/* Force (3) and moment p x Fp (3) that act at an end, from the forces f on the coordinates; p: its slope */
static void end_force(const int n, const double *p, const double *f, double *y)
{
    double a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    memset(y, 0, 6 * sizeof *y);
    for (int i = 0; i < n; i++) y[i] = f[i], a[i] = p[i], b[i] = f[n + i];
    sn_cross3(a, b, y + 3);
}

/* N along the tangent, V across and M; signed in the plane, sizes in space. z: force and moment. A change dz,
   dp gives dy (NULL: none). */
static void local_force(const int n, const double *p, const double *z, double *y, const double *dp,
                        const double *dz, double *dy)
{
    double t[3] = {0, 0, 0}, dt[3] = {0, 0, 0}, x[3], dx[3], l = sqrt(dot(n, p, p)), along = 0;
    for (int i = 0; i < n; i++) t[i] = p[i] / l;
    sn_cross3(t, z, x);
    y[0] = sn_dot3(t, z);
    y[1] = n == 2 ? x[2] : sqrt(sn_dot3(x, x));
    y[2] = n == 2 ? z[5] : sqrt(sn_dot3(z + 3, z + 3));
    if (!dy) return;
    for (int i = 0; i < n; i++) along += t[i] * dp[i];
    for (int i = 0; i < n; i++) dt[i] = (dp[i] - along * t[i]) / l;
    sn_cross3(dt, z, dx);
    dy[0] = sn_dot3(dt, z) + sn_dot3(t, dz);
    sn_cross3(t, dz, t);
    for (int i = 0; i < 3; i++) dx[i] += t[i];
    dy[1] = n == 2 ? dx[2] : y[1] > 0 ? sn_dot3(x, dx) / y[1] : 0;
    dy[2] = n == 2 ? dz[5] : y[2] > 0 ? sn_dot3(z + 3, dz + 3) / y[2] : 0;
}

/* An end of a cable of length L in n dimensions */
typedef struct end_of {
    int n, end, green;
    double L;
} end_of;

/* Strain and curvature at an end; their change with blocks y by dy and the length by dL (dy and dL NULL, 0)
 */
static void strain_at(const end_of *at, const double *y, double *e, const double *dy, double dL, double *de)
{
    const int n = at->n, end = at->end, green = at->green;
    const double L = at->L;
    const shape s = shape_at(end == 1 ? 0 : 1, L), t = shape_by_length(&s, L);
    const law w = {1, 1, 0, green};
    point k = {{0}, {0}, {0}, {0}}, d = {{0}, {0}, {0}, {0}}, by = {{0}, {0}, {0}, {0}};
    bend b = {.a = 0};
    point_at(n, &s, y, y, &k);
    bend_at(n, &w, &k, &b);
    const double l = sqrt(b.a), cross = k.p[0] * k.c[1] - k.p[1] * k.c[0];
    e[0] = green ? 0.5 * (b.a - 1) : l - 1;
    e[1] = n == 2 ? cross * b.ia : sqrt(dot(n, b.k, b.k));
    if (!de) return;
    memset(&d, 0, sizeof d);
    if (dy) point_at(n, &s, dy, dy, &d);
    if (dL != 0) {
        point_at(n, &t, y, y, &by);
        for (int i = 0; i < n; i++) d.p[i] += dL * by.p[i], d.c[i] += dL * by.c[i];
    }
    const double pd = dot(n, k.p, d.p),
                 dyy = (dot(n, d.p, k.c) + dot(n, k.p, d.c)) * b.ia - 2 * b.y * pd * b.ia;
    de[0] = green ? pd : pd / l;
    if (n == 2) {
        de[1] = (d.p[0] * k.c[1] - d.p[1] * k.c[0] + k.p[0] * d.c[1] - k.p[1] * d.c[0]) * b.ia -
                2 * e[1] * pd * b.ia;
        return;
    }
    de[1] = 0;
    for (int i = 0; i < n && e[1] > 0; i++)
        de[1] += b.k[i] / e[1] * ((d.c[i] - dyy * k.p[i] - b.y * d.p[i]) * b.il - b.k[i] * pd * b.ia);
}

/* The slope at an end and the forces there; in changes the slope may be NULL, 0 */
typedef struct slope_and_force {
    const double *p, *f;
} slope_and_force;

/* Output of an end, and its change */
static void output_of(const int n, int which, slope_and_force at, double *y, slope_and_force by, double *dy)
{
    const double *p = at.p, *f = at.f, *dp = by.p, *df = by.f;
    double z[6] = {0}, dz[6] = {0}, x[6] = {0}, none[3] = {0, 0, 0}, local[3] = {0};
    end_force(n, p, f, z);
    if (dy) {
        end_force(n, p, df, dz), end_force(n, dp ? dp : none, f, x);
        for (int i = 3; i < 6; i++) dz[i] += x[i];
    }
    if (which == OUT_FORCE) {
        memcpy(y, z, sizeof z);
        if (dy) memcpy(dy, dz, sizeof dz);
    } else {
        local_force(n, p, z, local, dp ? dp : none, dz, dy);
        memcpy(y, local, sizeof local);
    }
}

#endif
