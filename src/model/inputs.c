/* Inputs: the signals that a program gives while it simulates, in the order of the file. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

static int is_input(const sn_object *o) { return ((const sn_signal_class *)o->cls)->given > 0; }

int sn_input_count(const sn_model *m)
{
    int n = 0;
    for (int i = 0; i < m->signal.n; i++) n += is_input(&m->signal.object[i]);
    return n;
}

const sn_object *sn_input_object(const sn_model *m, int input)
{
    for (int i = 0; i < m->signal.n; i++)
        if (is_input(&m->signal.object[i]) && input-- == 0) return &m->signal.object[i];
    return NULL;
}

const char *sn_input_name(const sn_model *m, int input)
{
    const sn_object *o = sn_input_object(m, input);
    return o ? o->name : NULL;
}

static const char *name_of(int i, const void *ctx) { return sn_input_name(ctx, i); }

sn_status sn_input_find(const sn_model *m, const char *name, int *input, sn_err *err)
{
    int n = sn_input_count(m);
    for (*input = 0; *input < n; ++*input)
        if (!strcmp(sn_input_name(m, *input), name)) return SN_OK;
    *input = -1;
    if (!n) return sn_fail(err, SN_ERR_INPUT, NULL, "the model has no input '%s': it has none at all", name);
    const char *near = sn_nearest(name, n, name_of, m);
    return sn_fail(err, SN_ERR_INPUT, NULL, "the model has no input '%s'%s%s%s", name,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}
