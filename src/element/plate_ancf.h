/* Strains, forces and inertia of plate_ancf in dual numbers, so that every derivative by a number is that of
   the same text. Read the head of plate_ancf.c first; only that file includes this one.

   Vectors of node i: r, r_x, r_y, r_xy; coordinates x = a xi, y = b eta with the mean lengths a, b of
   opposite edges. The surface is r = sum h(xi) h(eta) p with Hermite's polynomials, each slope with its
   length. At a point the forces are functions of sums u of the vectors: r_x, r_y, r_xx, r_yy, r_xy. */
#ifndef SN_ELEMENT_PLATE_ANCF_H
#define SN_ELEMENT_PLATE_ANCF_H

#include <math.h>
#include <string.h>

#include "element/hermite.h"
#include "math/dual.h"
#include "sinew/class.h"

enum { YOUNG, NU, RHO, THICKNESS, DAMPING, NS };
enum { CORNERS = 4, BLOCKS = 16, COORDS = 3 * BLOCKS };
enum { U_X, U_Y, U_XX, U_YY, U_XY, SUMS };
enum { LINE = 3, GRID = LINE * LINE, POINTS = 2 * GRID }; /* membrane points, then those of bending */

static const int order_of[SUMS][2] = {{1, 0}, {0, 1}, {2, 0}, {0, 2}, {1, 1}}; /* derivatives by x, y */
static const int corner_at[CORNERS][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
static const double lobatto_at[LINE] = {0, 0.5, 1}, lobatto_weight[LINE] = {1.0 / 6, 4.0 / 6, 1.0 / 6},
                    gauss_at[LINE] = {0.11270166537925831148, 0.5, 0.88729833462074168852},
                    gauss_weight[LINE] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/* What the sums are of each vector: f, with the derivative d where the reference moves */
typedef struct shape {
    double f[SUMS][BLOCKS], d[SUMS][BLOCKS];
    int moved;
} shape;

/* What the reference says at a point: area; from strains by x, y to those of an orthonormal pair, the first
   along r_x; r_a.r_b/2 and r_ab.n as (11, 22, twice 12), gradients r_xy.r_x, r_xy.r_y */
typedef struct place {
    dual area, T[9], m[3], b[3], gradient[2];
} place;

/* The same in numbers, of all points, and lengths and mass area; made by prepare */
typedef struct constants {
    double a, b, mean; /* mean: the area over a b */
    struct {
        double f[SUMS][BLOCKS];
        double area, T[9], m[3], b[3], gradient[2];
    } at[POINTS];
} constants;

/* All that an element sees, and the derivative of one of it */
typedef struct seen {
    dual s[NS], X[COORDS], q[COORDS], v[COORDS], a[COORDS], g[3], la, lb, mean, scale[2][4],
        line[2][16]; /* powers -2 .. 1 of the lengths; masses of lines */
    const sn_in *in;
    int moved; /* whether a reference coordinate is what the derivatives are by */
} seen;
enum { BY_NOTHING, BY_NUMBER, BY_Q, BY_V };

/* ---- the surface ---- */

/* Hermite's polynomials and their derivatives: place and slope at 0, at 1 */
static inline void line_shapes(double x, double (*h)[4])
{
    const double y[3][4] = {
        {1 - x * x * (3 - 2 * x), x * (1 - x) * (1 - x), x * x * (3 - 2 * x), x * x * (x - 1)},
        {-6 * x * (1 - x), 1 - x * (4 - 3 * x), 6 * x * (1 - x), x * (3 * x - 2)},
        {12 * x - 6, 6 * x - 4, 6 - 12 * x, 6 * x - 2}};
    memcpy(h, y, sizeof y);
}

static inline dual power(dual L, int n)
{
    dual x = constant(1);
    for (int i = 0; i < n; i++) x = mul(x, L);
    for (int i = 0; i > n; i--) x = over(x, L);
    return x;
}

static inline void shapes(const seen *e, const double *at, shape *y)
{
    double h[2][3][4];
    line_shapes(at[0], h[0]), line_shapes(at[1], h[1]);
    y->moved = 1;
    for (int k = 0; k < SUMS; k++)
        for (int i = 0; i < BLOCKS; i++) {
            const int *c = corner_at[i / 4], sx = i & 1, sy = i >> 1 & 1, dx = order_of[k][0],
                      dy = order_of[k][1];
            const dual f = times(h[0][dx][2 * c[0] + sx] * h[1][dy][2 * c[1] + sy],
                                 mul(e->scale[0][2 + sx - dx], e->scale[1][2 + sy - dy]));
            y->f[k][i] = f.x, y->d[k][i] = f.d;
        }
}

static inline void sums(const shape *s, int n, const dual *p, dual (*u)[3])
{
    for (int k = 0; k < n; k++)
        for (int j = 0; j < 3; j++) {
            double x = 0, d = 0;
            for (int i = 0; i < BLOCKS; i++)
                x += s->f[k][i] * p[3 * i + j].x, d += s->f[k][i] * p[3 * i + j].d;
            for (int i = 0; s->moved && i < BLOCKS; i++) d += s->d[k][i] * p[3 * i + j].x;
            u[k][j] = (dual){x, d};
        }
}

/* r += forces on the sums */
static inline void put(const shape *s, int n, dual (*F)[3], dual *r)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < BLOCKS; i++)
            for (int j = 0; j < 3; j++) {
                dual *x = &r[3 * i + j];
                x->x += s->f[k][i] * F[k][j].x, x->d += s->f[k][i] * F[k][j].d;
                if (s->moved) x->d += s->d[k][i] * F[k][j].x;
            }
}

/* n of the surface, and |r_x x r_y| */
static inline dual normal(dual (*u)[3], dual *n)
{
    dual N[3], l;
    cross(u[U_X], u[U_Y], N);
    l = norm(N);
    for (int j = 0; j < 3; j++) n[j] = over(N[j], l);
    return l;
}

static inline void membrane_of(dual (*u)[3], dual *m)
{
    m[0] = times(0.5, dot(u[U_X], u[U_X])), m[1] = times(0.5, dot(u[U_Y], u[U_Y]));
    m[2] = dot(u[U_X], u[U_Y]);
}

static inline void bending_of(dual (*u)[3], dual *b)
{
    dual n[3];
    normal(u, n);
    b[0] = dot(u[U_XX], n), b[1] = dot(u[U_YY], n), b[2] = times(2, dot(u[U_XY], n));
}

/* The reference at a place with the weight of the square */
static inline void place_at(const seen *e, const double *at, double weight, place *y, shape *f)
{
    dual u[SUMS][3], l, c, s;
    shapes(e, at, f);
    sums(f, SUMS, e->X, u);
    l = norm(u[U_X]), c = over(dot(u[U_X], u[U_Y]), l);
    s = root(sub(dot(u[U_Y], u[U_Y]), mul(c, c)));
    y->area = times(weight, mul(mul(e->la, e->lb), mul(l, s)));
    /* contravariant pair: 1/l, -c/(l s); 0, 1/s */
    const dual p = over(constant(1), l), q = times(-1, over(c, mul(l, s))), r = over(constant(1), s);
    for (int i = 0; i < 9; i++) y->T[i] = constant(0);
    y->T[0] = mul(p, p), y->T[3] = mul(q, q), y->T[4] = mul(r, r), y->T[5] = mul(q, r);
    y->T[6] = times(2, mul(p, q)), y->T[8] = mul(p, r);
    membrane_of(u, y->m), bending_of(u, y->b);
    for (int i = 0; i < 2; i++) y->gradient[i] = dot(u[U_XY], u[i]);
}

/* Point k: 9 of the membrane, 9 of bending */
static inline void point(int k, double *at, double *weight)
{
    const double *x = k < GRID ? lobatto_at : gauss_at, *w = k < GRID ? lobatto_weight : gauss_weight;
    const int i = k % LINE, j = k % GRID / LINE;
    at[0] = x[i], at[1] = x[j], *weight = w[i] * w[j];
}

/* ---- what is seen ---- */

static inline void lengths(seen *e)
{
    dual l[CORNERS], d[3];
    for (int i = 0; i < CORNERS; i++) {
        for (int j = 0; j < 3; j++) d[j] = sub(e->X[12 * ((i + 1) % CORNERS) + j], e->X[12 * i + j]);
        l[i] = norm(d);
    }
    e->la = times(0.5, add(l[0], l[2])), e->lb = times(0.5, add(l[1], l[3]));
}

static inline void scales(seen *e)
{
    const dual L[2] = {e->la, e->lb};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) e->scale[i][k] = power(L[i], k - 2);
}

static inline void mean_area(seen *e)
{
    dual all = {0, 0};
    for (int k = GRID; k < POINTS; k++) {
        double at[2], weight;
        place y;
        shape f;
        point(k, at, &weight);
        place_at(e, at, weight, &y, &f);
        all = add(all, y.area);
    }
    e->mean = over(all, mul(e->la, e->lb));
}

static inline void line_masses(seen *e);

static inline void look(const sn_in *in, int by, int index, seen *e)
{
    const constants *c = (const constants *)in->c;
    e->in = in;
    e->moved = by == BY_NUMBER && index >= NS && index < NS + COORDS;
    for (int i = 0; i < NS; i++) e->s[i] = (dual){in->s[i], by == BY_NUMBER && index == i};
    for (int i = 0; i < COORDS; i++) {
        e->X[i] = (dual){in->X[i], by == BY_NUMBER && index == NS + i};
        e->q[i] = (dual){in->q[i], by == BY_Q && index == i};
        e->v[i] = (dual){in->v[i], by == BY_V && index == i};
        e->a[i] = constant(in->a[i]);
    }
    for (int i = 0; i < 3; i++) e->g[i] = (dual){in->g[i], by == BY_NUMBER && index == NS + COORDS + i};
    e->la = constant(c->a), e->lb = constant(c->b), e->mean = constant(c->mean);
    if (e->moved) lengths(e);
    scales(e);
    if (e->moved) mean_area(e);
    line_masses(e);
}

static inline void point_place(const seen *e, int k, place *y, shape *f)
{
    const constants *c = (const constants *)e->in->c;
    double at[2], weight;
    if (e->moved) {
        point(k, at, &weight);
        place_at(e, at, weight, y, f);
        return;
    }
    memcpy(f->f, c->at[k].f, sizeof f->f);
    f->moved = 0;
    y->area = constant(c->at[k].area);
    for (int i = 0; i < 9; i++) y->T[i] = constant(c->at[k].T[i]);
    for (int i = 0; i < 3; i++) y->m[i] = constant(c->at[k].m[i]), y->b[i] = constant(c->at[k].b[i]);
    for (int i = 0; i < 2; i++) y->gradient[i] = constant(c->at[k].gradient[i]);
}

/* ---- forces ---- */

/* Strains (or curvatures) x in x, y to the orthonormal pair, and forces there back */
static inline void to_pair(const dual *T, const dual *x, dual *y)
{
    for (int i = 0; i < 3; i++) y[i] = dot(T + 3 * i, x);
}
static inline void from_pair(const dual *T, const dual *x, dual *y)
{
    for (int i = 0; i < 3; i++) y[i] = add(add(mul(T[i], x[0]), mul(T[3 + i], x[1])), mul(T[6 + i], x[2]));
}

/* Plane stress: forces a length of strains, moments of curvatures */
static inline void law(const seen *e, int bends, const dual *x, dual *y)
{
    const dual nu = e->s[NU], t = e->s[THICKNESS];
    dual c = over(mul(e->s[YOUNG], t), sub(constant(1), mul(nu, nu)));
    if (bends) c = times(1.0 / 12, mul(c, mul(t, t)));
    y[0] = mul(c, add(x[0], mul(nu, x[1])));
    y[1] = mul(c, add(x[1], mul(nu, x[0])));
    y[2] = times(0.5, mul(c, mul(sub(constant(1), nu), x[2])));
}

/* Rates of the strains */
static inline void membrane_rate(dual (*u)[3], dual (*w)[3], dual *m)
{
    m[0] = dot(u[U_X], w[U_X]), m[1] = dot(u[U_Y], w[U_Y]);
    m[2] = add(dot(u[U_X], w[U_Y]), dot(w[U_X], u[U_Y]));
}

/* dn = (dN - n (n.dN))/|N| */
static inline void normal_rate(dual (*u)[3], dual (*w)[3], const dual *n, dual l, dual *dn)
{
    dual x[3], y[3], along;
    cross(w[U_X], u[U_Y], x), cross(u[U_X], w[U_Y], y);
    for (int j = 0; j < 3; j++) x[j] = add(x[j], y[j]);
    along = dot(n, x);
    for (int j = 0; j < 3; j++) dn[j] = over(sub(x[j], mul(along, n[j])), l);
}

static inline void bending_rate(dual (*u)[3], dual (*w)[3], const dual *n, dual l, dual *b)
{
    dual dn[3];
    normal_rate(u, w, n, l, dn);
    for (int k = 0; k < 3; k++) b[k] = times(k == 2 ? 2 : 1, add(dot(w[U_XX + k], n), dot(u[U_XX + k], dn)));
}

/* Strain since the reference and its force, in the pair: `force` with damping */
static inline void respond(const seen *e, const place *p, int bends, const dual *now, const dual *rate,
                           dual *strain, dual *force)
{
    dual x[3], y[3], d[3];
    for (int i = 0; i < 3; i++) x[i] = sub(now[i], (bends ? p->b : p->m)[i]);
    to_pair(p->T, x, strain), to_pair(p->T, rate, d);
    for (int i = 0; i < 3; i++) y[i] = add(strain[i], mul(e->s[DAMPING], d[i]));
    law(e, bends, y, force);
}

/* Forces on the sums: of a membrane on r_x, r_y, of bending on all */
static inline void membrane_force(const seen *e, const place *p, dual (*u)[3], dual (*w)[3], dual (*F)[3])
{
    dual m[3], rate[3], x[3], S[3], c[3];
    membrane_of(u, m), membrane_rate(u, w, rate);
    respond(e, p, 0, m, rate, x, S);
    from_pair(p->T, S, c);
    for (int i = 0; i < 3; i++) c[i] = mul(p->area, c[i]);
    for (int j = 0; j < 3; j++) {
        F[U_X][j] = add(mul(c[0], u[U_X][j]), mul(c[2], u[U_Y][j]));
        F[U_Y][j] = add(mul(c[1], u[U_Y][j]), mul(c[2], u[U_X][j]));
    }
}

/* Stiffness of the gradients of membrane strains, that of bending */
static inline dual gradient_stiffness(const seen *e)
{
    const dual t = e->s[THICKNESS], nu = e->s[NU];
    return times(1.0 / 12, over(mul(mul(e->s[YOUNG], t), mul(t, t)), sub(constant(1), mul(nu, nu))));
}

static inline void add_gradient_force(const seen *e, const place *p, dual (*u)[3], dual (*w)[3], dual (*F)[3])
{
    const dual c = mul(p->area, gradient_stiffness(e));
    for (int i = 0; i < 2; i++) {
        const dual rate = add(dot(w[U_XY], u[i]), dot(u[U_XY], w[i])),
                   f = mul(c, add(sub(dot(u[U_XY], u[i]), p->gradient[i]), mul(e->s[DAMPING], rate)));
        for (int j = 0; j < 3; j++) {
            F[U_XY][j] = add(F[U_XY][j], mul(f, u[i][j]));
            F[i][j] = add(F[i][j], mul(f, u[U_XY][j]));
        }
    }
}

static inline void bending_force(const seen *e, const place *p, dual (*u)[3], dual (*w)[3], dual (*F)[3])
{
    dual n[3], l = normal(u, n), b[3], rate[3], x[3], S[3], c[3], f[3], along;
    for (int k = 0; k < 3; k++) b[k] = times(k == 2 ? 2 : 1, dot(u[U_XX + k], n));
    bending_rate(u, w, n, l, rate);
    respond(e, p, 1, b, rate, x, S);
    from_pair(p->T, S, c);
    for (int i = 0; i < 3; i++) c[i] = mul(p->area, c[i]);
    c[2] = times(2, c[2]);
    for (int j = 0; j < 3; j++) {
        f[j] = constant(0);
        for (int k = 0; k < 3; k++) {
            F[U_XX + k][j] = mul(c[k], n[j]);
            f[j] = add(f[j], mul(c[k], u[U_XX + k][j]));
        }
    }
    /* the force f on n, on r_x x r_y */
    along = dot(f, n);
    for (int j = 0; j < 3; j++) f[j] = over(sub(f[j], mul(along, n[j])), l);
    cross(u[U_Y], f, F[U_X]), cross(f, u[U_X], F[U_Y]);
    add_gradient_force(e, p, u, w, F);
}

static inline void elastic(const seen *e, dual *r)
{
    for (int k = 0; k < POINTS; k++) {
        const int n = k < GRID ? 2 : SUMS;
        dual u[SUMS][3], w[SUMS][3], F[SUMS][3];
        place p;
        shape f;
        point_place(e, k, &p, &f);
        sums(&f, n, e->q, u), sums(&f, n, e->v, w);
        if (k < GRID)
            membrane_force(e, &p, u, w, F);
        else
            bending_force(e, &p, u, w, F);
        put(&f, n, F, r);
    }
}

static inline dual stored(const seen *e)
{
    dual V = {0, 0};
    for (int k = 0; k < POINTS; k++) {
        const int bends = k >= GRID;
        const dual still[3] = {{0, 0}};
        dual u[SUMS][3], now[3], x[3], S[3];
        place p;
        shape f;
        point_place(e, k, &p, &f);
        sums(&f, SUMS, e->q, u);
        if (bends)
            bending_of(u, now);
        else
            membrane_of(u, now);
        respond(e, &p, bends, now, still, x, S);
        V = add(V, times(0.5, mul(p.area, dot(x, S))));
        for (int i = 0; bends && i < 2; i++) {
            const dual g = sub(dot(u[U_XY], u[i]), p.gradient[i]);
            V = add(V, times(0.5, mul(mul(p.area, gradient_stiffness(e)), mul(g, g))));
        }
    }
    return V;
}

/* ---- inertia ---- */

/* Masses of two lines of the lengths a and b, of which that of the surface is the product */
static inline void line_masses(seen *e)
{
    for (int i = 0; i < 16; i++) {
        const int n = hermite_power(i / 4, i % 4);
        e->line[0][i] = times(hermite[i / 4][i % 4] / 420, power(e->la, n));
        e->line[1][i] = times(hermite[i / 4][i % 4] / 420, power(e->lb, n));
        e->line[0][i] = mul(e->line[0][i], mul(mul(e->s[RHO], e->s[THICKNESS]), e->mean));
    }
}

static inline dual mass_of(const seen *e, int i, int j)
{
    const int *c = corner_at[i / 4], *d = corner_at[j / 4];
    return mul(e->line[0][4 * (2 * c[0] + (i & 1)) + 2 * d[0] + (j & 1)],
               e->line[1][4 * (2 * c[1] + (i >> 1 & 1)) + 2 * d[1] + (j >> 1 & 1)]);
}

static inline void mass_times(const seen *e, const dual *y, dual *r)
{
    for (int a = 0; a < BLOCKS; a++)
        for (int b = 0; b < BLOCKS; b++) {
            const dual m = mass_of(e, a, b);
            for (int j = 0; j < 3; j++) r[3 * a + j] = add(r[3 * a + j], mul(m, y[3 * b + j]));
        }
}

static inline void field_of(const seen *e, dual *y)
{
    for (int i = 0; i < COORDS; i++) y[i] = i % 12 < 3 ? e->g[i % 12] : constant(0);
}

static inline void inertia(const seen *e, dual *r)
{
    dual y[COORDS];
    field_of(e, y);
    for (int i = 0; i < COORDS; i++) y[i] = sub(e->a[i], y[i]);
    mass_times(e, y, r);
}

/* ---- outputs ---- */

enum { OUT_STRAIN, OUT_RESULTANT, OUT_STRESS, OUT = 12 };

/* Equivalent stress of plane stress; without a derivative where there is none */
static inline dual mises(const dual *s)
{
    const dual q =
        add(sub(add(mul(s[0], s[0]), mul(s[1], s[1])), mul(s[0], s[1])), times(3, mul(s[2], s[2])));
    return q.x > 0 ? root(q) : constant(0);
}

/* At a corner, from 1, or in the middle, 0; how many numbers */
static inline int output_of(const seen *e, int which, int end, dual *y)
{
    const double at[2] = {end ? corner_at[end - 1][0] : 0.5, end ? corner_at[end - 1][1] : 0.5};
    dual u[SUMS][3], w[SUMS][3], now[3], rate[3], x[2][3], S[2][3], n[3], l;
    place p;
    shape f;
    place_at(e, at, 1, &p, &f);
    sums(&f, SUMS, e->q, u), sums(&f, SUMS, e->v, w);
    membrane_of(u, now), membrane_rate(u, w, rate);
    respond(e, &p, 0, now, rate, x[0], S[0]);
    l = normal(u, n);
    bending_of(u, now), bending_rate(u, w, n, l, rate);
    respond(e, &p, 1, now, rate, x[1], S[1]);
    for (int i = 0; i < 6; i++) y[i] = (which == OUT_STRAIN ? x : S)[i / 3][i % 3];
    if (which != OUT_STRESS) return 6;
    for (int side = -1; side <= 1; side++)
        for (int i = 0; i < 4; i++) { /* N/t -+ 6 M/t^2; an element bends upwards with r_xx.n > 0 */
            const dual t = e->s[THICKNESS];
            dual *to = y + 4 * (side + 1);
            to[i] = i == 3 ? mises(to) : sub(over(S[0][i], t), times(6.0 * side, over(S[1][i], mul(t, t))));
        }
    return OUT;
}

#endif
