/* Models from files: YAML into items, CSV into tables, STL into bodies, all handed to the compiler. */
#include "io/read.h"
#include "io/csv.h"
#include "io/msh.h"
#include "io/stl.h"
#include "io/yaml.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Two columns of a CSV file by name, or the first two. */
static sn_status read_columns(const char *path, const char *column[2], const sn_mark *where, sn_arena *arena,
                              int *rows, const double *x[2], sn_err *err)
{
    sn_csv *csv;
    int before = err->count, at[2] = {0, 1};
    sn_status s = sn_csv_read(path, arena, &csv, err);
    if (s) {
        sn_err_place(err, before, where); /* where the file was asked for */
        return s;
    }
    for (int k = 0; k < 2; k++) {
        if (column[k]) at[k] = sn_csv_column(csv, column[k]);
        if (at[k] < 0 || at[k] >= csv->cols)
            return sn_fail(err, SN_ERR_INPUT, where, "'%s' has no column %s%s%s", path, column[k] ? "'" : "",
                           column[k] ? column[k]
                           : k       ? "2"
                                     : "1",
                           column[k] ? "'" : "");
    }
    *rows = csv->rows;
    for (int k = 0; k < 2; k++) x[k] = csv->data + (size_t)at[k] * (size_t)csv->rows;
    for (int i = 0; i < csv->rows; i++)
        if (!isfinite(x[0][i]) || !isfinite(x[1][i]))
            return sn_fail(err, SN_ERR_INPUT, where, "'%s': row %d has an empty or non-finite cell", path,
                           i + 1);
    return SN_OK;
}

static sn_status read_body(const char *path, double *out, const sn_mark *where, sn_err *err)
{
    int before = err->count;
    double *x = NULL;
    int n;
    sn_status s = out ? sn_stl_read(path, out, err) : sn_stl_triangles(path, &x, &n, err);
    sn_free(x);
    if (s) sn_err_place(err, before, where); /* where the file was asked for */
    return s;
}

static sn_status read_mesh(const char *path, const sn_mark *where, sn_arena *arena, sn_surface *out,
                           sn_err *err)
{
    int before = err->count;
    sn_status s = sn_msh_read(path, arena, out, err);
    if (s) sn_err_place(err, before, where);
    return s;
}

static const sn_loader loader = {
    .read = sn_yaml_read_file, .csv = read_columns, .msh = read_mesh, .stl = read_body};

/* The text of a replacement as an item, called by its name. */
static sn_status parse(const sn_replacement *r, sn_arena *arena, sn_item **out, sn_err *err)
{
    sn_item *made;
    const char *text = sn_arena_printf(arena, "sinew: 1\nx: %s\n", r->text);
    if (!text) return SN_OUT_OF_MEM(err);
    SN_TRY(sn_yaml_read_text("replacement", text, strlen(text), arena, &made, err));
    *out = (sn_item *)sn_item_get(made, "x");
    (*out)->key = r->name, (*out)->next = NULL;
    if (r->where) (*out)->mark = (*out)->key_mark = *r->where;
    return SN_OK;
}

/* An entry behind the others of its section, which is made where the file has none. */
static sn_status add(sn_item *root, const sn_replacement *r, sn_item *entry, sn_arena *arena, sn_err *err)
{
    sn_item *section = (sn_item *)sn_item_get(root, r->section), **end = &root->child;
    if (section && section->type != SN_ITEM_MAP && section->text[0]) return SN_OK; /* an error of its own */
    if (!section) {
        if (!(section = sn_arena_alloc(arena, 1, sizeof *section))) return SN_OUT_OF_MEM(err);
        *section = (sn_item){.text = "", .key = r->section, .mark = root->mark, .key_mark = root->mark};
        while (*end) end = &(*end)->next;
        *end = section;
        root->n++;
    }
    section->type = SN_ITEM_MAP;
    for (end = &section->child; *end; end = &(*end)->next) {}
    *end = entry;
    section->n++;
    return SN_OK;
}

/* Replacements become what the compiler puts in, additions are put in here. */
static sn_status prepare(sn_item *root, int n, const sn_replacement *list, sn_arena *arena, sn_loader *own,
                         sn_err *err)
{
    own->instead = sn_arena_alloc(arena, (size_t)n + 1, sizeof *own->instead);
    if (!own->instead) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < n; i++) {
        const sn_replacement *r = &list[i];
        sn_item *item = NULL;
        SN_TRY(parse(r, arena, &item, err));
        if (r->added)
            SN_TRY(add(root, r, item, arena, err));
        else
            own->instead[own->n_instead++] = (sn_instead){.section = r->section,
                                                          .name = r->name,
                                                          .key = r->key,
                                                          .component = r->component,
                                                          .n = r->n,
                                                          .item = item};
    }
    return SN_OK;
}

static sn_status all_used(int n, const sn_replacement *list, const sn_loader *own, sn_err *err)
{
    for (int i = 0, k = 0; i < n; i++) {
        const sn_replacement *r = &list[i];
        if (!r->added && !own->instead[k++].used)
            return sn_fail(err, SN_ERR_INPUT, r->where, "the model has no '%s' among its %s%s%s", r->name,
                           r->section, r->key ? " with the key " : "", r->key ? r->key : "");
    }
    return SN_OK;
}

sn_status sn_model_load(const sn_model_file *f, sn_model **model, sn_err *err)
{
    const char *path = f->path;
    const sn_replacement *list = f->replacement;
    const int n = f->n_replacement;
    sn_arena arena = {0};
    sn_item *root;
    sn_loader own = loader;
    own.reduce = f->reduce;
    *model = NULL;
    sn_status s = sn_yaml_read_file(path, &arena, &root, err);
    if (!s && n) s = prepare(root, n, list, &arena, &own, err);
    if (!s) s = sn_model_compile(root, path, &arena, &own, f->refined, model, err);
    if (!s && n) s = all_used(n, list, &own, err);
    sn_arena_free(&arena);
    if (!s) s = sn_model_has_read(*model, path, err);
    if (s) {
        sn_model_free(*model);
        *model = NULL;
    }
    return s;
}

sn_status sn_model_load_text(const char *name, const char *text, size_t length, sn_reducer *reduce,
                             sn_model **model, sn_err *err)
{
    sn_arena arena = {0};
    sn_item *root;
    sn_loader own = loader;
    own.reduce = reduce;
    *model = NULL;
    sn_status s = sn_yaml_read_text(name, text, length, &arena, &root, err);
    if (!s) s = sn_model_compile(root, name, &arena, &own, 1, model, err);
    sn_arena_free(&arena);
    return s;
}
