/* What kinds of reduced flexible bodies have in common: numbers, elastic forces, the frame's own rows,
   energies and derivatives by the numbers. A file that includes this defines, before SN_BODY_KIND,

     known       whether the block has what the kind needs
     has_extra   whether it wants nd x nd x 3 numbers more
     constants   the groups of body_modes.h (and these), turned into the axes of the reference
     inertia     sums and rows of the modes

   Nodes, brought along: the frame, then the modes; coordinates x y z, rx ry rz, d1 d2 ... Density and
   stiffness are factors of what the file has, so that frequencies go with the root of stiffness/density;
   damping is a share of the critical one of each mode, as it is with these factors: 2 damping sqrt(stiffness
   density w2) d'. Dampers within the body act besides, as they are, times `dampers`. */
#ifndef SN_ELEMENT_BODY_KIND_H
#define SN_ELEMENT_BODY_KIND_H

#include "model/body_axes.h"
#include "element/body_modes.h"

enum {
    DENSITY,
    STIFFNESS,
    AXES,
    AT = AXES + SN_BODY_AXES,
    VELOCITY = AT + 3,
    SPIN = VELOCITY + 3,
    DAMPERS = SPIN + 3,
    DAMPING
};
enum { DAMPING_SLOT = 9 }; /* of the table */

static const sn_slot slots[] = {
    {"density", "1", "factor of all masses of the body", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},
    {"stiffness", "1", "factor of its stiffness", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},
    SN_BODY_AXES_SLOTS,
    {"at", "m", "where the origin of the file is in the reference configuration", 3, SN_PLACED, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"velocity", "m/s", "velocity of the frame at the start", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE,
     NULL},
    {"spin", "rad/s", "angular velocity of the frame at the start, in body axes", 3, SN_ROTATES, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"dampers", "1", "factor of the damping of dampers within the body", 1, SN_DISSIPATES, 1, 0, SN_INFINITE,
     NULL},
    {"damping", "1", "share of critical damping: one for all modes, or one for each (0)", 0, SN_DISSIPATES, 0,
     0, SN_INFINITE, NULL},
    {.name = NULL},
};

/* Constants: R0, first, second, damping of each mode, groups, more. */
enum { C_R0 = 0, C_FIRST = 9, C_SECOND = 12, C_DAMPING = 18 };

static int has_extra(const sn_reduced_body *b);
static sn_status known(const sn_reduced_body *b, sn_err *err);
static void constants(const sn_reduced_body *b, const double *R0, double *second, double *c, double *extra);
static void inertia(const sn_body_motion *y, const sn_body_out *o, sn_body_sums *s);

static sn_status layout(sn_layout *l, sn_err *err)
{
    const sn_reduced_body *b = l->block;
    int n = l->slot_n[DAMPING_SLOT];
    if (!b) return sn_fail(err, SN_ERR_INPUT, NULL, "has no body: it needs 'file'");
    SN_TRY(known(b, err));
    if (n > 1 && n != b->nd)
        return sn_fail(err, SN_ERR_INPUT, NULL, "'damping' has %d numbers, but the body %d modes", n, b->nd);
    l->nc = C_DAMPING + b->nd + sn_body_count(b->nd) + (has_extra(b) ? 3 * b->nd * b->nd : 0);
    return SN_OK;
}

/* Number of the damping of mode i among the slots; -1: there is none. */
static int damping_of(const sn_in *in, int i)
{
    int n = in->ns - DAMPING;
    return n == 0 ? -1 : n == 1 ? DAMPING : DAMPING + i;
}

static double damping_scale(const sn_in *in, int i)
{
    const sn_reduced_body *b = in->block;
    return 2 * sqrt(in->s[STIFFNESS] * in->s[DENSITY] * fmax(b->w2[i], 0));
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    const sn_reduced_body *b = in->block;
    double *groups = c + C_DAMPING + b->nd;
    SN_TRY(sn_body_axes(in->s + AXES, c + C_R0, err));
    memset(groups, 0, (size_t)sn_body_count(b->nd) * sizeof *groups);
    sn_mul3(c + C_R0, b->first, c + C_FIRST);
    constants(b, c + C_R0, c + C_SECOND, groups, has_extra(b) ? groups + sn_body_count(b->nd) : NULL);
    for (int i = 0; i < b->nd; i++) {
        int k = damping_of(in, i);
        c[C_DAMPING + i] = k < 0 ? 0 : in->s[k] * damping_scale(in, i);
    }
    return SN_OK;
}

/* Of a motion with the velocities v and accelerations a; g: the field. */
static void motion(const sn_in *in, const double *v, const double *a, const double *g, sn_body_motion *y)
{
    const sn_reduced_body *b = in->block;
    double f[3];
    y->b = b, y->nd = b->nd, y->nv = in->nv;
    y->c = in->c + C_DAMPING + b->nd;
    y->extra = in->nc > C_DAMPING + b->nd + sn_body_count(b->nd) ? y->c + sn_body_count(b->nd) : NULL;
    sn_quat_matrix(in->q + 3, y->R);
    for (int k = 0; k < 3; k++) f[k] = a[k] - g[k];
    sn_tmul3(y->R, f, y->f);
    memcpy(y->w, v + 3, sizeof y->w), memcpy(y->al, a + 3, sizeof y->al);
    memcpy(y->first, in->c + C_FIRST, sizeof y->first), memcpy(y->second, in->c + C_SECOND, sizeof y->second);
    y->d = in->q + 7, y->d1 = v + 6, y->d2 = a + 6, y->f1 = y->f2 = 1;
}

/* Force (in body axes) and moment for a density of 1 */
static void resultants(const sn_body_motion *y, const sn_body_sums *s, double *force, double *moment)
{
    double x[3], z[3], u[3];
    sn_cross3(y->w, s->first, x);
    for (int k = 0; k < 3; k++) x[k] += 2 * s->first1[k];
    sn_cross3(y->w, x, x), sn_cross3(y->al, s->first, z), sn_cross3(s->first, y->f, u);
    for (int k = 0; k < 3; k++) {
        force[k] = y->b->mass * y->f[k] + z[k] + x[k] + s->first2[k];
        moment[k] = s->moment[k] + u[k];
    }
}

static void add_block(int nv, double f, const double *A, double *to)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[i * nv + j] += f * A[3 * i + j];
}

/* Rows of the force by the modes, R (al~ + w~w~) S, 2 R w~ S, R S, and the column of the last */
static SN_SIMD void force_by_modes(const sn_body_motion *y, const sn_body_out *o, const double *KS,
                                   const double *CS)
{
    int nv = y->nv;
    for (int g = 0; g < sn_body_groups(y->nd); g++) {
        const sn_quad *S = (const sn_quad *)(y->c + sn_body_at(4 * g, SN_BODY_S));
        int lanes = sn_body_lanes(y->nd, g);
        sn_quad k[3], c[3], m[3];
        for (int i = 0; i < 3; i++)
            k[i] = SN_QUAD_DOT(KS + 3 * i, S), c[i] = SN_QUAD_DOT(CS + 3 * i, S),
            m[i] = SN_QUAD_DOT(y->R + 3 * i, S);
        sn_body_rows(lanes, nv, o->factor, k, o->K + 6 + 4 * g);
        sn_body_rows(lanes, nv, o->factor, c, o->C + 6 + 4 * g);
        sn_body_rows(lanes, nv, o->factor, m, o->M + 6 + 4 * g);
        sn_body_columns(lanes, nv, o->factor, m, o->M + (6 + 4 * g) * nv);
    }
}

/* Rows of the frame by its own coordinates, and of its force by the modes. force: for a density of 1. */
static void frame_tangents(const sn_body_motion *y, const sn_body_sums *s, const double *force,
                           const sn_body_out *o)
{
    int nv = y->nv;
    double rho = o->factor, x[3], A[9], B[9], w[9], c[9], E[9];
    sn_skew3(y->w, w), sn_skew3(s->first, c);
    /* R (m f - force)~ by the rotation; c~ f~ */
    for (int k = 0; k < 3; k++) x[k] = y->b->mass * y->f[k] - force[k];
    sn_skew3(x, A), sn_matmul3(y->R, A, B), add_block(nv, rho, B, o->K + 3);
    sn_skew3(y->f, A), sn_matmul3(c, A, B), add_block(nv, rho, B, o->K + 3 * nv + 3);
    /* -R ((w x c + 2 S d')~ + w~ c~) by w */
    sn_cross3(y->w, s->first, x);
    for (int k = 0; k < 3; k++) x[k] += 2 * s->first1[k];
    sn_skew3(x, A), sn_matmul3(w, c, B);
    for (int k = 0; k < 9; k++) A[k] += B[k];
    sn_matmul3(y->R, A, B), add_block(nv, -rho, B, o->C + 3);
    add_block(nv, rho, s->C, o->C + 3 * nv + 3);
    /* m, -R c~, J */
    for (int k = 0; k < 3; k++) o->M[k * nv + k] += rho * y->b->mass;
    sn_matmul3(y->R, c, A), add_block(nv, -rho, A, o->M + 3);
    for (int k = 0; k < 9; k++) B[k] = A[k % 3 * 3 + k / 3];
    add_block(nv, -rho, B, o->M + 3 * nv), add_block(nv, rho, s->J, o->M + 3 * nv + 3);
    sn_matmul3(w, w, E), sn_skew3(y->al, A);
    for (int k = 0; k < 9; k++) E[k] += A[k], w[k] *= 2;
    sn_matmul3(y->R, E, A), sn_matmul3(y->R, w, B);
    force_by_modes(y, o, A, B);
}

/* r += f D d', C += f D of the modes' rows */
static void add_dampers(const sn_in *in, double f, double *r, double *C)
{
    const sn_reduced_body *b = in->block;
    for (int i = 0; b->damping && i < b->nd; i++)
        for (int j = 0; j < b->nd; j++) {
            const double x = f * b->damping[i * b->nd + j];
            r[6 + i] += x * in->v[6 + j];
            if (C) C[(6 + i) * in->nv + 6 + j] += x;
        }
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const sn_reduced_body *b = in->block;
    const double rho = in->s[DENSITY], k = in->s[STIFFNESS], *c = in->c + C_DAMPING;
    const sn_body_out o = {.r = r + 6, .K = K, .C = C, .M = M, .factor = rho};
    double force[3], moment[3], x[3];
    sn_body_motion y;
    sn_body_sums s;
    motion(in, in->v, in->a, in->g, &y);
    inertia(&y, &o, &s);
    resultants(&y, &s, force, moment);
    sn_mul3(y.R, force, x);
    for (int i = 0; i < 3; i++) r[i] += rho * x[i], r[3 + i] += rho * moment[i];
    for (int i = 0; i < y.nd; i++) r[6 + i] += k * b->w2[i] * y.d[i] + c[i] * y.d1[i];
    add_dampers(in, in->s[DAMPERS], r, K ? C : NULL);
    if (!K) return SN_OK;
    frame_tangents(&y, &s, force, &o);
    for (int i = 0; i < y.nd; i++) {
        size_t at = (size_t)(6 + i) * (size_t)(in->nv + 1);
        K[at] += k * b->w2[i], C[at] += c[i];
    }
    return SN_OK;
}

/* dr += f times the forces of inertia in body axes, for a density of 1 */
static void add_inertia(const sn_body_motion *y, double f, double *dr)
{
    double force[3], moment[3];
    sn_body_sums s;
    inertia(y, &(sn_body_out){.r = dr + 6, .factor = f}, &s);
    resultants(y, &s, force, moment);
    sn_mul3(y->R, force, force);
    for (int i = 0; i < 3; i++) dr[i] += f * force[i], dr[3 + i] += f * moment[i];
}

/* With the axes of the file turned by de: as if the frame were turned, and its rates were turned back. All
   forces are of second degree in f, w, al together, of which central differences are exact. */
static void by_axes(const sn_in *in, const double *de, double *dr)
{
    const double rho = in->s[DENSITY];
    double force[3], moment[3], turned[3], dx[3][3];
    sn_body_motion y;
    sn_body_sums s;
    motion(in, in->v, in->a, in->g, &y);
    inertia(&y, &(sn_body_out){.factor = 0}, &s);
    resultants(&y, &s, force, moment);
    sn_cross3(de, force, force), sn_mul3(y.R, force, force), sn_cross3(de, moment, turned);
    for (int i = 0; i < 3; i++) dr[i] += rho * force[i], dr[3 + i] += rho * turned[i];
    sn_cross3(y.f, de, dx[0]), sn_cross3(y.w, de, dx[1]), sn_cross3(y.al, de, dx[2]);
    for (int sign = 1; sign >= -1; sign -= 2) {
        sn_body_motion z = y;
        for (int k = 0; k < 3; k++)
            z.f[k] += sign * dx[0][k], z.w[k] += sign * dx[1][k], z.al[k] += sign * dx[2][k];
        add_inertia(&z, sign * rho / 2, dr);
    }
}

/* A field along global axis k */
static void by_field(const sn_in *in, int k, double *dr)
{
    const double none[6] = {0}, g[3] = {k == 0, k == 1, k == 2};
    sn_body_motion y;
    motion(in, in->v, in->a, in->g, &y);
    memcpy(y.w, none, sizeof y.w), memcpy(y.al, none, sizeof y.al);
    sn_tmul3(y.R, g, y.f);
    y.f1 = y.f2 = 0;
    add_inertia(&y, -in->s[DENSITY], dr);
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    const sn_reduced_body *b = in->block;
    const double *c = in->c + C_DAMPING, *d = in->q + 7, *d1 = in->v + 6;
    int field = index - in->ns - in->nq;
    double de[3];
    if (index == DENSITY || index == STIFFNESS)
        for (int i = 0; i < b->nd; i++) dr[6 + i] += c[i] * d1[i] / (2 * in->s[index]);
    if (index == DENSITY) {
        sn_body_motion y;
        motion(in, in->v, in->a, in->g, &y);
        add_inertia(&y, 1, dr);
    } else if (index == STIFFNESS) {
        for (int i = 0; i < b->nd; i++) dr[6 + i] += b->w2[i] * d[i];
    } else if (index >= AXES && index < AT) {
        sn_body_daxes(in->s + AXES, index - AXES, de);
        by_axes(in, de, dr);
    } else if (index == DAMPERS) {
        add_dampers(in, 1, dr, NULL);
    } else if (index >= DAMPING && index < in->ns) {
        for (int i = 0; i < b->nd; i++)
            if (damping_of(in, i) == index) dr[6 + i] += damping_scale(in, i) * d1[i];
    } else if (field >= 0) {
        by_field(in, field, dr);
    }
    return SN_OK;
}

/* ---- energies ---- */

/* The momenta are the forces of inertia with velocities in place of accelerations, of a body that does not
   turn. For a density of 1, in body axes; v: velocity of the frame there, first: moment of mass, T: energy.
 */
typedef struct momenta {
    double v[3], p[3], L[3], first[3], T;
} momenta;

/* pi (or NULL) += f times those of the modes. T = (p.v + L.w + pi.d')/2, pi.d' = v.S d' + w.h d' + d'.d' */
static void find_momenta(const sn_in *in, double f, double *pi, momenta *m)
{
    const double none[3] = {0}, *w = in->v + 3;
    double Jw[3], twice = 0;
    sn_body_motion y;
    sn_body_sums s;
    motion(in, in->v, in->v, none, &y);
    memcpy(y.w, none, sizeof y.w), memcpy(m->v, y.f, sizeof m->v);
    y.f1 = 0;
    inertia(&y, &(sn_body_out){.r = pi, .factor = f}, &s);
    resultants(&y, &s, m->p, m->L);
    memcpy(m->first, s.first, sizeof m->first);
    sn_mul3(s.J, w, Jw);
    for (int k = 0; k < 3; k++) twice += m->v[k] * s.first2[k] + w[k] * (s.moment[k] - Jw[k]);
    for (int i = 0; i < y.nd; i++) twice += y.d2[i] * y.d2[i];
    m->T = (twice + sn_dot3(m->p, m->v) + sn_dot3(m->L, w)) / 2;
}

/* de += f dT/dd_i, for a density of 1: S_i.(v x w) + w.D_i w/2 + w.(rates), the opposite of the forces with
   the acceleration w x v and half the rates of the modes */
static void kinetic_by_modes(const sn_in *in, const momenta *m, double f, double *de)
{
    const double *w = in->v + 3;
    sn_body_motion y;
    sn_body_sums s;
    motion(in, in->v, in->v, in->v, &y);
    sn_cross3(w, m->v, y.f);
    y.al[0] = y.al[1] = y.al[2] = 0, y.f1 = 0.5, y.f2 = 0;
    inertia(&y, &(sn_body_out){.r = de, .factor = -f}, &s);
    for (int i = 0; y.extra && i < y.nd; i++)
        for (int j = 0; j < y.nd; j++)
            for (int k = 0; k < 3; k++) de[i] += f * w[k] * y.extra[(i * y.nd + j) * 3 + k] * y.d1[j];
}

static void kinetic_gradient(const sn_in *in, sn_dout *de)
{
    const double rho = in->s[DENSITY];
    double R[9], x[3];
    momenta m;
    find_momenta(in, rho, de->v ? de->v + 6 : NULL, &m);
    sn_quat_matrix(in->q + 3, R);
    sn_mul3(R, m.p, x);
    for (int k = 0; de->v && k < 3; k++) de->v[k] += rho * x[k], de->v[3 + k] += rho * m.L[k];
    if (!de->q) return;
    sn_cross3(m.p, m.v, x);
    for (int k = 0; k < 3; k++) de->q[3 + k] += rho * x[k];
    kinetic_by_modes(in, &m, rho, de->q + 6);
}

static void potential_gradient(const sn_in *in, const double *first, double *Vq)
{
    const sn_reduced_body *b = in->block;
    const double rho = in->s[DENSITY], *groups = in->c + C_DAMPING + b->nd;
    double R[9], g[3], x[3];
    sn_quat_matrix(in->q + 3, R);
    sn_tmul3(R, in->g, g);
    sn_cross3(first, g, x);
    for (int k = 0; k < 3; k++) Vq[k] -= rho * b->mass * in->g[k], Vq[3 + k] -= rho * x[k];
    for (int i = 0; i < b->nd; i++) {
        Vq[6 + i] += in->s[STIFFNESS] * b->w2[i] * in->q[7 + i];
        for (int k = 0; k < 3; k++) Vq[6 + i] -= rho * g[k] * groups[sn_body_at(i, SN_BODY_S + k)];
    }
}

static double elastic(const sn_in *in) /* for a stiffness of 1 */
{
    const sn_reduced_body *b = in->block;
    double V = 0;
    for (int i = 0; i < b->nd; i++) V += b->w2[i] * in->q[7 + i] * in->q[7 + i] / 2;
    return V;
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const sn_reduced_body *b = in->block;
    double R[9], x[3];
    momenta m;
    find_momenta(in, 0, NULL, &m);
    sn_quat_matrix(in->q + 3, R);
    sn_mul3(R, m.first, x);
    e[0] = in->s[DENSITY] * m.T;
    e[1] = in->s[STIFFNESS] * elastic(in) -
           in->s[DENSITY] * (b->mass * sn_dot3(in->g, in->q) + sn_dot3(in->g, x));
    if (!de) return;
    kinetic_gradient(in, de);
    if (de->q) potential_gradient(in, m.first, de->q + in->nv);
}

static void denergy(const sn_in *in, int index, double *de)
{
    const sn_reduced_body *b = in->block;
    const double rho = in->s[DENSITY];
    int field = index - in->ns - in->nq;
    double R[9], x[3], turn[3];
    momenta m;
    find_momenta(in, 0, NULL, &m);
    sn_quat_matrix(in->q + 3, R);
    sn_mul3(R, m.first, x);
    de[0] = de[1] = 0;
    if (index == DENSITY) {
        de[0] = m.T, de[1] = -b->mass * sn_dot3(in->g, in->q) - sn_dot3(in->g, x);
    } else if (index == STIFFNESS) {
        de[1] = elastic(in);
    } else if (index >= AXES && index < AT) {
        sn_body_daxes(in->s + AXES, index - AXES, turn);
        sn_cross3(m.p, m.v, x), de[0] += rho * sn_dot3(turn, x);
        sn_cross3(m.L, in->v + 3, x), de[0] += rho * sn_dot3(turn, x);
        sn_cross3(turn, m.first, x), sn_mul3(R, x, x), de[1] -= rho * sn_dot3(in->g, x);
    } else if (field >= 0) {
        de[1] = -rho * (b->mass * in->q[field] + x[field]);
    }
}

/* ---- what sensors read ---- */

enum { RECOVERED };
static const sn_output outputs[] = {{"recovered",
                                     "stresses or forces at a location in the body, from its modes and "
                                     "stiffness; components are those of the file",
                                     1,
                                     {"value"},
                                     {""}},
                                    {.name = NULL}};

static int count_places(const void *block) { return ((const sn_reduced_body *)block)->n_recovery; }
static const char *place_name(const void *block, int i)
{
    return ((const sn_reduced_body *)block)->recovery[i];
}
static int place_components(const void *block, const char *const **name, const char *const **unit)
{
    const sn_reduced_body *b = block;
    *name = b->recovery_component, *unit = b->recovery_unit;
    return b->recovery_n;
}
static const sn_output_places places = {RECOVERED, count_places, place_name, place_components};

/* y = stiffness recover d */
static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    const sn_reduced_body *b = in->block;
    const double *row = b->recover + (size_t)(end - 1) * (size_t)(b->recovery_n * b->nd),
                 k = in->s[STIFFNESS];
    if (which != RECOVERED || end < 1 || end > b->n_recovery) return SN_ERR_INPUT;
    for (int l = 0; l < b->recovery_n; l++, row += b->nd) {
        y[l] = 0;
        for (int i = 0; i < b->nd; i++) {
            y[l] += k * row[i] * in->q[7 + i];
            if (d && d->q) d->q[l * in->nv + 6 + i] += k * row[i];
        }
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    const sn_reduced_body *b = in->block;
    SN_TRY(output(in, which, end, dy, NULL));
    for (int l = 0; l < b->recovery_n; l++) dy[l] *= index == STIFFNESS ? 1 / in->s[STIFFNESS] : 0;
    return SN_OK;
}

/* ---- limits ---- */

/* Linear strains in its own axes know no geometric stiffness: of a spin that is not slow beside the lowest
   frequency, of a push or pull that is not small beside the load that buckles it, and of deformations that
   are not small. */

static double largest_turn(const sn_in *in)
{
    const sn_reduced_body *b = in->block;
    double turn = 0;
    for (int p = 0; p < b->n_interface; p++) {
        double th[3] = {0};
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < b->nd; i++) th[k] += b->theta[(3 * p + k) * b->nd + i] * in->q[7 + i];
        turn = fmax(turn, sqrt(sn_dot3(th, th)));
    }
    return turn;
}

/* Axial load over the buckling load, both of which go with the stiffness; 0 where it is not known */
static double axial_load(const sn_in *in)
{
    const sn_reduced_body *b = in->block;
    double load = 0;
    for (int i = 0; b->axial && i < b->nd; i++) load += b->axial[i] * in->q[7 + i];
    return fabs(load);
}

static int limit(const sn_in *in, sn_limit *l)
{
    const sn_reduced_body *b = in->block;
    const double share = 0.2, push = 0.1;
    double w = sqrt(sn_dot3(in->v + 3, in->v + 3)), w1 = SN_INFINITE;
    for (int i = 0; i < b->nd; i++) w1 = fmin(w1, b->w2[i]);
    w1 = sqrt(w1 * in->s[STIFFNESS] / in->s[DENSITY]);
    l->fades = 1, l->most = share;
    l->remedy = "it has no geometric stiffness, so divide it into several bodies, or use beams";
    if (b->nd && w > share * w1) {
        l->what = "its spin is, of its lowest frequency,", l->angle = w / w1;
        return 1;
    }
    if ((l->angle = axial_load(in)) > push) {
        l->what = "its axial load is, of its buckling load,", l->most = push;
        l->remedy = "it has no geometric stiffness, so divide it into several bodies, or reduce it about its "
                    "preload";
        return 1;
    }
    l->what = "an interface has turned against its axes by (rad)", l->angle = largest_turn(in);
    return l->angle > share;
}

/* ---- nodes and points ---- */

static int count_modes(const sn_layout *l)
{
    const sn_reduced_body *b = l->block;
    return b ? b->nd : 0;
}
static const sn_inner inner[] = {{.suffix = "frame", .kind = "frame3d", .at = "at"},
                                 {.suffix = "modes", .kind = "modal", .count = count_modes},
                                 {.suffix = NULL}};

static int count_points(const void *block) { return block ? ((const sn_reduced_body *)block)->n_point : 0; }
static const char *point_name(const void *block, int i) { return ((const sn_reduced_body *)block)->point[i]; }
static const sn_tied_points tie = {"interface", "points", count_points, point_name};

static const sn_geometry geometry = {.shape = SN_SHAPE_POINT, .symbol = "mass"};

/* The mesh of the file, in its axes. */
static void mesh(const double *s, const void *block, sn_drawn_mesh *m)
{
    if (block && !sn_body_axes(s + AXES, m->turn, NULL)) sn_reduced_body_mesh(block, m);
}

static const sn_file file = {"file",
                             "the reduced body, an HDF5 file; or in its place reduce: {model: rod.yaml, "
                             "interfaces: [left, right], modes: 8} (docs/reduced-bodies.md)",
                             sn_reduced_body_read};

#define SN_BODY_KIND(kind, text)                                                                             \
    const sn_element_class sn_element_##kind = {                                                             \
        .name = #kind,                                                                                       \
        .doc = text,                                                                                         \
        .args = {.what = SN_ARG_NODE, .min = 0, .max = SN_MAX_NODES, .dim = 3, .ask = SN_FRAME},             \
        .slots = slots,                                                                                      \
        .outputs = outputs,                                                                                  \
        .places = &places,                                                                                   \
        .file = &file,                                                                                       \
        .inner = inner,                                                                                      \
        .tie = &tie,                                                                                         \
        .flags = SN_USES_V | SN_USES_A | SN_SYMMETRIC | SN_CONSERVATIVE | SN_TURNS,                          \
        .layout = layout,                                                                                    \
        .prepare = prepare,                                                                                  \
        .eval = eval,                                                                                        \
        .output = output,                                                                                    \
        .doutput = doutput,                                                                                  \
        .limit = limit,                                                                                      \
        .dparam = dparam,                                                                                    \
        .energy = energy,                                                                                    \
        .denergy = denergy,                                                                                  \
        .geometry = &geometry,                                                                               \
        .mesh = mesh,                                                                                        \
    }

#endif
