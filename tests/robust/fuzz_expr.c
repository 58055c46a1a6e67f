/* Fuzzing: any bytes are what stands for a number: a unit, an expression, an objective, a value that is set.
   The first byte says which. */
#include "robust/fuzz.h"

#include "model/expr_code.h"
#include "sensitivity/objective.h"

static const char model_text[] = "sinew: 1\n"
                                 "parameters: {k: 80 N/m, m: 2 kg}\n"
                                 "nodes: {b: {point2d: [1, 0]}}\n"
                                 "elements: {bob: {mass2d: b, mass: m}, s: {spring2d: [ground, b], k: k}}\n"
                                 "sensors: {at: {position: b}, pull: {force: s}}\n"
                                 "run: {end: 1 s, step: 1 ms}\n";

static int lookup(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    (void)ctx;
    if (name[0] >= 'a' && name[0] <= 'd') return name[0] - 'a';
    sn_fail(err, SN_ERR_INPUT, where, "unknown name '%s'", name);
    return -1;
}

static void check_unit(const char *text)
{
    double factor;
    sn_dim dim;
    char out[64];
    int n = sn_unit_parse(text, &factor, &dim);
    if (n < 0 || (size_t)n > strlen(text)) abort();
    if (sn_unit_whole(text, &factor, &dim) == SN_OK) sn_dim_text(dim, out, sizeof out);
}

static void check_expr(const char *text, sn_err *err)
{
    sn_arena arena = {0};
    sn_expr *e;
    sn_mark where = {"fuzz", text, 1, 1};
    sn_dimension x[SN_MAX_VARIABLES] = {{0}}, dim;
    double value[SN_MAX_VARIABLES] = {1, 2, 3, 4}, by[SN_MAX_VARIABLES];
    sn_jet jet[SN_MAX_VARIABLES] = {{{0}, {0}}}, out;
    sn_status s = sn_expr_parse(&arena, text, &where, lookup, NULL, &e, err);
    check_reports(s, err);
    if (s == SN_OK) {
        if (sn_expr_nvar(e) > 4) abort();
        check_reports(sn_expr_dimension(e, x, &dim, err), err);
        sn_expr_gradient(e, value, by);
        sn_expr_jet(e, jet, &out);
    }
    sn_arena_free(&arena);
}

static void check_objective(const sn_model *m, const char *text, int statics, sn_err *err)
{
    sn_objectives *of;
    double y[8] = {0};
    sn_gradient_options o = {.run.end = 1, .of = &text, .n_of = 1, .statics = statics};
    sn_status s = sn_objectives_new(m, &o, 0, &of, err);
    if ((s == SN_OK) != (of != NULL)) abort();
    check_reports(s, err);
    if (!of) return;
    sn_objectives_step(of, 0, 0, y, NULL);
    sn_objectives_step(of, 1, 1, y, NULL);
    for (int i = 0; i < of->n_times; i++) sn_objectives_sample(of, i, y, NULL);
    sn_objectives_finish(of, 1);
    sn_objectives_free(of);
}

static void check_set(const sn_model *m, const char *text, sn_err *err)
{
    static const char *const name[] = {"k", "s.k", "n.at.x", "b.at.x", "bob.mass", ""};
    sn_values *p;
    if (sn_values_new(m, &p, err)) abort();
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        check_reports(sn_values_set(p, name[i], text, err), err);
    check_reports(sn_values_set(p, text, "1", err), err);
    check_reports(sn_values_update(p, err), err);
    sn_values_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sn_model *m; /* made once: constant */
    sn_err err;
    sn_err_clear(&err);
    if (!m && sn_model_read_text("model.yaml", model_text, sizeof model_text - 1, &m, &err)) abort();
    if (size < 1) return 0;
    char *text = calloc(size, 1);
    if (!text) abort();
    memcpy(text, data + 1, size - 1);
    switch (data[0] % 8) {
    case 'u' % 8:
        check_unit(text);
        break;
    case 'o' % 8:
        check_objective(m, text, 0, &err);
        break;
    case 'q' % 8: /* of an equilibrium */
        check_objective(m, text, 1, &err);
        break;
    case 's' % 8:
        check_set(m, text, &err);
        break;
    default:
        check_expr(text, &err);
    }
    free(text);
    return 0;
}
