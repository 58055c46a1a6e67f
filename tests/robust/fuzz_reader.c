/* Fuzzing (libFuzzer): any bytes are a model text. The reader must answer with a tree or with reports, the
   compiler with a model or with reports; a small model must pass the checks, a few steps, and the search for
   an equilibrium, with a result or with a report. Nothing is left behind, and an internal error is a finding.
   Seeds in tests/robust/corpus/reader, words in tests/robust/fuzz.dict. Build with clang
   -fsanitize=fuzzer,address,undefined. */
#include "robust/fuzz.h"

#include "io/yaml.h"

enum { SMALL = 200 /* coordinates */, FINE = 2000 /* elements of a mesh: more is only slow */ };

/* What every tree promises: counts agree, texts are there, places lie in the source. The depth is bounded. */
static void check_tree(const sn_item *item, int depth)
{
    int n = 0;
    if (!item->text || item->mark.line < 1 || item->mark.col < 1 || depth > SN_YAML_MAX_DEPTH) abort();
    if (item->key_mark.line < 1 || item->key_mark.col < 1 || !item->mark.source) abort();
    for (const sn_item *c = item->child; c; c = c->next, n++) {
        if ((item->type == SN_ITEM_MAP) != (c->key != NULL)) abort();
        check_tree(c, depth + 1);
    }
    if (n != item->n) abort();
}

static int too_fine(const sn_item *item)
{
    if (item->key && !strcmp(item->key, "elements") && strtol(item->text, NULL, 10) > FINE) return 1;
    for (const sn_item *c = item->child; c; c = c->next)
        if (too_fine(c)) return 1;
    return 0;
}

static void use_values(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_sizes sizes;
    sn_check_report report;
    sn_info info;
    sn_model_sizes(m, &sizes);
    if (sizes.nv >= SMALL || sizes.m >= SMALL) return;
    sn_status status = sn_check(m, p, &report, err);
    if (status == SN_OK) sn_release(report.names);
    check_reports(status, err);
    sn_run_options o = sn_run_options_default(m, p);
    o.end = 3 * o.step;
    o.output = 0;
    status = sn_run(m, p, &o, &info, err);
    check_reports(status, err);
    if (o.start_static) return;
    status = sn_static(m, p, &o, NULL, &info, err);
    check_reports(status, err);
}

static void use_model(const char *text, size_t size, sn_err *err)
{
    sn_model *m;
    sn_values *p = NULL;
    sn_status status = sn_model_read_text("fuzz.yaml", text, size, &m, err);
    if ((status == SN_OK) != (m != NULL)) abort();
    check_reports(status, err);
    if (!m) return;
    status = sn_values_new(m, &p, err);
    if ((status == SN_OK) != (p != NULL)) abort();
    check_reports(status, err);
    if (p) use_values(m, p, err);
    sn_values_free(p);
    sn_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_arena arena = {0};
    sn_item *root = NULL;
    sn_err err;
    sn_err_clear(&err);
    sn_status status = sn_yaml_read_text("fuzz.yaml", (const char *)data, size, &arena, &root, &err);
    if ((status == SN_OK) != (root != NULL)) abort();
    check_reports(status, &err);
    if (root) {
        check_tree(root, 0);
        if (!too_fine(root)) use_model((const char *)data, size, &err);
    }
    sn_arena_free(&arena);
    return 0;
}
