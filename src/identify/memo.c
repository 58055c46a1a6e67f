#include "identify/memo.h"
#include "identify/modal.h"

#include <string.h>

/* ---- keys ---- */

/* A source text, unless it is the one before. */
static void add_source(sn_key *k, const sn_mark *mark, const char **last)
{
    if (mark->source == *last) return;
    *last = mark->source;
    sn_key_text(k, mark->source);
}

/* The model's structure: the texts of all its files. Its numbers, those of tables too, are quantities. */
static void add_model(sn_key *k, const sn_model *m)
{
    const sn_family *const family[] = {&m->element, &m->joint, &m->sensor, &m->signal};
    const char *last = NULL;
    sn_key_text(k, sn_version());
    sn_key_text(k, m->source);
    sn_key_word(k, (uint64_t)m->refined);
    for (int i = 0; i < m->n_quantity; i++) add_source(k, &m->quantity[i].mark, &last);
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < family[c]->n; i++) add_source(k, &family[c]->object[i].mark, &last);
}

static void add_run(sn_key *k, const sn_run_options *o)
{
    const double x[] = {o->begin, o->step, o->tolerance, o->error, o->min_step, o->max_step, o->penalty};
    const int n[] = {o->max_iterations, o->start_static, o->drop_redundant,
                     o->constraints,    o->full_newton,  o->tangent_only};
    sn_key_exact(k, sizeof x / sizeof *x, x);
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) sn_key_word(k, (uint64_t)n[i]);
    sn_key_text(k, o->scheme); /* settings of the model are numbers of it */
    for (int i = 0; i < o->n_setting; i++)
        sn_key_text(k, o->setting[i].name), sn_key_exact(k, 1, &o->setting[i].value);
    sn_key_text(k, o->solver);
}

static void add_number(sn_key *k, const sn_study *s, const sn_number *n)
{
    sn_key_text(k, n->unknown >= 0 ? s->unknown[n->unknown].name : "");
    sn_key_exact(k, 1, &n->value);
    sn_key_text(k, n->tie ? n->text : "");
}

static void add_instruments(sn_key *k, const sn_study *s, const sn_experiment *x)
{
    sn_key_exact(k, 1, &x->origin);
    for (int c = 0; c < x->n_channel; c++) {
        const sn_instrument *i = &x->instrument[c];
        const sn_number *const all[] = {&i->gain,     &i->offset,   &i->delay,   &i->drift,
                                        &i->angle[0], &i->angle[1], &i->angle[2]};
        sn_key_word(k, (uint64_t)i->axes);
        for (size_t n = 0; n < sizeof all / sizeof *all; n++) add_number(k, s, all[n]);
    }
    for (int i = 0; i < x->n_input; i++) {
        const sn_course *course = x->input[i].course;
        sn_key_word(k, (uint64_t)x->input[i].signal);
        sn_key_word(k, (uint64_t)course->in.nc); /* of the interpolation */
        sn_key_exact(k, (size_t)course->in.ns, course->in.s);
    }
}

/* What modes and responses are of, and their own noise. */
static void add_modal(sn_key *k, const sn_experiment *x)
{
    const sn_modal *m = x->modal;
    sn_key_word(k, (uint64_t)x->sort), sn_key_word(k, (uint64_t)(m->at_static + 2 * m->at_steady));
    for (int c = 0; c < x->n_channel; c++)
        sn_key_text(k, m->column[c].name), sn_key_word(k, (uint64_t)m->column[c].kind);
    for (int i = 0; i < m->n_sensor; i++) sn_key_word(k, (uint64_t)m->sensor[i]);
    for (int i = 0; i < m->n_input; i++)
        sn_key_word(k, (uint64_t)m->input[i].quantity), sn_key_word(k, (uint64_t)m->input[i].channel);
    for (int i = 0; i < x->n; i++) sn_key_word(k, (uint64_t)m->mode[i]);
    sn_key_exact(k, (size_t)x->n * (size_t)x->n_channel, x->relative);
}

/* What the noise is like; of white one nothing. */
static void add_noise(sn_key *k, const sn_experiment *x)
{
    for (int c = 0; x->noise && c < x->n_channel; c++) {
        const sn_channel_noise *q = &x->noise[c];
        const double m[] = {q->m.dt, q->m.variance, q->m.size, q->m.time};
        if (!q->kind) continue;
        sn_key_word(k, (uint64_t)c), sn_key_word(k, (uint64_t)q->kind), sn_key_word(k, (uint64_t)q->order);
        sn_key_exact(k, (size_t)q->m.p, q->m.a);
        sn_key_exact(k, sizeof m / sizeof *m, m);
    }
}

static sn_key of_experiment(const sn_study *s, sn_key model, const sn_experiment *x)
{
    sn_key k = model;
    const double numbers[] = {x->begin, x->end, x->weight, s->huber};
    sn_key_word(&k, (uint64_t)x->n), sn_key_word(&k, (uint64_t)x->n_channel);
    sn_key_word(&k, x->offset_unknown >= 0);
    sn_key_exact(&k, sizeof numbers / sizeof *numbers, numbers);
    sn_key_exact(&k, (size_t)x->n, x->t);
    sn_key_exact(&k, (size_t)x->n * (size_t)x->n_channel, x->y);
    for (int c = 0; c < x->n_channel; c++) sn_key_word(&k, (uint64_t)x->channel[c]);
    if (x->sort) add_modal(&k, x);
    for (int i = 0; i < s->model->n_quantity; i++) sn_key_word(&k, x->values->fixed[i]);
    add_instruments(&k, s, x);
    return k;
}

static sn_key of_study(const sn_study *s, const sn_key *experiment)
{
    sn_key k = sn_key_of("study");
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        sn_key_word(&k, experiment[e].a), sn_key_word(&k, experiment[e].b);
        sn_key_exact(&k, (size_t)s->model->n_quantity, x->values->x);
        sn_key_word(&k, (uint64_t)x->hold_out);
        for (int c = 0; c < x->n_channel; c++) sn_key_word(&k, x->known[c]);
        sn_key_exact(&k, (size_t)x->n_channel, x->sigma);
        add_noise(&k, x);
    }
    for (int i = 0; i < s->n_unknown; i++) {
        const sn_unknown *u = &s->unknown[i];
        const double x[] = {u->log, u->lower, u->upper, u->scale, u->prior, u->prior_sd};
        sn_key_text(&k, u->name);
        sn_key_exact(&k, sizeof x / sizeof *x, x);
    }
    for (int i = 0; i < s->n_tie; i++) sn_key_text(&k, s->tie[i].parameter), sn_key_text(&k, s->tie[i].text);
    return k;
}

sn_status sn_memo_new(const sn_study *s, sn_journal *journal, sn_memo **out, sn_err *err)
{
    sn_memo *m;
    sn_key model = sn_key_of("run");
    *out = NULL;
    if (!SN_NEW(m, 1)) return SN_OUT_OF_MEM(err);
    if (!SN_NEW(m->experiment, s->n_experiment + 1)) {
        sn_free(m);
        return SN_OUT_OF_MEM(err);
    }
    m->journal = journal;
    sn_journal_no_group_done(journal);
    add_model(&model, s->model);
    add_run(&model, &s->run);
    for (int e = 0; e < s->n_experiment; e++) m->experiment[e] = of_experiment(s, model, &s->experiment[e]);
    m->study = of_study(s, m->experiment);
    *out = m;
    return SN_OK;
}

void sn_memo_free(sn_memo *m)
{
    if (!m) return;
    sn_free(m->experiment);
    sn_free(m);
}

sn_key sn_memo_run(const sn_memo *m, const sn_fit *f, int e, double horizon, int derivatives, const double *z)
{
    if (!m) return sn_key_of("");
    const sn_experiment *x = &f->s->experiment[e];
    const sn_part *p = &f->part[e];
    sn_key k = m->experiment[e];
    sn_key_word(&k, (uint64_t)derivatives);
    sn_key_exact(&k, 1, &horizon);
    sn_key_exact(&k, (size_t)x->n_channel, x->sigma);
    add_noise(&k, x);
    sn_key_exact(&k, (size_t)f->s->model->n_quantity, p->values->x);
    for (int i = 0; i < p->nx; i++) sn_key_word(&k, (uint64_t)p->id[i]);
    sn_key_exact(&k, (size_t)p->nx * (size_t)p->n, p->dx);
    for (int i = p->own; i < p->n; i++) {
        const sn_unknown *u = &f->s->unknown[p->unknown[i]];
        sn_key_text(&k, u->name);
        sn_key_word(&k, (uint64_t)u->log);
        sn_key_exact(&k, 1, &z[p->unknown[i]]);
        sn_key_exact(&k, 1, &u->scale);
    }
    return k;
}

sn_key sn_memo_at(const sn_memo *m, const sn_study *s, const char *what, const double *z)
{
    sn_key k = sn_key_of(what);
    if (!m) return k;
    sn_key_word(&k, m->study.a), sn_key_word(&k, m->study.b);
    for (int e = 0; e < s->n_experiment; e++) {
        sn_key_exact(&k, (size_t)s->experiment[e].n_channel, s->experiment[e].sigma);
        add_noise(&k, &s->experiment[e]);
    }
    sn_key_exact(&k, (size_t)s->n_unknown, z);
    return k;
}

/* ---- what is kept ---- */

int sn_memo_get(const sn_memo *m, sn_key key, size_t n, double *x)
{
    return m && sn_journal_get(m->journal, key, n, x);
}

void sn_memo_put(const sn_memo *m, sn_key key, int group, size_t n, const double *x)
{
    if (m) sn_journal_put(m->journal, key, group, n, x);
}

void sn_memo_done(const sn_memo *m, int group)
{
    if (m) sn_journal_done(m->journal, group);
}

enum { FIRST = 3 }; /* status, cost, count; then g and the lower half of A */

static size_t size_of(const sn_part *p, int whole)
{
    size_t n = (size_t)p->n;
    return FIRST + (whole ? n + n * (n + 1) / 2 : 0);
}

int sn_memo_get_part(const sn_memo *m, sn_key key, int whole, sn_part *p)
{
    double *x, *at;
    int found = m && SN_NEW(x, size_of(p, whole));
    if (!found) return 0;
    found = sn_memo_get(m, key, size_of(p, whole), x);
    if (found) {
        p->status = (sn_status)x[0], p->cost = x[1], p->count = x[2];
        at = x + FIRST;
        for (int a = 0; whole && a < p->n; a++) p->g[a] = *at++;
        for (int a = 0; whole && a < p->n; a++)
            for (int b = 0; b <= a; b++) p->A[a * p->n + b] = p->A[b * p->n + a] = *at++;
    }
    sn_free(x);
    return found;
}

void sn_memo_put_part(const sn_memo *m, sn_key key, int group, int whole, const sn_part *p)
{
    double *x, *at;
    /* only what would be the same again */
    int lasting = p->status == SN_OK || p->status == SN_ERR_NUMERIC || p->status == SN_ERR_INPUT;
    if (!m || !lasting || !SN_NEW(x, size_of(p, whole))) return;
    x[0] = p->status, x[1] = p->cost, x[2] = p->count;
    at = x + FIRST;
    for (int a = 0; whole && a < p->n; a++) *at++ = p->g[a];
    for (int a = 0; whole && a < p->n; a++)
        for (int b = 0; b <= a; b++) *at++ = p->A[a * p->n + b];
    sn_memo_put(m, key, group, size_of(p, whole), x);
    sn_free(x);
}
