/* From an item tree to a model, in passes: entries of all files; kinds of nodes; slots become quantities;
   nodes and meshes; expressions are parsed, ordered and checked for dimensions; objects; sparsity pattern.
   Errors are collected within a pass, so that up to 20 are reported at once; numbers themselves are checked
   when values are made. */
#include "model/compile.h"
#include "model/scheme.h"

#include <stdio.h>
#include <string.h>

static const sn_slot run_slots[] = {
    {"end", "s", "end of the run", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},
    {"step", "s", "time step", 1, SN_POSITIVE, 1e-3, 0, SN_INFINITE, NULL},
    {"output", "s", "time between outputs (default: each step, at most 1000 of them)", 1, 0, 0, 0,
     SN_INFINITE, NULL},
    {"tolerance", "1", "tolerance of Newton's iteration, relative to the forces in the model", 1, SN_POSITIVE,
     1e-8, 0, 1e-2, NULL},
    {"iterations", "1", "most Newton iterations per step", 1, 0, 20, 1, 1000, NULL},
    {"error", "1", "local error allowed in a step, relative to the model's size (0: equal steps)", 1, 0, 0, 0,
     0.1, NULL},
    {"min_step", "s", "smallest step when the error controls the step size (default: step/1e6)", 1, 0, 0, 0,
     SN_INFINITE, NULL},
    {"max_step", "s", "largest step when the error controls the step size (default: end/50)", 1, 0, 0, 0,
     SN_INFINITE, NULL},
    {"begin", "s", "time at which the run begins", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"penalty", "1",
     "stiffness of 'constraints: penalty' and 'augmented': times the mass over the step squared", 1,
     SN_POSITIVE, 1e4, 0, 1e12, NULL},
    {.name = NULL}};

static const char *const run_words[] = {"scheme", "solver", "start", "redundant", "constraints", "fields"};
enum { RUN_WORDS = sizeof run_words / sizeof *run_words, RUN_KEYS = SN_RUN_COUNT + RUN_WORDS };

/* Keys of every run, then those of the scheme. */
static const char *run_key(int i, const void *scheme)
{
    const sn_scheme *s = scheme;
    return i < SN_RUN_COUNT ? run_slots[i].name
           : i < RUN_KEYS   ? run_words[i - SN_RUN_COUNT]
                            : s->slots[i - RUN_KEYS].name;
}

int sn_is_run_key(const char *key)
{
    for (int i = 0; i < RUN_KEYS; i++)
        if (!strcmp(key, run_key(i, NULL))) return 1;
    return !strcmp(key, "note");
}

static void run_word(sn_compiler *c, const sn_item *k, const char **to, sn_mark *mark)
{
    if (k->type != SN_ITEM_SCALAR || !k->text[0])
        sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'%s' is a word", k->key);
    else
        *to = k->text, *mark = k->mark;
}

static sn_status gravity(sn_compiler *c, const sn_scope *top)
{
    static const sn_slot field[3] = {
        {"x", "m/s^2", "gravity", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},
        {"y", "m/s^2", "gravity", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},
        {"z", "m/s^2", "gravity", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL}};
    static const char *const name[3] = {"gravity.x", "gravity.y", "gravity.z"};
    const sn_item *g = c->gravity;
    if (g && (g->type != SN_ITEM_LIST || g->n < 2 || g->n > 3)) {
        sn_fail(c->err, SN_ERR_INPUT, &g->mark, "gravity is a vector, for example %s",
                c->m->dim == 3 ? "[0, 0, -9.81]" : "[0, -9.81]");
        g = NULL;
    }
    if (g && g->n == 2 && c->m->dim == 3)
        sn_fail(c->err, SN_ERR_INPUT, &g->mark,
                "gravity has three components in space, for example [0, 0, -9.81]");
    g = g ? g->child : NULL;
    for (int i = 0, id; i < 3; i++, g = g ? g->next : NULL) {
        SN_TRY(sn_quantity_add(c, name[i], &field[i], g ? &g->mark : NULL, &id));
        if (i == 0) c->m->gravity = id;
        if (g && g->type != SN_ITEM_SCALAR)
            sn_fail(c->err, SN_ERR_INPUT, &g->mark, "a component of gravity is one number");
        else if (g)
            SN_TRY(sn_quantity_later(c, (sn_pending){id, g->text, g->mark, .section = -1, .entry = -1,
                                                     .scope = top, .varies = 1}));
    }
    return SN_OK;
}

static sn_status run_number(sn_compiler *c, const sn_slot *slot, const sn_scope *top, int *id, int *given)
{
    sn_model *m = c->m;
    const sn_item *k = sn_item_get(c->run, slot->name);
    const char *full = sn_arena_printf(&m->arena, "run.%s", slot->name);
    if (!full) return SN_OUT_OF_MEM(c->err);
    SN_TRY(sn_quantity_add(c, full, slot, k ? &k->mark : NULL, id));
    m->quantity[*id].value = slot->def;
    *given = k != NULL;
    if (k && k->type == SN_ITEM_SCALAR)
        return sn_quantity_later(
            c, (sn_pending){*id, k->text, k->mark, .section = -1, .entry = -1, .scope = top});
    if (k) sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'%s' is one number", k->key);
    return SN_OK;
}

static int has_setting(const sn_run_entry *r, const char *name)
{
    for (int i = 0; i < r->n_setting; i++)
        if (!strcmp(r->setting[i].name, name)) return 1;
    return 0;
}

/* Settings of all schemes: another one than the file's may be chosen later. Those of one name are one number;
   what it may be the file's scheme says. */
static sn_status run_settings(sn_compiler *c, const sn_scheme *own, const sn_scope *top)
{
    sn_run_entry *r = &c->m->run;
    const sn_scheme *s;
    int most = 0;
    for (int i = 0; (s = sn_scheme_get(i)); i++)
        for (const sn_slot *k = s->slots; k && k->name; k++) most++;
    r->setting = sn_arena_alloc(&c->m->arena, (size_t)most + 1, sizeof *r->setting);
    if (!r->setting) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; (s = sn_scheme_get(i)); i++)
        for (const sn_slot *k = s->slots; k && k->name; k++) {
            if (has_setting(r, k->name)) continue;
            const sn_slot *mine = own ? sn_scheme_slot(own, k->name) : NULL;
            sn_run_setting *to = &r->setting[r->n_setting++];
            to->name = k->name;
            SN_TRY(run_number(c, mine ? mine : k, top, &to->id, &to->given));
        }
    return SN_OK;
}

static sn_status run_numbers(sn_compiler *c, const sn_scheme *scheme, const sn_scope *top)
{
    sn_run_entry *r = &c->m->run;
    for (int i = 0, id, given; i < SN_RUN_COUNT; i++) {
        SN_TRY(run_number(c, &run_slots[i], top, &id, &given));
        if (i == 0) r->first = id;
    }
    SN_TRY(run_settings(c, scheme, top));
    r->n = SN_RUN_COUNT + r->n_setting;
    return SN_OK;
}

/* A key of `run` that is no number of every run. scheme: NULL where it is not known; unknown keys may be its
   own then. */
static void run_choice(sn_compiler *c, const sn_scheme *scheme, const sn_item *k)
{
    sn_run_entry *r = &c->m->run;
    for (int i = 0; i < SN_RUN_COUNT; i++)
        if (!strcmp(k->key, run_slots[i].name)) return;
    if (has_setting(r, k->key)) {
        if (scheme && !sn_scheme_slot(scheme, k->key))
            sn_scheme_no_setting(scheme, k->key, &k->key_mark, c->err);
    } else if (!strcmp(k->key, "scheme"))
        run_word(c, k, &r->scheme, &r->scheme_mark);
    else if (!strcmp(k->key, "solver"))
        run_word(c, k, &r->solver, &r->solver_mark);
    else if (!strcmp(k->key, "start"))
        run_word(c, k, &r->start, &r->start_mark);
    else if (!strcmp(k->key, "redundant"))
        run_word(c, k, &r->redundant, &r->redundant_mark);
    else if (!strcmp(k->key, "constraints"))
        run_word(c, k, &r->constraints, &r->constraints_mark);
    else if (!strcmp(k->key, "fields"))
        run_word(c, k, &r->fields, &r->fields_mark);
    else if (scheme && strcmp(k->key, "note") != 0) {
        int n = RUN_KEYS;
        for (const sn_slot *s = scheme->slots; s && s->name; s++) n++;
        const char *near = sn_nearest(k->key, n, run_key, scheme);
        sn_fail(c->err, SN_ERR_INPUT, &k->key_mark, "unknown key '%s' in 'run'%s%s%s", k->key,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
}

static sn_status compile_run(sn_compiler *c)
{
    sn_run_entry *r = &c->m->run;
    sn_scope *top = sn_arena_alloc(&c->m->arena, 1, sizeof *top);
    if (!top) return SN_OUT_OF_MEM(c->err);
    *top = (sn_scope){.prefix = "", .folder = "", .place = -1};
    const sn_scheme *scheme = NULL;
    const sn_item *named = sn_item_get(c->run, "scheme");
    r->scheme = sn_scheme_get(0)->name; /* of the first integrator in the list */
    if (named && named->type == SN_ITEM_SCALAR && named->text[0])
        r->scheme = named->text, r->scheme_mark = named->mark;
    if (!sn_scheme_find(r->scheme, &scheme)) {
        sn_fail(c->err, SN_ERR_INPUT, &r->scheme_mark, "unknown scheme '%s' ('sinew list schemes' shows all)",
                r->scheme);
        scheme = NULL;
    }
    SN_TRY(gravity(c, top));
    SN_TRY(run_numbers(c, scheme, top));
    r->start = "given", r->redundant = "drop", r->constraints = "multipliers", r->fields = "yes";
    if (c->run && c->run->type != SN_ITEM_MAP && (c->run->type != SN_ITEM_SCALAR || c->run->text[0]))
        return sn_fail(c->err, SN_ERR_INPUT, &c->run->mark,
                       "'run' is a map, for example {end: 3 s, step: 1 ms}");
    for (const sn_item *k = c->run ? c->run->child : NULL; k; k = k->next) run_choice(c, scheme, k);
    if (strcmp(r->start, "given") != 0 && strcmp(r->start, "static") != 0)
        sn_fail(c->err, SN_ERR_INPUT, &r->start_mark, "'start' is one of given|static");
    if (strcmp(r->redundant, "drop") != 0 && strcmp(r->redundant, "share") != 0 &&
        strcmp(r->redundant, "error") != 0)
        sn_fail(c->err, SN_ERR_INPUT, &r->redundant_mark, "'redundant' is one of drop|share|error");
    if (strcmp(r->constraints, "multipliers") != 0 && strcmp(r->constraints, "penalty") != 0 &&
        strcmp(r->constraints, "augmented") != 0)
        sn_fail(c->err, SN_ERR_INPUT, &r->constraints_mark,
                "'constraints' is one of multipliers|penalty|augmented");
    if (strcmp(r->fields, "yes") != 0 && strcmp(r->fields, "no") != 0)
        sn_fail(c->err, SN_ERR_INPUT, &r->fields_mark, "'fields' is yes or no");
    return SN_OK;
}

enum { QUANTITIES = 5 };

static sn_status passes(sn_compiler *c, const sn_item *root, const char *path)
{
    sn_model *m = c->m;
    sn_scope *scope = sn_arena_alloc(&m->arena, 1, sizeof *scope);
    const char *slash = strrchr(path, '/');
    if (!scope) return SN_OUT_OF_MEM(c->err);
    *scope = (sn_scope){.prefix = "", .folder = "", .place = -1, .path = path};
    if (slash && !(scope->folder = sn_arena_strndup(&m->arena, path, (size_t)(slash - path) + 1)))
        return SN_OUT_OF_MEM(c->err);
    sn_status (*const pass[])(sn_compiler *) = {
        sn_compile_sensor_joints, sn_compile_node_kinds, sn_compile_slots, sn_compile_nodes,  compile_run,
        sn_compile_quantities,    sn_compile_objects,    sn_compile_lines, sn_compile_pattern};
    SN_MUST(sn_compile_file(c, root, scope));
    /* elements may bring nodes along */
    if (!c->err->count && m->n_entry[SN_SEC_NODES] == 0 && m->n_entry[SN_SEC_ELEMENTS] == 0)
        sn_fail(c->err, SN_ERR_INPUT, &root->mark, "the model has no nodes");
    for (size_t i = 0; i < sizeof pass / sizeof *pass; i++) {
        sn_status s = pass[i](c);
        if (s == SN_ERR_MEMORY) return s;
        /* later passes need sound results of the earlier ones; what the objects name can be checked without
         */
        if (c->err->count && i == QUANTITIES && !c->incomplete) SN_MUST(sn_compile_names(c));
        if (c->err->count && i >= QUANTITIES) return c->err->status;
    }
    return c->err->count ? c->err->status : SN_OK;
}

/* ---- what outlives the items ---- */

typedef struct texts {
    const sn_mark *old;
    sn_mark now;
    struct texts *next;
} texts;

/* A mark's file name and source, copied into the model once for each file. */
static sn_status keep_mark(sn_model *m, texts **all, sn_mark *mark)
{
    texts *t = *all;
    if (!mark->file) return SN_OK;
    while (t && (t->old->file != mark->file || t->old->source != mark->source)) t = t->next;
    if (!t) {
        sn_mark *old = sn_arena_alloc(&m->arena, 1, sizeof *old);
        t = sn_arena_alloc(&m->arena, 1, sizeof *t);
        if (!old || !t) return SN_ERR_MEMORY;
        *old = *mark;
        t->old = old;
        t->now.file = sn_arena_strndup(&m->arena, mark->file, strlen(mark->file));
        if (mark->source) t->now.source = sn_arena_strndup(&m->arena, mark->source, strlen(mark->source));
        if (!t->now.file || (mark->source && !t->now.source)) return SN_ERR_MEMORY;
        t->next = *all;
        *all = t;
    }
    mark->file = t->now.file;
    mark->source = t->now.source;
    return SN_OK;
}

static sn_status keep_text(sn_model *m, const char **text)
{
    if (!*text) return SN_OK;
    return (*text = sn_arena_strndup(&m->arena, *text, strlen(*text))) ? SN_OK : SN_ERR_MEMORY;
}

/* Everything that the model still says of its files, copied out of the items. */
static sn_status settle(sn_model *m, const sn_item *root)
{
    texts *all = NULL;
    sn_mark first = root->mark;
    sn_run_entry *r = &m->run;
    sn_mark *const run[] = {&first,         &r->scheme_mark,    &r->solver_mark,
                            &r->start_mark, &r->redundant_mark, &r->constraints_mark,
                            &r->fields_mark};
    const char **const word[] = {&m->title,     &r->scheme,      &r->solver, &r->start,
                                 &r->redundant, &r->constraints, &r->fields};
    sn_family *const family[] = {&m->element, &m->joint, &m->signal, &m->sensor};
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) SN_TRY(keep_mark(m, &all, run[i]));
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) SN_TRY(keep_text(m, word[i]));
    for (int i = 0; i < m->n_quantity; i++) SN_TRY(keep_mark(m, &all, &m->quantity[i].mark));
    for (int i = 0; i < m->n_node; i++) SN_TRY(keep_mark(m, &all, &m->node[i].mark));
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < family[k]->n; i++) SN_TRY(keep_mark(m, &all, &family[k]->object[i].mark));
    m->file = first.file;
    m->source = first.source;
    for (int s = 0; s < SN_SEC_COUNT; s++)
        for (int i = 0; i < m->n_entry[s]; i++) m->entry[s][i].item = m->entry[s][i].arg = NULL;
    return SN_OK;
}

sn_status sn_model_compile(const sn_item *root, const char *path, sn_arena *items, const sn_loader *load,
                           int refined, sn_model **out, sn_err *err)
{
    *out = NULL;
    sn_model *m;
    sn_err *own; /* passes ask whether there are any: what a caller has collected must not count */
    if (!SN_NEW(m, 1)) return SN_OUT_OF_MEM(err);
    if (!SN_NEW(own, 1)) {
        sn_model_free(m);
        return SN_OUT_OF_MEM(err);
    }
    sn_compiler c = {.m = m, .load = load, .items = items, .err = own};
    m->title = "", m->refined = refined;
    sn_status s = passes(&c, root, path);
    if (!s && settle(m, root)) s = SN_OUT_OF_MEM(own);
    if (!s) sn_shrink(&m->quantity, &m->cap_quantity, m->n_quantity, sizeof *m->quantity);
    sn_err_join(err, own);
    sn_free(c.pending);
    sn_free(c.key);
    sn_map_free(&c.node_name);
    sn_map_free(&c.edge);
    sn_free(own);
    if (s) {
        sn_model_free(m);
        return s;
    }
    *out = m;
    return SN_OK;
}

sn_status sn_model_has_read(sn_model *m, const char *path, sn_err *err)
{
    const char *copy = sn_arena_strndup(&m->arena, path, strlen(path));
    if (!copy || sn_grow(&m->read, &m->cap_read, m->n_read + 1, sizeof *m->read)) return SN_OUT_OF_MEM(err);
    m->read[m->n_read++] = copy;
    return SN_OK;
}

void sn_model_free(sn_model *m)
{
    if (!m) return;
    for (int i = 0; i < SN_SEC_COUNT; i++) {
        sn_map_free(&m->name[i]);
        sn_free(m->entry[i]);
    }
    sn_map_free(&m->quantity_name);
    sn_free(m->quantity);
    sn_free(m->block);
    sn_free(m->piece_number);
    sn_free(m->read);
    sn_free(m->node);
    sn_arena_free(&m->arena);
    sn_free(m);
}

const char *sn_model_title(const sn_model *m) { return m->title; }

const char *sn_coord_name(const sn_model *m, int i, char *out, size_t size)
{
    const sn_node *n = &m->node[m->node_of[i]];
    snprintf(out, size, "%s.%s", n->name, n->coord[i - n->v]);
    return out;
}

int sn_coord_is_angle(const sn_model *m, int i)
{
    const sn_node *n = &m->node[m->node_of[i]];
    return !strcmp(n->unit[i - n->v], "rad");
}

const char *sn_equation_name(const sn_model *m, int i, char *out, size_t size)
{
    for (int j = 0; j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        if (i < o->eq || i >= o->eq + o->m) continue;
        if (o->component)
            snprintf(out, size, "%s.%s", o->name, o->component[i - o->eq]);
        else
            snprintf(out, size, "%s.%d", o->name, i - o->eq + 1);
    }
    return out;
}

const char *sn_equation_unit(const sn_model *m, int i)
{
    const sn_object *o = m->joint.object;
    while (i >= o->eq + o->m) o++;
    const char *unit = o->unit && o->unit[i - o->eq] ? o->unit[i - o->eq] : "1";
    if (strcmp(unit, "1") != 0 || !(((const sn_joint_class *)o->cls)->args.what & SN_ARG_COORD)) return unit;
    /* of coordinates: that of the first one */
    int k = o->vi[o->coord[0]];
    const sn_node *n = k < m->nv ? &m->node[m->node_of[k]] : NULL;
    return n ? n->unit[k - n->v] : unit;
}

int sn_parameter_count(const sn_model *m) { return m->n_entry[SN_SEC_PARAMETERS]; }
const char *sn_parameter_name(const sn_model *m, int i) { return m->entry[SN_SEC_PARAMETERS][i].name; }

const sn_slot *sn_run_table(void) { return run_slots; }
