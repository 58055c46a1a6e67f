/* The context of an analysis: its work, solver and state; and the naming of singular and redundant things. */
#include "analysis/analysis.h"
#include "analysis/mesh_quality.h"

#include <lapacke.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef I

static sn_status tell_mesh(void *d, const char *what, const char *text)
{
    (void)what;
    sn_context_message(d, "%s", text);
    return SN_OK;
}

sn_status sn_context_open(const sn_model *m, const sn_values *p, const sn_run_options *o, sn_info *info,
                          sn_context *d, sn_err *err)
{
    *d = (sn_context){.m = m, .p = p, .o = o, .info = info};
    int n = m->nv + 1;
    sn_status s = sn_work_new(m, p, &d->w, err);
    if (!s && o->threads > 1 && m->element.n > 1) s = sn_team_new(o->threads, &d->team, err);
    if (!s && d->team) s = sn_work_share(d->w, d->team, err);
    const sn_scheme *scheme;
    const sn_integrator_class *k = sn_scheme_find(o->scheme, &scheme);
    if (!s) s = sn_state_new(m, k ? k->history : 0, &d->x, err);
    int before = sn_err_count(err);
    if (!s) s = sn_linsol_new(o->solver, m->n, m->Ap, m->Ai, &d->ls, err);
    if (!s) sn_linsol_share(d->ls, d->team);
    if (s == SN_ERR_INPUT && o->solver == m->run.solver) sn_err_place(err, before, &m->run.solver_mark);
    if (!s && (!SN_NEW(d->k, n) || !SN_NEW(d->c, n) || !SN_NEW(d->a, n) || !SN_NEW(d->g, n) ||
               !SN_NEW(d->zero, n) || !SN_NEW(d->one, n) || !SN_NEW(d->z, m->n + 1) ||
               !SN_NEW(d->y, sn_channel_count(m) + 1) || !SN_NEW(d->rate, 2 * m->m + 1) ||
               !SN_NEW(d->none, m->m + 1) || !SN_NEW(d->weight, n) || !SN_NEW(d->before, m->n + 1) ||
               !SN_NEW(d->past, m->element.n + 1)))
        s = SN_OUT_OF_MEM(err);
    for (int i = 0; !s && i < n; i++) d->one[i] = 1;
    /* offsets, plies and pressure know the side */
    if (!s && o->message) s = sn_mesh_numbering(p, tell_mesh, d, err);
    if (s) sn_context_close(d);
    return s;
}

sn_status sn_context_renew(sn_context *d, sn_err *err)
{
    sn_work_renew(d->w);
    memset(d->past, 0, (size_t)d->m->element.n);
    sn_redundant_multipliers_free(d->multipliers);
    d->multipliers = NULL, d->dy = NULL;
    d->moving = d->told = d->regularised = d->start_by_differences = d->near = 0;
    return sn_linsol_renew(d->ls, err);
}

void sn_context_close(sn_context *d)
{
    double *const x[] = {d->k, d->c, d->a, d->g, d->zero, d->one, d->z, d->y, d->rate, d->weight, d->before};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) sn_free(x[i]);
    sn_free(d->none), sn_free(d->past);
    sn_redundant_multipliers_free(d->multipliers);
    sn_work_free(d->w);
    sn_state_free(d->x);
    sn_linsol_free(d->ls);
    sn_team_free(d->team);
    *d = (sn_context){.m = NULL};
}

void sn_context_message(const sn_context *d, const char *format, ...)
{
    char text[1024];
    if (!d->o->message) return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    d->o->message(d->o->ctx, text);
}

sn_status sn_context_frame(sn_context *d, const sn_state *x, sn_err *err)
{
    if (!d->o->frame) return SN_OK;
    SN_TRY(sn_redundant_multipliers_state(d, &x, err));
    SN_TRY(sn_system_sensors(d->w, x, d->y, err));
    sn_frame f = {x->t, x->q, x->v, x->a, x->lam, d->y, d->dy};
    d->info->frames++;
    return d->o->frame(d->o->ctx, &f, err);
}

sn_status sn_context_limits(sn_context *d, const sn_state *x, int first, sn_err *err)
{
    const double degree = 3.14159265358979323846 / 180;
    const sn_model *m = d->m;
    sn_limit l;
    for (int e = 0; (e = sn_system_limit(d->w, x, e, &l)) >= 0; e++) {
        const sn_object *o = &m->element.object[e];
        int pieces = m->entry[SN_SEC_ELEMENTS][o->entry].pieces, past = l.angle >= l.most;
        char piece[48] = "", text[300];
        if (d->past[e] || (!past && d->near)) continue;
        if (l.fades) {
            sn_context_message(d, "%s '%s': %s %.3g at t = %.6g, more than %.3g: %s",
                               *(const char *const *)o->cls, o->name, l.what, l.angle, x->t, l.most,
                               l.remedy);
            d->past[e] = 1;
            continue;
        }
        if (pieces > 1) snprintf(piece, sizeof piece, ", element %d of %d", o->piece + 1, pieces);
        snprintf(text, sizeof text, "%s '%s'%s: %s %.4g degrees at t = %.6g; %s %.4g degrees on: %s",
                 *(const char *const *)o->cls, o->name, piece, l.what, l.angle / degree, x->t,
                 past ? "its forces are wrong from" : "its forces jump from", l.most / degree, l.remedy);
        if (past && !first) return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "%s", text);
        sn_context_message(d, "%s", text);
        d->past[e] = (unsigned char)past;
        d->near++;
    }
    return SN_OK;
}

int sn_context_held(const sn_context *d, int i)
{
    const sn_model *m = d->m;
    for (int k = m->Ap[i]; k < m->Ap[i + 1]; k++)
        if (m->Ai[k] >= m->nv && d->w->Ax[k] != 0) return 1;
    return 0;
}

/* Dense copy of the matrix, column-major. */
static double *dense(const sn_context *d)
{
    const sn_model *m = d->m;
    double *A = sn_alloc((size_t)m->n * (size_t)m->n + 1, sizeof *A);
    for (int j = 0; A && j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            A[(size_t)j * (size_t)m->n + (size_t)m->Ai[k]] = d->w->Ax[k];
    return A;
}

static void name_unknown(const sn_model *m, int i, char *out, size_t size)
{
    if (i < m->nv)
        sn_coord_name(m, i, out, size);
    else
        sn_equation_name(m, i - m->nv, out, size);
}

/* The largest entries of a null vector, by name: "node2.x, node2.y". */
void sn_name_largest(const sn_context *d, const double *z, int from, int to, char *out, size_t size)
{
    double top = 0;
    int shown = 0;
    size_t used = 0;
    out[0] = 0;
    for (int i = from; i < to; i++) top = fmax(top, fabs(z[i]));
    for (int i = from; i < to && top > 0; i++) {
        char name[160];
        if (fabs(z[i]) < 0.3 * top) continue;
        if (shown == 6) {
            snprintf(out + used, size - used, ", ...");
            return;
        }
        name_unknown(d->m, i, name, sizeof name);
        used += (size_t)snprintf(out + used, size - used, "%s%s", shown++ ? ", " : "", name);
        if (used >= size) return;
    }
}

sn_status sn_context_finite(const sn_context *d, const char *what, sn_err *err)
{
    const sn_model *m = d->m;
    char name[160];
    for (int j = 0; j < m->n; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            if (isfinite(d->w->Ax[k])) continue;
            SN_TRY(sn_system_blame(d->w, d->x, err));
            name_unknown(m, j, name, sizeof name);
            return sn_fail(err, SN_ERR_NUMERIC, NULL,
                           "%s: the tangent is not finite at %s: some number is out of range", what, name);
        }
    return SN_OK;
}

enum { DENSE_MAX = 1500 };

sn_status sn_singular(sn_context *d, const char *what, sn_status why, int column, sn_err *err)
{
    const sn_model *m = d->m;
    char names[400] = "";
    if (why == SN_ERR_MEMORY) return SN_OUT_OF_MEM(err);
    if (why != SN_ERR_NUMERIC) return sn_fail(err, why, NULL, "%s: the linear solver failed", what);
    SN_TRY(sn_context_finite(d, what, err));
    double *A = m->n <= DENSE_MAX ? dense(d) : NULL, *s = NULL, *U = NULL, *V = NULL, *work = NULL;
    if (A && SN_NEW(s, m->n + 1) && SN_NEW(U, 1) && SN_NEW(V, m->n * m->n + 1) && SN_NEW(work, m->n + 1) &&
        LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', m->n, m->n, A, m->n, s, U, 1, V, m->n, work) == 0) {
        /* the last right singular vector: a motion without resistance, or multipliers without effect */
        for (int i = 0; i < m->n; i++) work[i] = V[(size_t)i * (size_t)m->n + (size_t)(m->n - 1)];
        sn_name_largest(d, work, 0, m->nv, names, sizeof names);
        double motion = 0, force = 0;
        for (int i = 0; i < m->n; i++) *(i < m->nv ? &motion : &force) += work[i] * work[i];
        if (motion < 1e-12 * force) sn_name_largest(d, work, m->nv, m->n, names, sizeof names);
    } else if (column >= 0) {
        name_unknown(m, column, names, sizeof names);
    }
    sn_free(A), sn_free(s), sn_free(U), sn_free(V), sn_free(work);
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "%s: the tangent is singular: nothing determines %s", what,
                   names[0] ? names : "the solution");
}
