/* Derivatives of beam3d_ge by its parameters, its outputs and energies. Only beam3d_ge.c includes this file.
 */
#ifndef SN_ELEMENT_BEAM3D_GE_OUTPUT_H
#define SN_ELEMENT_BEAM3D_GE_OUTPUT_H

#include "element/beam3d_ge_mass.h"
#include "element/beam3d_ge_numbers.h"

enum { OUT_FORCE, OUT_FORCE_LOCAL, OUT_STRAIN };

/* What a parameter does to the motion: sections turn by th in their axes, ends move */
typedef struct seed {
    double th[2][3], end[2][3], du[3], dpsi[3];
} seed;

static inline void parameter_seed(const motion *k, const constants *c, const constants *dc, seed *s)
{
    for (int i = 0; i < 2; i++) {
        double T[9];
        sn_tmatmul3(c->A[i], dc->A[i], T);
        s->th[i][0] = T[7], s->th[i][1] = T[2], s->th[i][2] = T[3];
        sn_mul3(k->R[i], dc->body[i][PLACE], s->end[i]);
    }
    relative_rates(k, s->end[0], s->end[1], s->th[0], s->th[1], s->du, s->dpsi);
}

/* Change of the elastic and damping section forces; dy: that of (U, psi) */
static inline void stress_by(const sn_in *in, const beam *at, const constants *dc, const seed *s, int index,
                             double *dy, double *ds)
{
    const motion *k = at->k;
    const constants *c = at->c;
    const strain *e = at->e;
    const rates *t = at->t;
    const double damping = in->s[DAMPING], ih = 1 / c->h;
    double D[9], H[36], dxi[6], x[6];
    slope_of(k, k->u, D);
    strain_rates(k, D, s->du, s->dpsi, dy);
    memcpy(dy + 3, s->dpsi, sizeof s->dpsi);
    for (int i = 0; i < 3; i++) {
        dxi[i] = (dy[i] - dc->h * k->U[i] * ih) * ih;
        dxi[3 + i] = (dy[3 + i] - dc->h * e->kappa[i]) * ih;
    }
    stiffness(c, e, H);
    mul6(H, dxi, ds);
    stress_change(c, dc, e, x);
    for (int i = 0; i < 6; i++) ds[i] += x[i];
    if (index == DAMPING)
        for (int i = 0; i < 6; i++) ds[i] += t->w[i];
    if (damping == 0) return;
    /* M w = rate of eps */
    double dspin[2][3], dv[3], dw[6], y[6], z[6], v[2][3];
    for (int i = 0; i < 2; i++) {
        sn_cross3(t->spin[i], s->th[i], dspin[i]);
        sn_cross3(in->v + 6 * i + 3, dc->body[i][PLACE], v[i]);
        sn_mul3(k->R[i], v[i], v[i]);
    }
    for (int i = 0; i < 3; i++) v[1][i] -= v[0][i];
    sn_tmul3(k->L[0], v[1], dv);
    sn_cross3(t->v, s->th[0], x);
    for (int i = 0; i < 3; i++) dv[i] += x[i];
    damping_change(at, s->du, s->dpsi, (const double(*)[3])dspin, dv, dw);
    /* by the constants: -dh/h of the rate, of kappa; S, c */
    double dk[3];
    for (int i = 0; i < 3; i++) dk[i] = -e->kappa[i] * dc->h * ih;
    compliance_change(c, e, dk, dc->c, t->w, y);
    mul6(dc->S, t->w, x);
    couple(e->kappa, t->w, z);
    double q[6], a[6];
    mul6(dc->S, z, q);
    couple_transposed(e->kappa, q, a);
    for (int i = 0; i < 6; i++) y[i] = -y[i] - x[i] - c->c * a[i];
    solve(e->F, y);
    for (int i = 0; i < 6; i++) ds[i] += damping * (dw[i] + y[i] - t->w[i] * dc->h * ih);
}

/* Change of the elastic and damping forces of the nodes */
static inline sn_status elastic_by(const sn_in *in, const motion *k, const constants *c, const constants *dc,
                                   int index, double *dr, forces *f)
{
    strain e;
    rates t;
    seed s;
    forces df;
    double dy[6], ds[6], G[36], H[36] = {0}, x[6], w[3], z[3];
    SN_TRY(elastic(in, k, c, &e, &t, f));
    if (in->s[DAMPING] == 0 && index == DAMPING) move_rates(in, k, c, &e, &t);
    parameter_seed(k, c, dc, &s);
    stress_by(in, &(beam){k, c, &e, &t}, dc, &s, index, dy, ds);
    pulled_back(k, ds, df.g);
    geometric(k, f->s, H);
    chain_matrix(k, G);
    const double d[6] = {s.du[0], s.du[1], s.du[2], s.dpsi[0], s.dpsi[1], s.dpsi[2]};
    mul6(H, d, x);
    for (int i = 0; i < 6; i++) df.g[i] += x[i];
    node_forces(k, c, &df);
    for (int i = 0; i < 12; i++) dr[i] += df.r[i];
    turned_forces(k, c, f, (const double(*)[3])s.th, d, 0, dr);
    for (int i = 0; i < 2; i++) { /* the nodes' axes do not turn with A; the arm of the force changes */
        const double sign = i ? 1 : -1;
        sn_cross3(s.th[i], f->m[i], w);
        sn_mul3(c->A[i], w, w);
        const double F[3] = {sign * f->f[0], sign * f->f[1], sign * f->f[2]};
        sn_tmul3(k->R[i], F, z);
        sn_cross3(dc->body[i][PLACE], z, z);
        for (int j = 0; j < 3; j++) dr[6 * i + 3 + j] += w[j] + z[j];
    }
    return SN_OK;
}

/* Change of inertia and field forces by the constants, all vectors being used */
static inline void inertia_by(const sn_in *in, const motion *k, const constants *c, const constants *dc,
                              int index, double *dr)
{
    const double still[12] = {0};
    double y[6][3], F[6][3], dy[6][3], dF[6][3], a[12];
    int used[VECTORS];
    vectors_used(in, c, used);
    effective(in, a);
    vector_rates(k, in->v, a, &(vectors){c->body, used, 1}, 0, y);
    vector_forces(in, used, c->m, y, F);
    vector_forces(in, used, dc->m, y, dF);
    vector_rates(k, in->v, a, &(vectors){dc->body, used, 1}, 1, dy);
    vector_forces(in, used, c->m, dy, y);
    for (int i = 0; i < 18; i++) dF[i / 3][i % 3] += y[i / 3][i % 3];
    if (index == DAMPING_MASS) {
        vector_rates(k, still, in->v, &(vectors){c->body, used, 1}, 0, y);
        vector_forces(in, used, c->m, y, dF);
        add_bodies(c->J, still, in->v, dr);
    }
    add_vector_forces(k, c->body, used, 1, dF, dr);
    add_bodies(dc->J, in->v, a, dr);
    /* moments by the arms alone */
    double r[12] = {0};
    add_vector_forces(k, dc->body, used, 1, F, r);
    for (int i = 0; i < 12; i++) dr[i] += i % 6 > 2 ? r[i] : 0;
}

/* By component j of the field */
static inline void field_by(const sn_in *in, const motion *k, const constants *c, int j, double *dr)
{
    double y[6][3] = {{0}}, F[6][3];
    int used[VECTORS];
    vectors_used(in, c, used);
    y[0][j] = y[3][j] = -1;
    vector_forces(in, used, c->m, y, F);
    add_vector_forces(k, c->body, used, 1, F, dr);
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    constants c, dc;
    motion k;
    forces f;
    SN_TRY(place(in, &k));
    memcpy(&c, in->c, sizeof c);
    c.arms = c.off_axis = 1;
    if (index >= NS + 14) {
        field_by(in, &k, &c, index - NS - 14, dr);
        return SN_OK;
    }
    make_constants(in, index, &(constants){0}, &dc);
    SN_TRY(elastic_by(in, &k, &c, &dc, index, dr, &f));
    inertia_by(in, &k, &c, &dc, index, dr);
    return SN_OK;
}

/* Rows of end 2 or 1 of f along global axes or those of the section; df: its change, which turns with th */
static inline void end_force(const motion *k, const constants *c, const forces *f, int i, int local,
                             double *y)
{
    const double sign = i ? 1 : -1, F[3] = {sign * f->f[0], sign * f->f[1], sign * f->f[2]};
    memcpy(y, F, sizeof F);
    if (local) {
        sn_tmul3(k->L[i], F, y);
        memcpy(y + 3, f->m[i], 3 * sizeof *y);
    } else {
        sn_mul3(k->R[i], f->r + 6 * i + 3, y + 3);
    }
    (void)c;
}

/* Which end, in which axes; the turn of its node, and of its section against it */
typedef struct end_turn {
    int i, local;
    const double *dth, *th;
} end_turn;

/* The same of changes dr of the nodes' forces and turns of the end */
static inline void end_change(const motion *k, const constants *c, const constants *dc, const forces *f,
                              const end_turn *of, const double *dr, double *dy)
{
    const int i = of->i, local = of->local;
    const double *dth = of->dth, *th = of->th;
    const double sign = i ? 1 : -1, F[3] = {sign * f->f[0], sign * f->f[1], sign * f->f[2]};
    double x[3], y[3], z[3], w[3];
    dr += 6 * i;
    if (!local) { /* R (dm + dth x m) */
        sn_cross3(dth, f->r + 6 * i + 3, x);
        for (int j = 0; j < 3; j++) dy[j] = dr[j], x[j] += dr[3 + j];
        sn_mul3(k->R[i], x, dy + 3);
        return;
    }
    /* L'F: L'dF - w x L'F, w the section's turn */
    sn_tmul3(c->A[i], dth, w);
    for (int j = 0; j < 3; j++) w[j] += th[j];
    sn_tmul3(k->L[i], dr, dy);
    sn_tmul3(k->L[i], F, x);
    sn_cross3(w, x, y);
    for (int j = 0; j < 3; j++) dy[j] -= y[j];
    /* moment of the section, A'(m - o x R'F) */
    sn_tmul3(k->R[i], F, x);
    sn_tmul3(k->R[i], dr, z);
    sn_cross3(dth, x, y);
    for (int j = 0; j < 3; j++) z[j] -= y[j];
    sn_cross3(c->body[i][PLACE], z, y);
    for (int j = 0; j < 3; j++) z[j] = dr[3 + j] - y[j];
    if (dc) {
        sn_cross3(dc->body[i][PLACE], x, y);
        for (int j = 0; j < 3; j++) z[j] -= y[j];
    }
    sn_tmul3(c->A[i], z, dy + 3);
    sn_cross3(th, f->m[i], y);
    for (int j = 0; j < 3; j++) dy[3 + j] -= y[j];
}

/* (gamma, kappa) less those of the reference, by du and dpsi, and by h */
static inline void strain_change(const motion *k, const constants *c, const double *du, const double *dpsi,
                                 double *y)
{
    double D[9];
    slope_of(k, k->u, D);
    strain_rates(k, D, du, dpsi, y);
    for (int i = 0; i < 3; i++) y[i] /= c->h, y[3 + i] = dpsi[i] / c->h;
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    const constants *c = (const constants *)in->c;
    const double none[3] = {0, 0, 0};
    const int i = end == 1 ? 0 : 1, local = which == OUT_FORCE_LOCAL;
    sn_in elastic_in = *in;
    motion k;
    strain e;
    rates t;
    forces f;
    SN_TRY(place(in, &k));
    SN_TRY(elastic(in, &k, c, &e, &t, &f));
    if (which == OUT_STRAIN)
        memcpy(y, e.eps, sizeof e.eps);
    else
        end_force(&k, c, &f, i, local, y);
    if (!d || (!d->q && !d->v)) return SN_OK;
    double K[144] = {0}, C[144] = {0}, Y[72];
    elastic_in.material = 0;
    elastic_tangent(&elastic_in, &(beam){&k, c, &e, &t}, &f, K, C);
    node_matrix(&k, c, Y);
    for (int j = 0; j < 12; j++) {
        double col[12], dy[6], du[3], dpsi[3];
        const double turn[3] = {j % 3 == 0, j % 3 == 1, j % 3 == 2};
        for (int l = 0; l < 12; l++) col[l] = K[12 * l + j];
        for (int l = 0; l < 3; l++) du[l] = Y[12 * l + j], dpsi[l] = Y[12 * (3 + l) + j];
        if (which == OUT_STRAIN)
            strain_change(&k, c, du, dpsi, dy);
        else
            end_change(&k, c, NULL, &f, &(end_turn){i, local, j % 6 > 2 && j / 6 == i ? turn : none, none},
                       col, dy);
        for (int l = 0; l < 6 && d->q; l++) d->q[12 * l + j] = dy[l];
        if (which == OUT_STRAIN || !d->v) continue;
        for (int l = 0; l < 12; l++) col[l] = C[12 * l + j];
        end_change(&k, c, NULL, &f, &(end_turn){i, local, none, none}, col, dy);
        for (int l = 0; l < 6; l++) d->v[12 * l + j] = dy[l];
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    const double none[3] = {0, 0, 0};
    const int i = end == 1 ? 0 : 1;
    constants c, dc;
    motion k;
    forces f;
    seed s;
    double dr[12] = {0};
    for (int l = 0; l < 6; l++) dy[l] = 0;
    if (index >= NS + 14) return SN_OK;
    SN_TRY(place(in, &k));
    memcpy(&c, in->c, sizeof c);
    c.arms = 1;
    make_constants(in, index, &(constants){0}, &dc);
    SN_TRY(elastic_by(in, &k, &c, &dc, index, dr, &f));
    parameter_seed(&k, &c, &dc, &s);
    if (which == OUT_STRAIN) {
        strain_change(&k, &c, s.du, s.dpsi, dy);
        for (int l = 0; l < 3; l++) {
            dy[l] -= k.U[l] * dc.h / (c.h * c.h);
            dy[3 + l] -= k.psi[l] * dc.h / (c.h * c.h) + dc.kappa0[l];
        }
        return SN_OK;
    }
    end_change(&k, &c, &dc, &f, &(end_turn){i, which == OUT_FORCE_LOCAL, none, s.th[i]}, dr, dy);
    return SN_OK;
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const constants *c = (const constants *)in->c;
    sn_in still = *in;
    const double zero[12] = {0};
    double y[6][3], p[6][3], F[6][3], x[3], v[3];
    int used[VECTORS];
    motion k;
    strain st;
    rates t;
    forces f;
    e[0] = e[1] = 0;
    double slots[NS];
    memcpy(slots, in->s, sizeof slots);
    slots[DAMPING] = slots[DAMPING_MASS] = 0;
    still.s = slots, still.v = still.a = zero;
    if (place(in, &k) || elastic(&still, &k, c, &st, &t, &f)) return;
    vectors_used(in, c, used);
    velocities(&k, c, c->body, used, in->v, 0, y);
    vector_forces(in, used, c->m, y, p);
    for (int a = 0; a < 6; a++) e[0] += 0.5 * sn_dot3(p[a], y[a]);
    e[0] += bodies_energy(c->J, in->v);
    e[1] = 0.5 * c->h * dot6(st.tau, st.eps) + field_potential(in, &k, c, c->m, c->body, in->g, 0);
    if (de && de->v) {
        add_vector_forces(&k, c->body, used, c->arms != 0, p, de->v);
        add_bodies(c->J, zero, in->v, de->v);
    }
    if (!de || !de->q) return;
    for (int i = 0; i < 12; i++) de->q[12 + i] += f.r[i];
    add_inertia(&still, &k, c, F, de->q + 12);
    for (int a = 0; a < 6; a++) { /* p.R (th x (w x beta)) */
        const int i = a / 3;
        if (!used[a % 3] || (a % 3 == PLACE && c->arms == 0)) continue;
        sn_cross3(in->v + 6 * i + 3, c->body[i][a % 3], v);
        sn_tmul3(k.R[i], p[a], x);
        sn_cross3(v, x, x);
        for (int j = 0; j < 3; j++) de->q[6 * i + 3 + j] += x[j];
    }
}

static void denergy(const sn_in *in, int index, double *de)
{
    constants c, dc;
    sn_in still = *in;
    const double zero[12] = {0};
    double slots[NS], y[6][3], z[6][3], p[6][3], dp[6][3], one[3] = {0, 0, 0}, x[6], w[6];
    int used[VECTORS];
    motion k;
    strain st;
    rates t;
    forces f;
    seed s;
    de[0] = de[1] = 0;
    if (place(in, &k)) return;
    memcpy(&c, in->c, sizeof c);
    c.arms = c.off_axis = 1;
    if (index >= NS + 14) {
        one[index - NS - 14] = 1;
        de[1] = field_potential(in, &k, &c, c.m, c.body, one, 0);
        return;
    }
    memcpy(slots, in->s, sizeof slots);
    slots[DAMPING] = 0;
    still.s = slots, still.v = still.a = zero;
    if (elastic(&still, &k, &c, &st, &t, &f)) return;
    make_constants(in, index, &(constants){0}, &dc);
    /* kinetic */
    vectors_used(in, &c, used);
    velocities(&k, &c, c.body, used, in->v, 0, y);
    velocities(&k, &c, dc.body, used, in->v, 1, z);
    vector_forces(in, used, c.m, y, p);
    vector_forces(in, used, dc.m, y, dp);
    for (int a = 0; a < 6; a++) de[0] += 0.5 * sn_dot3(dp[a], y[a]) + sn_dot3(p[a], z[a]);
    de[0] += bodies_energy(dc.J, in->v);
    /* elastic: E = h W, dW = s.dxi - tau.dxi0 - tau'(dS + dc A'S A + c A'dS A) tau/2 */
    parameter_seed(&k, &c, &dc, &s);
    strain_change(&k, &c, s.du, s.dpsi, x);
    for (int i = 0; i < 6; i++) x[i] -= (i < 3 ? k.U[i] : k.psi[i - 3]) * dc.h / (c.h * c.h);
    double dW = dot6(st.s, x) - sn_dot3(st.tau + 3, dc.kappa0);
    mul6(dc.S, st.tau, w);
    dW -= 0.5 * dot6(st.tau, w);
    couple(st.kappa, st.tau, x);
    dW -= 0.5 * dc.c * dot6(x, st.b);
    mul6(dc.S, x, w);
    dW -= 0.5 * c.c * dot6(x, w);
    de[1] = c.h * dW + 0.5 * dc.h * dot6(st.tau, st.eps);
    de[1] += field_potential(in, &k, &c, dc.m, c.body, in->g, 0) +
             field_potential(in, &k, &c, c.m, dc.body, in->g, 1);
}

#endif
