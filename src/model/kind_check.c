/* Is the table of a kind complete? What can be told without calling its functions; the rest is conformance.
 */
#include <math.h>
#include <string.h>

#include "model/compile.h"
#include "model/scheme.h"
#include "model/unit.h"

/* One table, and how much was found wrong with it. */
typedef struct check {
    const char *family, *name;
    int bad;
    sn_err *err;
} check;

static void wrong(check *k, const char *what, const char *whose)
{
    k->bad++;
    sn_fail(k->err, SN_ERR_INPUT, NULL, "%s '%s': %s%s%s%s", k->family, k->name, what, whose ? " '" : "",
            whose ? whose : "", whose ? "'" : "");
}

static void need(check *k, int good, const char *what)
{
    if (!good) wrong(k, what, NULL);
}

static void limit(check *k, const char *what, int n, int most)
{
    if (n <= most) return;
    k->bad++;
    sn_fail(k->err, SN_ERR_INPUT, NULL, "%s '%s': %d %s, the most are %d", k->family, k->name, n, what, most);
}

static int says(const char *text) { return text && *text; }

static int parts(const char *text, char separator)
{
    int n = 1;
    for (; *text; text++) n += *text == separator;
    return n;
}

/* "angle", or "plies.angle" */
static int slot_name_valid(const sn_slot *s)
{
    char list[SN_MAX_NAME + 1] = "";
    size_t n = sn_slot_list(s);
    if (!n) return sn_name_valid(s->name);
    if (n > SN_MAX_NAME) return 0;
    memcpy(list, s->name, n);
    return sn_name_valid(list) && sn_name_valid(s->name + n + 1);
}

/* Numbers of items are plain constants. */
static void check_item_slot(check *k, const sn_slot *s)
{
    if (!sn_slot_list(s)) {
        if (s->flags & SN_WITH_UNIT) wrong(k, "SN_WITH_UNIT, but no number of items: slot", s->name);
        return;
    }
    if (s->n || s->flags & ~(unsigned)(SN_POSITIVE | SN_NEEDED | SN_WITH_UNIT))
        wrong(k, "a number of items has n = 0 and is a plain constant: slot", s->name);
}

static void check_slot(check *k, const sn_slot *s)
{
    double factor;
    sn_dim dim;
    if (!slot_name_valid(s)) wrong(k, "no good name for slot", s->name);
    if (!s->unit || sn_unit_whole(s->unit, &factor, &dim)) wrong(k, "no known unit for slot", s->name);
    if (!says(s->doc)) wrong(k, "no doc for slot", s->name);
    if (s->n < 0) wrong(k, "negative count of slot", s->name);
    if (!(s->lo < s->hi)) wrong(k, "empty range (lo, hi) of slot", s->name);
    if (s->def < s->lo || s->def > s->hi) wrong(k, "default outside the range of slot", s->name);
    if ((s->flags & SN_POSITIVE) && (s->lo < 0 || s->def == 0))
        wrong(k, "range or default is not positive for slot", s->name);
    if ((s->flags & (SN_ON_NODE1 | SN_ON_NODE2)) &&
        (!s->unit || strcmp(s->unit, "m") != 0 || (s->n != 2 && s->n != 3)))
        wrong(k, "SN_ON_NODE, but no point of a node in slot", s->name);
    if ((s->flags & SN_TENSOR) && (s->n != 3 || !s[1].name || s[1].n != 3))
        wrong(k, "SN_TENSOR, but not three numbers and three in the next one, in slot", s->name);
    if ((s->flags & SN_ALIKE) && (s->n < 2 || s->flags & (SN_VARIES | SN_ROTATES | SN_PLACED | SN_TENSOR)))
        wrong(k, "SN_ALIKE, but not several plain constant numbers in slot", s->name);
    if ((s->flags & SN_RISES) && s->n) wrong(k, "SN_RISES, but not a list of free length in slot", s->name);
    check_item_slot(k, s);
    if (s->formula && !*s->formula) wrong(k, "empty formula of slot", s->name);
    if (s->formula && s->n > 0 && parts(s->formula, ';') != s->n)
        wrong(k, "not one formula a component in slot", s->name);
}

static void check_option(check *k, const sn_option *o)
{
    if (!sn_name_valid(o->name)) wrong(k, "no good name for option", o->name);
    if (!says(o->doc)) wrong(k, "no doc for option", o->name);
    if (!says(o->choices))
        wrong(k, "no choices for option", o->name);
    else if (o->choices[0] != '#' && o->choices[0] != '@' && (o->def < 0 || o->def >= parts(o->choices, '|')))
        wrong(k, "default is no choice of option", o->name);
}

/* Keys of an entry: slots and options together are unique. */
static int key_count(const sn_slot *s, const sn_option *o, const char *name)
{
    int n = 0;
    for (; s->name; s++) n += !strcmp(s->name, name);
    for (; o && o->name; o++) n += !strcmp(o->name, name);
    return n;
}

/* Slots of one list stand together, and keys that come with a list are free. */
static void check_lists(check *k, const sn_slot *slots, const sn_option *options)
{
    for (const sn_slot *s = slots, *t; s->name; s++) {
        size_t n = sn_slot_list(s);
        if (!n) continue;
        int apart = 0;
        for (t = s + 1; t->name; t++) {
            int same = !strncmp(s->name, t->name, n + 1);
            if (same && apart) wrong(k, "slots of one list stand apart: slot", t->name);
            apart |= !same;
        }
        for (t = slots; t->name; t++)
            if (strlen(t->name) == n && !strncmp(s->name, t->name, n))
                wrong(k, "a slot has the name of the list of", s->name);
        if (key_count(slots, options, "repeat") || key_count(slots, options, "symmetric"))
            wrong(k, "'repeat' and 'symmetric' are keys of lists: kind with slot", s->name);
    }
}

static void check_keys(check *k, const char *doc, const sn_slot *slots, const sn_option *options)
{
    need(k, sn_name_valid(k->name), "the name is no good: use letters, digits, _ and -");
    need(k, says(doc), "no doc");
    if (!slots) {
        wrong(k, "no table of slots (without any: one that only has the entry with the name NULL)", NULL);
        return;
    }
    int n_slots = 0, n_options = 0;
    for (const sn_slot *s = slots; s->name; s++, n_slots++) {
        check_slot(k, s);
        if (key_count(slots, options, s->name) > 1) wrong(k, "two keys have the name", s->name);
    }
    for (const sn_option *o = options; o && o->name; o++, n_options++) {
        check_option(k, o);
        if (key_count(slots, options, o->name) > 1) wrong(k, "two keys have the name", o->name);
    }
    check_lists(k, slots, options);
    limit(k, "slots", n_slots, SN_MAX_SLOTS);
    limit(k, "options", n_options, SN_MAX_OPTIONS);
}

static void check_args(check *k, const sn_args *a)
{
    need(k, a->what != 0, "args do not say what the kind's key takes");
    need(k, a->min >= 0 && a->max >= a->min, "args: min and max are no range");
    limit(k, "nodes", a->max, SN_MAX_NODES);
    need(k, a->dim == 0 || a->dim == 2 || a->dim == 3, "args: dim is 0, 2 or 3");
    need(k, !(a->what & SN_ARG_NODE) || a->ask != 0, "args: ask for no view of the nodes");
    need(k, (a->ask | a->ask_first) < 2 * SN_SURFACE, "args: ask for a view that there is not");
}

/* Each view lies within the node, and who lies in space has a place. */
static void check_offers(check *k, const sn_node_class *c)
{
    const sn_node n = {.cls = c, .nq = c->nq, .nv = c->nv};
    unsigned all = sn_class_offers(c);
    for (const sn_offer *o = c->offers; o && o->what; o++) {
        sn_seen s;
        need(k, !(o->what & (o->what - 1)) && o->what <= SN_SURFACE, "an offer is not one view");
        need(k, o->what == SN_SCALARS || c->dim, "offers a view of space, but has no dim");
        if (!sn_node_seen(&n, o->what, &s)) continue;
        need(k,
             s.q >= 0 && s.v >= 0 && (c->layout || (s.nq > 0 && s.q + s.nq <= c->nq && s.v + s.nv <= c->nv)),
             "a view that it offers does not lie within its coordinates");
        need(k, c->retract || s.q == s.v, "a view of a flat node begins at the same place in q and in v");
    }
    need(k, all != 0, "it offers nothing");
    need(k, !(all & SN_FRAME) == !c->turned, "the offer of a frame and turned go together");
    need(k, !c->dim || (all & SN_POSITION), "who lies in space offers a position");
    need(k, !c->frame_joint || (c->dim && !(all & SN_FRAME)),
         "frame_joint is for nodes in space without a frame");
    if (c->retract) limit(k, "coordinates of a node that is not flat", c->nv, SN_MAX_CURVED);
}

static void check_node(check *k, const sn_node_class *c)
{
    check_keys(k, c->doc, c->slots, c->options);
    need(k, c->slots && c->slots[0].name, "no slot: the first one is taken by the kind's key");
    need(k, !c->dim || !c->slots || c->slots[0].n == c->dim,
         "the first slot of a node in space is its place");
    if (c->layout)
        need(k, !c->nq && !c->nv && !c->retract,
             "layout decides about the size: nq and nv are 0, retract is NULL");
    else
        need(k, c->nv > 0 && c->nq >= c->nv, "nq >= nv > 0 does not hold");
    need(k, c->retract || c->nq == c->nv, "nq differs from nv, but there is no retract");
    need(k, !c->retract == !c->tangent && !c->retract == !c->difference && !c->retract == !c->dtangent,
         "retract, difference, tangent and dtangent go together");
    need(k, c->start && c->dstart, "start or dstart is missing");
    need(k, c->order == 1 || c->order == 2, "order is 1 or 2");
    need(k, (c->dim == 0 || c->dim == 2 || c->dim == 3) && (c->layout || c->nv >= c->dim),
         "dim is 0, 2 or 3, and a node has that many coordinates at least");
    check_offers(k, c);
    need(k, c->coord && c->unit, "coord or unit is missing");
    for (int i = 0; c->coord && c->unit && i < (c->layout ? 1 : c->nv); i++)
        need(k, says(c->coord[i]) && c->unit[i], "a coordinate without name or unit");
}

static void check_output(check *k, const sn_output *o)
{
    if (!says(o->doc)) wrong(k, "no doc for output", o->name);
    limit(k, "components of an output", o->n, SN_MAX_COMPONENTS);
    if (o->n < 1)
        wrong(k, "no components in output", o->name);
    else if (o->n <= SN_MAX_COMPONENTS)
        for (int i = 0; i < o->n; i++)
            if (!says(o->component[i]) || !o->unit[i])
                wrong(k, "a component without name or unit in output", o->name);
}

/* What a kind looks like can be drawn between its nodes. Of a solid they are counted when it is drawn. */
static void check_geometry(check *k, const sn_geometry *g, const sn_args *a)
{
    if (!g) return;
    int corners = sn_shape_corners(g->shape);
    need(k, g->shape >= SN_SHAPE_NONE && g->shape <= SN_SHAPE_SOLID, "geometry: no known shape");
    need(k, corners <= a->min, "geometry: fewer nodes than the shape has corners");
    need(k, g->interpolation == SN_STRAIGHT || (g->interpolation == SN_CUBIC && g->shape == SN_SHAPE_LINE),
         "geometry: interpolation is SN_STRAIGHT or, of lines, SN_CUBIC");
    need(k, !g->symbol || *g->symbol, "geometry: a symbol without a name (none: NULL)");
    need(k, !g->meshes || (corners >= 2 && a->min == corners && a->max == corners),
         "geometry: what is meshed is a line or a surface between as many nodes as it has corners");
}

/* Fields lie in the middle or at the corners. */
static void check_field(check *k, const sn_element_class *c, const sn_field_decl *f)
{
    double factor;
    sn_dim dim;
    int corners = c->geometry ? sn_shape_corners(c->geometry->shape) : 0;
    if (!sn_name_valid(f->name)) wrong(k, "no good name for field", f->name);
    if (!says(f->doc)) wrong(k, "no doc for field", f->name);
    if (!f->unit || sn_unit_whole(f->unit, &factor, &dim)) wrong(k, "no known unit for field", f->name);
    if (f->n < 1) wrong(k, "no components in field", f->name);
    limit(k, "components of a field", f->n, SN_MAX_FIELD_COMPONENTS);
    if (f->points < 1 || (f->points > 1 && f->points != corners))
        wrong(k, "points are neither 1 nor the corners of the shape in field", f->name);
    int named = 0;
    while (named < f->n && named < SN_MAX_FIELD_COMPONENTS && says(f->component[named])) named++;
    if (f->n > 1 && named < f->n) wrong(k, "a component without name in field", f->name);
    for (const sn_field_decl *g = c->fields; g < f; g++)
        if (!strcmp(g->name, f->name)) wrong(k, "two fields have the name", f->name);
}

/* A load says where its numbers w are. */
static void check_load(check *k, const sn_element_class *c)
{
    int ns = 0, no = 0;
    for (const sn_slot *s = c->slots; s && s->name; s++) ns += s->n;
    for (const sn_option *o = c->options; o && o->name; o++) no++;
    need(k, !(c->args.what & SN_ARG_ELEMENT) == !c->load,
         "args take an element: that is what a load does, and only a load");
    if (c->load && c->load->slot != SN_LOAD_OF_NODES)
        need(k,
             c->load->slot >= 0 && c->load->slot + 3 <= ns && c->load->option >= 0 && c->load->option <= no,
             "load names an option that there is not, or slots of which there are not three");
}

static void check_inner(check *k, const sn_element_class *c)
{
    int n = 0;
    for (const sn_inner *in = c->inner; in && in->suffix; in++, n++)
        need(k, sn_name_valid(in->suffix) && says(in->kind),
             "an inner node needs a suffix that is a name, and a kind");
    if (n) limit(k, "nodes", n + (c->tie ? 1 : c->args.max), SN_MAX_NODES);
    need(k, !c->mesh || n > 0 || c->args.min > 0, "a mesh without a node that moves it");
    if (!c->tie) return;
    need(k, n > 0, "written nodes can only be tied to inner ones");
    need(k,
         says(c->tie->joint) && says(c->tie->key) && sn_name_valid(c->tie->key) && c->tie->count &&
             c->tie->name,
         "tie needs a joint, a key and functions that count and name points");
    if (c->tie->key && c->slots && key_count(c->slots, c->options, c->tie->key))
        wrong(k, "two keys have the name", c->tie->key);
}

static void check_element(check *k, const sn_element_class *c)
{
    check_keys(k, c->doc, c->slots, c->options);
    check_args(k, &c->args);
    need(k, c->eval && c->dparam, "eval or dparam is missing");
    need(k, !c->energy == !c->denergy, "energy and denergy go together");
    need(k, !c->outputs == !c->output && !c->outputs == !c->doutput,
         "outputs, output and doutput go together");
    need(k, !c->distribute == !c->ddistribute, "distribute and ddistribute go together");
    need(k, !c->pair == !c->dpair, "pair and dpair go together");
    need(k, !c->together == !c->dtogether, "together and dtogether go together");
    need(k, !c->particle || (c->flags & SN_USES_A), "particle without SN_USES_A");
    need(k, c->energy || !(c->flags & SN_CONSERVATIVE), "SN_CONSERVATIVE without energy");
    need(k, !c->fields == !c->field, "fields and field go together");
    sn_args drawn = c->args; /* one that is tied lies between its inner nodes */
    if (c->tie)
        for (drawn.min = drawn.max = 0; c->inner && c->inner[drawn.min].suffix;) drawn.max = ++drawn.min;
    check_geometry(k, c->geometry, &drawn);
    if (c->file) {
        need(k, c->file->key && sn_name_valid(c->file->key) && says(c->file->doc) && c->file->read,
             "file needs a key, a doc and a function");
        if (c->file->key && c->slots && key_count(c->slots, c->options, c->file->key))
            wrong(k, "two keys have the name", c->file->key);
    }
    check_inner(k, c);
    check_load(k, c);
    for (const sn_output *o = c->outputs; o && o->name; o++) check_output(k, o);
    for (const sn_field_decl *f = c->fields; f && f->name; f++) check_field(k, c, f);
}

static void check_joint(check *k, const sn_joint_class *c)
{
    check_keys(k, c->doc, c->slots, c->options);
    check_args(k, &c->args);
    need(k, c->layout && c->eval && c->rate && c->dparam, "layout, eval, rate or dparam is missing");
    check_geometry(k, c->geometry, &c->args);
}

/* What a program gives to an input takes the place of slots, of which nothing may have been made before. */
static int can_be_given(const sn_signal_class *c)
{
    int n = 0;
    while (n <= c->given && c->slots && c->slots[n].name && c->slots[n].n == 1 &&
           !(c->slots[n].flags & SN_VARIES))
        n++;
    return c->given > 0 && n == c->given + 1 && !c->prepare;
}

static void check_signal(check *k, const sn_signal_class *c)
{
    check_keys(k, c->doc, c->slots, c->options);
    check_args(k, &c->args);
    need(k, c->eval && c->dparam, "eval or dparam is missing");
    need(k, !c->given || can_be_given(c),
         "given: an input begins with so many slots of one number, and a time, which do not vary, and "
         "prepares "
         "nothing");
}

static void check_sensor(check *k, const sn_sensor_class *c)
{
    check_keys(k, c->doc, c->slots, c->options);
    check_args(k, &c->args);
    need(k, c->source != SN_FROM_NODES || (c->layout && c->eval && c->dparam),
         "layout, eval or dparam is missing");
    need(k, c->source != SN_FROM_ELEMENT || says(c->output), "the output that it reads is missing");
    need(k, c->rate >= 0 && c->rate <= 2, "rate is 0, 1 or 2");
}

static void check_property(check *k, const sn_property_class *c)
{
    check_keys(k, c->doc, c->slots, c->options);
    int n = 0;
    for (const sn_slot *s = c->slots; s && s->name; s++) {
        n += s->n;
        if (s->n == 0 && !(s->flags & SN_POINTS) && !sn_slot_list(s)) wrong(k, "no count of slot", s->name);
        if (s->n == 0 && (c->draw || c->outline)) wrong(k, "what is drawn has no lists: slot", s->name);
    }
    limit(k, "numbers", n, SN_MAX_PROPERTY);
    need(k, c->section >= 0 && c->section <= SN_PROPERTIES, "section is 0, 1, 2 or 3");
}

/* A setting is a key of `run`, and one number whatever schemes have it. */
static void check_setting(check *k, const sn_slot *s)
{
    const sn_scheme *other;
    check_slot(k, s);
    if (k->bad) return;
    if (s->n != 1 || s->formula || !isfinite(s->def) || s->flags & ~(unsigned)SN_POSITIVE)
        wrong(k, "not one constant number with a default: setting", s->name);
    if (sn_is_run_key(s->name)) wrong(k, "every run has a key with the name of setting", s->name);
    for (int i = 0; (other = sn_scheme_get(i)); i++) {
        const sn_slot *same = sn_scheme_slot(other, s->name);
        if (same && strcmp(same->unit, s->unit) != 0)
            wrong(k, "another scheme has it in another unit: setting", s->name);
    }
}

static void check_integrator(check *k, const sn_integrator_class *c)
{
    need(k, sn_name_valid(k->name), "the name is no good: use letters, digits, _ and -");
    need(k, says(c->doc), "no doc");
    need(k, c->schemes && c->schemes->name, "no schemes");
    need(k, c->open && c->step && c->close, "open, step or close is missing");
    need(k, c->history >= 0, "history is negative");
    need(k, !c->error || c->order > 0, "error without the order of it");
    need(k, !c->begin || c->begin_forward || !(c->step_forward || c->step_adjoint),
         "derivatives of steps, but begin_forward is missing");
    for (const sn_scheme *s = c->schemes; s && s->name; s++) {
        int n = 0;
        if (!sn_name_valid(s->name)) wrong(k, "no good name for scheme", s->name);
        if (!says(s->doc)) wrong(k, "no doc for scheme", s->name);
        for (const sn_slot *x = s->slots; x && x->name; x++, n++) check_setting(k, x);
        limit(k, "settings of a scheme", n, SN_MAX_SETTINGS);
    }
}

int sn_kind_check(int family, const void *cls, sn_err *err)
{
    check k = {.family = sn_family_name[family], .name = sn_class_name(cls), .err = err};
    if (!k.name) {
        k.name = "?";
        wrong(&k, "a kind without a name", NULL);
        return k.bad;
    }
    switch (family) {
    case SN_FAMILY_NODE:
        check_node(&k, cls);
        break;
    case SN_FAMILY_ELEMENT:
        check_element(&k, cls);
        break;
    case SN_FAMILY_JOINT:
        check_joint(&k, cls);
        break;
    case SN_FAMILY_SIGNAL:
        check_signal(&k, cls);
        break;
    case SN_FAMILY_SENSOR:
        check_sensor(&k, cls);
        break;
    case SN_FAMILY_INTEGRATOR:
        check_integrator(&k, cls);
        break;
    default:
        check_property(&k, cls);
    }
    return k.bad;
}
