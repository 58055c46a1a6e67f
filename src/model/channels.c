/* Channels: the components of all sensors in one row; sizes; version. */
#include "linsol/linsol.h"
#include "model/model.h"
#include "sinew/version.h"

#include <stdio.h>
#include <string.h>

const char *sn_version(void) { return SN_VERSION; }

void sn_release(void *p) { sn_free(p); }

int sn_channel_count(const sn_model *m)
{
    int n = 0;
    for (int i = 0; i < m->sensor.n; i++) n += m->sensor.object[i].ny;
    return n;
}

sn_channel sn_channel_get(const sn_model *m, int channel)
{
    for (int i = 0; channel >= 0 && i < m->sensor.n; channel -= m->sensor.object[i++].ny) {
        const sn_object *o = &m->sensor.object[i];
        if (channel < o->ny) return (sn_channel){o->name, o->component[channel], o->unit[channel]};
    }
    return (sn_channel){NULL, NULL, NULL};
}

static const char *candidate(int i, const void *ctx) { return ((const char *const *)ctx)[i]; }

/* The channel that was perhaps meant, in the arena, or NULL. */
static const char *nearest_channel(const sn_model *m, const char *name, sn_arena *arena)
{
    int n = sn_channel_count(m);
    const char **all = sn_arena_alloc(arena, (size_t)n + 1, sizeof *all);
    for (int i = 0; all && i < n; i++) {
        sn_channel c = sn_channel_get(m, i);
        if (!(all[i] = sn_arena_printf(arena, "%s.%s", c.sensor, c.component))) return NULL;
    }
    return all ? sn_nearest(name, n, candidate, all) : NULL;
}

sn_status sn_channel_find(const sn_model *m, const char *name, int *channel, sn_err *err)
{
    int at = 0;
    for (int i = 0; i < m->sensor.n; at += m->sensor.object[i++].ny) {
        const sn_object *o = &m->sensor.object[i];
        size_t n = strlen(o->name);
        if (strncmp(name, o->name, n) != 0 || (name[n] && name[n] != '.')) continue;
        if (!name[n] && o->ny == 1) return *channel = at, SN_OK;
        for (int k = 0; name[n] && k < o->ny; k++)
            if (!strcmp(name + n + 1, o->component[k])) return *channel = at + k, SN_OK;
        char list[200] = "";
        for (int k = 0; k < o->ny; k++) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s.%s", k ? ", " : "", o->name, o->component[k]);
        }
        return sn_fail(err, SN_ERR_INPUT, NULL, "sensor '%s' gives %s", o->name, list);
    }
    sn_arena arena = {0};
    const char *near = nearest_channel(m, name, &arena);
    sn_status s = sn_fail(err, SN_ERR_INPUT, NULL, "there is no sensor '%s'%s%s%s", name,
                          near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    sn_arena_free(&arena);
    return s;
}

const char *sn_solver_name(int i, const char **doc)
{
    const sn_linsol_class *const *k = sn_linsol_all();
    while (*k && i-- > 0) k++;
    if (*k && doc) *doc = (*k)->doc;
    return *k ? (*k)->name : NULL;
}

void sn_model_sizes(const sn_model *m, sn_sizes *s)
{
    *s = (sn_sizes){.nodes = m->n_node,
                    .elements = m->element.n,
                    .joints = m->joint.n,
                    .signals = m->signal.n,
                    .sensors = m->sensor.n,
                    .nq = m->nq,
                    .nv = m->nv,
                    .m = m->m,
                    .nonzeros = m->nnz,
                    .y = sn_channel_count(m)};
}
