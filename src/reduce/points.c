/* Interfaces and other points of a body by what a person writes. */
#include "reduce/points.h"

#include "reduce/fe_model.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A word without the blanks around it, in the arena */
static char *trimmed(sn_arena *arena, const char *from, size_t n)
{
    while (n && isspace((unsigned char)*from)) from++, n--;
    while (n && isspace((unsigned char)from[n - 1])) n--;
    return sn_arena_strndup(arena, from, n);
}

static sn_status no_nodes(const sn_point_list *l, const char *name, const char *what, sn_err *err)
{
    (void)l;
    return sn_fail(err, SN_ERR_INPUT, NULL, "interface '%s': there is no node %s%s", name,
                   l->mesh || l->fe->named ? "or set " : "", what);
}

/* Nodes of a word: a set, a number, a range 7-12, or the name of a node */
static sn_status add_nodes(const sn_point_list *l, const char *name, const char *word, int *n, int *node,
                           sn_err *err)
{
    char *end;
    if (!l->mesh) {
        const int at = sn_fe_node(l->fe, word),
                  more = at < 0 && l->fe->named ? l->fe->named(l->fe->ctx, word, node + *n) : 0;
        if (at < 0 && !more) return no_nodes(l, name, word, err);
        if (at >= 0)
            node[(*n)++] = at;
        else
            *n += more;
        return SN_OK;
    }
    for (int i = 0; i < l->mesh->n_set; i++)
        if (!strcasecmp(l->mesh->set[i].name, word)) {
            memcpy(node + *n, l->mesh->set[i].node, sizeof *node * (size_t)l->mesh->set[i].n);
            *n += l->mesh->set[i].n;
            return SN_OK;
        }
    long from = strtol(word, &end, 10), to = from;
    if (end == word) return no_nodes(l, name, word, err);
    if (*end == '-') to = strtol(end + 1, &end, 10);
    if (*end || from < 0 || to < from || to > INT_MAX) return no_nodes(l, name, word, err);
    for (long id = from; id <= to; id++) {
        const int at = sn_fe_mesh_find(l->mesh, (int)id);
        if (at < 0) return no_nodes(l, name, word, err);
        if (*n >= 2 * l->fe->n_node) break;
        node[(*n)++] = at;
    }
    return SN_OK;
}

/* The middle of the box around the nodes: of a bore its centre, however it is meshed */
static void middle(const sn_fe_body *fe, sn_fe_point *p)
{
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < p->n; i++)
            low = fmin(low, fe->X[3 * p->node[i] + k]), high = fmax(high, fe->X[3 * p->node[i] + k]);
        p->X[k] = p->n ? 0.5 * (low + high) : 0;
    }
}

static int is_place_of(const char *place, const char *name)
{
    const size_t n = strlen(name);
    return !strncmp(place, name, n) && place[n + strspn(place + n, " ")] == '=';
}

static sn_status given_place(const sn_point_list *l, sn_fe_point *p, sn_err *err)
{
    for (int i = 0; i < l->n_place; i++) {
        if (!is_place_of(l->place[i], p->name)) continue;
        char *at = strchr(l->place[i], '=') + 1;
        for (int k = 0; k < 3; k++)
            if (!sn_lines_number(&at, &p->X[k]))
                return sn_fail(err, SN_ERR_INPUT, NULL, "the place '%s' is not NAME=X,Y,Z in metres",
                               l->place[i]);
        if (at[strspn(at, " ")] || !isfinite(p->X[0] + p->X[1] + p->X[2]))
            return sn_fail(err, SN_ERR_INPUT, NULL, "the place '%s' is not three numbers", l->place[i]);
    }
    return SN_OK;
}

static int ascending(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static sn_status add_point(sn_point_list *l, const char *name, const char *nodes, sn_err *err)
{
    sn_fe_point *p = &l->point[l->n];
    int room = 5 * l->fe->n_node + 5, n = 0, *node = sn_arena_alloc(l->arena, (size_t)room, sizeof *node);
    if (!node) return SN_OUT_OF_MEM(err);
    for (const char *at = nodes; at;) {
        const size_t length = strcspn(at, "+");
        const char *word = trimmed(l->arena, at, length);
        if (!word) return SN_OUT_OF_MEM(err);
        SN_TRY(add_nodes(l, name, word, &n, node, err));
        if (n > 2 * l->fe->n_node) break;
        at = at[length] ? at + length + 1 : NULL;
    }
    qsort(node, (size_t)n, sizeof *node, ascending);
    *p = (sn_fe_point){.name = name, .node = node};
    for (int i = 0; i < n; i++)
        if (!p->n || node[p->n - 1] != node[i]) node[p->n++] = node[i];
    for (int i = 0; i < l->n; i++)
        if (!strcmp(l->point[i].name, name))
            return sn_fail(err, SN_ERR_INPUT, NULL, "interface '%s' comes twice", name);
    middle(l->fe, p);
    l->n++;
    return given_place(l, p, err);
}

sn_status sn_points_read(sn_point_list *l, const char *text, sn_err *err)
{
    if (!l->point && !(l->point = sn_arena_alloc(l->arena, SN_MOST_POINTS, sizeof *l->point)))
        return SN_OUT_OF_MEM(err);
    while (text) {
        const size_t n = strcspn(text, ",");
        char *word = trimmed(l->arena, text, n), *equal = word ? strchr(word, '=') : NULL;
        if (!word) return SN_OUT_OF_MEM(err);
        const char *name = equal ? trimmed(l->arena, word, (size_t)(equal - word)) : word;
        if (!name) return SN_OUT_OF_MEM(err);
        if (!name[0]) return sn_fail(err, SN_ERR_INPUT, NULL, "an interface has no name in '%s'", text);
        if (l->n == SN_MOST_POINTS)
            return sn_fail(err, SN_ERR_INPUT, NULL, "there are more than %d points", SN_MOST_POINTS);
        SN_TRY(add_point(l, name, equal ? equal + 1 : word, err));
        text = text[n] ? text + n + 1 : NULL;
    }
    return SN_OK;
}

sn_status sn_points_placed(const sn_point_list *l, sn_err *err)
{
    for (int i = 0; i < l->n_place; i++) {
        int found = 0;
        for (int k = 0; k < l->n; k++) found |= is_place_of(l->place[i], l->point[k].name);
        if (!found)
            return sn_fail(err, SN_ERR_INPUT, NULL, "the place '%s' is that of no interface", l->place[i]);
    }
    return SN_OK;
}
