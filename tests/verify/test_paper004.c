/* The bushing equations of Vanpaemel, Vermaut, Naets and Desmet, "A system-level bushing joint parameter
   identification approach using flexible multibody models" (2018), as they are printed, against exact ones.
   Numbers of equations are the paper's; docs/papers/004.md has what is measured here.

   A state is z = (u1, u2, R1, R2), its 24 numbers independent as in natural coordinates, so that every
   formula is a polynomial of z and of its rates, and a derivative is one along a direction a = (du1, du2,
   dR1, dR2). The law is linear: loads on frame 1 are (k xt + c vt, kt xr + ct wr). */
#include "verify/kit.h"

#include "math/rot3.h"
#include "sinew/class.h"

typedef struct natural {
    double u1[3], u2[3], R1[9], R2[9];
} natural;

typedef struct law {
    double k[3], kt[3], c, ct; /* stiffnesses along and about the axes of frame 1, dampings alike in all */
} law;

/* Corrections: without them the equation is the printed one. */
enum { FIX_23C = 1, FIX_26D = 2, FIX_26E = 4, FIX_ALL = 7 };

typedef struct motion {
    natural z, v; /* place and rate */
    law l;
    int fixed;
} motion;

/* ---- small things ---- */

static void vect(const double *A, double *x) /* (17), footnote */
{
    x[0] = 0.5 * (A[7] - A[5]), x[1] = 0.5 * (A[2] - A[6]), x[2] = 0.5 * (A[3] - A[1]);
}

static void mult(const double *A, const double *B, double *C) { sn_matmul3(A, B, C); }

static void transposed(const double *A, double *B)
{
    for (int i = 0; i < 9; i++) B[i] = A[3 * (i % 3) + i / 3];
}

/* x = vect(A B') */
static void vect_abt(const double *A, const double *B, double *x)
{
    double Bt[9], C[9];
    transposed(B, Bt);
    mult(A, Bt, C);
    vect(C, x);
}

static void minus(const double *a, const double *b, double *c)
{
    for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

static void add(double f, const double *a, double *c)
{
    for (int k = 0; k < 3; k++) c[k] += f * a[k];
}

static double size(const double *a) { return sqrt(sn_dot3(a, a)); }

/* z + s a */
static natural shifted(const natural *z, double s, const natural *a)
{
    natural out = *z;
    add(s, a->u1, out.u1), add(s, a->u2, out.u2);
    for (int i = 0; i < 9; i++) out.R1[i] += s * a->R1[i], out.R2[i] += s * a->R2[i];
    return out;
}

/* ---- relative place and velocity, and their derivatives ---- */

static void relative(const motion *m, double *xt, double *xr) /* (17) */
{
    double d[3], Q[9];
    minus(m->z.u2, m->z.u1, d);
    sn_tmul3(m->z.R1, d, xt);
    sn_tmatmul3(m->z.R1, m->z.R2, Q);
    vect(Q, xr);
}

/* w2 - w1 of rates dR1, dR2 */
static void turning(const natural *z, const natural *a, double *w)
{
    double w1[3];
    vect_abt(a->R2, z->R2, w);
    vect_abt(a->R1, z->R1, w1);
    minus(w, w1, w);
}

static void velocity(const motion *m, double *vt, double *wr) /* (18) */
{
    double d[3];
    minus(m->v.u2, m->v.u1, d);
    sn_tmul3(m->z.R1, d, vt);
    turning(&m->z, &m->v, d);
    sn_tmul3(m->z.R1, d, wr);
}

static void dxt(const natural *z, const natural *a, double *y) /* (23a) */
{
    double d[3], x[3];
    minus(z->u2, z->u1, d);
    sn_tmul3(a->R1, d, y);
    minus(a->u2, a->u1, d);
    sn_tmul3(z->R1, d, x);
    add(1, x, y);
}

static void d2xt(const natural *a, const natural *b, double *y) /* (23b) */
{
    double d[3], x[3];
    minus(b->u2, b->u1, d);
    sn_tmul3(a->R1, d, y);
    minus(a->u2, a->u1, d);
    sn_tmul3(b->R1, d, x);
    add(1, x, y);
}

/* vect of P'X S' Y: terms of (23c) and (23d) */
static void add_term(const double *P, const double *X, const double *S, const double *Y, double *y)
{
    double A[9], B[9], St[9], x[3];
    sn_tmatmul3(P, X, A);
    transposed(S, St);
    mult(A, St, B);
    mult(B, Y, A);
    vect(A, x);
    add(1, x, y);
}

static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void virtual_rotation(const natural *z, const natural *a, double *y) /* (23c) */
{
    memset(y, 0, 3 * sizeof *y);
    add_term(a->R1, z->R1, one, one, y);
    add_term(z->R1, a->R2, z->R2, z->R1, y);
}

static void dvirtual_rotation(const natural *z, const natural *a, const natural *b, double *y) /* (23d) */
{
    memset(y, 0, 3 * sizeof *y);
    add_term(a->R1, b->R1, one, one, y);
    add_term(b->R1, a->R2, z->R2, z->R1, y);
    add_term(z->R1, a->R2, z->R2, b->R1, y);
    add_term(z->R1, a->R2, b->R2, z->R1, y);
}

/* What changes xr: printed (23c), or the derivative of (17b). */
static void dxr(const motion *m, const natural *a, double *y)
{
    if (!(m->fixed & FIX_23C)) {
        virtual_rotation(&m->z, a, y);
        return;
    }
    memset(y, 0, 3 * sizeof *y);
    add_term(a->R1, m->z.R2, one, one, y);
    add_term(m->z.R1, a->R2, one, one, y);
}

static void dvt(const motion *m, const natural *a, double *y) /* (24a) */
{
    double d[3];
    minus(m->v.u2, m->v.u1, d);
    sn_tmul3(a->R1, d, y);
}

static void dvt_rate(const double *R1, const natural *a, double *y) /* (24b) */
{
    double d[3];
    minus(a->u2, a->u1, d);
    sn_tmul3(R1, d, y);
}

static void dwr(const motion *m, const natural *a, double *y) /* (24c) */
{
    double w1[3], d[3];
    vect_abt(m->v.R2, a->R2, d);
    vect_abt(m->v.R1, a->R1, w1);
    minus(d, w1, d);
    sn_tmul3(m->z.R1, d, y);
    turning(&m->z, &m->v, d);
    sn_tmul3(a->R1, d, d);
    add(1, d, y);
}

static void dwr_rate(const natural *z, const double *R1, const natural *a, double *y) /* (24d) */
{
    double d[3];
    turning(z, a, d);
    sn_tmul3(R1, d, y);
}

/* Time derivatives of (24b) and (24d), as printed in (26d) and (26e) or with what these lack. */
static void rates_in_time(const motion *m, const natural *a, double *vt, double *wr)
{
    double d[3], w1[3];
    memset(vt, 0, 3 * sizeof *vt);
    if (m->fixed & FIX_26D) dvt_rate(m->v.R1, a, vt);
    vect_abt(a->R2, m->v.R2, d);
    vect_abt(a->R1, m->v.R1, w1);
    minus(d, w1, d);
    sn_tmul3(m->z.R1, d, wr);
    if (m->fixed & FIX_26E) {
        dwr_rate(&m->z, m->v.R1, a, d);
        add(1, d, wr);
    }
}

/* ---- loads and generalised forces ---- */

typedef struct loads {
    double xt[3], t1[3], t2[3], r2[3];
} loads;

static void load(const motion *m, loads *o) /* (19) */
{
    double xr[3], vt[3], wr[3], x[3];
    relative(m, o->xt, xr);
    velocity(m, vt, wr);
    for (int k = 0; k < 3; k++) {
        o->t1[k] = m->l.k[k] * o->xt[k] + m->l.c * vt[k];
        o->t2[k] = -o->t1[k];
        o->r2[k] = -m->l.kt[k] * xr[k] - m->l.ct * wr[k];
    }
    sn_cross3(o->xt, o->t1, x);
    add(1, x, o->r2);
}

static double force(const motion *m, const natural *a) /* (20) */
{
    double x[3], r[3];
    loads o;
    load(m, &o);
    dxt(&m->z, a, x);
    virtual_rotation(&m->z, a, r);
    return sn_dot3(x, o.t2) + sn_dot3(r, o.r2);
}

static double dforce(const motion *m, const natural *a, const natural *b) /* (21a), (22a), (22b) */
{
    double x[3], r[3], y[3], s[3], t[3], dt[3], dr[3], sum;
    loads o;
    load(m, &o);
    d2xt(a, b, x);
    dvirtual_rotation(&m->z, a, b, r);
    sum = sn_dot3(x, o.t2) + sn_dot3(r, o.r2);
    dxt(&m->z, b, x), dxr(m, b, r), dvt(m, b, y), dwr(m, b, s);
    for (int k = 0; k < 3; k++) {
        t[k] = m->l.k[k] * x[k] + m->l.c * y[k];
        dt[k] = -t[k], dr[k] = -m->l.kt[k] * r[k] - m->l.ct * s[k];
    }
    sn_cross3(x, o.t1, y), add(1, y, dr);
    sn_cross3(o.xt, t, y), add(1, y, dr);
    dxt(&m->z, a, x), virtual_rotation(&m->z, a, r);
    return sum + sn_dot3(x, dt) + sn_dot3(r, dr);
}

/* Loads on frame 2 that a change vt, wr of the rates makes: (22c), (22d) */
static void damped(const motion *m, const double *xt, const double *vt, const double *wr, double *t2,
                   double *r2)
{
    sn_cross3(xt, vt, r2);
    for (int k = 0; k < 3; k++) t2[k] = -m->l.c * vt[k], r2[k] = m->l.c * r2[k] - m->l.ct * wr[k];
}

static double dforce_rate(const motion *m, const natural *a, const natural *b) /* (21b) */
{
    double x[3], r[3], vt[3], wr[3], xt[3], xr[3], t2[3], r2[3];
    relative(m, xt, xr);
    dvt_rate(m->z.R1, b, vt), dwr_rate(&m->z, m->z.R1, b, wr);
    damped(m, xt, vt, wr, t2, r2);
    dxt(&m->z, a, x), virtual_rotation(&m->z, a, r);
    return sn_dot3(x, t2) + sn_dot3(r, r2);
}

static double dforce_rate_in_time(const motion *m, const natural *a, const natural *b) /* (25), (26) */
{
    double x[3], r[3], vt[3], wr[3], xt[3], xr[3], t2[3], r2[3], sum;
    relative(m, xt, xr);
    dvt_rate(m->z.R1, b, vt), dwr_rate(&m->z, m->z.R1, b, wr);
    damped(m, xt, vt, wr, t2, r2);
    d2xt(a, &m->v, x), dvirtual_rotation(&m->z, a, &m->v, r);
    sum = sn_dot3(x, t2) + sn_dot3(r, r2);
    dxt(&m->z, &m->v, xr); /* the rate of xt, in x~ of (26b) */
    sn_cross3(xr, vt, x);
    rates_in_time(m, b, vt, wr);
    damped(m, xt, vt, wr, t2, r2);
    add(m->l.c, x, r2);
    dxt(&m->z, a, x), virtual_rotation(&m->z, a, r);
    return sum + sn_dot3(x, t2) + sn_dot3(r, r2);
}

/* ---- at one state ---- */

static void rotate(const double *th, double *R)
{
    double p[4];
    sn_quat_exp(th, p);
    sn_quat_matrix(p, R);
}

/* Frame 1 turned anyhow, frame 2 by th from there and 10 mm away; spins and velocities anyhow. */
static motion some_state(const double *th)
{
    const double first[3] = {0.4, -0.9, 0.7}, place[3] = {6e-3, -4e-3, 7e-3}, w1[3] = {1.5, -2, 1},
                 w2[3] = {-0.5, 1, 2};
    motion m = {.l = {{8000, 6000, 9000}, {80, 60, 90}, 8, 0.08}, .fixed = FIX_ALL};
    double Q[9], S[9];
    rotate(first, m.z.R1);
    rotate(th, Q);
    mult(m.z.R1, Q, m.z.R2);
    sn_mul3(m.z.R1, place, m.z.u2);
    sn_skew3(w1, S), mult(m.z.R1, S, m.v.R1);
    sn_skew3(w2, S), mult(m.z.R2, S, m.v.R2);
    for (int k = 0; k < 3; k++) m.v.u1[k] = 0.3 * (k - 1), m.v.u2[k] = 0.2 * k * k - 0.1;
    return m;
}

/* Direction i of 12: u1, rotation of frame 1 in its axes, u2, rotation of frame 2; rotations in units of 1/10
   rad, so that 80 N m/rad weigh as 8000 N/m do. */
static natural direction(const natural *z, int i)
{
    natural a = {{0}, {0}, {0}, {0}};
    double e[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2}, S[9];
    sn_skew3(e, S);
    for (int k = 0; k < 9; k++) S[k] *= 10;
    if (i / 3 == 0) memcpy(a.u1, e, sizeof e);
    if (i / 3 == 1) mult(z->R1, S, a.R1);
    if (i / 3 == 2) memcpy(a.u2, e, sizeof e);
    if (i / 3 == 3) mult(z->R2, S, a.R2);
    return a;
}

/* Derivatives with all corrections are those of the forces: differences over 1e-5 in 24 dimensions, error
   1e-9 of the stiffness times the directions' sizes of 1 to 17. */
static void test_corrected(void **state)
{
    (void)state;
    const double th[3] = {0.06, -0.05, 0.06}, h = 1e-5;
    motion m = some_state(th);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            natural a = direction(&m.z, i), b = direction(&m.z, j);
            motion p = m, n = m;
            p.z = shifted(&m.z, h, &b), n.z = shifted(&m.z, -h, &b);
            kit_near("dF/dz", dforce(&m, &a, &b), (force(&p, &a) - force(&n, &a)) / (2 * h), 1e-3);
            p = n = m;
            p.v = shifted(&m.v, h, &b), n.v = shifted(&m.v, -h, &b);
            kit_near("dF/dv", dforce_rate(&m, &a, &b), (force(&p, &a) - force(&n, &a)) / (2 * h), 1e-4);
            p = n = m;
            p.z = shifted(&m.z, h, &m.v), n.z = shifted(&m.z, -h, &m.v);
            kit_near("d/dt dF/dv", dforce_rate_in_time(&m, &a, &b),
                     (dforce_rate(&p, &a, &b) - dforce_rate(&n, &a, &b)) / (2 * h), 1e-4);
        }
}

/* (23c) in place of the derivative of (17b): along the axis of the rotation it is wrong by 1 - cos th, across
   by sin(th/2). */
static void test_23c(void **state)
{
    (void)state;
    const double angle = 0.1, th[3] = {0, 0, angle};
    double wrong[3], right[3], K2 = 0, E2 = 0;
    motion m = some_state(th), paper = m;
    paper.fixed = 0;
    for (int i = 9; i < 12; i++) {
        natural a = direction(&m.z, i);
        dxr(&paper, &a, wrong), dxr(&m, &a, right);
        minus(wrong, right, wrong);
        kit_near("error of (23c)", size(wrong) / 10, i < 11 ? sin(angle / 2) : 1 - cos(angle), 1e-14);
    }
    memset(&m.v, 0, sizeof m.v), memset(&paper.v, 0, sizeof paper.v);
    for (int i = 0; i < 144; i++) {
        natural a = direction(&m.z, i / 12), b = direction(&m.z, i % 12);
        double K = dforce(&m, &a, &b), E = dforce(&paper, &a, &b) - K;
        K2 += K * K, E2 += E * E;
    }
    print_message("(23c) at 0.1 rad: %.3f %% across the axis, %.3f %% along it; the tangent %.2f %%\n",
                  100 * sin(angle / 2), 100 * (1 - cos(angle)), 100 * sqrt(E2 / K2));
    assert_true(sqrt(E2 / K2) > 0.01);
}

/* Where a number of a kind begins among all of them; NULL: how many there are. */
static int slot_at(const sn_element_class *cls, const char *name)
{
    int at = 0;
    for (const sn_slot *slot = cls->slots; slot->name && (!name || strcmp(slot->name, name) != 0); slot++)
        at += slot->n;
    return at;
}

/* sinew's bushing of 8000 N/m, 80 N m/rad, 8 N s/m and 0.08 N m s/rad, with `coupling` between x and ry: its
   residual (what holds the ends) and tangent. */
static void bushing(const double *q, const double *v, double coupling, double *r, double *K)
{
    const sn_element_class *cls = sn_element_find("bushing");
    static const int off[] = {0, 7, 14}, offv[] = {0, 6, 12}, options[4] = {0};
    static const unsigned view[] = {SN_FRAME, SN_FRAME};
    static const char *const name[] = {"k", "kt", "c", "ct"};
    const double value[] = {8000, 80, 8, 0.08}, g[3] = {0, 0, 0};
    double s[256] = {0}, X[14] = {0}, c[256], C[144] = {0};
    int slot_n[64] = {0}, ns = slot_at(cls, NULL);
    assert_in_range(ns, 1, 256);
    for (int i = 0; cls->slots[i].name && i < 64; i++) slot_n[i] = cls->slots[i].n;
    for (int i = 0; i < 12; i++) s[slot_at(cls, name[i / 3]) + i % 3] = value[i / 3];
    s[slot_at(cls, "K66") + 4] = s[slot_at(cls, "K66") + 24] = coupling;
    s[slot_at(cls, "axis")] = s[slot_at(cls, "normal") + 1] = X[3] = X[10] = 1;
    sn_layout l = {.nn = 2,
                   .nq = 14,
                   .nv = 12,
                   .ns = ns,
                   .dim = 3,
                   .order = 2,
                   .off = off,
                   .offv = offv,
                   .opt = options,
                   .view = view,
                   .slot_n = slot_n};
    assert_int_equal(cls->layout(&l, NULL), SN_OK);
    assert_in_range(l.nc, 0, 256);
    sn_in in = {.s = s,
                .c = c,
                .X = X,
                .q = q,
                .v = v,
                .a = v,
                .g = g,
                .opt = options,
                .off = off,
                .offv = offv,
                .view = view,
                .nn = 2,
                .nq = 14,
                .nv = 12,
                .ns = ns,
                .nc = l.nc,
                .dim = 3};
    memset(r, 0, 12 * sizeof *r);
    memset(K, 0, 144 * sizeof *K);
    assert_int_equal(cls->prepare(&in, c, NULL), SN_OK);
    assert_int_equal(cls->eval(&in, r, K, C, NULL), SN_OK);
}

/* Both frames turn together by 20 rad/s, 10 mm apart across the axis: (18a) is 0.2 m/s, 1.6 N at 8 N s/m. The
   bushing of sinew, loaded with the same stretch, has the spring's 80 N only. */
static void test_18a(void **state)
{
    (void)state;
    const double w[3] = {0, 0, 20}, none[3] = {0, 0, 0};
    double S[9], vt[3], wr[3], r[12], K[144], q[14] = {0, 0, 0, 1, 0, 0, 0, 0.01, 0, 0, 1, 0, 0, 0};
    const double v[12] = {0, 0, 0, 0, 0, 20, 0, 0.2, 0, 0, 0, 20};
    motion m = some_state(none);
    memset(&m.z, 0, sizeof m.z), memset(&m.v, 0, sizeof m.v);
    memcpy(m.z.R1, one, sizeof one), memcpy(m.z.R2, one, sizeof one);
    m.z.u2[0] = 0.01;
    sn_skew3(w, S);
    memcpy(m.v.R1, S, sizeof S), memcpy(m.v.R2, S, sizeof S);
    sn_mul3(S, m.z.u2, m.v.u2);
    velocity(&m, vt, wr);
    kit_near("spurious force", m.l.c * size(vt), 1.6, 1e-12);
    kit_near("spurious spin", size(wr), 0, 1e-14);
    bushing(q, v, 0, r, K);
    kit_near("across", r[7], 0, 1e-12);
    kit_near("along", r[6], 80, 1e-10);
    print_message("(18a) under a common spin of 20 rad/s: %.3g N beside the spring's 80 N; sinew %.1g N\n",
                  m.l.c * size(vt), fabs(r[7]));
}

/* (26d) is 0 instead of R1dot'(du2 - du1), whose size is the spin of frame 1 across du; (26e) lacks one of
 * two terms. */
static void test_26(void **state)
{
    (void)state;
    const double th[3] = {0.06, -0.05, 0.06};
    double vt[3], wr[3], vt0[3], wr0[3], e = 0, n = 0, d = 0, spin = sqrt(1.5 * 1.5 + 4 + 1);
    motion m = some_state(th), paper = m;
    paper.fixed = 0;
    for (int i = 0; i < 12; i++) {
        natural a = direction(&m.z, i);
        rates_in_time(&m, &a, vt, wr), rates_in_time(&paper, &a, vt0, wr0);
        kit_near("(26d)", size(vt0), 0, 0);
        if (i >= 6 && i < 9) d += sn_dot3(vt, vt);
        minus(wr0, wr, wr0);
        e += sn_dot3(wr0, wr0), n += sn_dot3(wr, wr);
    }
    /* |w x e_i|^2 over three directions is 2 w^2 */
    kit_near("what (26d) lacks", sqrt(d), sqrt(2) * spin, 1e-12);
    print_message("(26d) lacks %.3g 1/s at a spin of %.3g rad/s; (26e) is wrong by %.1f %%\n", sqrt(d / 2),
                  spin, 100 * sqrt(e / n));
    assert_true(e > 1e-4 * n);
}

/* (26c) with v of (18) and a of (29). Law 1: damping c (1 + (x/5 mm)^2) along each axis, whose rate is 2 c x
   xdot/(5 mm)^2. Law 2: c v + d v^3, rate 6 d v vdot. Exact rates by differences along the motion. */
static void test_26c(void **state)
{
    (void)state;
    const double th[3] = {0.06, -0.05, 0.06}, h = 1e-6;
    motion m = some_state(th), p = m, n = m;
    double xt[3], xr[3], vt[3], wr[3], xp[3], xn[3], vp[3], vn[3], e1 = 0, n1 = 0, e2 = 0, n2 = 0;
    p.z = shifted(&m.z, h, &m.v), n.z = shifted(&m.z, -h, &m.v);
    relative(&m, xt, xr), velocity(&m, vt, wr);
    relative(&p, xp, xr), velocity(&p, vp, wr);
    relative(&n, xn, xr), velocity(&n, vn, wr);
    for (int k = 0; k < 3; k++) {
        double c = 8, s = 5e-3;
        double exact = c * (xp[k] * xp[k] - xn[k] * xn[k]) / (s * s) / (2 * h),
               printed = 2 * c * xt[k] * vt[k] / (s * s);
        e1 += (printed - exact) * (printed - exact), n1 += exact * exact;
        /* no accelerations: a of (29) is 0 */
        exact = 3 * (vp[k] * vp[k] - vn[k] * vn[k]) / (2 * h);
        e2 += exact * exact, n2 += exact * exact;
    }
    print_message("(26c) with (18a): %.1f %% wrong; with (29) where nothing accelerates: %.0f %%\n",
                  100 * sqrt(e1 / n1), 100 * sqrt(e2 / n2));
    assert_true(e1 > 1e-4 * n1 && n2 > 1e-6);
}

/* (22) has no d(force)/d(rotation). A bushing with 0.3 sqrt(k kt) between x and ry: what (22a) makes 0 is, in
   sinew, this number; in units of 1/10 rad it is so much of the tangent. */
static void test_22(void **state)
{
    (void)state;
    const double q[14] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, v[12] = {0},
                 kc = 0.3 * sqrt(8000 * 80.0);
    double r[12], K[144], K2 = 0, E2 = 0;
    bushing(q, v, kc, r, K);
    kit_near("d fx/d ry", K[12 * 6 + 10], kc, 1e-9);
    for (int i = 0; i < 144; i++) {
        double x = K[i] * (i / 12 / 3 % 2 ? 10 : 1) * (i % 12 / 3 % 2 ? 10 : 1);
        K2 += x * x;
        if (i / 12 / 3 % 2 == 0 && i % 12 / 3 % 2) E2 += x * x;
    }
    print_message("(22) lacks %.3g N/rad: %.1f %% of the tangent\n", kc, 100 * sqrt(E2 / K2));
    assert_true(E2 > 0.01 * K2);
}

/* Loads of the law on frame 1: work of a bushing without damping around a closed path of frame 2, shift,
   turn, shift back, turn back; over the energy of the shift. Potential forces do none. */
static void test_work(void **state)
{
    (void)state;
    const double none[3] = {0, 0, 0};
    enum { N = 400 };
    double W = 0, shift[3] = {0.01, 0.01, 0}, energy = 0.5 * (8000 + 6000) * 1e-4, turn = 0.1;
    motion m = some_state(none);
    m.l.c = m.l.ct = 0, memset(&m.v, 0, sizeof m.v);
    memcpy(m.z.R1, one, sizeof one);
    for (int leg = 0; leg < 4; leg++)
        for (int i = 0; i < N; i++) { /* middle of each piece */
            double s = (i + 0.5) / N, x = leg == 0 ? s : leg == 1 ? 1 : leg == 2 ? 1 - s : 0;
            double f = leg == 0 ? 0 : leg == 1 ? s : leg == 2 ? 1 : 1 - s, th[3] = {0, 0, turn * f};
            natural a = {{0}, {0}, {0}, {0}};
            double e[3] = {0, 0, turn * (leg == 1 ? 1 : -1)}, S[9];
            memset(m.z.u2, 0, sizeof m.z.u2), add(x, shift, m.z.u2);
            rotate(th, m.z.R2);
            sn_skew3(e, S);
            if (leg % 2)
                mult(m.z.R2, S, a.R2);
            else
                add(leg ? -1 : 1, shift, a.u2);
            W += force(&m, &a) / N;
        }
    /* x cross K x about z is (6000 - 8000) 1e-4 N m over 0.1 rad, on the way back 0 */
    kit_near("work", W, -0.02, 1e-6);
    print_message("loads on frame 1: a closed path makes %.3g J, %.2g %% of the energy of the shift\n", W,
                  100 * fabs(W) / energy);
}

/* ---- the continuous adjoint, taken literally ---- */

/* In the plane: frame 1 on a body that turns about the origin (angle), frame 2 a body (x, y, angle). */
enum { NQ = 4, NP = 4 };
static const double mass[NQ] = {0.05, 1, 1, 4e-3}, arm[3] = {0.2, 0, 0}, spin0 = 6;

typedef struct planar {
    double q[NQ], v[NQ];
} planar;

static const double up[3] = {0, 0, 1};

/* Direction i of natural coordinates, and its derivative by q[i] (0 for i = 1, 2). */
static void plane_direction(const planar *s, int i, natural *Z, natural *dZ)
{
    double th[3] = {0, 0, i < 2 ? s->q[0] : s->q[3]}, R[9], S[9];
    memset(Z, 0, sizeof *Z), memset(dZ, 0, sizeof *dZ);
    rotate(th, R);
    sn_skew3(up, S);
    if (i == 1 || i == 2) {
        Z->u2[i - 1] = 1;
        return;
    }
    double *dR = i ? Z->R2 : Z->R1, *d2R = i ? dZ->R2 : dZ->R1;
    mult(R, S, dR), mult(dR, S, d2R);
    if (i == 0) sn_mul3(dR, arm, Z->u1), sn_mul3(d2R, arm, dZ->u1);
}

static motion plane_motion(const planar *s, const law *l, int fixed, natural *Z, natural *dZ)
{
    motion m = {.l = *l, .fixed = fixed};
    double th1[3] = {0, 0, s->q[0]}, th2[3] = {0, 0, s->q[3]};
    rotate(th1, m.z.R1), rotate(th2, m.z.R2);
    sn_mul3(m.z.R1, arm, m.z.u1);
    m.z.u2[0] = s->q[1], m.z.u2[1] = s->q[2];
    for (int i = 0; i < NQ; i++) {
        plane_direction(s, i, &Z[i], &dZ[i]);
        m.v = shifted(&m.v, s->v[i], &Z[i]);
    }
    return m;
}

static void rates(const planar *s, const law *l, planar *d)
{
    natural Z[NQ], dZ[NQ];
    motion m = plane_motion(s, l, 0, Z, dZ);
    for (int i = 0; i < NQ; i++) d->q[i] = s->v[i], d->v[i] = force(&m, &Z[i]) / mass[i];
}

static planar moved(const planar *s, double h, const planar *d)
{
    planar out = *s;
    for (int i = 0; i < NQ; i++) out.q[i] += h * d->q[i], out.v[i] += h * d->v[i];
    return out;
}

/* One step of Runge and Kutta's method. */
static planar stepped(const planar *s, double h, const law *l)
{
    planar a, b, c, d, x, out = *s;
    rates(s, l, &a);
    x = moved(s, h / 2, &a), rates(&x, l, &b);
    x = moved(s, h / 2, &b), rates(&x, l, &c);
    x = moved(s, h, &c), rates(&x, l, &d);
    for (int i = 0; i < NQ; i++) {
        out.q[i] += h / 6 * (a.q[i] + 2 * b.q[i] + 2 * c.q[i] + d.q[i]);
        out.v[i] += h / 6 * (a.v[i] + 2 * b.v[i] + 2 * c.v[i] + d.v[i]);
    }
    return out;
}

static double measured(double t) { return arm[0] * cos(spin0 * t); }

/* The run of N steps over 1 s, and psi = integral of (x - measured)^2 by Simpson's rule: (1), (32). */
static double run(const law *l, int N, planar *path)
{
    double h = 1.0 / N, psi = 0;
    path[0] = (planar){{0, arm[0], 0, 0.25}, {spin0, 0, arm[0] * spin0, spin0}};
    for (int n = 0; n < N; n++) path[n + 1] = stepped(&path[n], h, l);
    for (int n = 0; n <= N; n++) {
        double e = path[n].q[1] - measured(n * h);
        psi += h / 3 * (n == 0 || n == N ? 1 : n % 2 ? 4 : 2) * e * e;
    }
    return psi;
}

static double *number_of(law *l, int p) { return p == 0 ? l->k : p == 1 ? l->kt : p == 2 ? &l->c : &l->ct; }

/* The law with number p moved; the stiffness along x and y, and about z, is one number. */
static law changed(const law *l, int p, double by)
{
    law out = *l;
    double x = *number_of(&out, p) + by;
    for (int k = 0; p < 2 && k < 3; k++) number_of(&out, p)[k] = x;
    *number_of(&out, p) = x;
    return out;
}

/* mu' = w, M w' = g_q' - f_v' w - (d/dt f_v - f_q)' mu, (11), backwards: rates of (mu, w) at a state of the
 * run. */
static void adjoint_rates(const planar *s, double t, const law *l, int fixed, const planar *mu, planar *d)
{
    natural Z[NQ], dZ[NQ];
    motion m = plane_motion(s, l, fixed, Z, dZ);
    for (int j = 0; j < NQ; j++) {
        double sum = j == 1 ? 2 * (s->q[1] - measured(t)) : 0;
        natural dv =
            shifted(&(natural){{0}, {0}, {0}, {0}}, s->v[j], &dZ[j]); /* change of the rate by q[j] */
        for (int i = 0; i < NQ; i++) {
            natural rate = shifted(&(natural){{0}, {0}, {0}, {0}}, s->v[i], &dZ[i]);
            double fv = dforce_rate(&m, &Z[i], &Z[j]);
            double fq = dforce(&m, &Z[i], &Z[j]) + dforce_rate(&m, &Z[i], &dv);
            double in_time = dforce_rate_in_time(&m, &Z[i], &Z[j]) + dforce_rate(&m, &rate, &Z[j]) +
                             dforce_rate(&m, &Z[i], &dv);
            if (i == j) fq += force(&m, &dZ[i]);
            sum -= fv * mu->v[i] + (in_time - fq) * mu->q[i];
        }
        d->q[j] = mu->v[j], d->v[j] = sum / mass[j];
    }
}

/* mu' df/dp, (13) */
static void integrand(const planar *s, const law *l, const planar *mu, double *y)
{
    natural Z[NQ], dZ[NQ];
    for (int p = 0; p < NP; p++) {
        law more = changed(l, p, 1), same = *l; /* forces are linear in the numbers */
        motion a = plane_motion(s, &more, 0, Z, dZ), b = a;
        b.l = same;
        y[p] = 0;
        for (int i = 0; i < NQ; i++) y[p] += mu->q[i] * (force(&a, &Z[i]) - force(&b, &Z[i]));
    }
}

/* Steps of two of the run, whose states between are the middles that Runge and Kutta's method asks for. */
static void adjoint(const planar *path, int N, const law *l, int fixed, double *gradient)
{
    double h = 1.0 / N, y[NP];
    planar mu = {{0}, {0}}, a, b, c, d, x;
    memset(gradient, 0, NP * sizeof *gradient);
    for (int n = N; n >= 2; n -= 2) {
        double t = n * h, before[NP];
        integrand(&path[n], l, &mu, before);
        adjoint_rates(&path[n], t, l, fixed, &mu, &a);
        x = moved(&mu, -h, &a), adjoint_rates(&path[n - 1], t - h, l, fixed, &x, &b);
        x = moved(&mu, -h, &b), adjoint_rates(&path[n - 1], t - h, l, fixed, &x, &c);
        x = moved(&mu, -2 * h, &c), adjoint_rates(&path[n - 2], t - 2 * h, l, fixed, &x, &d);
        for (int i = 0; i < NQ; i++) {
            mu.q[i] -= h / 3 * (a.q[i] + 2 * b.q[i] + 2 * c.q[i] + d.q[i]);
            mu.v[i] -= h / 3 * (a.v[i] + 2 * b.v[i] + 2 * c.v[i] + d.v[i]);
        }
        integrand(&path[n - 2], l, &mu, y);
        for (int p = 0; p < NP; p++) gradient[p] += h * (before[p] + y[p]); /* trapezoid over 2 h */
    }
}

/* Errors of the gradient, each number times its value, over the size of all. */
static double gradient_error(const law *l, int N, int fixed, double *each)
{
    planar *path = calloc((size_t)N + 1, sizeof *path);
    double g[NP], exact[NP], e = 0, n = 0;
    law own = *l;
    assert_non_null(path);
    for (int p = 0; p < NP; p++) {
        double x = *number_of(&own, p), s = 1e-4 * x;
        law more = changed(l, p, s), less = changed(l, p, -s);
        exact[p] = x * (run(&more, N, path) - run(&less, N, path)) / (2 * s);
    }
    run(l, N, path);
    adjoint(path, N, l, fixed, g);
    for (int p = 0; p < NP; p++) {
        g[p] *= *number_of(&own, p);
        each[p] = g[p] / exact[p] - 1;
        e += (g[p] - exact[p]) * (g[p] - exact[p]), n += exact[p] * exact[p];
    }
    free(path);
    return sqrt(e / n);
}

/* The corrected adjoint is the gradient of the motion up to (w h)^2/6 of the trapezoidal rule; the printed
   one stays where it is when the step is halved. */
static void test_adjoint(void **state)
{
    (void)state;
    const law l = {{800, 800, 800}, {3, 3, 3}, 4, 0.02};
    double each[NP], right = gradient_error(&l, 1000, FIX_ALL, each);
    double half = gradient_error(&l, 2000, FIX_ALL, each);
    print_message("adjoint, corrected: %.1e (h = 1 ms), %.1e (0.5 ms)\n", right, half);
    assert_true(right < 1e-4 && half < 0.3 * right + 1e-7);
    double coarse = gradient_error(&l, 1000, 0, each), fine = gradient_error(&l, 2000, 0, each);
    print_message(
        "adjoint, as printed: %.3f %% (h = 1 ms), %.3f %% (0.5 ms): k %.2f, kt %.2f, c %.2f, ct %.2f %%\n",
        100 * coarse, 100 * fine, 100 * each[0], 100 * each[1], 100 * each[2], 100 * each[3]);
    assert_true(fine > 1e-3 && fabs(coarse / fine - 1) < 0.01);
    print_message("of which (23c) %.3f %%, (26d) %.3f %%\n",
                  100 * gradient_error(&l, 1000, FIX_ALL - FIX_23C, each),
                  100 * gradient_error(&l, 1000, FIX_ALL - FIX_26D, each));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corrected), cmocka_unit_test(test_23c),     cmocka_unit_test(test_18a),
        cmocka_unit_test(test_26),        cmocka_unit_test(test_26c),     cmocka_unit_test(test_22),
        cmocka_unit_test(test_work),      cmocka_unit_test(test_adjoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
