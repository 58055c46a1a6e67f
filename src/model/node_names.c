/* Nodes of a compiled model by the names that a file can use for them, sets too. */
#include "model/compile.h"
#include "model/surfaces.h"

#include <string.h>

/* Edge k of an element that is divided, from 0: its nodes one after the other */
static int of_edge(const sn_entry *e, int k, int *list)
{
    const int n = e->divided[0], m = e->divided[1], triangle = m == 0, along = triangle || k % 2 == 0 ? n : m;
    if (!e->grid || k < 0 || k > (triangle ? 2 : 3)) return 0;
    for (int i = 0; i <= along; i++) {
        const int four[4][2] = {{i, 0}, {n, i}, {n - i, m}, {0, m - i}},
                  three[3][2] = {{i, 0}, {n - i, i}, {0, n - i}};
        const int *at = triangle ? three[k % 3] : four[k];
        list[i] = sn_mesh_node(e, at[0], at[1]);
    }
    return along + 1;
}

static int of_surface(const sn_surface *s, const char *rest, int *list)
{
    const sn_mesh_set *set = sn_surface_set(s, rest);
    const char *end;
    if (!set) {
        list[0] = sn_surface_named(s, rest, &end);
        return list[0] >= 0 && !*end && (s->id || strchr(rest, '_'));
    }
    for (int i = 0; i < set->n_node; i++)
        if ((list[i] = s->node[set->node[i]]) < 0) return 0; /* of no element */
    return set->n_node;
}

static const sn_entry *entry_of(const sn_model *m, int section, const char *name, size_t n)
{
    for (int i = 0; i < m->n_entry[section]; i++) {
        const sn_entry *e = &m->entry[section][i];
        if (strlen(e->name) == n && !strncmp(e->name, name, n)) return e;
    }
    return NULL;
}

int sn_model_nodes(const sn_model *m, const char *name, int *list)
{
    const char *dot = strchr(name, '.'), *rest;
    for (int i = 0; i < m->n_node; i++)
        if (!strcmp(m->node[i].name, name)) return list[0] = i, 1;
    if (!dot) return 0;
    const sn_entry *mesh = entry_of(m, SN_SEC_MESHES, name, (size_t)(dot - name)),
                   *e = entry_of(m, SN_SEC_ELEMENTS, name, (size_t)(dot - name));
    if (mesh && mesh->surface) return of_surface(mesh->surface, dot + 1, list);
    if (!e) return 0;
    if (!strncmp(dot, ".edge", 5) && dot[5] && !dot[6]) return of_edge(e, dot[5] - '1', list);
    list[0] = sn_mesh_node_named(e, dot + 1, &rest);
    return list[0] >= 0 && !*rest && (!e->grid || strchr(dot, '_'));
}
