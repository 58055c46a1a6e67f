/* The functions of a kind of bushing: all but its law, of bushing_law.h, which the kind gives as `kind`. */
#ifndef SN_ELEMENT_BUSHING_KIND_H
#define SN_ELEMENT_BUSHING_KIND_H

#include "element/bushing_law.h"
#include "element/section_forces.h"

enum { OUT_FORCE, OUT_FORCE_LOCAL, OUT_STRAIN };

static const sn_bushing_kind kind; /* the kind's own, see below where this is included */

/* M (nv columns) += the 12 x 12 block of the frames */
static void add_block(const double *B, int nv, double *M)
{
    for (int i = 0; i < SN_PAIR; i++)
        for (int j = 0; j < SN_PAIR; j++) M[nv * i + j] += B[SN_PAIR * i + j];
}

/* Rows and columns of the branches' states */
static void branch_rows(const sn_in *in, const sn_bushing *s, double *r, double *K, double *C)
{
    int nv = in->nv;
    sn_branch_walk w = sn_branch_begin(in);
    for (sn_branch_at at; sn_branch_next(in, s, &w, &at);) {
        const double *X = s->X + SN_PAIR * at.d, *D = s->D + SN_PAIR * at.d;
        int z = in->offv[2] + w.z;
        sn_branch b = {0};
        kind.branch(in, &at, &b);
        r[z] += b.g;
        if (!K) continue;
        K[nv * z + z] += b.gz;
        C[nv * z + z] += b.gzd;
        for (int j = 0; j < SN_PAIR; j++) {
            K[nv * j + z] += X[j] * b.fz;
            K[nv * z + j] += b.gx * X[j] + b.gv * D[j];
            C[nv * z + j] += b.gv * X[j];
        }
    }
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    sn_bushing s;
    sn_bushing_load l;
    double N[6 * SN_PAIR], B[SN_PAIR * SN_PAIR] = {0};
    (void)M;
    sn_bushing_open(in, kind.rates, &s);
    sn_bushing_loads(&kind, in, &s, &l);
    sn_bushing_ends(s.X, l.h, r);
    if (K) {
        sn_bushing_rate_tangent(in, &s);
        sn_bushing_by_q(&s, &l, N);
        sn_bushing_project(s.X, N, B);
        sn_bushing_geometric(in, &s, l.h, B);
        add_block(B, in->nv, K);
    }
    if (K && C) {
        memset(B, 0, sizeof B);
        sn_bushing_by_v(&s, &l, N);
        sn_bushing_project(s.X, N, B);
        add_block(B, in->nv, C);
    }
    if (kind.branch) branch_rows(in, &s, r, K, C);
    return SN_OK;
}

/* ---- derivatives by slots and by the reference ---- */

typedef struct variation {
    sn_bushing s;
    sn_bushing_load l;
    double dx[6], dxd[6], dh[6], dr[SN_PAIR]; /* changes of motion, loads, and forces on the frames */
} variation;

static void vary(const sn_in *in, int index, variation *y)
{
    memset(y->dr, 0, sizeof y->dr);
    memset(y->dh, 0, sizeof y->dh);
    sn_bushing_open(in, kind.rates, &y->s);
    sn_bushing_loads(&kind, in, &y->s, &y->l);
    if (sn_bushing_vary(in, &y->s, index, y->l.h, y->dx, y->dxd, y->dr))
        for (int i = 0; i < 36; i++) y->dh[i / 6] += y->l.x[i] * y->dx[i % 6] + y->l.v[i] * y->dxd[i % 6];
    else
        sn_bushing_dloads(&kind, in, &y->s, index, y->dh);
    sn_bushing_ends(y->s.X, y->dh, y->dr);
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    variation y;
    vary(in, index, &y);
    for (int i = 0; i < SN_PAIR; i++) dr[i] += y.dr[i];
    if (!kind.branch) return SN_OK;
    sn_branch_walk w = sn_branch_begin(in);
    for (sn_branch_at at; sn_branch_next(in, &y.s, &w, &at);) {
        sn_branch b = {0}, d = {0};
        int which = sn_branch_number(in, &w, index);
        kind.branch(in, &at, &b);
        if (which >= 0) kind.dbranch(in, &at, which, &d);
        dr[in->offv[2] + w.z] += d.g + b.gx * y.dx[at.d] + b.gv * y.dxd[at.d];
    }
    return SN_OK;
}

/* ---- outputs ---- */

/* Columns of the states in rows y = L h: L has n rows of 6 */
static void by_states(const sn_in *in, const sn_bushing *s, const double *L, int n, sn_dout *d)
{
    sn_branch_walk w = sn_branch_begin(in);
    if (!d->q) return;
    for (sn_branch_at at; sn_branch_next(in, s, &w, &at);) {
        sn_branch b = {0};
        kind.branch(in, &at, &b);
        for (int i = 0; i < n; i++) d->q[in->nv * i + in->offv[2] + w.z] += L[6 * i + at.d] * b.fz;
    }
}

/* Frames and their block in r alone: the output `force` knows no states. */
static sn_status frames_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    sn_bushing s;
    sn_bushing_load l;
    double N[6 * SN_PAIR];
    (void)M;
    sn_bushing_open(in, kind.rates, &s);
    sn_bushing_loads(&kind, in, &s, &l);
    sn_bushing_ends(s.X, l.h, r);
    if (!K) return SN_OK;
    sn_bushing_rate_tangent(in, &s);
    sn_bushing_by_q(&s, &l, N);
    sn_bushing_project(s.X, N, K);
    sn_bushing_geometric(in, &s, l.h, K);
    sn_bushing_by_v(&s, &l, N);
    sn_bushing_project(s.X, N, C);
    return SN_OK;
}

static sn_status frames_dparam(const sn_in *in, int index, double *dr)
{
    variation y;
    vary(in, index, &y);
    for (int i = 0; i < SN_PAIR; i++) dr[i] += y.dr[i];
    return SN_OK;
}

/* Force and moment at an end: those of the frames' rows, then the columns of the states. */
static sn_status end_force(const sn_in *in, int end, double *y, sn_dout *d)
{
    double dq[6 * SN_PAIR] = {0}, dv[6 * SN_PAIR] = {0}, R[9], L[36], row[6];
    int at = end == 1 ? 0 : SN_PAIR / 2;
    sn_in frames = *in;
    sn_dout part = {.q = dq, .v = dv};
    sn_bushing s;
    frames.nv = SN_PAIR;
    SN_TRY(sn_end3_force(&frames, frames_eval, end, y, d ? &part : NULL));
    for (int i = 0; d && i < 6; i++)
        for (int j = 0; j < SN_PAIR; j++) {
            if (d->q) d->q[in->nv * i + j] += dq[SN_PAIR * i + j];
            if (d->v) d->v[in->nv * i + j] += dv[SN_PAIR * i + j];
        }
    if (!d || !kind.branch) return SN_OK;
    /* L = (X' of the end's rows, turned to global axes) */
    sn_bushing_open(in, kind.rates, &s);
    sn_quat_matrix(in->q + in->off[end == 1 ? 0 : 1] + 3, R);
    for (int k = 0; k < 6; k++) {
        memcpy(row, s.X + SN_PAIR * k + at, sizeof row);
        sn_mul3(R, row + 3, row + 3);
        for (int i = 0; i < 6; i++) L[6 * i + k] = row[i];
    }
    by_states(in, &s, L, 6, d);
    return SN_OK;
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    sn_bushing s;
    sn_bushing_load l;
    double N[6 * SN_PAIR], I[36] = {0}, sign = which == OUT_FORCE_LOCAL && end == 1 ? -1 : 1;
    if (which == OUT_FORCE) return end_force(in, end, y, d);
    sn_bushing_open(in, kind.rates, &s);
    sn_bushing_loads(&kind, in, &s, &l);
    for (int i = 0; i < 6; i++) y[i] = which == OUT_STRAIN ? s.x[i] : sign * l.h[i];
    if (!d) return SN_OK;
    if (which == OUT_STRAIN) memcpy(N, s.X, sizeof N);
    if (which == OUT_FORCE_LOCAL) {
        sn_bushing_rate_tangent(in, &s);
        sn_bushing_by_q(&s, &l, N);
    }
    for (int i = 0; d->q && i < 6 * SN_PAIR; i++) d->q[in->nv * (i / SN_PAIR) + i % SN_PAIR] += sign * N[i];
    if (which == OUT_STRAIN) return SN_OK;
    sn_bushing_by_v(&s, &l, N);
    for (int i = 0; d->v && i < 6 * SN_PAIR; i++) d->v[in->nv * (i / SN_PAIR) + i % SN_PAIR] += sign * N[i];
    for (int i = 0; i < 6; i++) I[7 * i] = sign;
    if (kind.branch) by_states(in, &s, I, 6, d);
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    variation y;
    if (which == OUT_FORCE) return sn_end3_dforce(in, frames_dparam, end, index, dy);
    vary(in, index, &y);
    for (int i = 0; i < 6; i++) dy[i] = which == OUT_STRAIN ? y.dx[i] : (end == 1 ? -1 : 1) * y.dh[i];
    return SN_OK;
}

/* ---- energy ---- */

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    sn_bushing s;
    double g[6] = {0};
    e[0] = e[1] = 0;
    sn_bushing_open(in, 0, &s);
    if (kind.store) e[1] = kind.store(in, s.x, g);
    if (kind.branch) {
        sn_branch_walk w = sn_branch_begin(in);
        for (sn_branch_at at; sn_branch_next(in, &s, &w, &at);) {
            double ex, ez;
            e[1] += kind.keep(in, &at, &ex, &ez);
            g[at.d] += ex;
            if (de && de->q) de->q[in->nv + in->offv[2] + w.z] += ez;
        }
    }
    if (de && de->q) sn_bushing_ends(s.X, g, de->q + in->nv);
}

static void denergy(const sn_in *in, int index, double *de)
{
    static const double none[6] = {0};
    sn_bushing s;
    double g[6] = {0}, dx[6], dxd[6], dr[SN_PAIR] = {0};
    int own = index < in->ns - SN_BUSHING_PLACE;
    de[0] = de[1] = 0;
    sn_bushing_open(in, 0, &s);
    if (kind.store) kind.store(in, s.x, g);
    if (kind.dstore && own) de[1] = kind.dstore(in, index, s.x);
    if (kind.branch) {
        sn_branch_walk w = sn_branch_begin(in);
        for (sn_branch_at at; sn_branch_next(in, &s, &w, &at);) {
            double ex, ez;
            int which = own ? sn_branch_number(in, &w, index) : -1;
            kind.keep(in, &at, &ex, &ez);
            g[at.d] += ex;
            if (which >= 0) de[1] += kind.dkeep(in, &at, which);
        }
    }
    if (!sn_bushing_vary(in, &s, index, none, dx, dxd, dr)) return;
    for (int i = 0; i < 6; i++) de[1] += g[i] * dx[i];
}

/* At pi the vector th of the rotation changes its sign; that is nothing to a bushing which is free about it.
 */
static int limit(const sn_in *in, sn_limit *l)
{
    const double pi = 3.14159265358979323846;
    double p[3], most = 0, torque = 0, half = sn_pair3_cos_half(in->q);
    sn_bushing s;
    sn_bushing_load load;
    if (half > 0.15643446504023087 || in->opt[SN_BUSHING_MEASURE] != SN_MEASURE_LOG) return 0; /* 0.45 pi */
    sn_bushing_open(in, 0, &s);
    sn_bushing_loads(&kind, in, &s, &load);
    sn_tmul3(in->c + SN_BUSHING_AXES, s.g.p + 1, p);
    for (int i = 0; i < 6; i++) {
        const double *row = load.x + 6 * i + 3;
        torque = fmax(torque, fabs(sn_dot3(row, p)));
        if (i >= 3) torque = fmax(torque, fabs(load.h[i]));
        for (int j = 0; j < 3; j++) most = fmax(most, fabs(row[j]));
    }
    if (torque <= 1e-6 * most) return 0;
    *l = (sn_limit){"its bodies are turned against each other by", "use a joint beside springs",
                    2 * acos(fmax(half, -1)), pi, 0};
    return 1;
}

static const sn_output outputs[] = {
    SN_END3_OUTPUT,
    {"force_local",
     "forces and moments in the axes of the bushing; at end 2 tension is positive",
     6,
     {"Fx", "Fy", "Fz", "Mx", "My", "Mz"},
     {"N", "N", "N", "N*m", "N*m", "N*m"}},
    {"strain",
     "relative displacement and rotation in the axes of the bushing",
     6,
     {"x", "y", "z", "rx", "ry", "rz"},
     {"m", "m", "m", "rad", "rad", "rad"}},
    {0},
};

static const sn_geometry geometry = {SN_SHAPE_LINE, SN_STRAIGHT, "bushing", 0, NULL};

static const sn_field_decl fields[] = {
    SN_FIELD_AXIAL, SN_FIELD_SHEAR(0), SN_FIELD_TORSION, SN_FIELD_BENDING(0), {0}};
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    return sn_section_space(in, output, OUT_FORCE_LOCAL, section, y);
}

/* What is alike in the tables of all kinds */
#define SN_BUSHING_TABLE                                                                                     \
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_FRAME}, .slots = slots,            \
    .options = options, .outputs = outputs, .layout = layout, .prepare = prepare, .eval = eval,              \
    .dparam = dparam, .output = output, .doutput = doutput, .energy = energy, .denergy = denergy,            \
    .limit = limit, .geometry = &geometry, .fields = fields, .field = field

#endif
