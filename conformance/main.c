/* sinew-conformance: checks kinds, our own and those of plug-ins, by their tables. See docs/plugins.md. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"
#include "model/compile.h"

static int usage(FILE *to)
{
    fputs("usage: sinew-conformance [--plugin FILE]... [--file KIND=FILE]... [--size N] KIND...|all\n\n"
          "Checks kinds at random states: tables, all derivatives against differences, energies, rigid "
          "motions.\n"
          "For each kind it says which checks were made and which do not apply, and why. Ends with 1 where "
          "one\n"
          "failed.\n\n"
          "  --plugin FILE     take kinds from a shared library (again for more)\n"
          "  --file KIND=FILE  the file of constants that an element of this kind is checked with\n"
          "  --size N          coordinates of nodes that can have any number of them (3)\n",
          to);
    return to == stderr ? 2 : 0;
}

static void print_reports(const sn_err *err)
{
    for (int i = 0; i < err->count && i < SN_ERR_MAX; i++) printf("FAIL %s\n", err->report[i].text);
}

static void *block_alloc(sn_block *b, size_t n, size_t size) { return sn_arena_alloc(b->owner, n, size); }

typedef struct request {
    int n, n_file;
    char **name, **file; /* of kinds; KIND=FILE */
    sn_arena arena;      /* of blocks */
} request;

/* The file for a kind, or NULL. */
static const char *file_for(const request *r, const char *kind)
{
    size_t n = strlen(kind);
    for (int i = 0; i < r->n_file; i++)
        if (!strncmp(r->file[i], kind, n) && r->file[i][n] == '=') return r->file[i] + n + 1;
    return NULL;
}

/* What the element kind makes of its file; 0: it has none, or it cannot be read, which is told as of `kind`.
 */
static int read_block(request *r, const sn_element_class *c, const char *kind, const void **data)
{
    sn_block b = {.alloc = block_alloc, .owner = &r->arena};
    const char *path = c->file ? file_for(r, c->name) : NULL;
    sn_err err;
    sn_err_clear(&err);
    if (c->file && !path) {
        printf("FAIL %s: not checked but for its table: it needs a file, --file %s=FILE\n", kind, c->name);
        return 0;
    }
    if (path && c->file->read(path, &b, &err)) {
        print_reports(&err);
        printf("FAIL %s: %s cannot be read\n", kind, path);
        return 0;
    }
    *data = b.data;
    return 1;
}

static int element(request *r, const sn_element_class *c)
{
    char kind[160];
    const void *block = NULL;
    snprintf(kind, sizeof kind, "element %s", c->name);
    return read_block(r, c, kind, &block) ? conform_element(c, block, 0) : 1;
}

/* One that ties nodes to an element sees that one's block, and its inner nodes in their size. */
static int joint(request *r, const sn_joint_class *c)
{
    char kind[160];
    const void *block = NULL;
    int size = conform_size;
    snprintf(kind, sizeof kind, "joint %s", c->name);
    for (const sn_element_class *const *e = sn_element_all(); *e; e++) {
        if (!(*e)->tie || strcmp((*e)->tie->joint, c->name) != 0) continue;
        if (!read_block(r, *e, kind, &block)) return 1;
        for (const sn_inner *in = (*e)->inner; in && in->suffix; in++)
            if (in->count && block) conform_size = in->count(&(sn_layout){.block = block});
        break;
    }
    int bad = conform_joint(c, block, 0);
    conform_size = size;
    return bad;
}

/* Of properties a keyword may mean one in each of their groups. */
static int is_twice(int family, const void *cls)
{
    int n = 0;
    for (const void *const *k = sn_family_all(family); *k; k++)
        n += !strcmp(sn_class_name(*k), sn_class_name(cls)) &&
             (family != SN_FAMILY_PROPERTY ||
              ((const sn_property_class *)*k)->section == ((const sn_property_class *)cls)->section);
    if (n > 1) printf("FAIL %s %s: the keyword is taken twice\n", sn_family_name[family], sn_class_name(cls));
    return n > 1;
}

static int kind(request *r, int family, const void *cls)
{
    sn_err err;
    sn_err_clear(&err);
    int bad = sn_kind_check(family, cls, &err) + is_twice(family, cls);
    print_reports(&err);
    if (bad) return bad; /* its functions may be missing */
    switch (family) {
    case SN_FAMILY_NODE:
        return conform_node(cls, 0);
    case SN_FAMILY_ELEMENT:
        return element(r, cls);
    case SN_FAMILY_JOINT:
        return joint(r, cls);
    case SN_FAMILY_SIGNAL:
        return conform_signal(cls, 0);
    case SN_FAMILY_SENSOR:
        return conform_sensor(cls, 0);
    default:
        printf("%s %s\n    %-34s complete; there are no others for this family\n", sn_family_name[family],
               sn_class_name(cls), "its table");
        return 0;
    }
}

/* The kind at hand, for who crashes. */
static char at_hand[160];

static void crashed(int number)
{
    static const char why[] =
        ": it reads what it is not given (prepare sees no q), or writes beyond its arrays\n";
    (void)number;
    if (write(STDOUT_FILENO, at_hand, strlen(at_hand)) < 0 || write(STDOUT_FILENO, why, sizeof why - 1) < 0)
        _exit(1);
    _exit(1);
}

static int wanted(const request *r, const char *name)
{
    for (int i = 0; i < r->n; i++)
        if (!strcmp(r->name[i], "all") || !strcmp(r->name[i], name)) return 1;
    return 0;
}

static int check(request *r)
{
    int bad = 0, kinds = 0;
    for (int f = 0; f < SN_FAMILIES; f++)
        for (const void *const *k = sn_family_all(f); *k; k++)
            if (wanted(r, sn_class_name(*k))) {
                snprintf(at_hand, sizeof at_hand, "FAIL %s %s crashed", sn_family_name[f], sn_class_name(*k));
                fflush(stdout);
                bad += kind(r, f, *k), kinds++;
            }
    for (int i = 0; i < r->n; i++) {
        int there = !strcmp(r->name[i], "all");
        for (int f = 0; f < SN_FAMILIES; f++)
            for (const void *const *k = sn_family_all(f); *k; k++)
                there |= !strcmp(sn_class_name(*k), r->name[i]);
        if (!there) fprintf(stderr, "sinew-conformance: there is no kind '%s'\n", r->name[i]);
        if (!there) return 2;
    }
    printf("%d kinds, %d failures\n", kinds, bad);
    return bad ? 1 : 0;
}

/* Takes the options out of the command line; 0: go on. */
static int options(int argc, char **argv, request *r)
{
    for (int i = 1; i < argc; i++) {
        int plugin = !strcmp(argv[i], "--plugin"), file = !strcmp(argv[i], "--file"),
            size = !strcmp(argv[i], "--size");
        if ((plugin || file || size) && i + 1 == argc) return usage(stderr);
        if (plugin) {
            sn_err err;
            sn_err_clear(&err);
            sn_status s = sn_plugin_load(argv[++i], &err);
            if (s) print_reports(&err);
            if (s) return 2;
        } else if (size) {
            conform_size = atoi(argv[++i]);
            if (conform_size < 1 || conform_size > SN_MAX_SLOTS) return usage(stderr);
        } else if (file) {
            r->file[r->n_file++] = argv[++i];
        } else if (argv[i][0] == '-') {
            return usage(stderr);
        } else {
            r->name[r->n++] = argv[i];
        }
    }
    return r->n ? 0 : usage(stderr);
}

int main(int argc, char **argv)
{
    request r = {.name = calloc((size_t)argc + 1, sizeof *r.name),
                 .file = calloc((size_t)argc + 1, sizeof *r.file)};
    if (argc == 2 && !strcmp(argv[1], "--help")) return usage(stdout);
    signal(SIGSEGV, crashed), signal(SIGABRT, crashed);
    int code = r.name && r.file ? options(argc, argv, &r) : 2;
    if (!code) code = check(&r);
    sn_arena_free(&r.arena);
    free(r.name), free(r.file);
    return code;
}
