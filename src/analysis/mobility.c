/* How a mechanism can move while its flexible members are rigid, by the Jacobian A of the joints in the ways
   of its rigid parts.

   Ways = columns less the rank of A, of the equations that are not driven. The rank at one position says this
   for that position only: the parts are moved a little along the ways and led back onto the equations
   (Newton, least squares). Where the rank is larger there the start is singular; where the way back leads to
   the start, the motion was one of an instant only. */
#include "analysis/rigid.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* Beyond these sizes nothing is judged: the matrices are dense. */
enum { MOST_COLUMNS = 1200, MOST_NUMBERS = 12000000 };
/* Singular values below this share of the largest: at the start, and where a small step makes those that are
   zero in a singular position as large as the step. */
enum { MIXTURES = 6 };
static const double zero = 1e-9, nearly_zero = 1e-7, small_step = 1e-3;

/* A of all equations (column by column), of which some count, and its singular values. */
typedef struct jacobian {
    sn_rigid r;
    int rows, rank;
    double *A, *copy, *s, *V, *spare; /* V: rows are the right singular vectors */
} jacobian;

static void close_jacobian(jacobian *j)
{
    sn_free(j->A), sn_free(j->copy), sn_free(j->s), sn_free(j->V), sn_free(j->spare);
    sn_rigid_close(&j->r);
    *j = (jacobian){.rows = 0};
}

/* Equations that no number drives: 1 in undriven (m), by their derivatives by the slots that vary. */
static sn_status find_undriven(sn_context *d, unsigned char *undriven)
{
    const sn_model *m = d->m;
    sn_work *w = d->w;
    memset(undriven, 1, (size_t)m->m);
    for (int j = 0; j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        const sn_joint_class *cls = o->cls;
        sn_work_gather(w, o, d->x->q, d->x->v, d->x->a);
        w->joint[j].lam = d->x->lam + o->eq;
        for (int k = 0; k < o->ns; k++) {
            if (!m->quantity[o->s + k].varies) continue;
            sn_clear(w->r, o->nv), sn_clear(w->phi, o->m);
            SN_TRY(cls->dparam(&w->joint[j], k, w->r, w->phi));
            for (int e = 0; e < o->m; e++)
                if (w->phi[e] != 0) undriven[o->eq + e] = 0;
        }
    }
    return SN_OK;
}

static void fill(jacobian *j)
{
    const sn_rigid *r = &j->r;
    const sn_context *d = r->d;
    const sn_model *m = d->m;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_rigid_part *p = r->of[i] < 0 ? NULL : &r->part[r->of[i]];
        if (!p || n->ground) continue;
        for (int k = 0; k < p->n; k++) {
            double *column = j->A + (size_t)(p->first + k) * (size_t)j->rows;
            sn_rigid_node_velocity(r, i, p->way[k], p->place, r->row);
            for (int c = 0; c < n->nv; c++)
                for (int at = m->Ap[n->v + c]; at < m->Ap[n->v + c + 1]; at++)
                    if (m->Ai[at] >= m->nv)
                        column[m->Ai[at] - m->nv] += d->w->Ax[at] * d->w->scale[m->Ai[at]] * r->row[c];
        }
    }
}

/* The Jacobian at the context's state, where no equation is left out. */
static sn_status open_jacobian(sn_context *d, jacobian *j, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef coef = {d->zero, d->zero, d->one, d->one, 1};
    *j = (jacobian){.rows = m->m};
    SN_TRY(sn_rigid_open(d, &j->r, err));
    const size_t n = (size_t)j->r.columns, size = (size_t)m->m * n;
    sn_status s = sn_system_equations(d->w, d->x, &coef, err);
    if (!s && n <= MOST_COLUMNS && size <= MOST_NUMBERS &&
        !(SN_NEW(j->A, size + 1) && SN_NEW(j->copy, size + 1) && SN_NEW(j->s, n + (size_t)m->m + 1) &&
          SN_NEW(j->V, n * n + 1) && SN_NEW(j->spare, n + (size_t)m->m + 1)))
        s = SN_OUT_OF_MEM(err);
    if (s)
        close_jacobian(j);
    else if (j->A)
        fill(j);
    return s;
}

/* Singular values and vectors of the equations that count (NULL: of all); returns the rank. */
static int decompose(jacobian *j, const unsigned char *counts, double tolerance)
{
    const int n = j->r.columns;
    double unused[1];
    j->rank = 0;
    for (int c = 0; c < n; c++)
        for (int i = 0; i < j->rows; i++) {
            const size_t at = (size_t)c * (size_t)j->rows + (size_t)i;
            j->copy[at] = !counts || counts[i] ? j->A[at] : 0;
        }
    for (int c = 0; c < n; c++) j->V[c * n + c] = 1;
    if (!n || !j->rows) return 0;
    /* V is returned transposed, column by column: its rows, one after the other */
    if (LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', j->rows, n, j->copy, j->rows, j->s, unused, 1, j->V, n,
                       j->spare) != 0)
        return 0;
    while (j->rank < n && j->rank < j->rows && j->s[j->rank] > tolerance * j->s[0]) j->rank++;
    return j->rank;
}

/* Component c of right singular vector k */
static inline double vector_at(const jacobian *j, int k, int c) { return j->V[c * j->r.columns + k]; }

/* y: the smallest solution of A y = b of the decomposed equations, by A'A. */
static void solve(const jacobian *j, const unsigned char *counts, const double *b, double *y)
{
    const int n = j->r.columns;
    memset(y, 0, sizeof *y * (size_t)n);
    memset(j->spare, 0, sizeof *y * (size_t)n);
    for (int c = 0; c < n; c++)
        for (int i = 0; i < j->rows; i++)
            if (counts[i]) j->spare[c] += j->A[(size_t)c * (size_t)j->rows + (size_t)i] * b[i];
    for (int k = 0; k < j->rank; k++) {
        double sum = 0;
        for (int c = 0; c < n; c++) sum += vector_at(j, k, c) * j->spare[c];
        for (int c = 0; c < n; c++) y[c] += vector_at(j, k, c) * sum / (j->s[k] * j->s[k]);
    }
}

/* Gaps of the positions; returns the largest. */
static double gaps(const sn_context *d, const unsigned char *counts, double *b)
{
    const sn_model *m = d->m;
    double worst = 0;
    for (int i = 0; i < m->m; i++) {
        b[i] = m->velocity[i] || !counts[i] ? 0 : -d->w->f[m->nv + i] * d->w->scale[m->nv + i];
        worst = fmax(worst, fabs(b[i]));
    }
    return worst;
}

/* From the decomposed start a step along a mixture of its ways, and back onto the equations; *far: how far
   that led from the start, in steps; -1: nowhere. `j` is then the Jacobian there. */
static sn_status step_aside(sn_context *d, jacobian *j, const unsigned char *counts, int mixture, double *far,
                            sn_err *err)
{
    const sn_model *m = d->m;
    const int n = j->r.columns;
    const double step = small_step * d->p->length;
    double *y = NULL, *b = NULL, *from = NULL, size = 0, gap = INFINITY;
    sn_status s = SN_NEW(y, n + m->nv + 1) && SN_NEW(b, m->m + 1) && SN_NEW(from, m->nq + 1)
                      ? SN_OK
                      : SN_OUT_OF_MEM(err);
    *far = -1;
    for (int k = j->rank; !s && k < n; k++)
        for (int c = 0; c < n; c++) y[c] += cos(1.0 + (2.0 + mixture) * (k - j->rank)) * vector_at(j, k, c);
    for (int c = 0; !s && c < n; c++) size = fmax(size, fabs(y[c]));
    for (int c = 0; !s && c < n; c++) y[c] *= step / size;
    if (!s) memcpy(from, d->x->q, sizeof *from * (size_t)m->nq);
    for (int it = 0; !s && it < 40 && gap > 1e-13 * d->p->length; it++) {
        sn_rigid_move(&j->r, y);
        close_jacobian(j);
        s = open_jacobian(d, j, err);
        if (s) break;
        gap = gaps(d, counts, b);
        decompose(j, counts, zero);
        solve(j, counts, b, y);
    }
    if (!s && gap <= 1e-10 * d->p->length) {
        *far = 0;
        sn_system_difference(m, from, d->x->q, y);
        for (int i = 0; i < m->nv; i++) *far = fmax(*far, fabs(y[i] / d->w->scale[i]) / step);
    }
    sn_free(y), sn_free(b), sn_free(from);
    return s;
}

/* How far the ways that are left move the driven equations of a joint, relative to these; -1: it has none. */
static double moved_by_ways(const jacobian *j, const sn_object *o, const unsigned char *undriven)
{
    const int n = j->r.columns;
    double most = 0, size = 0;
    int driven = 0;
    for (int e = 0; e < o->m; e++) {
        if (undriven[o->eq + e]) continue;
        driven = 1;
        for (int k = 0; k < n; k++) {
            double sum = 0;
            for (int c = 0; c < n; c++) {
                const double a = j->A[(size_t)c * (size_t)j->rows + (size_t)(o->eq + e)];
                sum += a * vector_at(j, k, c), size = fmax(size, fabs(a));
            }
            if (k >= j->rank) most = fmax(most, fabs(sum));
        }
    }
    return !driven ? -1 : size > 0 ? most / size : 0;
}

static sn_status tell_idle(const jacobian *j, const unsigned char *undriven, sn_mobility *y, sn_tell *line,
                           void *to)
{
    const sn_model *m = j->r.d->m;
    for (int i = 0; i < m->joint.n; i++) {
        const sn_object *o = &m->joint.object[i];
        const double moved = moved_by_ways(j, o, undriven);
        if (moved < 0 || moved > 1e-6) continue;
        y->idle++;
        if (line(to, "idle", o->name)) return SN_ERR_MEMORY;
    }
    return SN_OK;
}

/* Parts that the ways at the decomposed position move. */
static void find_moving(const jacobian *j, unsigned char *moves)
{
    for (int k = 0; k < j->r.n_part; k++)
        for (int c = 0; c < j->r.part[k].n; c++)
            for (int v = j->rank; v < j->r.columns; v++)
                if (fabs(vector_at(j, v, j->r.part[k].first + c)) > 1e-6) moves[k] = 1;
}

/* Entries of what is in parts that move (members, and what has mass), and nodes of parts without any. */
static sn_status tell_mobile(const sn_rigid *r, unsigned char *moves, sn_tell *line, void *to)
{
    const sn_model *m = r->d->m;
    unsigned char *named = sn_alloc((size_t)m->n_entry[SN_SEC_ELEMENTS] + 1, 1);
    sn_status s = named ? SN_OK : SN_ERR_MEMORY;
    for (int i = 0; !s && i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        const int part = r->of[o->node[0]], e = sn_written_entry(m, o);
        const int body = o->host < 0 && o->nn == 1 && (((const sn_element_class *)o->cls)->flags & SN_USES_A);
        if (part < 0 || !moves[part] || !(body || sn_is_member(o))) continue;
        if (!named[e]) s = line(to, "mobile", m->entry[SN_SEC_ELEMENTS][e].name);
        named[e] = 1, moves[part] = 2;
    }
    /* what bodies and members have named is named; frames tied to nodes are not of the file */
    for (int i = 0; !s && i < m->n_node; i++)
        if (m->node[i].frame >= 0 && r->of[m->node[i].frame] >= 0) moves[r->of[m->node[i].frame]] |= 2;
    for (int i = 0; !s && i < r->n_part; i++)
        if (moves[i] == 1) s = line(to, "mobile", m->node[r->part[i].node].name);
    sn_free(named);
    return s;
}

/* Whether the ranks stay what they are at the start a little beside it. moves: also parts that move there. */
static sn_status look_aside(sn_context *d, jacobian *j, const unsigned char *undriven, int all,
                            unsigned char *moves, sn_mobility *y, sn_err *err)
{
    const int here = j->rank;
    double far = -1, most = -1, *start = sn_alloc((size_t)d->m->nq + 1, sizeof *start);
    const size_t bytes = sizeof *start * (size_t)d->m->nq;
    sn_status s = start ? SN_OK : SN_OUT_OF_MEM(err);
    if (!s) memcpy(start, d->x->q, bytes);
    for (int mixture = 0; !s && mixture < MIXTURES && most < 0.3; mixture++) {
        if (mixture) {
            memcpy(d->x->q, start, bytes);
            close_jacobian(j);
            s = open_jacobian(d, j, err);
            if (!s) decompose(j, undriven, zero);
        }
        if (!s) s = step_aside(d, j, undriven, mixture, &far, err);
        most = fmax(most, far);
    }
    sn_free(start);
    if (s) return s;
    if (most < 0.3) { /* what led nowhere says nothing */
        y->instantaneous = most >= 0;
        decompose(j, undriven, zero);
        return SN_OK;
    }
    const int all_there = decompose(j, NULL, nearly_zero), there = decompose(j, undriven, nearly_zero);
    if (there > here) y->singular = there - here;
    y->dead_centre = there == here && all_there > all;
    find_moving(j, moves);
    return SN_OK;
}

/* j: decomposed without drives, at the start. */
static sn_status judge(sn_context *d, jacobian *j, const unsigned char *undriven, sn_mobility *y,
                       sn_tell *line, void *to, sn_err *err)
{
    const int here = j->rank, all = decompose(j, NULL, zero);
    unsigned char *moves = sn_alloc((size_t)j->r.n_part + 1, 1);
    sn_status s = moves ? SN_OK : SN_OUT_OF_MEM(err);
    y->ways = j->r.columns - here;
    y->driven = all - here;
    y->redundant = j->rows - all;
    decompose(j, undriven, zero);
    if (!s) find_moving(j, moves);
    if (!s && y->ways) s = look_aside(d, j, undriven, all, moves, y, err);
    if (!s && (tell_mobile(&j->r, moves, line, to) || tell_idle(j, undriven, y, line, to)))
        s = SN_OUT_OF_MEM(err);
    sn_free(moves);
    return s;
}

sn_status sn_find_mobility(sn_context *d, sn_mobility *y, sn_tell *line, void *to, sn_err *err)
{
    const sn_model *m = d->m;
    unsigned char *dropped = d->w->dropped, *undriven = NULL;
    const int n_dropped = d->w->n_dropped;
    double *q = NULL;
    jacobian j;
    *y = (sn_mobility){0};
    for (int e = 0; e < m->element.n; e++) y->flexible |= sn_is_member(&m->element.object[e]);
    if (!SN_NEW(undriven, m->m + 1) || !SN_NEW(q, m->nq + 1)) {
        sn_free(undriven);
        return SN_OUT_OF_MEM(err);
    }
    memcpy(q, d->x->q, sizeof *q * (size_t)m->nq);
    d->w->dropped = d->none, d->w->n_dropped = 0;
    sn_status s = find_undriven(d, undriven);
    j = (jacobian){.rows = 0};
    if (!s) s = open_jacobian(d, &j, err);
    if (!s && j.A) {
        y->judged = 1;
        decompose(&j, undriven, zero);
        s = judge(d, &j, undriven, y, line, to, err);
    }
    close_jacobian(&j);
    memcpy(d->x->q, q, sizeof *q * (size_t)m->nq);
    d->w->dropped = dropped, d->w->n_dropped = n_dropped;
    sn_free(undriven), sn_free(q);
    return s;
}
