/* Objects: instances of elements, joints, signals and sensors with their nodes, sizes and gather maps. */
#include "model/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a view begins among a node's coordinates. */
static int view_begin(const sn_node *n, unsigned view) { return view ? sn_node_view(n, view)->v : 0; }

sn_status sn_layout_has_room(const sn_layout *l, int n, sn_err *err)
{
    (void)l;
    if (n <= SN_MAX_COMPONENTS) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, NULL, "has %d components or equations, the most are %d", n,
                   SN_MAX_COMPONENTS);
}

/* What the kind has answered is within what the program is made for. */
static sn_status check_layout(const sn_layout *l, sn_err *err)
{
    int names = l->m > l->ny ? l->m : l->ny;
    if (l->m < 0 || l->ny < 0 || l->nc < 0)
        return sn_fail(err, SN_ERR_INPUT, NULL, "its layout has a negative size");
    if (l->m > SN_MAX_EQUATIONS)
        return sn_fail(err, SN_ERR_INPUT, NULL, "has %d equations, the most are %d", l->m, SN_MAX_EQUATIONS);
    SN_TRY(sn_layout_has_room(l, names, err));
    if (l->nv + l->m > SN_MAX_COORDINATES)
        return sn_fail(err, SN_ERR_INPUT, NULL, "has %d coordinates and equations, the most are %d",
                       l->nv + l->m, SN_MAX_COORDINATES);
    if (l->m < SN_MAX_EQUATIONS && l->velocity >> l->m)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "its layout has more velocity-level equations than equations");
    if (l->vector && l->m < l->dim)
        return sn_fail(err, SN_ERR_INPUT, NULL, "its layout has a vector of more components than equations");
    for (int i = 0; i < names; i++)
        if (!l->component[i])
            return sn_fail(err, SN_ERR_INPUT, NULL, "its layout gives no name to component %d of %d", i + 1,
                           names);
    return SN_OK;
}

/* Names of components or equations, shared with the object before: of the same kind, often. */
static sn_status keep_names(sn_compiler *c, const sn_family *f, sn_object *o, sn_layout *l)
{
    const sn_object *last = o > f->object ? o - 1 : NULL;
    int n = l->m > l->ny ? l->m : l->ny;
    size_t size = sizeof *l->component * (size_t)n;
    if (!n) return SN_OK;
    for (int i = 0; i < n; i++)
        if (!l->unit[i]) l->unit[i] = "";
    if (last && last->cls == o->cls && last->component && last->m == l->m && last->ny == l->ny &&
        !memcmp(last->component, l->component, size) && !memcmp(last->unit, l->unit, size)) {
        o->component = last->component;
        o->unit = last->unit;
        return SN_OK;
    }
    const char **names = sn_arena_alloc(&c->m->arena, 2 * (size_t)n, sizeof *names);
    if (!names) return SN_OUT_OF_MEM(c->err);
    memcpy(names, l->component, size);
    memcpy(names + n, l->unit, size);
    o->component = names;
    o->unit = names + n;
    return SN_OK;
}

/* Let the kind lay itself out. */
static sn_status lay_out(sn_compiler *c, const sn_family *f, sn_object *o, const sn_entry *e,
                         sn_status (*layout)(sn_layout *, sn_err *), sn_layout *l)
{
    const sn_node *first = o->nn ? &c->m->node[o->node[0]] : NULL;
    int view = o->nn ? view_begin(first, o->view[0]) : 0;
    *l = (sn_layout){.nn = o->nn,
                     .nq = o->nq,
                     .nv = o->nv,
                     .ns = o->ns,
                     .dim = o->dim,
                     .order = 2,
                     .off = o->off,
                     .offv = o->offv,
                     .view = o->view,
                     .coord = o->coord,
                     .coord_name = first ? first->coord + view : NULL,
                     .coord_unit = first ? first->unit + view : NULL,
                     .opt = e->opt,
                     .slot_n = e->slot_n,
                     .block = e->block};
    for (int i = 0; i < o->nn; i++)
        if (c->m->node[o->node[i]].cls->order == 1) l->order = 1;
    int before = c->err->count;
    sn_status s = layout ? layout(l, c->err) : SN_OK;
    if (!s) s = check_layout(l, c->err);
    if (s && c->err->count == before) sn_fail(c->err, s, NULL, "its layout refuses it and does not say why");
    if (s) { /* the kind knows neither place nor name */
        sn_err_prefix(c->err, before, "%s '%s'", sn_entry_kind(0, e->cls), e->name);
        sn_err_place(c->err, before, &e->item->key_mark);
        return s;
    }
    SN_TRY(keep_names(c, f, o, l));
    o->nc = l->nc;
    o->m = l->m;
    o->ny = l->ny;
    o->velocity = l->velocity;
    o->vector = l->vector;
    return SN_OK;
}

static sn_object blank(const sn_entry *e, int index)
{
    return (sn_object){.cls = e->cls,
                       .name = e->name,
                       .entry = index,
                       .host = -1,
                       .target = -1,
                       .eq = -1,
                       .ns = e->n,
                       .s = e->first,
                       .opt = e->opt,
                       .slot_n = e->slot_n,
                       .block = e->block,
                       .mark = e->item->key_mark};
}

/* The slots of piece k: its own in a tapered entry. */
static int piece_slots(const sn_entry *e, int k)
{
    return e->piece_n ? e->piece_first + k * e->piece_n : e->first;
}

static void place_values(sn_model *m, sn_object *o)
{
    o->c = m->nc;
    o->x = m->nX;
    m->nc += o->nc;
    m->nX += o->nq;
    if (o->nq > m->max_q) m->max_q = o->nq;
    if (o->nv > m->max_v) m->max_v = o->nv;
    if (o->m > m->max_m) m->max_m = o->m;
    if (o->ny > m->max_y) m->max_y = o->ny;
}

/* ---- elements ---- */

static sn_status make_element(sn_compiler *c, int index)
{
    sn_model *m = c->m;
    sn_entry *e = &m->entry[SN_SEC_ELEMENTS][index];
    const sn_element_class *cls = e->cls;
    int node[SN_MAX_NODES], coord[SN_MAX_NODES], piece[SN_MAX_NODES];
    e->object = m->element.n;
    if (!cls || e->set_n || sn_is_load(c, e)) return SN_OK;
    if (!e->corner && sn_on_mesh(c, e) >= 0) return SN_ERR_INPUT; /* reported */
    int n = e->corner ? sn_shape_corners(sn_element_mesh(cls))
                      : sn_resolve_nodes(c, SN_SEC_ELEMENTS, e, node, coord),
        inner = 0;
    for (int i = 0; e->corner && i < n; i++) coord[i] = -1;
    if (n < 0) return SN_ERR_INPUT;
    if (cls->tie) n = 0;
    if (cls->inner) inner = sn_inner_nodes(c, e, node + n);
    for (int i = 0; i < inner; i++) coord[n++] = -1;
    for (int k = 0; k < e->pieces; k++) {
        sn_object *o = &m->element.object[m->element.n];
        sn_layout l;
        memcpy(piece, node, sizeof piece);
        if (e->pieces > 1 || e->corner) sn_mesh_piece(e, k, node, piece);
        *o = blank(e, index);
        o->piece = k;
        o->inner = inner;
        o->s = piece_slots(e, k);
        SN_TRY(sn_fill_nodes(c, &m->element, o, &cls->args, n, piece, coord));
        SN_TRY(lay_out(c, &m->element, o, e, cls->layout, &l));
        place_values(m, o);
        m->element.n++;
    }
    return SN_OK;
}

/* Whether the load kind acts on the nodes of an element's pieces by itself. */
static int is_of_nodes(const sn_element_class *load)
{
    return load->load && load->load->slot == SN_LOAD_OF_NODES;
}

/* What a load is put on can carry it. */
static sn_status carries(sn_compiler *c, const sn_entry *e, const sn_entry *host, const sn_item *item)
{
    const sn_element_class *cls = host->cls, *load = e->cls;
    if (!is_of_nodes(load)) {
        if (cls->distribute && load->load) return SN_OK;
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s' cannot carry a load along its length",
                       cls->name, host->name);
    }
    int corners = cls->geometry && !cls->tie ? sn_shape_corners(cls->geometry->shape) : 0;
    if (corners >= load->args.min && corners <= load->args.max) return SN_OK;
    return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s' is no surface that could carry a %s",
                   cls->name, host->name, load->name);
}

/* A load spread over an element: one object on each piece of its host. */
static sn_status make_load(sn_compiler *c, int index)
{
    sn_model *m = c->m;
    sn_entry *e = &m->entry[SN_SEC_ELEMENTS][index];
    if (!e->cls || !sn_is_load(c, e)) return SN_OK;
    const sn_item *item = sn_arg_item(e, 0);
    const sn_entry *host = &m->entry[SN_SEC_ELEMENTS][sn_element_named(c, e, item)];
    const sn_element_class *cls = host->cls;
    if (!cls) return SN_OK;
    e->object = m->element.n;
    SN_TRY(carries(c, e, host, item));
    e->pieces = host->pieces;
    for (int k = 0; k < host->pieces; k++) {
        sn_object *o = &m->element.object[m->element.n];
        const sn_object *h = &m->element.object[host->object + k];
        *o = blank(e, index);
        o->piece = k;
        o->s = piece_slots(e, k);
        if (is_of_nodes(e->cls)) {
            sn_layout l;
            const sn_element_class *load = e->cls;
            SN_TRY(sn_fill_nodes(c, &m->element, o, &load->args, sn_shape_corners(cls->geometry->shape),
                                 h->node, NULL));
            SN_TRY(lay_out(c, &m->element, o, e, load->layout, &l));
        } else {
            o->host = host->object + k;
            SN_TRY(sn_fill_nodes(c, &m->element, o, &cls->args, h->nn, h->node, NULL));
        }
        place_values(m, o);
        m->element.n++;
    }
    return SN_OK;
}

/* How many element objects there will be: pieces of meshes, and of the hosts of loads. */
static sn_status count_elements(sn_compiler *c, size_t *total)
{
    sn_model *m = c->m;
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) {
        const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][i];
        if (!e->cls) continue;
        int host = sn_is_load(c, e) ? sn_element_named(c, e, sn_arg_item(e, 0)) : i;
        *total += (size_t)m->entry[SN_SEC_ELEMENTS][host].pieces;
        if (*total > SN_MAX_ELEMENTS)
            return sn_fail(c->err, SN_ERR_INPUT, &e->item->key_mark,
                           "the model has more than %d elements, pieces of meshes and loads on them included",
                           SN_MAX_ELEMENTS);
    }
    return SN_OK;
}

static sn_status elements(sn_compiler *c)
{
    sn_model *m = c->m;
    size_t total = 0;
    SN_TRY(count_elements(c, &total));
    m->element.object = sn_arena_alloc(&m->arena, total + 1, sizeof(sn_object));
    if (!m->element.object) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) SN_MUST(make_element(c, i));
    if (c->err->count) return SN_ERR_INPUT; /* loads need their hosts */
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) SN_MUST(make_load(c, i));
    return SN_OK;
}

/* ---- joints, signals ---- */

static sn_status joints(sn_compiler *c)
{
    sn_model *m = c->m;
    int n = m->n_entry[SN_SEC_JOINTS], node[SN_MAX_NODES], coord[SN_MAX_NODES];
    m->joint.object = sn_arena_alloc(&m->arena, (size_t)n + 1, sizeof(sn_object));
    if (!m->joint.object) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < n; i++) {
        sn_entry *e = &m->entry[SN_SEC_JOINTS][i];
        const sn_joint_class *cls = e->cls;
        sn_layout l;
        int nn = cls && !e->set_n ? sn_resolve_nodes(c, SN_SEC_JOINTS, e, node, coord) : -1;
        if (nn < 0) continue;
        if (sn_choose_coords(c, SN_SEC_JOINTS, e, node[0])) continue;
        sn_object *o = &m->joint.object[m->joint.n];
        *o = blank(e, i);
        SN_TRY(sn_fill_nodes(c, &m->joint, o, &cls->args, nn, node, coord));
        SN_MUST(lay_out(c, &m->joint, o, e, cls->layout, &l));
        e->object = m->joint.n++;
        o->eq = m->m;
        m->m += o->m;
        place_values(m, o);
    }
    m->velocity = sn_arena_alloc(&m->arena, (size_t)m->m + 1, 1);
    if (!m->velocity) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < m->joint.n; i++)
        for (int k = 0; k < m->joint.object[i].m; k++)
            m->velocity[m->joint.object[i].eq + k] = (m->joint.object[i].velocity >> k) & 1u;
    return SN_OK;
}

static sn_status signals(sn_compiler *c)
{
    sn_model *m = c->m;
    int n = m->n_entry[SN_SEC_SIGNALS];
    m->signal.object = sn_arena_alloc(&m->arena, (size_t)n + 1, sizeof(sn_object));
    if (!m->signal.object) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < n; i++) {
        sn_entry *e = &m->entry[SN_SEC_SIGNALS][i];
        sn_layout l;
        if (!e->cls) continue;
        sn_object *o = &m->signal.object[i];
        *o = blank(e, i);
        SN_MUST(lay_out(c, &m->signal, o, e, ((const sn_signal_class *)e->cls)->layout, &l));
        e->object = i;
        place_values(m, o);
    }
    m->signal.n = n;
    return SN_OK;
}

/* ---- sensors ---- */

static int output_group(const sn_element_class *cls, const char *name)
{
    for (int i = 0; cls->outputs && cls->outputs[i].name; i++)
        if (!strcmp(cls->outputs[i].name, name)) return i;
    return -1;
}

static const sn_mark *option_mark(const sn_entry *e, const char *key)
{
    const sn_item *k = sn_item_get(e->item, key);
    return k ? &k->mark : &e->item->mark;
}

/* The object that a sensor of an element entry looks at, and its end: for a mesh the piece at that end or
   corner, unless another is named. Without an end a line has its second, a surface its middle, which the kind
   calls end 0. */
static sn_status sensor_end(sn_compiler *c, const sn_entry *e, const sn_entry *t, int end, int piece,
                            sn_object *o)
{
    const sn_object *of = &c->m->element.object[t->object];
    int nodes = of->nn - of->inner, most = nodes > 2 ? nodes : 2;
    if (end < 0 || end > most)
        return most > 2 ? sn_fail(c->err, SN_ERR_INPUT, option_mark(e, "end"),
                                  "'end' is one of its nodes, 1 to %d", most)
                        : sn_fail(c->err, SN_ERR_INPUT, option_mark(e, "end"), "'end' is 1 or 2");
    const int pieces = sn_mesh_written(t);
    if (piece < 0 || piece > pieces)
        return sn_fail(c->err, SN_ERR_INPUT, option_mark(e, "piece"), "'%s' has %d pieces", t->name, pieces);
    if (most > 2 && !piece && pieces > 1 && (!end || t->corner))
        return sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "'%s' has %d pieces: say which 'piece'%s",
                       t->name, pieces, t->corner ? "" : ", or at which corner ('end')");
    o->end = end || most > 2 ? end : 2;
    int part = piece || (most > 2 && !end) ? sn_mesh_part(t, piece ? piece - 1 : 0, o->end)
               : t->pieces > 1             ? sn_mesh_end(t, o->end)
                                           : 0;
    if (part < 0)
        return sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark,
                       "'%s' measures a place in a piece of '%s' that a finer mesh does not have", e->name,
                       t->name);
    o->target = t->object + part;
    return SN_OK;
}

static const char *place_name(int i, const void *ctx)
{
    const sn_entry *t = ctx;
    return ((const sn_element_class *)t->cls)->places->name(t->block, i);
}

/* A sensor of an output at a place of the element's block, which it names. */
static sn_status place_sensor(sn_compiler *c, const sn_entry *e, const sn_entry *t, const char *key,
                              sn_object *o)
{
    const sn_element_class *k = t->cls;
    const sn_output_places *p = k->places;
    const sn_item *word = sn_item_get(e->item, key);
    int n = p && t->block ? p->count(t->block) : 0, i = 0;
    if (!n)
        return sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "%s '%s' has no places where that is known",
                       k->name, t->name);
    if (!word || word->type != SN_ITEM_SCALAR)
        return sn_fail(c->err, SN_ERR_INPUT, word ? &word->mark : &e->item->key_mark,
                       "'%s' says where: one of the %d places of '%s', the first of which is '%s'", key, n,
                       t->name, p->name(t->block, 0));
    while (i < n && strcmp(p->name(t->block, i), word->text) != 0) i++;
    if (i == n) {
        const char *near = sn_nearest(word->text, n, place_name, t);
        return sn_fail(c->err, SN_ERR_INPUT, &word->mark, "'%s' has no place '%s'%s%s%s", t->name, word->text,
                       near ? " (did you mean '" : " (the first is '", near ? near : p->name(t->block, 0),
                       near ? "'?)" : "')");
    }
    o->target = t->object, o->output = p->output, o->end = i + 1;
    o->ny = p->components(t->block, &o->component, &o->unit);
    return SN_OK;
}

/* The item that a sensor of "plies.stress" means by its option `key`; 0: reported. */
static int item_asked(sn_compiler *c, const sn_entry *e, const sn_entry *t, const char *output,
                      const char *key)
{
    const sn_item *word = sn_item_get(e->item, key);
    size_t list = strcspn(output, ".");
    int n = 0;
    char *end = NULL;
    for (int k = 0; t->slots[k].name; k++)
        if (!strncmp(t->slots[k].name, output, list + 1)) n = t->slot_n[k];
    if (n < 1) n = 1;
    long i = !word && n == 1 ? 1 : word && word->type == SN_ITEM_SCALAR ? strtol(word->text, &end, 10) : 0;
    if (i >= 1 && i <= n && !(end && *end)) return (int)i;
    sn_fail(c->err, SN_ERR_INPUT, word ? &word->mark : &e->item->key_mark,
            "'%s' says which of the %d %.*s of '%s', 1 to %d", key, n, (int)list, output, t->name, n);
    return 0;
}

/* A sensor of an element's output. */
static sn_status element_sensor(sn_compiler *c, const sn_entry *e, sn_object *o)
{
    sn_model *m = c->m;
    const sn_sensor_class *cls = e->cls;
    const sn_entry *t = &m->entry[SN_SEC_ELEMENTS][o->target];
    const sn_element_class *k = t->cls;
    if (!k || t->object < 0) return SN_ERR_INPUT; /* reported where the element is made */
    int axes = 0, end = 0, piece = 0, item = 0;
    for (int i = 0; cls->options && cls->options[i].name; i++) {
        if (!strcmp(cls->options[i].choices, "@place")) return place_sensor(c, e, t, cls->options[i].name, o);
        if (!strcmp(cls->options[i].choices, "@item") && output_group(k, cls->output) >= 0 &&
            !(item = item_asked(c, e, t, cls->output, cls->options[i].name)))
            return SN_ERR_INPUT;
        if (!strcmp(cls->options[i].name, "axes")) axes = e->opt[i];
        if (!strcmp(cls->options[i].name, "end")) end = e->opt[i];
        if (!strcmp(cls->options[i].name, "piece")) piece = e->opt[i];
    }
    const char *name = axes && cls->output_local ? cls->output_local : cls->output;
    int g = output_group(k, name);
    if (g < 0)
        return sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "%s '%s' has no '%s' to measure", k->name,
                       t->name, name);
    SN_TRY(sensor_end(c, e, t, end, piece, o));
    if (item) o->end += (m->element.object[o->target].nn + 1) * (item - 1);
    o->output = g;
    o->ny = k->outputs[g].n;
    o->component = k->outputs[g].component;
    o->unit = k->outputs[g].unit;
    return SN_OK;
}

/* Names of the moments on a node's rotations. */
static const char *const *moments(int dim)
{
    static const char *const plane[] = {"torque"}, *const space[] = {"mx", "my", "mz"};
    return dim == 3 ? space : plane;
}

static sn_status reaction_sensor(sn_compiler *c, const sn_entry *e, sn_object *o)
{
    sn_model *m = c->m;
    const sn_entry *joint = &m->entry[SN_SEC_JOINTS][o->target];
    if (joint->set_n > 0) o->n_target = joint->set_n, joint = &m->entry[SN_SEC_JOINTS][joint->set_first];
    o->target = joint->object;
    if (o->target < 0) return SN_ERR_INPUT; /* reported where the joint is made */
    const sn_object *j = &m->joint.object[o->target];
    int which = e->opt[0];
    if (which < 0 || which > j->nn)
        return sn_fail(c->err, SN_ERR_INPUT, option_mark(e, "node"), "joint '%s' has %d node%s", j->name,
                       j->nn, j->nn == 1 ? "" : "s");
    o->end = which ? which - 1 : j->nn - 1;
    const sn_node *k = &m->node[j->node[o->end]];
    int from = view_begin(k, j->view[o->end]), n = j->offv[o->end + 1] - j->offv[o->end];
    o->ny = n;
    o->output = e->opt[1]; /* in which axes */
    if (o->n_target) {     /* moments about different points have no sum, and neither have turned forces */
        if (e->opt[1])
            return sn_fail(c->err, SN_ERR_INPUT, option_mark(e, "axes"),
                           "'%s' holds a set of nodes: the sum of its forces is in global axes",
                           sn_arg_item(e, 0)->text);
        o->ny = n = k->cls->dim;
    }
    const char **names = sn_arena_alloc(&m->arena, 2 * (size_t)n + 1, sizeof *names);
    if (!names) return SN_OUT_OF_MEM(c->err);
    const char *const *moment = moments(k->cls->dim);
    int turn = j->place[o->end].R_v - j->offv[o->end], turns = k->cls->dim == 3 ? 3 : 1;
    for (int i = 0; i < n; i++) {
        names[i] = j->place[o->end].R_v >= 0 && i >= turn && i < turn + turns
                       ? moment[i - turn]
                       : sn_arena_printf(&m->arena, "f%s", k->coord[from + i]);
        names[n + i] = !strcmp(k->unit[from + i], "m") ? "N" : "N*m";
        if (!names[i]) return SN_OUT_OF_MEM(c->err);
    }
    o->component = names;
    o->unit = names + n;
    return SN_OK;
}

/* What the one equation of a joint is measured in: its own unit, or that of the coordinate it holds. */
static sn_status multiplier_sensor(sn_compiler *c, const sn_entry *e, sn_object *o)
{
    static const char *const force[] = {"force", "N"}, *const torque[] = {"torque", "N*m"},
                             *const other[] = {"effort", "1"};
    sn_model *m = c->m;
    o->target = m->entry[SN_SEC_JOINTS][o->target].object;
    if (o->target < 0) return SN_ERR_INPUT; /* reported where the joint is made */
    const sn_object *j = &m->joint.object[o->target];
    const char *unit = j->unit[0];
    if (j->m != 1)
        return sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark,
                       "joint '%s' has %d equations, and no force of its own: a 'reaction' tells its forces",
                       j->name, j->m);
    const int last = j->nn - 1;
    if (j->coord && j->coord[last] >= 0)
        unit = m->node[j->node[last]]
                   .unit[view_begin(&m->node[j->node[last]], j->view[last]) + j->coord[last] - j->offv[last]];
    const char *const *of = !strcmp(unit, "rad") ? torque : !strcmp(unit, "m") ? force : other;
    o->component = of, o->unit = of + 1;
    o->ny = 1;
    return SN_OK;
}

/* Numbers of a sensor that the program computes itself; 0: the kind says. */
static int given_numbers(const sn_model *m, sn_source source)
{
    switch (source) {
    case SN_FROM_ENERGY:
        return 3;
    case SN_FROM_MOMENTUM:
        return m->dim == 3 ? 6 : 3;
    case SN_FROM_VIOLATION:
        return 1;
    default:
        return 0;
    }
}

/* Energies and momenta follow from the energy of the kinds: without one they would be silently too small. */
static sn_status has_energy(sn_compiler *c, const sn_entry *e, int target)
{
    sn_source source = ((const sn_sensor_class *)e->cls)->source;
    if (source != SN_FROM_ENERGY && source != SN_FROM_MOMENTUM) return SN_OK;
    for (int i = 0; i < c->m->n_entry[SN_SEC_ELEMENTS]; i++) {
        const sn_entry *of = &c->m->entry[SN_SEC_ELEMENTS][i];
        const sn_element_class *cls = of->cls;
        if (!cls || cls->energy || (target < 0 ? !(cls->flags & SN_USES_A) : i != target)) continue;
        return sn_fail(c->err, SN_ERR_INPUT, e->arg ? &e->arg->mark : &e->item->key_mark,
                       "%s '%s' has no energy%s", cls->name, of->name,
                       target < 0 ? ", so that of all is not known" : "");
    }
    return SN_OK;
}

static sn_status make_sensor(sn_compiler *c, int index)
{
    sn_model *m = c->m;
    sn_entry *e = &m->entry[SN_SEC_SENSORS][index];
    const sn_sensor_class *cls = e->cls;
    sn_object *o = &m->sensor.object[m->sensor.n];
    int node[SN_MAX_NODES], coord[SN_MAX_NODES], nn;
    sn_layout l;
    *o = blank(e, index);
    SN_TRY(sn_sensor_target(c, e, node, coord, &nn, &o->target));
    SN_TRY(has_energy(c, e, o->target));
    SN_TRY(sn_fill_nodes(c, &m->sensor, o, &cls->args, nn, node, coord));
    if (cls->source != SN_FROM_NODES) o->dim = m->dim;
    SN_TRY(lay_out(c, &m->sensor, o, e, cls->layout, &l));
    int ny = given_numbers(m, cls->source);
    if (ny && o->ny != ny)
        return sn_fail(c->err, SN_ERR_INPUT, &e->item->key_mark,
                       "%s '%s': its layout has %d components, not %d", cls->name, e->name, o->ny, ny);
    if (cls->source == SN_FROM_ELEMENT) SN_TRY(element_sensor(c, e, o));
    if (cls->source == SN_FROM_REACTION) SN_TRY(reaction_sensor(c, e, o));
    if (cls->source == SN_FROM_MULTIPLIER) SN_TRY(multiplier_sensor(c, e, o));
    o->turned = m->n_turning;
    for (unsigned turns = cls->turns; turns; turns >>= 1) m->n_turning += (int)(turns & 1);
    if (cls->source == SN_FROM_VIOLATION && o->target >= 0)
        o->target = m->entry[SN_SEC_JOINTS][o->target].object;
    e->object = m->sensor.n++;
    place_values(m, o);
    return SN_OK;
}

sn_status sn_compile_objects(sn_compiler *c)
{
    sn_model *m = c->m;
    SN_MUST(elements(c));
    SN_MUST(joints(c));
    SN_MUST(signals(c));
    m->sensor.object = sn_arena_alloc(&m->arena, (size_t)m->n_entry[SN_SEC_SENSORS] + 1, sizeof(sn_object));
    if (!m->sensor.object) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < m->n_entry[SN_SEC_SENSORS]; i++)
        if (m->entry[SN_SEC_SENSORS][i].cls) SN_MUST(make_sensor(c, i));
    m->n = m->nv + m->m;
    return SN_OK;
}
