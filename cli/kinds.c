/* All families of kinds seen alike, and the help page of one kind, made from its table. */
#include "cli.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *singular, *entry; /* entry: a name for examples */
} family[CLI_FAMILIES] = {
    {"nodes", "node", "n1"},          {"elements", "element", "bar"}, {"joints", "joint", "pin"},
    {"signals", "signal", "motor"},   {"sensors", "sensor", "tip"},   {"materials", "material", "steel"},
    {"sections", "section", "strip"}, {"shapes", "shape", "block"},   {"meshes", "mesh", "skin"},
    {"schemes", "scheme", NULL},      {"solvers", "solver", NULL}};

const char *cli_family_name(int f) { return family[f].name; }
const char *cli_family_singular(int f) { return family[f].singular; }

/* Number i of those properties that belong to a section of the model file. */
static const sn_property_class *property(int section, int i)
{
    for (const sn_property_class *const *p = sn_property_all(); *p; p++)
        if ((*p)->section == section && i-- == 0) return *p;
    return NULL;
}

#define FROM_TABLE(list)                                                                                     \
    do {                                                                                                     \
        int n = 0;                                                                                           \
        while (list[n]) n++;                                                                                 \
        if (i >= n) return 0;                                                                                \
    } while (0)

int cli_kind_get(int f, int i, cli_kind *k)
{
    static const sn_args position = {.what = SN_ARG_SLOT, .min = 1, .max = 1},
                         file = {.what = SN_ARG_FILE, .min = 1, .max = 1};
    *k = (cli_kind){NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    if (f == CLI_NODES) {
        FROM_TABLE(sn_node_all());
        const sn_node_class *c = sn_node_all()[i];
        *k = (cli_kind){
            .name = c->name, .doc = c->doc, .args = &position, .slots = c->slots, .options = c->options};
    } else if (f == CLI_ELEMENTS) {
        FROM_TABLE(sn_element_all());
        const sn_element_class *c = sn_element_all()[i];
        *k = (cli_kind){c->name, c->doc, &c->args, c->slots, c->options, c->outputs, c, NULL};
    } else if (f == CLI_JOINTS) {
        FROM_TABLE(sn_joint_all());
        const sn_joint_class *c = sn_joint_all()[i];
        *k = (cli_kind){
            .name = c->name, .doc = c->doc, .args = &c->args, .slots = c->slots, .options = c->options};
    } else if (f == CLI_SIGNALS) {
        FROM_TABLE(sn_signal_all());
        const sn_signal_class *c = sn_signal_all()[i];
        *k = (cli_kind){
            .name = c->name, .doc = c->doc, .args = &c->args, .slots = c->slots, .options = c->options};
    } else if (f == CLI_SENSORS) {
        FROM_TABLE(sn_sensor_all());
        const sn_sensor_class *c = sn_sensor_all()[i];
        *k = (cli_kind){c->name, c->doc, &c->args, c->slots, c->options, NULL, NULL, c};
    } else if (f >= CLI_MATERIALS && f <= CLI_MESHES) {
        const sn_property_class *c = property(f - CLI_MATERIALS, i);
        if (c) *k = (cli_kind){.name = c->name, .doc = c->doc, .slots = c->slots, .options = c->options};
        if (c && c->file) k->args = &file;
    } else if (f == CLI_SCHEMES) {
        k->name = sn_scheme_name(i, &k->doc);
        k->slots = sn_scheme_slots(i);
    } else if (f == CLI_SOLVERS) {
        k->name = sn_solver_name(i, &k->doc);
    }
    return k->name != NULL;
}

/* ---- example ---- */

/* Does a formula name a number of materials or sections, plainly or with the group in front? */
static int names_property(const char *formula)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@";
    if (!strncmp(formula, "material.", 9) || !strncmp(formula, "section.", 8)) return 1;
    for (size_t n; *formula; formula += n ? n : 1) {
        n = strspn(formula, letters);
        for (const sn_property_class *const *p = sn_property_all(); n && *p; p++)
            for (const sn_slot *s = (*p)->slots; (*p)->section < 2 && s->name; s++)
                if (strlen(s->name) == n && !strncmp(s->name, formula, n)) return 1;
    }
    return 0;
}

/* Of a surface: a number that a section may have, and an example writes. */
static int of_section(const sn_slot *s) { return s->formula && !strncmp(s->formula, "section.", 8); }

/* Numbers from a material and a section, or from a shape. */
static int has_properties(const cli_kind *k)
{
    for (const sn_slot *s = k->slots; k->element && s && s->name; s++)
        if (s->formula && names_property(s->formula)) return 1;
    return 0;
}

static int has_thickness(const cli_kind *k)
{
    for (const sn_slot *s = k->slots; k->element && s && s->name; s++)
        if (of_section(s)) return 1;
    return 0;
}

static int has_shape(const cli_kind *k)
{
    for (const sn_slot *s = k->slots; k->element && s && s->name; s++)
        if (s->formula && strstr(s->formula, "shape.")) return 1;
    return 0;
}

static void number(double x, const sn_slot *s)
{
    if (x > s->hi) x = s->hi / 2;
    int pure = !s->unit[0] || !strcmp(s->unit, "1");
    printf(pure ? "%g" : "%g %s", x, s->unit);
}

/* A value that fits the slot: 1, 1 m, [1 m, 0 m], [1, 2]; `size` where all are positive */
static void value(const sn_slot *s, double size)
{
    int n = s->n ? s->n : 2;
    if (s->flags & SN_POINTS) {
        printf("[[0, 0, 0], [1, 0, 0]%s]", s->n ? ", [1, 1, 0], [0, 1, 0]" : "");
        return;
    }
    if (s->flags & SN_VARIES && !s->unit[0] && n == 1) {
        printf("sin(5 rad/s*t)");
        return;
    }
    if (s->flags & SN_ALIKE) {
        number(1, s);
        return;
    }
    if (s->n != 1) printf("[");
    for (int i = 0; i < n; i++) {
        if (i) printf(", ");
        number(s->flags & SN_POSITIVE ? size : s->n ? i == 0 : i + 1, s);
    }
    if (s->n != 1) printf("]");
}

static void names(const sn_args *a, int element)
{
    if (a->what & SN_ARG_NONE) {
        printf("all");
        return;
    }
    if (a->max > 1) printf("[");
    for (int i = 1; i <= (a->min > 0 ? a->min : 1); i++) {
        if (i > 1) printf(", ");
        if (a->what & SN_ARG_NODE)
            printf("n%d", i);
        else if (a->what & SN_ARG_COORD) /* an element on a bare coordinate acts on a state */
            printf(element ? "z%d.z" : "n%d.theta", i);
        else
            printf("%s", a->what & SN_ARG_ELEMENT ? "bar" : "pin");
    }
    if (a->max > 1) printf("]");
}

/* Slots an example shows: what must be given; an element that needs nothing shows its first number. */
static int shown(const cli_kind *k, int f, const sn_slot *s, int needs)
{
    if (s == k->slots && k->args && k->args->what & (SN_ARG_SLOT | SN_ARG_FILE)) return 0;
    if (s == k->slots && has_shape(k)) return 1;
    if (k->element && of_section(s)) return 1;
    if (s->formula || strchr(s->name, '.') || (k->args && k->args->what & SN_ARG_FILE)) return 0;
    int first = s == k->slots || (s == k->slots + 1 && !k->slots->n && !s->n); /* lists that go together */
    return isnan(s->def) || (f == CLI_SIGNALS && s->n == 0) || (f == CLI_ELEMENTS && !needs && first);
}

/* The first element kind that ties its nodes by this joint; NULL: none. */
static const char *maker(int f, const cli_kind *k)
{
    for (const sn_element_class *const *e = sn_element_all(); f == CLI_JOINTS && *e; e++)
        if ((*e)->tie && !strcmp((*e)->tie->joint, k->name)) return (*e)->name;
    return NULL;
}

/* `, plies: [{material: steel, thickness: 1 m}]`: the first list of items, of a kind that must have one */
static void items(const cli_kind *k)
{
    const sn_slot *s = k->slots;
    while (s && s->name && !strchr(s->name, '.')) s++;
    if (!s || !s->name || s > k->slots) return;
    const char *dot = strchr(s->name, '.');
    printf(", %.*s: [{material: steel", (int)(dot - s->name), s->name);
    for (; s->name && !strncmp(s->name, k->slots->name, (size_t)(dot - k->slots->name) + 1); s++)
        if (isnan(s->def) && !s->formula) {
            printf(", %s: ", strchr(s->name, '.') + 1);
            number(1, s);
        }
    printf("}]");
}

static void example(int f, const cli_kind *k)
{
    int needs = has_properties(k);
    for (const sn_slot *s = k->slots; s && s->name; s++) needs |= isnan(s->def) && !s->formula;
    printf("  %s: {%s: ", family[f].entry, k->name);
    if (k->args && k->args->what == SN_ARG_FILE)
        printf(f == CLI_MESHES ? "wing.msh" : "part.stl");
    else if (k->args && k->args->what & SN_ARG_FILE)
        printf("[[0 s, 0], [1 s, 2]]");
    else if (k->args && k->args->what & SN_ARG_SLOT)
        value(k->slots, 1);
    else if (k->sensor && k->sensor->source == SN_FROM_MULTIPLIER)
        printf("motor");
    else if (k->sensor && k->args->what & SN_ARG_NODE && k->args->what & SN_ARG_JOINT)
        printf("pin");
    else if (k->args)
        names(k->args, f == CLI_ELEMENTS);
    if (k->element && k->element->file)
        printf(", %s: %s", k->element->file->key, k->element->tie ? "body.h5" : "file.txt");
    if (has_properties(k))
        printf(has_thickness(k) ? ", material: steel" : ", material: steel, section: strip");
    /* of a cross section the third size and those after it are of its walls */
    double size = 1;
    for (const sn_slot *s = k->slots; s && s->name; s++)
        if (shown(k, f, s, needs)) {
            if (f == CLI_SECTIONS && s == k->slots + 2) size = 0.1;
            printf(", %s: ", s->name);
            value(s, size);
        }
    if (f == CLI_MESHES && !(k->args && k->args->what & SN_ARG_FILE)) printf(", elements: [12, 4]");
    items(k);
    for (const sn_option *o = k->sensor ? k->options : NULL; o && o->name; o++)
        if (!strcmp(o->choices, "@item")) printf(", %s: 1", o->name);
    printf("}\n");
}

/* ---- help page ---- */

void cli_columns(const char *text, int width)
{
    int n = (int)strlen(text);
    printf("%s%*s", text, n + 2 > width ? 2 : width - n, "");
}

void cli_slot_line(const sn_slot *s, int is_property)
{
    char text[160], count[32] = "";
    const char *unit = !s->unit[0] ? "" : !strcmp(s->unit, "1") ? "-" : s->unit;
    const int item = strchr(s->name, '.') != NULL; /* of a list: "plies.angle" */
    if (s->n != 1 && !item) snprintf(count, sizeof count, s->n ? "[%d]" : "[...]", s->n);
    if (s->flags & SN_ALIKE) snprintf(count, sizeof count, "[%d] or 1", s->n);
    snprintf(text, sizeof text, "%s%s", s->name, count);
    printf("    ");
    cli_columns(text, 16);
    cli_columns(unit, 11);
    if (s->formula && strchr(s->formula, '@'))
        snprintf(text, sizeof text, "from the nodes");
    else if (s->formula && strstr(s->formula, "shape."))
        snprintf(text, sizeof text, isnan(s->def) ? "from the shape" : "from the shape, or %g", s->def);
    else if (s->formula && strlen(s->formula) > 80)
        snprintf(text, sizeof text, "from the others");
    else if (s->formula)
        snprintf(text, sizeof text, "= %s", s->formula);
    else if (isnan(s->def))
        snprintf(text, sizeof text, is_property ? "where needed" : "required");
    else if (!s->n && !item)
        snprintf(text, sizeof text, "none");
    else
        snprintf(text, sizeof text, "%g", s->def);
    cli_columns(text, 16);
    printf("%s%s\n", s->doc, s->flags & SN_VARIES ? " (may vary in time)" : "");
}

static void option_line(const sn_option *o)
{
    char choice[128], def[64] = "";
    const char *c = o->choices;
    if (!strcmp(c, "#")) {
        snprintf(choice, sizeof choice, "whole number");
        snprintf(def, sizeof def, "%d", o->def);
    } else if (!strcmp(c, "@coords")) {
        snprintf(choice, sizeof choice, "[x, ...]");
        snprintf(def, sizeof def, "all");
    } else if (!strcmp(c, "@item")) {
        snprintf(choice, sizeof choice, "whole number");
    } else if (!strcmp(c, "@place")) {
        snprintf(choice, sizeof choice, "a name");
    } else {
        snprintf(choice, sizeof choice, "%s", c);
        for (int i = o->def; i > 0 && c; i--) c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL;
        if (c) snprintf(def, sizeof def, "%.*s", (int)strcspn(c, "|"), c);
    }
    printf("    ");
    cli_columns(o->name, 16);
    cli_columns(choice, 19);
    cli_columns(def, 12);
    printf("%s\n", o->doc);
}

static void components(int n, const char *const *name, const char *const *unit)
{
    for (int i = 0; i < n; i++)
        printf("%s%s%s%s%s", i ? ", " : "", name[i], unit[i] && unit[i][0] ? " [" : "",
               unit[i] ? unit[i] : "", unit[i] && unit[i][0] ? "]" : "");
    printf("\n");
}

static const char *plural(int n) { return n == 1 ? "" : "s"; }

/* The least that a node must offer, in words. */
static const char *least_view(unsigned ask)
{
    if (ask & (SN_SCALARS | SN_POSITION)) return "";
    return ask & SN_DIRECTOR  ? " with a director"
           : ask & SN_SLOPES  ? " with slopes"
           : ask & SN_SURFACE ? " on a surface"
           : ask & SN_FRAME   ? " with rotation"
                              : "";
}

static void argument_line(const cli_kind *k)
{
    const sn_args *a = k->args;
    if (!a) return;
    printf("\n  '%s:' takes ", k->name);
    if (a->what == SN_ARG_FILE) {
        if (isnan(k->slots[0].def))
            printf("the name of a file, which gives %s\n", k->slots[0].name);
        else
            printf("the name of a file\n");
        return;
    }
    if (a->what & SN_ARG_SLOT) {
        printf("%s%s\n",
               a->what & SN_ARG_FILE
                   ? "pairs [[t, y], ...] or the name of a CSV file ('columns: [t, y]' picks two)"
                   : "the value of ",
               a->what & SN_ARG_FILE ? "" : k->slots[0].name);
        return;
    }
    const char * or = "";
    if (a->what & SN_ARG_NODE) {
        const char *space = a->dim == 2 ? "planar " : a->dim == 3 ? "spatial " : "";
        if (a->min == a->max)
            printf("%d %snode%s", a->min, space, plural(a->min));
        else
            printf("%d to %d %snodes", a->min, a->max, space);
        printf("%s%s%s", least_view(a->ask), a->ask_first ? ", the first" : "", least_view(a->ask_first));
        or = ", or ";
    }
    if (a->what & SN_ARG_COORD) {
        if (a->min == a->max)
            printf("%s%d coordinate%s (n1.theta)", or, a->min, plural(a->min));
        else
            printf("%s%d to %d coordinates (n1.theta)", or, a->min, a->max);
        or = ", or ";
    }
    if (a->what & SN_ARG_ELEMENT) printf("%san element", or), or = ", or ";
    if (a->what & SN_ARG_JOINT) printf("%sa joint", or), or = ", or ";
    if (a->what & SN_ARG_NONE) printf("%s'all'", or);
    printf("\n");
}

/* What a sensor measures on planar or spatial frames. */
static int lay_out_on_frames(const sn_sensor_class *c, int dim, sn_layout *l)
{
    enum { MOST = 4 };
    static const unsigned view[MOST] = {SN_FRAME, SN_FRAME, SN_FRAME, SN_FRAME};
    static const int coord[MOST] = {-1, -1, -1, -1};
    static const int plane[] = {0, 3, 6, 9, 12}, space_q[] = {0, 7, 14, 21, 28},
                     space_v[] = {0, 6, 12, 18, 24};
    int slot_n[SN_MAX_SLOTS] = {0}, opt[SN_MAX_OPTIONS] = {0}, n = c->args.min < MOST ? c->args.min : MOST;
    for (int i = 0; c->slots && c->slots[i].name; i++) slot_n[i] = c->slots[i].n;
    for (int i = 0; c->options && c->options[i].name; i++) opt[i] = c->options[i].def;
    *l = (sn_layout){.nn = n,
                     .off = dim == 3 ? space_q : plane,
                     .offv = dim == 3 ? space_v : plane,
                     .view = view,
                     .coord = coord,
                     .dim = dim,
                     .order = 2,
                     .opt = opt,
                     .slot_n = slot_n};
    l->nq = l->off[n], l->nv = l->offv[n];
    if ((c->args.dim && c->args.dim != dim) || (n && !(c->args.ask & SN_FRAME))) return 0;
    return !c->layout(l, NULL) && l->ny >= 1 && l->ny <= SN_MAX_COMPONENTS && l->component[0];
}

static void sensor_components(const cli_kind *k)
{
    const sn_sensor_class *c = k->sensor;
    sn_layout l[2];
    if (c->source == SN_FROM_ELEMENT) {
        printf("\n  components: those of the element's output '%s'\n", c->output);
        return;
    }
    if (c->source == SN_FROM_REACTION)
        printf("\n  components: fx [N], fy [N], torque [N*m]; in space fx [N], fy [N], fz [N], mx [N*m], my "
               "[N*m], mz [N*m] (moments where the node has a rotation)\n");
    if (!c->layout) return;
    int plane = lay_out_on_frames(c, 2, &l[0]), space = lay_out_on_frames(c, 3, &l[1]);
    int same = plane && space && !memcmp(l[0].component, l[1].component, sizeof l[0].component);
    if (plane) {
        printf("\n  components: ");
        components(l[0].ny, l[0].component, l[0].unit);
    }
    if (!space || same) return;
    printf(plane ? "  in space:   " : "\n  components: ");
    components(l[1].ny, l[1].component, l[1].unit);
}

void cli_kind_help(int f, const cli_kind *k)
{
    printf("%s (%s)\n  %s\n", k->name, family[f].singular, k->doc ? k->doc : "");
    if (f >= CLI_KIND_FAMILIES) {
        printf("\n  in 'run', or on the command line:\n  run: {%s: %s", family[f].singular, k->name);
        for (const sn_slot *s = k->slots; s && s->name; s++) printf(", %s: %g", s->name, s->def);
        printf("}\n");
        if (k->slots && k->slots[0].name)
            printf("\n  numbers, in 'run' beside it or by --set run.%s=...\n", k->slots[0].name);
        for (const sn_slot *s = k->slots; s && s->name; s++) cli_slot_line(s, 0);
        return;
    }
    if (maker(f, k)) {
        printf("\n  made by %s for each of its nodes, and not written\n", maker(f, k));
    } else {
        printf("\nexample, in '%s':\n", family[f].name);
        example(f, k);
        argument_line(k);
    }
    if (k->slots && k->slots[0].name) printf("\n  numbers\n");
    for (const sn_slot *s = k->slots; s && s->name; s++) cli_slot_line(s, f >= CLI_MATERIALS);
    sn_shape meshes = k->element ? sn_element_mesh(k->element) : SN_SHAPE_NONE;
    const sn_file *file_of = k->element ? k->element->file : NULL;
    for (const sn_inner *in = k->element ? k->element->inner : NULL; in && in->suffix; in++) {
        printf("%s    ", in == k->element->inner ? "\n  nodes that it brings along\n" : "");
        cli_columns(in->suffix, 16);
        printf("NAME.%s, a %s%s\n", in->suffix, in->kind, in->count ? ", where it is needed" : "");
    }
    if (file_of) {
        printf("\n  file\n    ");
        cli_columns(file_of->key, 16);
        printf("%s\n", file_of->doc);
    }
    const int drawn = k->element && k->element->geometry;
    if ((k->options && k->options[0].name) || drawn) printf("\n  options\n");
    for (const sn_option *o = k->options; o && o->name; o++) option_line(o);
    if (drawn)
        printf("    colour          name|'#rrggbb'     automatic   that pictures draw it in ('sinew help "
               "colour')\n");
    if (meshes == SN_SHAPE_LINE)
        printf("    elements        whole number       1           into how many elements the line is "
               "divided\n"
               "\n  numbers may vary with 'xi', the place along the line from 0 to 1: each element has the "
               "value "
               "at its middle\n");
    if (meshes == SN_SHAPE_TRIANGLE)
        printf(
            "    elements        whole number       1           into how many parts each edge is divided\n");
    if (meshes == SN_SHAPE_QUADRILATERAL)
        printf("    elements        [n, m]             [1, 1]      into how many elements it is divided "
               "along its "
               "first two edges\n");
    if (has_properties(k))
        printf("\n  'material', 'section', or their numbers (E, A, ...) in the entry itself give what is not "
               "written\n");
    if (has_shape(k))
        printf("\n  'shape', by name or as a map {box: , size: ...}, gives what is not written\n");
    for (const sn_output *o = k->outputs; o && o->name; o++) {
        printf("%s    ", o == k->outputs ? "\n  outputs, for sensors\n" : "");
        cli_columns(o->name, 16);
        printf("%s: ", o->doc);
        components(o->n, o->component, o->unit);
    }
    if (k->sensor) sensor_components(k);
}
