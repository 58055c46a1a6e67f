/* A simulation's state as bytes, and back.

   A head, then numbers: t, h, the state as the integrator has it, step-size control, the inputs' numbers. */
#include "analysis/sim.h"

#include <stdint.h>
#include <string.h>

typedef struct head {
    char what[8], version[24];
    uint64_t size;       /* of all bytes */
    uint64_t model, sum; /* of names and sizes; of what follows the head */
} head;

static const char what[8] = {'s', 'i', 'n', 'e', 'w', 's', 'i', 'm'};

/* FNV-1a */
static uint64_t add(uint64_t sum, const void *p, size_t n)
{
    for (const unsigned char *c = p; n--; c++) sum = (sum ^ *c) * 0x100000001b3ULL;
    return sum;
}

static uint64_t add_text(uint64_t sum, const char *text) { return add(sum, text, strlen(text) + 1); }

static const uint64_t none = 0xcbf29ce484222325ULL;

/* Names and kinds of what has coordinates, equations or inputs, and whose numbers a state keeps besides. */
static uint64_t model_of(const sn_sim *s)
{
    const sn_model *m = s->d.m;
    const int sizes[] = {m->nq, m->nv, m->m, m->element.n, m->sensor.n};
    uint64_t sum = add(none, sizes, sizeof sizes);
    for (int i = 0; i < m->n_node; i++) sum = add_text(add_text(sum, m->node[i].name), m->node[i].cls->name);
    for (int i = 0; i < m->joint.n; i++)
        sum = add_text(add_text(sum, m->joint.object[i].name),
                       ((const sn_joint_class *)m->joint.object[i].cls)->name);
    for (int i = 0; i < sn_input_count(m); i++) sum = add_text(sum, sn_input_name(m, i));
    return add_text(sum, s->scheme->name);
}

enum { SIZES = 6 }; /* numbers of step-size control */

static size_t count(const sn_sim *s)
{
    size_t n = 2 + SIZES + sn_state_size(s->d.m, s->cls->history);
    for (int i = 0; i < sn_input_count(s->d.m); i++)
        n += (size_t)((const sn_signal_class *)sn_input_object(s->d.m, i)->cls)->given + 1;
    return n;
}

sn_status sn_sim_save(sn_sim *s, void **bytes, size_t *size, sn_err *err)
{
    *bytes = NULL, *size = 0;
    SN_TRY(sn_sim_is_kept(s, err));
    SN_TRY(sn_sim_fresh(s, err));
    const sn_model *m = s->d.m;
    const sn_step_size *p = &s->step_size;
    const double sizes[SIZES] = {p->h, p->wait, p->smooth_steps, p->log_ideal, p->h_last, 0};
    size_t n = count(s);
    head h = {.version = SN_VERSION, .size = sizeof h + n * sizeof(double), .model = model_of(s)};
    memcpy(h.what, what, sizeof what);
    double *x = sn_alloc(1, h.size), *to = x;
    if (!x) return SN_OUT_OF_MEM(err);
    to += sizeof h / sizeof *to;
    double *first = to;
    *to++ = s->d.x->t, *to++ = s->d.x->h;
    sn_state_pack(m, s->d.x, to);
    to += sn_state_size(m, s->cls->history);
    memcpy(to, sizes, sizeof sizes), to += SIZES;
    for (int i = 0; i < sn_input_count(m); i++) {
        const sn_object *o = sn_input_object(m, i);
        int k = ((const sn_signal_class *)o->cls)->given + 1;
        memcpy(to, s->d.w->x + o->s, sizeof *to * (size_t)k), to += k;
    }
    h.sum = add(none, first, n * sizeof *first);
    memcpy(x, &h, sizeof h);
    *bytes = x, *size = h.size;
    return SN_OK;
}

static sn_status check(const sn_sim *s, const void *bytes, size_t size, sn_err *err)
{
    head h;
    if (!bytes || size < sizeof h)
        return sn_fail(err, SN_ERR_INPUT, NULL, "these bytes are no state of a simulation");
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.what, what, sizeof what))
        return sn_fail(err, SN_ERR_INPUT, NULL, "these bytes are no state of a simulation");
    if (h.version[sizeof h.version - 1] || strcmp(h.version, SN_VERSION))
        return sn_fail(err, SN_ERR_INPUT, NULL, "the state was saved by version %.24s, this is %s", h.version,
                       SN_VERSION);
    if (h.model != model_of(s))
        return sn_fail(err, SN_ERR_INPUT, NULL, "the state is that of another model, or of another scheme");
    if (h.size != size || size != sizeof h + count(s) * sizeof(double) ||
        h.sum != add(none, (const char *)bytes + sizeof h, size - sizeof h))
        return sn_fail(err, SN_ERR_INPUT, NULL, "the bytes of the state are damaged");
    return SN_OK;
}

sn_status sn_sim_load(sn_sim *s, const void *bytes, size_t size, sn_err *err)
{
    SN_TRY(sn_sim_is_kept(s, err));
    SN_TRY(check(s, bytes, size, err));
    const sn_model *m = s->d.m;
    sn_step_size *p = &s->step_size;
    double *x, *from;
    if (!(x = sn_alloc(count(s), sizeof *x))) return SN_OUT_OF_MEM(err);
    memcpy(x, (const char *)bytes + sizeof(head), size - sizeof(head)); /* which may lie anywhere */
    from = x;
    s->d.x->t = *from++, s->d.x->h = *from++;
    sn_state_unpack(m, from, s->d.x);
    from += sn_state_size(m, s->cls->history);
    p->h = from[0], p->wait = (int)from[1], p->smooth_steps = (int)from[2];
    p->log_ideal = from[3], p->h_last = from[4], from += SIZES;
    for (int i = 0; i < sn_input_count(m); i++) {
        const sn_object *o = sn_input_object(m, i);
        int k = ((const sn_signal_class *)o->cls)->given + 1;
        memcpy(s->d.w->x + o->s, from, sizeof *from * (size_t)k), from += k;
    }
    sn_free(x);
    s->info.t = s->d.x->t;
    return sn_sim_fresh(s, err);
}
