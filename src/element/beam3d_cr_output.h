/* Derivatives of beam3d_cr by its parameters, its outputs and energies. Only beam3d_cr.c includes this file.
 */
#ifndef SN_ELEMENT_BEAM3D_CR_OUTPUT_H
#define SN_ELEMENT_BEAM3D_CR_OUTPUT_H

#include "element/beam3d_cr_numbers.h"
#include "element/beam3d_cr_vary.h"

enum { OUT_FORCE, OUT_FORCE_LOCAL, OUT_STRAIN };

/* Seed of one parameter: turned reference axes, changed offsets */
static void parameter_seed(const sn_in *in, const motion *k, const constants *dc, int index, seeds *s)
{
    const constants *c = (const constants *)in->c;
    double M[9], x[3], e[3] = {0, 0, 0}, Ve[3], Ae[3];
    int end = index >= OFFSET2;
    memset(s, 0, sizeof *s);
    sn_tmatmul3(c->R0, dc->R0, M);
    const double rho[3] = {M[7], M[2], M[3]};
    for (int i = 0; i < 2; i++) {
        sn_mul3(k->B[i], rho, x);
        for (int l = 0; l < 3; l++) s->phi[i][l][0] = x[l];
    }
    if (index < OFFSET1 || index >= NS) return;
    e[(index - OFFSET1) % 3] = 1;
    sn_mul3(k->S[end], e, x);
    s->arms = s->rates = 1;
    for (int l = 0; l < 3; l++) {
        s->c[end][l][0] = x[l];
        s->du[l][0] = end ? x[l] : -x[l];
    }
    if (!k->rates) return;
    sn_cross3(k->V + 6 * end + 3, x, Ve);
    sn_cross3(k->A + 6 * end + 3, x, Ae);
    add_cross(1, k->V + 6 * end + 3, Ve, Ae);
    for (int l = 0; l < 3; l++) {
        s->V[6 * end + l][0] = Ve[l];
        s->A[6 * end + l][0] = Ae[l];
    }
}

/* Derivative of the forces of finite shear by a parameter, the motion held */
static void dshear(const sn_in *in, const pair_motion *k, const constants *dc, int index, double *du)
{
    const constants *c = (const constants *)in->c;
    const double f[3] = {1, 0.5 * c->by, 0.5 * c->bz}, df[3] = {0, 0.5 * dc->by, 0.5 * dc->bz};
    dual x[7], u[3];
    if (!k->shear) return;
    shear_state(in, k, x);
    x[1].d = 0.5 * dc->by * sum(k->th[1]);
    x[2].d = 0.5 * dc->bz * sum(k->th[2]);
    x[3].d = index == EA;
    x[4].d = dc->L;
    x[5].d = index == KGA_Y;
    x[6].d = index == KGA_Z;
    shear_forces(x, u);
    for (int i = 0; i < 3; i++) du[i] = f[i] * u[i].d + df[i] * u[i].x;
}

/* The beam's own damping with a load and the chosen parts */
static inline recipe damped(const sn_in *in, const constants *c, const load *p, int parts)
{
    return (recipe){c, p, in->s[DAMPING], in->s[DAMPING_MASS], parts};
}

/* Derivative of the local force a by slot or reference coordinate `index`, which changes its numbers and load
   by da; also the axes' turn */
static void dforce(const sn_in *in, pair_motion *k, const recipe a, const recipe da, int index, change *d,
                   pair *df)
{
    const constants *c = a.c, *dc = da.c;
    pair e[3];
    pair_forces t, dt;
    forces sides;
    motion m;
    seeds s;
    lane f[12];
    pair_motion k1;
    finite_shear(in, k, 1);
    k1 = *k;
    dshear(in, k, dc, index, k1.u);
    double x = deformation(k, c->L, a.d, e);
    local_force(k, a, c->ea * x, e, &t);
    local_force(&k1, da, dc->ea * x - c->ea * dc->L, e, &dt);
    for (int i = 0; i < 6; i++) df[i] = dt.f[i];
    if (index == DAMPING && (a.parts & STRESS)) {
        const recipe stress = {c, a.p, 0, 0, STRESS | (a.parts & ARMS)};
        local_force(k, stress, c->ea * (k->V[0][1] - k->V[0][0]), k->rate, &dt);
        for (int i = 0; i < 6; i++) df[i] += dt.f[i];
    }
    part_motion(k, &m);
    part_forces(&t, &sides);
    parameter_seed(in, &m, dc, index, &s);
    vary_motion(1, &m, &s, d, a.d != 0);
    vary_force(1, &m, a, &sides, &s, d, f);
    for (int i = 0; i < 12; i += 3) add_cross_lanes(1, -1, sides.f + i, d->w, f + i);
    for (int i = 0; i < 6; i++) df[i] += (pair){f[i][0], f[6 + i][0]};
}

/* Derivatives where the offset just leaves 0, or damping: all of the motion is needed */
static sn_status move_all(const sn_in *in, pair_motion *k)
{
    SN_TRY(move(in, k));
    if (!k->arms) {
        memset(k->c, 0, sizeof k->c);
        k->arms = 1;
    }
    k->field = k->rates = 1;
    move_rates(in, k);
    strain_rates(k);
    return SN_OK;
}

/* eps, twist per unit length, curvatures at both ends: linear in the deformation x, th */
static void strain_of(const sn_in *in, double x, const pair *th, double *y)
{
    const constants *c = (const constants *)in->c;
    const double *s = in->s, iy = 1 / s[EI_Y], iz = 1 / s[EI_Z];
    y[0] = x / c->L;
    y[1] = (th[0][1] - th[0][0]) / c->L;
    for (int i = 0; i < 2; i++) {
        y[2 + i] = opposite[i] * iy * (c->y.k1 * th[1] + c->y.k2 * other(th[1]))[i];
        y[4 + i] = opposite[i] * iz * (c->z.k1 * th[2] + c->z.k2 * other(th[2]))[i];
    }
}

/* Variation of the strains in n lanes */
static void strain_lanes(int n, const sn_in *in, seeds *s, change *d, lane *f)
{
    EACH(j)
    {
        pair th[3];
        double y[6];
        for (int l = 0; l < 3; l++) th[l] = (pair){d->th[0][l][j], d->th[1][l][j]};
        strain_of(in, s->du[0][j], th, y);
        for (int l = 0; l < 6; l++) f[l][j] = y[l];
    }
}

/* The 6 rows of an end: to global axes */
static void end_rows(int n, const motion *k, int local, lane *f, lane *y)
{
    zero_lanes(n, 6, y);
    for (int b = 0; b < 6 && !local; b += 3) add_times_lanes(n, k->E, f + b, y + b);
    for (int i = 0; i < 6 && local; i++) EACH(j) y[i][j] = f[i][j];
}

static void output_tangents(const sn_in *in, const motion *k, const forces *t, int which, int end, int parts,
                            sn_dout *dout)
{
    const constants *c = (const constants *)in->c;
    const recipe a = {c, &c->line, in->s[DAMPING], 0, parts};
    int local = which == OUT_FORCE_LOCAL;
    seeds s;
    change d;
    lane f[12], y[6];
    if (dout->q) {
        unit_seeds(k, &s);
        vary_motion(10, k, &s, &d, a.d != 0);
        if (which == OUT_STRAIN) {
            strain_lanes(10, in, &s, &d, y);
        } else {
            vary_force(10, k, a, t, &s, &d, f);
            for (int i = 0; i < 12 && !local; i += 3) add_cross_lanes(10, -1, t->f + i, d.w, f + i);
            end_rows(10, k, local, f + 6 * end, y);
        }
        add_directions(k, 6, y, dout->q);
    }
    if (dout->v && which != OUT_STRAIN && a.d != 0) {
        velocity_columns(k, a, &d, f);
        end_rows(12, k, local, f + 6 * end, y);
        add_columns(k, 6, y, dout->v);
    }
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    const constants *c = (const constants *)in->c;
    int local = which == OUT_FORCE_LOCAL, parts = SHEAR | STRESS | (local ? 0 : ARMS);
    pair_motion k;
    pair_forces t;
    motion m;
    forces sides;
    pair e[3];
    double x;
    end = end == 1 ? 0 : 1;
    SN_TRY(move(in, &k));
    if (which == OUT_STRAIN) {
        strain_of(in, k.l - c->L, k.th, y);
    } else {
        x = deformation(&k, c->L, in->s[DAMPING], e);
        local_force(&k, (recipe){c, &c->line, 0, 0, parts}, c->ea * x, e, &t);
        for (int b = 0; b < 6; b += 3) {
            part(3, t.f + b, end, y + b);
            if (!local) sn_mul3(k.E, y + b, y + b);
        }
    }
    if (!d) return SN_OK;
    finite_shear(in, &k, 1);
    part_motion(&k, &m);
    if (which != OUT_STRAIN) part_forces(&t, &sides);
    output_tangents(in, &m, &sides, which, end, parts, d);
    return SN_OK;
}

/* Strains depend on L, the stiffness ratios k/EI and the deformation */
static void dstrain(const sn_in *in, const pair_motion *k, const constants *dc, int index, double *dy)
{
    const constants *c = (const constants *)in->c;
    double y[6], z[6];
    sn_in changed = *in;
    motion m;
    seeds s;
    change d;
    lane f[6];
    strain_of(in, k->l - c->L, k->th, y);
    part_motion(k, &m);
    parameter_seed(in, &m, dc, index, &s);
    vary_place(1, &m, &s, &d);
    s.du[0][0] -= dc->L;
    strain_lanes(1, in, &s, &d, f);
    for (int i = 0; i < 6; i++) dy[i] = f[i][0];
    constants mixed = *dc;
    mixed.L = c->L;
    changed.c = (const double *)&mixed;
    strain_of(&changed, 0, k->th, z);
    for (int i = 0; i < 6; i++) dy[i] += i < 2 ? -y[i] * dc->L / c->L : z[i];
    for (int i = 2; i < 4 && index == EI_Y; i++) dy[i] -= y[i] / in->s[EI_Y];
    for (int i = 4; i < 6 && index == EI_Z; i++) dy[i] -= y[i] / in->s[EI_Z];
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    const constants *c = (const constants *)in->c;
    int local = which == OUT_FORCE_LOCAL;
    constants cc, dc;
    pair_motion k;
    pair_forces t;
    change d;
    pair df[6], e[3];
    double x;
    for (int i = 0; i < 6; i++) dy[i] = 0;
    if (index >= NS + 14) return SN_OK;
    SN_TRY(move_all(in, &k));
    make_constants(in, index, &cc, &dc);
    if (which == OUT_STRAIN) {
        dstrain(in, &k, &dc, index, dy);
        return SN_OK;
    }
    int parts = SHEAR | STRESS | (local ? 0 : ARMS);
    dforce(in, &k, damped(in, c, &c->line, parts), damped(in, &dc, &dc.line, parts), index, &d, df);
    if (local) {
        /* components in the turning axes: without their turn */
        x = deformation(&k, c->L, in->s[DAMPING], e);
        local_force(&k, (recipe){c, &c->line, 0, 0, STRESS | SHEAR}, c->ea * x, e, &t);
        const pair w[3] = {both(d.w[0][0]), both(d.w[1][0]), both(d.w[2][0])};
        for (int i = 0; i < 6; i += 3) add_cross2(t.f + i, w, df + i);
    }
    part(6, df, end == 1 ? 0 : 1, dy);
    for (int b = 0; b < 6 && !local; b += 3) sn_mul3(k.E, dy + b, dy + b);
    return SN_OK;
}

/* -A g.(mean place) */
static double field_energy(const sn_in *in, const pair_motion *k, const load *p)
{
    const double *q = in->q, *g = in->g;
    double V = -p->B * sum(opposite * (k->g[2] * k->th[1] - k->g[1] * k->th[2]));
    for (int i = 0; i < 3; i++) V -= 0.5 * p->A * g[i] * (q[i] + q[7 + i]);
    for (int i = 0; i < 3 && k->arms; i++) V -= 0.5 * p->A * k->g[i] * sum(k->c[i]);
    return V;
}

/* Twice the kinetic energy; p: dT/dv (or NULL), f: dT/dq (or NULL), both local */
static double field_kinetic(const pair_motion *k, const constants *c, pair *p, pair *f)
{
    pair P[6], T = both(0), y[3];
    double kap[3];
    mass_times(c, k->V, P);
    for (int i = 0; i < 6; i++) T += P[i] * k->V[i];
    if (!p) return sum(T);
    for (int i = 0; i < 6; i++) p[i] = P[i], f[i] = both(0);
    cross2(P, k->V, y);
    add_cross2(P + 3, k->V + 3, y);
    for (int i = 0; i < 3; i++) kap[i] = sum(y[i]);
    add_spin_force(k, kap, f);
    add_cross2(k->V + 3, P + 3, f + 3);
    if (!k->arms) return sum(T);
    add_cross2(k->Ve, P, f + 3);
    add_cross2(k->c, f, f + 3);
    add_cross2(k->c, P, p + 3);
    return sum(T);
}

/* The same of the bodies at the nodes; p += */
static double node_kinetic(const sn_in *in, const constants *c, double *p)
{
    double x[3], T = 0;
    for (int i = 3; i < 12; i += 6) {
        sn_mul3(c->J, in->v + i, x);
        T += sn_dot3(x, in->v + i);
        for (int j = 0; j < 3 && p; j++) p[i + j] += x[j];
    }
    return T;
}

static double stress_energy(const sn_in *in, const pair_motion *k, const constants *c)
{
    dual s[7], u[3], U = {0, 0};
    pair e[3], m[3];
    double x = deformation(k, c->L, 0, e);
    stress_moments(c, e, m);
    shear_state(in, k, s);
    if (k->shear) U = shear_forces(s, u);
    return U.x + 0.5 * (c->ea * x * x + sum(e[0] * m[0] + e[1] * m[1] + e[2] * m[2]));
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const constants *c = (const constants *)in->c;
    pair_motion k;
    pair_forces t;
    pair p[6], f[6], d[3];
    double N;
    e[0] = e[1] = 0;
    if (move(in, &k) != SN_OK) return;
    if (!k.rates) move_rates(in, &k);
    e[0] = 0.5 * (field_kinetic(&k, c, p, f) + node_kinetic(in, c, NULL));
    e[1] = stress_energy(in, &k, c) + field_energy(in, &k, &c->weight);
    if (de && de->v) {
        add_nodes(&k, p, de->v);
        node_kinetic(in, c, de->v);
    }
    if (de && de->q) {
        add_nodes(&k, f, de->q);
        N = c->ea * deformation(&k, c->L, 0, d);
        local_force(&k, (recipe){c, &c->weight, 0, 0, STRESS | SHEAR | LOAD | ARMS}, N, d, &t);
        add_nodes(&k, t.f, de->q + 12);
    }
}

static double dshear_energy(const sn_in *in, const pair_motion *k, const constants *dc, int index, seeds *s,
                            change *d)
{
    const constants *c = (const constants *)in->c;
    dual x[7], u[3];
    if (!k->shear) return 0;
    shear_state(in, k, x);
    x[0].d = s->du[0][0];
    for (int i = 0; i < 2; i++) {
        x[1].d += 0.5 * (dc->by * k->th[1][i] + c->by * d->th[i][1][0]);
        x[2].d += 0.5 * (dc->bz * k->th[2][i] + c->bz * d->th[i][2][0]);
    }
    x[3].d = index == EA;
    x[4].d = dc->L;
    x[5].d = index == KGA_Y;
    x[6].d = index == KGA_Z;
    return shear_forces(x, u).d;
}

static void denergy(const sn_in *in, int index, double *de)
{
    const constants *c = (const constants *)in->c;
    constants cc, dc;
    pair_motion k;
    motion ends;
    seeds s;
    change d;
    pair P[6], e[3], m[3];
    double x, one[3] = {0, 0, 0};
    int field = index - NS - 14;
    sn_in unit = *in;
    de[0] = de[1] = 0;
    if (move_all(in, &k) != SN_OK) return;
    if (field >= 0) {
        one[field] = 1;
        unit.g = one;
        sn_tmul3(k.E, one, k.g);
        de[1] = field_energy(&unit, &k, &c->weight);
        return;
    }
    make_constants(in, index, &cc, &dc);
    part_motion(&k, &ends);
    parameter_seed(in, &ends, &dc, index, &s);
    vary_motion(1, &ends, &s, &d, 0);
    /* T: by the mass, by V; the potential: by stiffness and mass, by the deformation, by place and axes */
    de[0] = 0.5 * (field_kinetic(&k, &dc, NULL, NULL) + node_kinetic(in, &dc, NULL));
    mass_times(c, k.V, P);
    for (int i = 0; i < 12; i++) de[0] += P[i % 6][i / 6] * d.V[i][0];
    x = deformation(&k, c->L, 0, e);
    stress_moments(&dc, e, m);
    de[1] = field_energy(in, &k, &dc.weight);
    de[1] += 0.5 * (dc.ea * x * x + sum(e[0] * m[0] + e[1] * m[1] + e[2] * m[2])) +
             c->ea * x * (s.du[0][0] - dc.L);
    stress_moments(c, e, m);
    m[1] -= opposite * (c->weight.B * k.g[2]);
    m[2] += opposite * (c->weight.B * k.g[1]);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            de[1] += m[j][i] * d.th[i][j][0] - 0.5 * c->weight.A * k.g[j] * s.c[i][j][0];
    de[1] += dshear_energy(in, &k, &dc, index, &s, &d);
    de[1] -= c->weight.B * sum(opposite * (d.g[2][0] * e[1] - d.g[1][0] * e[2]));
}

#endif
