/* Elements evaluated by several threads, with the same bits for any number of them.

   Members take elements of a wave in any order and keep their residuals and matrices. Then each member adds
   what belongs to its own rows of the residual and its own columns of the matrix, element by element in the
   order of the model: every sum has the same terms in the same order as on one thread. Waves keep the
   matrices that wait within the processor's cache. */
#include "system/together.h"

#include "system/object_blocks.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { WAVE = 1 << 17, BITE = 4, STRIPE = 8 }; /* numbers of a wave; elements a member takes; rows, columns */

typedef struct bench {
    sn_work w; /* a copy of the system's, with scratch of its own */
    double *q, *v, *a, *r, *K;
    double force;
    int failed;
} bench;

struct sn_together {
    sn_team *team;
    int size;
    bench *bench;
    size_t *r_at, *S_at; /* of each element: where its residual is, and its matrices within their wave */
    int *wave, waves;    /* first element of each; waves + 1 */
    double *r, *S;
    /* the work in hand */
    sn_work *w;
    const sn_state *x;
    const sn_coef *coef;
    atomic_int next; /* element to be taken */
};

void sn_together_free(sn_together *t)
{
    if (!t) return;
    for (int i = 0; t->bench && i < t->size; i++) {
        bench *b = &t->bench[i];
        sn_free(b->q), sn_free(b->v), sn_free(b->a), sn_free(b->r), sn_free(b->K);
    }
    sn_free(t->bench), sn_free(t->r_at), sn_free(t->S_at), sn_free(t->wave), sn_free(t->r), sn_free(t->S);
    sn_free(t);
}

static int make_benches(sn_together *t, const sn_model *m)
{
    size_t v = (size_t)m->max_v + 1;
    for (int i = 0; i < t->size; i++) {
        bench *b = &t->bench[i];
        if (!SN_NEW(b->q, m->max_q + 1) || !SN_NEW(b->v, v) || !SN_NEW(b->a, v) || !SN_NEW(b->r, v) ||
            !SN_NEW(b->K, 3 * v * v))
            return 0;
    }
    return 1;
}

/* K, C, M of an element side by side; a wave ends before it would be too large. */
static int make_waves(sn_together *t, const sn_model *m)
{
    size_t r = 0, S = 0, most = 0;
    if (!SN_NEW(t->r_at, m->element.n + 1) || !SN_NEW(t->S_at, m->element.n + 1) ||
        !SN_NEW(t->wave, m->element.n + 2))
        return 0;
    for (int e = 0; e < m->element.n; e++) {
        size_t nv = (size_t)m->element.object[e].nv, size = 3 * nv * nv;
        if (e == 0 || S + size > WAVE) t->wave[t->waves++] = e, S = 0;
        t->r_at[e] = r, t->S_at[e] = S;
        r += nv, S += size;
        most = S > most ? S : most;
    }
    t->wave[t->waves] = m->element.n;
    return SN_NEW(t->r, r + 1) && SN_NEW(t->S, most + 1);
}

sn_status sn_work_share(sn_work *w, sn_team *team, sn_err *err)
{
    sn_together *t;
    if (!SN_NEW(t, 1)) return SN_OUT_OF_MEM(err);
    t->team = team, t->size = sn_team_size(team);
    if (!SN_NEW(t->bench, t->size) || !make_benches(t, w->m) || !make_waves(t, w->m)) {
        sn_together_free(t);
        return SN_OUT_OF_MEM(err);
    }
    w->together = t;
    return SN_OK;
}

/* Scratch of member i; matrices of element e go to their place in the wave, or to those that are kept. */
static void use_bench(sn_together *t, bench *b)
{
    const size_t v = (size_t)t->w->m->max_v + 1;
    b->w = *t->w;
    b->w.q = b->q, b->w.v = b->v, b->w.a = b->a, b->w.r = b->r;
    b->w.K = b->K, b->w.C = b->K + v * v, b->w.M = b->w.C + v * v;
    b->force = 0, b->failed = -1;
}

static double *matrices(const sn_together *t, int e)
{
    return t->w->blocks ? t->w->blocks->x + t->w->blocks->element[e] : t->S + t->S_at[e];
}

static void evaluate(sn_together *t, bench *b, int e)
{
    const sn_object *o = &t->w->m->element.object[e];
    const size_t nv = (size_t)o->nv;
    b->w.r = t->r + t->r_at[e];
    if (t->coef) b->w.K = matrices(t, e), b->w.C = b->w.K + nv * nv, b->w.M = b->w.C + nv * nv;
    int good = sn_system_element(&b->w, t->x, e, t->coef);
    if (!good && (b->failed < 0 || e < b->failed)) b->failed = e;
    for (int i = 0; t->w->measure && i < o->nv; i++)
        b->force = fmax(b->force, fabs(b->w.r[i]) * t->w->scale[o->zi[i]]);
}

/* Elements of a wave, some at a time, until there are none. */
static void take_elements(sn_together *t, bench *b, int end)
{
    for (;;) {
        int from = atomic_fetch_add(&t->next, BITE), to = from + BITE < end ? from + BITE : end;
        if (from >= end) return;
        for (int e = from; e < to; e++) evaluate(t, b, e);
    }
}

static int is_own(const sn_together *t, int member, int i) { return i / STRIPE % t->size == member; }

static void add_residuals(const sn_together *t, int member)
{
    const sn_model *m = t->w->m;
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        const double *r = t->r + t->r_at[e];
        for (int i = 0; i < o->nv; i++)
            if (is_own(t, member, o->zi[i])) t->w->f[o->zi[i]] += r[i];
    }
}

/* One column of an element's matrices, with the factors of the column. */
static void add_column(const sn_together *t, const sn_object *o, int j, const double *K)
{
    const sn_coef *f = t->coef;
    const unsigned flags = sn_element_flags(o);
    const int nv = o->nv, col = o->vi[j], n = nv + o->m, bin = t->w->m->nnz;
    const double *C = K + nv * nv, *M = C + nv * nv;
    const double k = f->row * f->k[col], c = f->row * f->c[col], a = f->row * f->a[col];
    for (int i = 0; i < nv; i++) {
        int at = o->nz[i * n + j], of = i * nv + j;
        if (at == bin) continue; /* of all members */
        double x = k * K[of];
        if (flags & SN_USES_V) x += c * C[of];
        if (flags & SN_USES_A) x += a * M[of];
        t->w->Ax[at] += x;
        if (t->w->Cx && (flags & SN_USES_V)) t->w->Cx[at] += C[of];
        if (t->w->Mx && (flags & SN_USES_A)) t->w->Mx[at] += M[of];
    }
}

static void add_matrices(const sn_together *t, int member, int from, int to)
{
    for (int e = from; e < to; e++) {
        const sn_object *o = &t->w->m->element.object[e];
        for (int j = 0; j < o->nv; j++)
            if (is_own(t, member, o->vi[j])) add_column(t, o, j, matrices(t, e));
    }
}

static void work(void *ctx, int member)
{
    sn_together *t = ctx;
    bench *b = &t->bench[member];
    const int n = t->w->m->element.n;
    use_bench(t, b);
    for (int k = 0; k < (t->coef ? t->waves : 1); k++) {
        int from = t->coef ? t->wave[k] : 0, to = t->coef ? t->wave[k + 1] : n;
        take_elements(t, b, to);
        sn_team_meet(t->team);
        if (member == 0) atomic_store(&t->next, to);
        if (t->coef) add_matrices(t, member, from, to);
        if (k + 1 < t->waves && t->coef) sn_team_meet(t->team);
    }
    add_residuals(t, member);
}

int sn_together_elements(sn_work *w, const sn_state *x, const sn_coef *coef)
{
    sn_together *t = w->together;
    double force = w->measure ? 0 : w->force;
    int failed = -1;
    t->w = w, t->x = x, t->coef = coef;
    atomic_store(&t->next, 0);
    sn_team_run(t->team, work, t);
    for (int i = 0; i < t->size; i++) {
        const bench *b = &t->bench[i];
        force = fmax(force, b->force);
        if (b->failed >= 0 && (failed < 0 || b->failed < failed)) failed = b->failed;
    }
    w->force = force;
    return failed;
}
