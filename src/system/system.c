/* Gather, evaluate, scatter. The loops over objects are the hot part of every analysis. */
#include "system/object_blocks.h"

#include "math/simd.h"
#include "system/together.h"

#include <math.h>
#include <string.h>

static void copy(double *to, const double *from, int n) { memcpy(to, from, sizeof(double) * (size_t)n); }

/* ---- time ---- */

void sn_system_jets(const sn_work *w, const sn_expr *e, double t, sn_jet *x)
{
    for (int k = 0; k < sn_expr_nvar(e); k++) {
        int id = sn_expr_var(e, k);
        x[k] = (sn_jet){{0, 0, 0}, {0, 0, 0}};
        if (id == SN_VAR_TIME) {
            x[k].f[0] = t, x[k].f[1] = 1;
        } else {
            /* a signal's value is kept behind the quantities */
            int at = id >= SN_VAR_SIGNAL ? w->m->n_quantity + id - SN_VAR_SIGNAL : id;
            x[k].f[0] = w->x[at], x[k].f[1] = w->xd[at], x[k].f[2] = w->xdd[at];
        }
    }
}

void sn_system_time(sn_work *w, double t)
{
    const sn_model *m = w->m;
    for (int k = 0; k < m->n_varying; k++) {
        int id = m->varying[k];
        if (id >= SN_VAR_SIGNAL) {
            int i = id - SN_VAR_SIGNAL, at = m->n_quantity + i;
            const sn_object *o = &m->signal.object[i];
            const sn_course *course = w->p->course[i];
            sn_in in;
            double y[3];
            if (course) {
                in = course->in, in.t = t;
                course->cls->eval(&in, y);
            } else {
                sn_object_in(m, w->p, o, &in);
                in.s = w->x + o->s, in.sd = w->xd + o->s, in.sdd = w->xdd + o->s, in.t = t;
                ((const sn_signal_class *)o->cls)->eval(&in, y);
            }
            w->x[at] = y[0], w->xd[at] = y[1], w->xdd[at] = y[2];
        } else {
            sn_jet x[SN_MAX_VARIABLES], y;
            sn_system_jets(w, m->quantity[id].expr, t, x);
            sn_expr_jet(m->quantity[id].expr, x, &y);
            w->x[id] = y.f[0], w->xd[id] = y.f[1], w->xdd[id] = y.f[2];
        }
    }
}

/* ---- residual and tangent ---- */

/* The loops over one object's coordinates are short; the usual lengths are unrolled: planar and
   spatial beams. */
#define FOR_EACH(n, statement)                                                                               \
    do {                                                                                                     \
        if ((n) == 6)                                                                                        \
            for (int i = 0; i < 6; i++) statement;                                                           \
        else if ((n) == 12)                                                                                  \
            for (int i = 0; i < 12; i++) statement;                                                          \
        else if ((n) == 14)                                                                                  \
            for (int i = 0; i < 14; i++) statement;                                                          \
        else                                                                                                 \
            for (int i = 0; i < (n); i++) statement;                                                         \
    } while (0)

static inline void gather(const double *restrict from, const int *restrict index, int n, double *restrict to)
{
    FOR_EACH(n, to[i] = from[index[i]]);
}

static inline void zero(double *x, int n) { FOR_EACH(n, x[i] = 0); }

/* f += r; where asked for, the largest force of any object on the way. */
static inline double scatter(const sn_work *w, const sn_object *o, double force)
{
    const int *restrict zi = o->zi;
    const double *restrict r = w->r, *restrict scale = w->scale;
    double *restrict f = w->f;
    FOR_EACH(o->nv, f[zi[i]] += r[i]);
    for (int i = 0; w->measure && i < o->nv; i++) {
        double s = fabs(r[i]) * scale[zi[i]];
        force = s > force ? s : force;
    }
    return force;
}

static sn_status numeric(sn_work *w, const sn_object *o, double t, sn_err *err)
{
    w->failed = o;
    return sn_fail(err, SN_ERR_NUMERIC, &o->mark,
                   "%s '%s' cannot be evaluated at t = %g (zero length, or numbers out of range)",
                   *(const char *const *)o->cls, o->name, t);
}

/* Three columns of K, whose rows are ld long, times T, whose rows are n long: rotations in space */
static SN_SIMD_INLINE void apply_turn(int rows, int ld, int n, const double *T, double *K)
{
    const sn_quad x = {T[0], T[1], T[2], 0}, y = {T[n], T[n + 1], T[n + 2], 0},
                  z = {T[2 * n], T[2 * n + 1], T[2 * n + 2], 0};
    for (int r = 0; r < rows; r++, K += ld) {
        sn_quad s = K[0] * x + K[1] * y + K[2] * z;
        K[0] = s[0], K[1] = s[1], K[2] = s[2];
    }
}

/* Columns of K (rows x nv) of nodes that are not flat, times T. */
static SN_SIMD_INLINE void apply_T(const sn_work *w, const sn_object *o, double *K, int rows)
{
    if (w->m->flat) return;
    for (int i = 0; i < o->nn; i++) {
        int at = w->T_at[o->node[i]], end = o->offv[i + 1];
        if (at < 0) continue;
        /* of a view only what lies in it: T mixes no coordinates of a view with others */
        const sn_node *node = &w->m->node[o->node[i]];
        int ld = node->nv, begin = o->vi[o->offv[i]] - node->v;
        int turn = node->cls->turn > begin ? node->cls->turn - begin : 0, from = o->offv[i] + turn,
            n = end - from;
        const double *T = w->T + at + (begin + turn) * (ld + 1);
        if (n == 3) apply_turn(rows, o->nv, ld, T, K + from);
        for (int r = 0; r < rows && n > 0 && n != 3; r++) {
            double y[SN_MAX_CURVED], *row = K + r * o->nv + from;
            for (int j = 0; j < n; j++) {
                y[j] = 0;
                for (int k = 0; k < n; k++) y[j] += row[k] * T[k * ld + j];
            }
            copy(row, y, n);
        }
    }
}

/* Ax += K, C, M with their factors, for a number of coordinates that is a constant: two doubles in one
   register, which every 64-bit machine has, or four. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

#define WEIGHED(type, x, j, at)                                                                              \
    type x = *(const type *)(k + (j)) * *(const type *)(K + (at));                                           \
    if (flags & SN_USES_V) x += *(const type *)(cv + (j)) * *(const type *)(C + (at));                       \
    if (flags & SN_USES_A) x += *(const type *)(ca + (j)) * *(const type *)(M + (at))

static inline __attribute__((always_inline)) void add_weighed(sn_work *w, const sn_object *o, const int nv,
                                                              unsigned flags, const sn_coef *c)
{
    const int n = nv + o->m;
    double k[12], cv[12], ca[12], *restrict Ax = w->Ax;
    const double *restrict K = w->K, *restrict C = w->C, *restrict M = w->M;
    for (int j = 0; j < nv; j++) {
        int col = o->vi[j];
        k[j] = c->row * c->k[col], cv[j] = c->row * c->c[col], ca[j] = c->row * c->a[col];
    }
    for (int i = 0; i < nv; i++, K += nv, C += nv, M += nv) {
        const int *restrict nz = o->nz + i * n;
        int j = 0;
        for (; j + 4 <= nv; j += 4) {
            WEIGHED(sn_quad, x, j, j);
            for (int l = 0; l < 4; l++) Ax[nz[j + l]] += x[l];
        }
        for (; j < nv; j += 2) {
            WEIGHED(pair, x, j, j);
            for (int l = 0; l < 2; l++) Ax[nz[j + l]] += x[l];
        }
        if (w->Cx && (flags & SN_USES_V))
            for (j = 0; j < nv; j++) w->Cx[nz[j]] += C[j];
        if (w->Mx && (flags & SN_USES_A))
            for (j = 0; j < nv; j++) w->Mx[nz[j]] += M[j];
    }
}

/* The same of two nodes of six coordinates, whose rows follow each other in the columns: those are written as
   a whole. */
static inline __attribute__((always_inline)) void add_columns(sn_work *w, const sn_object *o, unsigned flags,
                                                              const sn_coef *c)
{
    enum { nv = 12, half = 6 };
    double k[nv], cv[nv], ca[nv], *restrict Ax = w->Ax;
    const double *restrict K = w->K, *restrict C = w->C, *restrict M = w->M;
    for (int j = 0; j < nv; j++) {
        int col = o->vi[j];
        k[j] = c->row * c->k[col], cv[j] = c->row * c->c[col], ca[j] = c->row * c->a[col];
    }
    for (int j = 0; j < nv; j += 4) {
        const int *first = o->nz + j, *second = first + half * nv;
        for (int i = 0; i < nv; i += 4) {
            sn_quad s[4];
            for (int l = 0; l < 4; l++) {
                WEIGHED(sn_quad, x, j, (i + l) * nv + j);
                s[l] = x;
            }
            sn_quad_transpose(s);
            for (int l = 0; l < 4; l++) {
                const pair *two = (const pair *)&s[l];
                if (i == 0) *(sn_quad *)(Ax + first[l]) += s[l];
                if (i == 4) *(pair *)(Ax + first[l] + 4) += two[0], *(pair *)(Ax + second[l]) += two[1];
                if (i == 8) *(sn_quad *)(Ax + second[l] + 2) += s[l];
            }
        }
    }
}

/* The same for any number of coordinates, some columns at a time. */
static SN_SIMD_INLINE void add_any(sn_work *w, const sn_object *o, unsigned flags, const sn_coef *c)
{
    enum { PIECE = 64 };
    const int nv = o->nv, n = nv + o->m;
    double k[PIECE], cv[PIECE], ca[PIECE], *restrict Ax = w->Ax;
    for (int from = 0; from < nv; from += PIECE) {
        int cols = nv - from < PIECE ? nv - from : PIECE;
        for (int j = 0; j < cols; j++) {
            int col = o->vi[from + j];
            k[j] = c->row * c->k[col], cv[j] = c->row * c->c[col], ca[j] = c->row * c->a[col];
        }
        for (int i = 0; i < nv; i++) {
            const int *restrict nz = o->nz + i * n + from;
            const double *restrict K = w->K + i * nv + from, *restrict C = w->C + i * nv + from,
                                   *restrict M = w->M + i * nv + from;
            int j = 0;
            for (; j + 4 <= cols; j += 4) {
                WEIGHED(sn_quad, x, j, j);
                for (int l = 0; l < 4; l++) Ax[nz[j + l]] += x[l];
            }
            for (; j < cols; j++) {
                WEIGHED(double, x, j, j);
                Ax[nz[j]] += x;
            }
            for (j = 0; w->Cx && (flags & SN_USES_V) && j < cols; j++) w->Cx[nz[j]] += C[j];
            for (j = 0; w->Mx && (flags & SN_USES_A) && j < cols; j++) w->Mx[nz[j]] += M[j];
        }
    }
}

static SN_SIMD void scatter_tangent(sn_work *w, const sn_object *o, unsigned flags, const sn_coef *c)
{
    const unsigned both = SN_USES_V | SN_USES_A;
    apply_T(w, o, w->K, o->nv);
    if (o->nv == 12 && (flags & both) == both && o->run == 6 && !w->Cx && !w->Mx)
        add_columns(w, o, both, c);
    else if (o->nv == 12 && (flags & both) == both)
        add_weighed(w, o, 12, both, c);
    else if (o->nv == 12)
        add_weighed(w, o, 12, flags, c);
    else if (o->nv == 6)
        add_weighed(w, o, 6, flags, c);
    else
        add_any(w, o, flags, c);
}

/* In pieces below the size where the C library goes over to string instructions, which are slow to start. */
static void clear(double *x, int n)
{
    const int piece = 256;
    for (; n > piece; x += piece, n -= piece) sn_clear(x, piece);
    sn_clear(x, n);
}

static sn_status one_element(sn_work *w, const sn_object *o, sn_in *in, const sn_coef *coef)
{
    const sn_element_class *cls = o->cls;
    double *K = coef ? w->K : NULL;
    const int sets = cls->flags & SN_SETS_TANGENT;
    zero(w->r, o->nv);
    if (K && !sets) clear(K, o->nv * o->nv);
    if (o->host >= 0) {
        /* a load along an element: the host distributes it */
        const sn_object *host = &w->m->element.object[o->host];
        sn_in h = w->element[o->host];
        h.q = in->q, h.v = in->v, h.a = in->a;
        if (K) clear(w->C, o->nv * o->nv), clear(w->M, o->nv * o->nv);
        return ((const sn_element_class *)host->cls)
            ->distribute(&h, in->s + cls->load->slot, sn_load_turns(cls->load, o->opt), w->r, K);
    }
    if (K && !sets && (cls->flags & SN_USES_V)) clear(w->C, o->nv * o->nv);
    if (K && !sets && (cls->flags & SN_USES_A)) clear(w->M, o->nv * o->nv);
    return cls->eval(in, w->r, K, cls->flags & SN_USES_V ? w->C : NULL, cls->flags & SN_USES_A ? w->M : NULL);
}

static SN_SIMD void turn_tangent(const sn_work *w, const sn_object *o) { apply_T(w, o, w->K, o->nv); }

int sn_system_element(sn_work *w, const sn_state *x, int e, const sn_coef *coef)
{
    const sn_object *o = &w->m->element.object[e];
    unsigned flags = sn_element_flags(o);
    sn_in in = w->element[e];
    in.q = w->q, in.v = w->v, in.a = w->a;
    gather(x->q, o->qi, o->nq, w->q);
    if (flags & SN_USES_V) gather(x->v, o->vi, o->nv, w->v);
    if (flags & SN_USES_A) gather(x->a, o->vi, o->nv, w->a);
    if (one_element(w, o, &in, coef)) return 0;
    if (coef) turn_tangent(w, o);
    return 1;
}

static sn_status elements(sn_work *w, const sn_state *x, const sn_coef *coef, sn_err *err)
{
    const sn_model *m = w->m;
    double force = w->measure ? 0 : w->force, *K = w->K, *C = w->C, *M = w->M;
    sn_status status = SN_OK;
    for (int e = 0; e < m->element.n && !status; e++) {
        const sn_object *o = &m->element.object[e];
        int kept = coef && w->blocks;
        w->K = kept ? w->blocks->x + w->blocks->element[e] : K;
        w->C = kept ? w->K + o->nv * o->nv : C;
        w->M = kept ? w->C + o->nv * o->nv : M;
        unsigned flags = sn_element_flags(o);
        gather(x->q, o->qi, o->nq, w->q);
        if (flags & SN_USES_V) gather(x->v, o->vi, o->nv, w->v);
        if (flags & SN_USES_A) gather(x->a, o->vi, o->nv, w->a);
        if (one_element(w, o, &w->element[e], coef)) status = numeric(w, o, x->t, err);
        force = scatter(w, o, force);
        if (coef && !status) scatter_tangent(w, o, flags, coef);
    }
    w->K = K, w->C = C, w->M = M;
    w->force = force;
    return status;
}

static void scatter_joint(sn_work *w, const sn_object *o, unsigned flags, const sn_coef *c)
{
    int nv = o->nv, n = nv + o->m;
    scatter_tangent(w, o, flags & SN_USES_V, c);
    for (int k = 0; k < o->m; k++) {
        int velocity = (o->velocity >> k) & 1, eq = o->eq + k;
        if (w->dropped[eq]) continue;
        for (int i = 0; i < nv; i++) {
            double b = velocity ? w->G[k * nv + i] : w->B[k * nv + i];
            w->Ax[o->nz[i * n + nv + k]] += flags & SN_REACTION_DIFFERS ? w->L[i * o->m + k] : b;
        }
    }
    apply_T(w, o, w->B, o->m);
    for (int k = 0; k < o->m; k++) {
        int velocity = (o->velocity >> k) & 1, eq = o->eq + k;
        if (w->dropped[eq]) continue;
        for (int j = 0; j < nv; j++) {
            double b = w->B[k * nv + j];
            int col = o->vi[j];
            if (velocity) b = c->k[col] * b + c->g[col] * w->G[k * nv + j];
            w->Ax[o->nz[(nv + k) * n + j]] += b;
            if (velocity && w->Cx) w->Cx[o->nz[(nv + k) * n + j]] += w->G[k * nv + j];
        }
    }
}

/* K, B and C, G of a joint, as they enter the matrix */
static void keep_joint(const sn_work *w, const sn_object *o, unsigned flags, double *K)
{
    int nv = o->nv, all = nv * (nv + o->m);
    double *C = K + all;
    clear(K, 2 * all);
    copy(K, w->K, nv * nv);
    if (flags & SN_USES_V) copy(C, w->C, nv * nv);
    for (int k = 0; k < o->m; k++) {
        if (w->dropped[o->eq + k]) continue;
        copy(K + nv * (nv + k), w->B + k * nv, nv);
        if ((o->velocity >> k) & 1) copy(C + nv * (nv + k), w->G + k * nv, nv);
    }
}

static sn_status joints(sn_work *w, const sn_state *x, const sn_coef *coef, sn_err *err)
{
    const sn_model *m = w->m;
    sn_joint_out out = {.r = w->r, .phi = w->phi};
    double force = w->force;
    if (coef) out.B = w->B, out.G = w->G, out.K = w->K, out.C = w->C;
    for (int e = 0; e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        unsigned flags = w->joint_flags[e];
        sn_in *in = &w->joint[e];
        gather(x->q, o->qi, o->nq, w->q);
        if (flags & SN_USES_V) gather(x->v, o->vi, o->nv, w->v);
        in->lam = x->lam + o->eq;
        zero(w->r, o->nv);
        if (coef) {
            clear(w->B, o->m * o->nv), clear(w->G, o->m * o->nv), clear(w->K, o->nv * o->nv);
            if (flags & SN_USES_V) clear(w->C, o->nv * o->nv);
            out.L = flags & SN_REACTION_DIFFERS ? w->L : NULL;
            if (out.L) clear(w->L, o->m * o->nv);
        }
        if (((const sn_joint_class *)o->cls)->eval(in, &out)) return numeric(w, o, x->t, err);
        force = scatter(w, o, force);
        for (int k = 0; k < o->m; k++) {
            int eq = o->eq + k;
            w->f[m->nv + eq] = w->dropped[eq] ? x->lam[eq] : w->phi[k];
            if (w->dropped[eq] && fabs(w->phi[k]) * w->scale[m->nv + eq] >= w->dropped_gap)
                w->dropped_gap = fabs(w->phi[k]) * w->scale[m->nv + eq], w->dropped_gap_eq = eq;
        }
        if (coef) scatter_joint(w, o, flags, coef);
        if (coef && w->blocks) keep_joint(w, o, flags, w->blocks->x + w->blocks->joint[e]);
    }
    w->force = force;
    return SN_OK;
}

int sn_system_limit(sn_work *w, const sn_state *x, int from, sn_limit *l)
{
    const sn_model *m = w->m;
    for (int e = from; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        const sn_element_class *cls = o->cls;
        if (!cls->limit || o->host >= 0) continue;
        gather(x->q, o->qi, o->nq, w->q), gather(x->v, o->vi, o->nv, w->v);
        *l = (sn_limit){.fades = 0};
        if (cls->limit(&w->element[e], l)) return e;
    }
    return -1;
}

sn_status sn_system_one(sn_work *w, const sn_state *x, int family, int e, sn_err *err)
{
    const sn_object *o = family ? &w->m->joint.object[e] : &w->m->element.object[e];
    sn_joint_out out = {.r = w->r, .phi = w->phi};
    gather(x->q, o->qi, o->nq, w->q), gather(x->v, o->vi, o->nv, w->v), gather(x->a, o->vi, o->nv, w->a);
    zero(w->r, o->nv);
    if (family) w->joint[e].lam = x->lam + o->eq;
    sn_status s = family ? ((const sn_joint_class *)o->cls)->eval(&w->joint[e], &out)
                         : one_element(w, o, &w->element[e], NULL);
    return s ? numeric(w, o, x->t, err) : SN_OK;
}

sn_status sn_system_eval(sn_work *w, const sn_state *x, const sn_coef *coef, sn_err *err)
{
    const sn_model *m = w->m;
    clear(w->f, m->n + 1);
    w->dropped_gap = 0;
    if (coef) clear(w->Ax, m->nnz + 1);
    if (coef && w->Cx) clear(w->Cx, m->nnz + 1);
    if (coef && w->Mx) clear(w->Mx, m->nnz + 1);
    int failed = -1;
    if (w->together)
        failed = sn_together_elements(w, x, coef);
    else
        SN_TRY(elements(w, x, coef, err));
    if (failed >= 0) return numeric(w, &m->element.object[failed], x->t, err);
    SN_TRY(joints(w, x, coef, err));
    for (int i = 0; coef && w->n_dropped && i < m->m; i++)
        if (w->dropped[i]) w->Ax[m->diag[m->nv + i]] = 1;
    return SN_OK;
}

sn_status sn_system_equations(sn_work *w, const sn_state *x, const sn_coef *coef, sn_err *err)
{
    const sn_model *m = w->m;
    const double force = w->force;
    clear(w->f, m->n + 1);
    w->dropped_gap = 0;
    if (coef) clear(w->Ax, m->nnz + 1);
    sn_status status = joints(w, x, coef, err);
    for (int i = 0; coef && w->n_dropped && i < m->m; i++)
        if (w->dropped[i]) w->Ax[m->diag[m->nv + i]] = 1;
    w->force = force;
    return status;
}

sn_status sn_system_rate(sn_work *w, const sn_state *x, double *phi_t, double *gamma, sn_err *err)
{
    const sn_model *m = w->m;
    for (int e = 0; e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        sn_in *in = &w->joint[e];
        gather(x->q, o->qi, o->nq, w->q);
        gather(x->v, o->vi, o->nv, w->v);
        in->lam = x->lam + o->eq;
        if (((const sn_joint_class *)o->cls)->rate(in, phi_t + o->eq, gamma + o->eq))
            return numeric(w, o, x->t, err);
        for (int k = 0; k < o->m; k++)
            if (w->dropped[o->eq + k]) phi_t[o->eq + k] = gamma[o->eq + k] = 0;
    }
    return SN_OK;
}

sn_status sn_system_time_derivative(sn_work *w, const sn_state *x, double *rt, sn_err *err)
{
    const sn_model *m = w->m;
    clear(rt, m->nv + 1);
    for (int e = 0; m->n_varying && e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        const sn_element_class *cls = o->cls;
        const double *rate = w->xd + o->s;
        gather(x->q, o->qi, o->nq, w->q), gather(x->v, o->vi, o->nv, w->v), gather(x->a, o->vi, o->nv, w->a);
        zero(w->r, o->nv);
        if (o->host >= 0) {
            /* a load along an element is linear in what varies */
            const sn_object *host = &m->element.object[o->host];
            sn_in h = w->element[o->host];
            if (((const sn_element_class *)host->cls)
                    ->distribute(&h, rate + cls->load->slot, sn_load_turns(cls->load, o->opt), w->r, NULL))
                return numeric(w, o, x->t, err);
            for (int i = 0; i < o->nv; i++) rt[o->vi[i]] += w->r[i];
            continue;
        }
        for (int k = 0; k < o->ns; k++) {
            if (rate[k] == 0) continue;
            zero(w->r, o->nv);
            if (cls->dparam(&w->element[e], k, w->r)) return numeric(w, o, x->t, err);
            for (int i = 0; i < o->nv; i++) rt[o->vi[i]] += rate[k] * w->r[i];
        }
    }
    return SN_OK;
}
