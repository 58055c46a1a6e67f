/* Courses: measured values that signals follow (see sn_course in model.h). The kind is the first of the
   signals that a file can fill: its first slot holds times, its second values. */
#include "model/registry.h"
#include "model/values.h"

#include <stdio.h>
#include <string.h>

static const sn_signal_class *kind_of_files(void)
{
    for (const void *const *k = sn_family_all(SN_FAMILY_SIGNAL); *k; k++)
        if (((const sn_signal_class *)*k)->args.what & SN_ARG_FILE) return *k;
    return NULL;
}

/* The number of a word among "linear|cubic", or -1. */
static int choice_of(const char *choices, const char *word)
{
    size_t n = strlen(word);
    for (int i = 0; choices; i++) {
        const char *end = strchr(choices, '|');
        size_t length = end ? (size_t)(end - choices) : strlen(choices);
        if (n == length && !strncmp(choices, word, n)) return i;
        choices = end ? end + 1 : NULL;
    }
    return -1;
}

static sn_status choose(const sn_signal_class *cls, const char *interpolation, int *opt, sn_err *err)
{
    for (int k = 0; cls->options && cls->options[k].name; k++) {
        const sn_option *o = &cls->options[k];
        opt[k] = o->def;
        if (!interpolation || strcmp(o->name, "interpolation") != 0) continue;
        opt[k] = choice_of(o->choices, interpolation);
        if (opt[k] < 0)
            return sn_fail(err, SN_ERR_INPUT, NULL, "interpolation '%s' is none of %s", interpolation,
                           o->choices);
    }
    return SN_OK;
}

sn_status sn_course_new(sn_arena *arena, int n, const double *t, const double *y, const char *interpolation,
                        const sn_course **out, sn_err *err)
{
    enum { OPTIONS = 16 };
    const sn_signal_class *cls = kind_of_files();
    sn_course *c = sn_arena_alloc(arena, 1, sizeof *c);
    double *s = sn_arena_alloc(arena, 2 * (size_t)n + 1, sizeof *s);
    int *opt = sn_arena_alloc(arena, OPTIONS, sizeof *opt), count[2] = {n, n};
    *out = NULL;
    if (!c || !s || !opt) return SN_OUT_OF_MEM(err);
    SN_TRY(choose(cls, interpolation, opt, err));
    memcpy(s, t, sizeof *s * (size_t)n), memcpy(s + n, y, sizeof *s * (size_t)n);
    sn_layout l = {.ns = 2 * n, .slot_n = count, .opt = opt};
    SN_TRY(cls->layout(&l, err));
    double *constants = sn_arena_alloc(arena, (size_t)l.nc + 1, sizeof *constants);
    if (!constants) return SN_OUT_OF_MEM(err);
    *c = (sn_course){.cls = cls, .in = {.s = s, .c = constants, .opt = opt, .ns = 2 * n, .nc = l.nc}};
    if (cls->prepare) SN_TRY(cls->prepare(&c->in, constants, err));
    *out = c;
    return SN_OK;
}

void sn_values_follow(sn_values *p, int signal, const sn_course *course) { p->course[signal] = course; }
