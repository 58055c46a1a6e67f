/* Numbers that decide how a model is built: how many elements a mesh has. They are needed before quantities
   are evaluated, so that what they say is worked out here: whole numbers, or expressions of parameters whose
   own texts lead to numbers. Such parameters (sn_quantity.structural) stay what they are as long as the model
   lives; to change one the file is read again with something else in its place (sn_structure_change). */
#include "model/surfaces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 32 };

typedef struct reading {
    sn_compiler *c;
    const sn_scope *scope;
    int deep;
} reading;

static sn_status evaluate(reading *r, const sn_item *item, double *x);

static int parameter(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    reading *r = ctx;
    int i = sn_entry_find(r->c, SN_SEC_PARAMETERS, r->scope, name);
    if (i >= 0) return i;
    const char *near = sn_near_name(r->c, SN_SEC_PARAMETERS, r->scope, name);
    sn_fail(err, SN_ERR_INPUT, where, "there is no parameter '%s'%s%s%s", name,
            near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return -1;
}

static sn_status value_of(reading *r, int index, double *x)
{
    const sn_entry *e = &r->c->m->entry[SN_SEC_PARAMETERS][index];
    reading inner = {r->c, e->scope, r->deep + 1};
    if (inner.deep > DEEP) return SN_ERR_INPUT; /* a circle, which is reported with those of all quantities */
    SN_TRY(evaluate(&inner, e->item, x));
    if (e->first >= 0 && e->n) r->c->m->quantity[e->first].structural = 1;
    return SN_OK;
}

static sn_status evaluate(reading *r, const sn_item *item, double *x)
{
    sn_expr *e;
    double value[SN_MAX_VARIABLES];
    if (item->type != SN_ITEM_SCALAR || !item->text[0])
        return sn_fail(r->c->err, SN_ERR_INPUT, &item->mark, "a number or an expression is expected here");
    SN_TRY(sn_expr_parse(r->c->items, item->text, &item->mark, parameter, r, &e, r->c->err));
    for (int k = 0; k < sn_expr_nvar(e); k++) SN_TRY(value_of(r, sn_expr_var(e, k), &value[k]));
    *x = sn_expr_value(e, value);
    return SN_OK;
}

int sn_whole_item(sn_compiler *c, const sn_scope *scope, const sn_item *k)
{
    reading r = {c, scope, 0};
    double x;
    if (k->type != SN_ITEM_SCALAR || !k->text[0]) return 0;
    if (evaluate(&r, k, &x)) return -1;
    double whole = nearbyint(x);
    if (fabs(x - whole) <= 1e-9 * fabs(whole) && whole >= 1 && whole <= SN_MAX_ELEMENTS) return (int)whole;
    char *end;
    strtod(k->text, &end);
    if (!*end) return 0; /* whoever asked says what is wrong with a number that is written here */
    sn_fail(c->err, SN_ERR_INPUT, &k->mark,
            "'%s' is %g, but how many elements there are is a whole number from 1 to %d", k->text, x,
            SN_MAX_ELEMENTS);
    return -1;
}

/* ---- changes ---- */

/* An element or a mesh of the model by "bar.elements" or "elements.bar.elements"; its section, or -1. */
static int counted(const sn_model *m, const char *name, const char **entry, size_t *length)
{
    static const int section[] = {SN_SEC_ELEMENTS, SN_SEC_MESHES};
    static const char key[] = ".elements";
    size_t n = strlen(name), k = sizeof key - 1;
    if (n <= k || strcmp(name + n - k, key) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        size_t skip = strlen(sn_section_name[section[i]]) + 1;
        int full =
            n - k > skip && !strncmp(name, sn_section_name[section[i]], skip - 1) && name[skip - 1] == '.';
        for (int j = 0; j <= full; j++) {
            const char *from = name + (j ? skip : 0);
            char text[SN_MAX_NAME + 1];
            size_t l = n - k - (j ? skip : 0);
            if (l > SN_MAX_NAME) continue;
            memcpy(text, from, l), text[l] = 0;
            int e = sn_map_get(&m->name[section[i]], text);
            if (e < 0) continue;
            const sn_entry *at = &m->entry[section[i]][e];
            if (section[i] == SN_SEC_ELEMENTS && !sn_element_mesh(at->cls)) continue;
            if (section[i] == SN_SEC_MESHES && !((const sn_property_class *)at->cls)->form) continue;
            return *entry = at->name, *length = l, section[i];
        }
    }
    return -1;
}

int sn_structure_change(const sn_model *m, const char *name, sn_structure *out)
{
    size_t length;
    int id = sn_quantity_find(m, name), section;
    if (id >= 0 && m->quantity[id].structural) {
        const sn_quantity *q = &m->quantity[id];
        *out = (sn_structure){sn_section_name[SN_SEC_PARAMETERS], m->entry[SN_SEC_PARAMETERS][q->owner].name,
                              NULL};
        return 1;
    }
    section = id >= 0 ? -1 : counted(m, name, &out->name, &length);
    if (section < 0) return 0;
    out->section = sn_section_name[section], out->key = "elements";
    return 1;
}

sn_status sn_structure_refuse(const sn_model *m, int id, const char *name, const sn_mark *where, sn_err *err)
{
    if (!m->quantity[id].structural) return SN_OK;
    return sn_fail(
        err, SN_ERR_INPUT, where,
        "'%s' decides how many elements there are: it is chosen when the model is read (in the file, or by "
        "--set) and cannot vary afterwards",
        name);
}
