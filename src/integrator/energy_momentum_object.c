/* What one object adds to the equations of a step with energy and momentum, and its derivatives.

   Forces are conjugate to the increment d: moments in the axes R_m half-way. Those of the ends are T1'f1 and
   T0'f0, T1 = T(c), T0 = T(-c) of Cayley's map. */
#include "integrator/energy_momentum.h"

#include <math.h>
#include <string.h>

static size_t bytes(int n) { return sizeof(double) * (size_t)n; }

/* ---- geometry ---- */

static void turn_space(sn_em_turn *t, const double *c)
{
    double u[3], back[3], R[9];
    sn_cayley_half(c, u, t->P);
    sn_cayley_matrix(u, t->H);
    sn_cayley_T(c, t->T1);
    for (int i = 0; i < 3; i++) back[i] = -c[i];
    sn_cayley_T(back, t->T0);
    sn_cayley_matrix(c, R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t->E[3 * i + j] = R[3 * j + i];
}

void sn_em_between(sn_em *s, const sn_object *o, const sn_state *x0, const sn_state *x1)
{
    const int n = o->nv;
    s->n_turn = 0;
    for (int i = 0; i < o->nq; i++) {
        s->q0[i] = x0->q[o->qi[i]], s->q1[i] = x1->q[o->qi[i]];
        s->qm[i] = 0.5 * (s->q0[i] + s->q1[i]);
    }
    for (int i = 0; i < n; i++) {
        s->dl[i] = s->d[o->vi[i]], s->v0[i] = x0->v[o->vi[i]];
        s->part[i] = -1;
    }
    for (int k = 0; k < o->nn; k++) {
        const sn_node_places *at = &o->place[k];
        for (int i = 0; at->x_v >= 0 && i < o->dim; i++)
            s->part[at->x_v + i] = 0, s->part_node[at->x_v + i] = k;
        for (int p = 0; p < at->vectors; p++)
            for (int i = 0; i < o->dim; i++)
                s->part[at->d_v + p * o->dim + i] = p + 1, s->part_node[at->d_v + p * o->dim + i] = k;
        if (at->R_v < 0) continue;
        sn_em_turn *t = &s->turn[s->n_turn++];
        *t = (sn_em_turn){.v = at->R_v, .q = at->R_q, .n = o->dim == 3 ? 3 : 1};
        for (int i = 0; i < t->n; i++) s->part[t->v + i] = at->vectors + 1, s->part_node[t->v + i] = k;
        const double *c = s->dl + t->v;
        if (t->n == 3) {
            double u[3], p[4];
            turn_space(t, c);
            for (int i = 0; i < 3; i++) u[i] = c[i] / (1 + sqrt(sn_cayley_a(c)));
            const double f = 1 / sqrt(sn_cayley_a(u)),
                         e[4] = {f, 0.5 * f * u[0], 0.5 * f * u[1], 0.5 * f * u[2]};
            sn_quat_mul(s->q0 + t->q, e, p);
            memcpy(s->qm + t->q, p, sizeof p);
        } else {
            t->T0[0] = t->T1[0] = 1 / (1 + 0.25 * c[0] * c[0]), t->E[0] = t->H[0] = 1;
            t->P[0] = 0.5 * t->T1[0];
            s->qm[t->q] = s->q0[t->q] + atan(0.5 * c[0]);
        }
    }
}

void sn_em_rigid(sn_em *s, const sn_object *o, const double *q, double *Z)
{
    sn_moment y;
    (void)s;
    memset(Z, 0, bytes(o->nv * SN_RIGID));
    for (int k = 0; k < o->nn; k++) {
        for (int i = 0; o->place[k].x_v >= 0 && i < o->dim; i++) Z[(o->place[k].x_v + i) * SN_RIGID + i] = 1;
        for (int part = 0; sn_moment_part(o, k, part, q, &y); part++)
            for (int r = 0; r < y.rows; r++)
                for (int c = 0; c < y.cols; c++) Z[(y.v + c) * SN_RIGID + o->dim + r] = y.A[y.cols * r + c];
    }
}

/* Change of Z, in rows *from .. *to - 1, as coordinate j of q half-way moves by dq (its part's numbers). */
static void rigid_change(sn_em *s, const sn_object *o, int j, const double *dq, unsigned modes, int *from,
                         int *to)
{
    const int dim = o->dim, k = s->part_node[j], part = s->part[j];
    sn_moment y;
    *from = *to = 0;
    if (part < 0 || !sn_moment_part(o, k, part, s->qm, &y)) return;
    double A[9], S[9];
    if (y.turn && dim == 3) {
        sn_skew3(dq, S);
        sn_matmul3(y.A, S, A);
    } else if (y.turn) {
        return;
    } else if (dim == 3) {
        sn_skew3(dq, A);
    } else {
        A[0] = -dq[1], A[1] = dq[0];
    }
    *from = y.v, *to = y.v + y.cols;
    for (int c = 0; c < y.cols; c++)
        for (int r = 0; r < SN_RIGID; r++) {
            int turn = r - dim;
            s->dZ[(y.v + c) * SN_RIGID + r] =
                turn >= 0 && turn < y.rows && (modes >> r) & 1 ? A[y.cols * turn + c] : 0;
        }
}

/* y = T1'f, or T0'f */
static void conjugate(const sn_em *s, int n, int end, const double *f, double *y)
{
    memmove(y, f, bytes(n));
    for (int i = 0; i < s->n_turn; i++) {
        const sn_em_turn *t = &s->turn[i];
        const double *T = end ? t->T1 : t->T0;
        if (t->n == 3)
            sn_tmul3(T, y + t->v, y + t->v);
        else
            y[t->v] *= T[0];
    }
}

/* Which rotation coordinate j belongs to; NULL: none */
static const sn_em_turn *turn_of(const sn_em *s, int j)
{
    for (int i = 0; i < s->n_turn; i++)
        if (j >= s->turn[i].v && j < s->turn[i].v + s->turn[i].n) return &s->turn[i];
    return NULL;
}

/* How q at the end, and half-way, move with coordinate j of the increment (by_q0: of q0): x of at most three
   numbers from *from on; returns how many. */
static int moved(const sn_em *s, int j, int by_q0, int half, int *from, double *x)
{
    const sn_em_turn *t = turn_of(s, j);
    if (!t || t->n == 1) {
        double T = t ? t->T1[0] : 1;
        *from = j, *x = by_q0 ? 1 : half ? 0.5 * T : T;
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        int c = j - t->v;
        x[i] = by_q0 ? (half ? t->H[3 * c + i] : t->E[3 * i + c]) : (half ? t->P : t->T1)[3 * i + c];
    }
    *from = t->v;
    return 3;
}

/* y += K x, x as above */
static void add_columns(int n, const double *K, int from, int count, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < count; c++) y[i] += K[i * n + from + c] * x[c];
}

/* ---- forces with a potential ---- */

static const double half = 0.5;

/* increments below this share of the size are nothing */
static const double least = 1e-9;

void sn_em_begin_gradient(sn_em *s, const sn_object *o, const sn_em_object *e)
{
    sn_discrete *z = &s->gradient;
    sn_em_rigid(s, o, s->qm, s->Z);
    for (int i = 0; i < o->nv; i++) {
        int touched = s->touched[e->touched + (size_t)i];
        s->G[i] = touched;
        s->x[i] = touched ? s->dl[i] : 0;
        for (int r = 0; r < SN_RIGID; r++)
            if (!touched || !((e->modes >> r) & 1)) s->Z[i * SN_RIGID + r] = 0;
    }
    for (int i = 0; i < s->n_turn; i++)
        for (int l = 0; l < s->turn[i].n; l++) s->G[s->turn[i].v + l] *= e->size * e->size;
    z->n = o->nv, z->k = SN_RIGID, z->G = s->G, z->d = s->x, z->Z = s->Z, z->least = least * e->size;
    z->w = s->w_, z->P = s->P;
    sn_discrete_begin(z);
}

double sn_em_mean(sn_em *s, int n, double beta)
{
    double lost = 0;
    conjugate(s, n, 0, s->f0, s->y);
    conjugate(s, n, 1, s->f1, s->z);
    for (int i = 0; i < n; i++) {
        s->fm[i] = half * (s->y[i] + s->z[i]);
        s->gain[i] = half * beta * (s->z[i] - s->y[i]);
        s->fm[i] += s->gain[i], lost += s->gain[i] * s->w_[i];
    }
    return lost;
}

static void add_mean(sn_em *s, const sn_object *o, double V, double beta, double *r)
{
    V += sn_em_mean(s, o->nv, beta);
    sn_discrete_force(&s->gradient, s->fm, V, s->y);
    for (int i = 0; i < o->nv; i++) r[i] += s->y[i];
}

/* K (columns) += derivative of the force that add_mean has added, by the increment or by q0; K0, K1 of both
   ends, f0, f1 at hand. */
static void add_mean_tangent(sn_em *s, const sn_object *o, const sn_em_object *e, double beta, int by_q0,
                             double *K)
{
    const int n = o->nv;
    const double late = half * (1 + beta), early = half * (1 - beta);
    double x[3], xm[3], *df = s->fm, *unit = s->lam;
    for (int j = 0; j < n; j++) {
        sn_discrete_change c = {.f = df, .Z = s->dZ};
        int from, count, at;
        if (o->zi[j] >= s->w->m->nv) continue; /* the ground's */
        memset(df, 0, bytes(n));
        memset(s->y, 0, bytes(n));
        count = moved(s, j, by_q0, 0, &from, x);
        add_columns(n, s->K1, from, count, x, s->y);
        conjugate(s, n, 1, s->y, s->y);
        for (int i = 0; i < count; i++) c.V += s->f1[from + i] * x[i];
        for (int i = 0; i < n; i++) df[i] = late * s->y[i], c.V += half * beta * s->y[i] * s->w_[i];
        if (by_q0) {
            for (int i = 0; i < n; i++) s->y[i] = s->K0[i * n + j];
            conjugate(s, n, 0, s->y, s->y);
            for (int i = 0; i < n; i++) df[i] += early * s->y[i], c.V -= half * beta * s->y[i] * s->w_[i];
            c.V -= s->f0[j];
        } else {
            const sn_em_turn *t = turn_of(s, j);
            if (t && t->n == 3) {
                double dc[3] = {0}, y0[3], y1[3];
                dc[j - t->v] = 1;
                sn_cayley_dTt(s->dl + t->v, 1, s->f1 + t->v, dc, y1);
                sn_cayley_dTt(s->dl + t->v, -1, s->f0 + t->v, dc, y0);
                for (int i = 0; i < 3; i++) {
                    df[t->v + i] += late * y1[i] + early * y0[i];
                    c.V += half * beta * (y1[i] - y0[i]) * s->w_[t->v + i];
                }
            } else if (t) {
                const double dT = -half * s->dl[j] * t->T1[0] * t->T1[0];
                df[j] += dT * (late * s->f1[j] + early * s->f0[j]);
                c.V += half * beta * dT * (s->f1[j] - s->f0[j]) * s->w_[j];
            }
            memset(unit, 0, bytes(n));
            unit[j] = s->touched[e->touched + (size_t)j];
            c.d = unit;
        }
        count = moved(s, j, by_q0, 1, &at, xm);
        double dq[3] = {0}; /* of the part that coordinate j belongs to */
        sn_moment y;
        if (s->part[j] >= 0 && sn_moment_part(o, s->part_node[j], s->part[j], s->qm, &y))
            for (int i = 0; i < count; i++) dq[at + i - y.v] = xm[i];
        rigid_change(s, o, j, dq, e->modes, &c.from, &c.to);
        for (int i = c.from; i < c.to; i++)
            if (!s->touched[e->touched + (size_t)i]) memset(s->dZ + i * SN_RIGID, 0, bytes(SN_RIGID));
        if (c.from == c.to) c.Z = NULL;
        sn_discrete_derivative(&s->gradient, &c, s->z, s->y);
        double lost = 0; /* what is lost changes with w, now in s->z, too */
        for (int i = 0; i < n && beta != 0; i++) lost += s->gain[i] * s->z[i];
        for (int i = 0; i < n; i++) K[i * n + j] += s->y[i] + lost / s->gradient.s * s->G[i] * s->w_[i];
    }
}

/* ---- elements ---- */

static const double none[3] = {0, 0, 0};

/* r += forces of element e at q, v (a = 0); K, C or NULL; without its weight where still */
static int forces(sn_em *s, int e, const double *q, const double *v, int weightless, double *r, double *K)
{
    sn_work *w = s->w;
    const sn_object *o = &w->m->element.object[e];
    const sn_element_class *cls = o->cls;
    sn_in in = w->element[e];
    in.q = q, in.v = v, in.a = s->zero;
    if (weightless) in.g = none;
    memset(r, 0, bytes(o->nv));
    if (K)
        memset(K, 0, bytes(o->nv * o->nv)), memset(w->C, 0, bytes(o->nv * o->nv)),
            memset(w->M, 0, bytes(o->nv * o->nv));
    if (o->host >= 0) {
        sn_in host = w->element[o->host];
        host.q = q, host.v = v, host.a = s->zero;
        return !((const sn_element_class *)w->m->element.object[o->host].cls)
                    ->distribute(&host, in.s + cls->load->slot, sn_load_turns(cls->load, o->opt), r, K);
    }
    return !cls->eval(&in, r, K, cls->flags & SN_USES_V ? w->C : NULL, cls->flags & SN_USES_A ? w->M : NULL);
}

static double potential(sn_em *s, int e, const double *q)
{
    const sn_object *o = &s->w->m->element.object[e];
    sn_in in = s->w->element[e];
    double y[2] = {0, 0};
    in.q = q, in.v = in.a = s->zero, in.g = none;
    ((const sn_element_class *)o->cls)->energy(&in, y, NULL);
    return y[1];
}

static int elastic(sn_em *s, int e, int level)
{
    const sn_object *o = &s->w->m->element.object[e];
    const sn_em_object *what = &s->element[e];
    if (!forces(s, e, s->q0, s->zero, 1, s->f0, level > 1 ? s->K0 : NULL)) return 0;
    if (!forces(s, e, s->q1, s->zero, 1, s->f1, level ? s->K1 : NULL)) return 0;
    sn_em_begin_gradient(s, o, what);
    add_mean(s, o, potential(s, e, s->q1) - potential(s, e, s->q0), s->beta, s->r);
    if (level) add_mean_tangent(s, o, what, s->beta, 0, s->Kd);
    if (level > 1) add_mean_tangent(s, o, what, s->beta, 1, s->Kq);
    return 1;
}

/* p = M v of element e */
static void momenta(const sn_em *s, int e, const double *v, double *p)
{
    const int n = s->w->m->element.object[e].nv;
    const double *M = s->mass + s->element[e].mass;
    for (int i = 0; i < n; i++) {
        p[i] = 0;
        for (int j = 0; j < n; j++) p[i] += M[i * n + j] * v[j];
    }
}

/* r -= w x p of each rotation in space, C likewise or NULL: what frames feel of their momenta */
static void subtract_gyroscopic(sn_em *s, int e, const double *v, double *r, double *C)
{
    const int n = s->w->m->element.object[e].nv;
    const double *M = s->mass + s->element[e].mass;
    momenta(s, e, v, s->z);
    for (int k = 0; k < s->n_turn; k++) {
        const sn_em_turn *t = &s->turn[k];
        double x[3], W[9], P[9];
        if (t->n != 3) continue;
        sn_cross3(v + t->v, s->z + t->v, x);
        for (int i = 0; i < 3; i++) r[t->v + i] -= x[i];
        if (!C) continue;
        sn_skew3(v + t->v, W);
        sn_skew3(s->z + t->v, P);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) C[(t->v + i) * n + t->v + j] += P[3 * i + j];
            for (int j = 0; j < n; j++)
                for (int l = 0; l < 3; l++) C[(t->v + i) * n + j] -= W[3 * i + l] * M[(t->v + l) * n + j];
        }
    }
}

/* Forces half-way, with the mean velocity; those with a potential and those of inertia left out. */
static int half_way(sn_em *s, int e, int level)
{
    const sn_object *o = &s->w->m->element.object[e];
    const sn_em_object *what = &s->element[e];
    const sn_element_class *cls = o->cls;
    const int n = o->nv, uses_v = o->host < 0 && cls->flags & SN_USES_V,
              still = what->elastic || what->mass != SN_EM_NO_MASS;
    double *v = s->x, *K = s->K1, *C = s->w->C;
    for (int i = 0; i < n; i++) v[i] = s->dl[i] / s->h;
    if (!forces(s, e, s->qm, v, still, s->f1, level ? K : NULL)) return 0;
    if (what->mass != SN_EM_NO_MASS) subtract_gyroscopic(s, e, v, s->f1, level && uses_v ? C : NULL);
    for (int i = 0; i < n; i++) s->r[i] += s->f1[i];
    for (int j = 0; level && uses_v && j < n; j++)
        for (int i = 0; i < n; i++) s->Kd[i * n + j] += C[i * n + j] / s->h;
    if (still) {
        if (!forces(s, e, s->qm, s->zero, 1, s->f0, level ? s->K0 : NULL)) return 0;
        for (int i = 0; i < n; i++) s->r[i] -= s->f0[i];
        for (int i = 0; level && i < n * n; i++) K[i] -= s->K0[i];
    }
    for (int by_q0 = 0; by_q0 < level; by_q0++)
        for (int j = 0; j < n; j++) {
            double x[3], *to = by_q0 ? s->Kq : s->Kd;
            int from, count = moved(s, j, by_q0, 1, &from, x);
            for (int i = 0; i < n; i++)
                for (int c = 0; c < count; c++) to[i * n + j] += K[i * n + from + c] * x[c];
        }
    return 1;
}

/* Weight: a constant force; and the change of the momenta. */
static int inertia(sn_em *s, int e, int level)
{
    const sn_object *o = &s->w->m->element.object[e];
    const int n = o->nv;
    const double *M = s->mass + s->element[e].mass, h = s->h, *g = s->w->element[e].g;
    double *v1 = s->x, *p0 = s->f0, *p1 = s->f1;
    if (g[0] != 0 || g[1] != 0 || g[2] != 0) {
        if (!forces(s, e, s->q0, s->zero, 0, s->f0, NULL) || !forces(s, e, s->q0, s->zero, 1, s->f1, NULL))
            return 0;
        for (int i = 0; i < n; i++) s->r[i] += s->f0[i] - s->f1[i];
    }
    for (int i = 0; i < n; i++) v1[i] = 2 * s->dl[i] / h - s->v0[i];
    momenta(s, e, v1, p1);
    momenta(s, e, s->v0, p0);
    if (level) memcpy(s->Km, M, bytes(n * n));
    /* Km: H M; what H'M is lies in K0 */
    if (level) memcpy(s->K0, M, bytes(n * n));
    for (int k = 0; k < s->n_turn; k++) {
        const sn_em_turn *t = &s->turn[k];
        double A[9], B[9], D[9], *a = p1 + t->v, *b = p0 + t->v;
        if (t->n != 3) continue;
        /* d(H p1) = -H p1~ P dc, d(H'p0) = (H'p0)~ P dc */
        sn_skew3(a, A);
        sn_matmul3(t->H, A, B);
        sn_mul3(t->H, a, a);
        sn_tmul3(t->H, b, b);
        sn_skew3(b, A);
        for (int i = 0; i < 9; i++) B[i] += A[i];
        sn_matmul3(B, t->P, D);
        if (level) sn_block3(s->Kd, n, t->v, t->v, -1 / h, D);
        for (int j = 0; level && j < n; j++) {
            double x[3] = {M[t->v * n + j], M[(t->v + 1) * n + j], M[(t->v + 2) * n + j]}, y[3], z[3];
            sn_mul3(t->H, x, y);
            sn_tmul3(t->H, x, z);
            for (int i = 0; i < 3; i++) s->Km[(t->v + i) * n + j] = y[i], s->K0[(t->v + i) * n + j] = z[i];
        }
    }
    for (int i = 0; i < n; i++) s->r[i] += (p1[i] - p0[i]) / h;
    for (int i = 0; level && i < n * n; i++) s->Kd[i] += 2 / (h * h) * s->Km[i];
    for (int i = 0; level > 1 && i < n * n; i++) s->Kv[i] -= (s->Km[i] + s->K0[i]) / h;
    return 1;
}

int sn_em_element(sn_em *s, int e, const sn_state *x0, const sn_state *x1, int level)
{
    const sn_object *o = &s->w->m->element.object[e];
    const sn_em_object *what = &s->element[e];
    sn_em_between(s, o, x0, x1);
    memset(s->r, 0, bytes(o->nv));
    if (level) memset(s->Kd, 0, bytes(o->nv * o->nv));
    if (level > 1) memset(s->Kq, 0, bytes(o->nv * o->nv)), memset(s->Kv, 0, bytes(o->nv * o->nv));
    return (!what->elastic || elastic(s, e, level)) && (!what->measured || half_way(s, e, level)) &&
           (what->mass == SN_EM_NO_MASS || inertia(s, e, level));
}

/* ---- joints ---- */

/* r, phi, B and K of joint j at q */
static int equations(sn_em *s, int j, const double *q, const double *lam, sn_joint_out out)
{
    sn_work *w = s->w;
    const sn_object *o = &w->m->joint.object[j];
    const int n = o->nv;
    out.G = w->G, out.C = w->C;
    sn_in in = w->joint[j];
    in.q = q, in.v = in.a = s->zero, in.lam = lam;
    memset(out.r, 0, bytes(n)), memset(out.B, 0, bytes(o->m * n)), memset(out.K, 0, bytes(n * n));
    memset(w->C, 0, bytes(n * n)), memset(w->G, 0, bytes(o->m * n));
    return !((const sn_joint_class *)o->cls)->eval(&in, &out);
}

int sn_em_joint(sn_em *s, int j, const sn_state *x0, const sn_state *x1, int level)
{
    const sn_work *w = s->w;
    const sn_object *o = &w->m->joint.object[j];
    const sn_em_object *what = &s->joint[j];
    const int n = o->nv, m = o->m;
    double V = 0, *lam = s->P + n;
    sn_em_between(s, o, x0, x1);
    memset(s->r, 0, bytes(n));
    for (int k = 0; k < m; k++) lam[k] = w->dropped[o->eq + k] ? 0 : x1->lam[o->eq + k];
    if (!equations(s, j, s->q0, lam, (sn_joint_out){.r = s->f0, .phi = s->phi0, .B = s->B0, .K = s->K0}))
        return 0;
    if (!equations(s, j, s->q1, lam, (sn_joint_out){.r = s->f1, .phi = s->phi1, .B = s->B1, .K = s->K1}))
        return 0;
    for (int k = 0; k < m; k++) V += lam[k] * (s->phi1[k] - s->phi0[k]);
    sn_em_begin_gradient(s, o, what);
    add_mean(s, o, V, 0, s->r);
    memcpy(s->phi, s->phi1, bytes(m));
    if (!level) return 1;
    memset(s->Kd, 0, bytes(n * n));
    add_mean_tangent(s, o, what, 0, 0, s->Kd);
    if (level > 1) {
        memset(s->Kq, 0, bytes(n * n)), memset(s->Kv, 0, bytes(n * n));
        add_mean_tangent(s, o, what, 0, 1, s->Kq);
    }
    for (int k = 0; k < m; k++) {
        conjugate(s, n, 0, s->B0 + k * n, s->y);
        conjugate(s, n, 1, s->B1 + k * n, s->z);
        for (int i = 0; i < n; i++) s->fm[i] = half * (s->y[i] + s->z[i]);
        sn_discrete_force(&s->gradient, s->fm, s->phi1[k] - s->phi0[k], s->y);
        for (int i = 0; i < n; i++) s->Kl[i * m + k] = s->y[i];
        /* by the increment, and by q0 */
        for (int i = 0; i < n; i++) {
            double x[3], sum = 0;
            int from, count = moved(s, i, 1, 0, &from, x);
            for (int c = 0; c < count; c++) sum += s->B1[k * n + from + c] * x[c];
            s->z[i] = sum;
        }
        memcpy(s->B0 + k * n, s->z, bytes(n));
        for (int i = 0; i < n; i++) {
            double x[3], sum = 0;
            int from, count = moved(s, i, 0, 0, &from, x);
            for (int c = 0; c < count; c++) sum += s->B1[k * n + from + c] * x[c];
            s->z[i] = sum;
        }
        memcpy(s->B1 + k * n, s->z, bytes(n));
    }
    return 1;
}
