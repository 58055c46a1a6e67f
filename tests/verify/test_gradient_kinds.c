/* Derivatives of every kind by every number of it: forward, adjoint and differences agree. The models contain
   each kind of the registries; one that none of them has fails the test. What is compared, and how closely:
   gradient.h. Differences are taken for a part of the numbers, spread over all, unless SINEW_TEST_ALL is set
   in the environment: they cost fourteen runs for each. */
#include "verify/gradient_models.h"

#include <time.h>

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* The numbers of which differences are taken: each n-th that counts, from a place that depends on the model.
 */
static void thin(const grad *g, const double *f, int each, int from, grad *part, double *pf)
{
    int n = 0;
    for (int k = 0, seen = 0; k < g->o.n_wrt; k++) {
        if (!g->used[k] || seen++ % each != from % each) continue;
        part->wrt[n] = g->wrt[k], part->x[n] = g->x[k];
        for (int j = 0; j < g->o.n_of; j++) pf[j * g->o.n_wrt + n] = f[j * g->o.n_wrt + k];
        n++;
    }
    /* rows closer together */
    for (int j = 0; j < g->o.n_of; j++) memmove(pf + j * n, pf + j * g->o.n_wrt, sizeof *pf * (size_t)n);
    part->o.n_wrt = n, part->o.wrt = part->wrt;
}

static void check_model(const model *m, int number)
{
    grad *g = open_model(m), *part = malloc(sizeof *part);
    double t0 = now(), *known;
    assert_non_null(part);
    grad_all_numbers(g, m->skip);
    grad_all_sensors(g);
    double *f = grad_by(g, SN_GRADIENT_FORWARD, NULL), t1 = now();
    assert_true(g->info.method == SN_GRADIENT_FORWARD && !g->info.start_by_differences);
    double *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL), t2 = now();
    double same = grad_compare(g, m->file, f, a, NULL, GRAD_SAME);
    *part = *g;
    double *pf = malloc(sizeof *pf * (size_t)(g->o.n_of * g->o.n_wrt));
    thin(g, f, getenv("SINEW_TEST_ALL") ? 1 : m->each, number, part, pf);
    part->o.of = part->of;
    double *d = grad_by(part, SN_GRADIENT_DIFFERENCES, &known);
    double close = grad_compare(part, m->file, pf, d, known, GRAD_CLOSE);
    print_message("  %-10s %3d numbers, %2d objectives: adjoint %.1e, differences (%d numbers) %.1e; "
                  "%.2f %.2f %.2f s\n",
                  m->file, g->o.n_wrt, g->o.n_of, same, part->o.n_wrt, close, t1 - t0, t2 - t1, now() - t2);
    free(f), free(a), free(d), free(known), free(pf), free(part);
    grad_close(g);
}

static void test_kinds(void **state)
{
    const char *only = getenv("SINEW_TEST_MODEL");
    (void)state;
    for (int i = 0; i < MODELS; i++)
        if (!only || !strcmp(only, models[i].file)) check_model(&models[i], i);
}

/* ---- coverage ---- */

typedef struct seen {
    const void *cls[128];
    int n;
} seen;

static void see(seen *s, const void *cls)
{
    for (int i = 0; i < s->n; i++)
        if (s->cls[i] == cls) return;
    assert_true(s->n < 128);
    s->cls[s->n++] = cls;
}

static int has(const seen *s, const void *cls)
{
    for (int i = 0; i < s->n; i++)
        if (s->cls[i] == cls) return 1;
    return 0;
}

static void see_family(seen *s, const sn_family *f)
{
    for (int i = 0; i < f->n; i++) see(s, f->object[i].cls);
}

#define COVERED(family)                                                                                      \
    for (int i = 0; sn_##family##_all()[i]; i++)                                                             \
        if (!has(&s, sn_##family##_all()[i]))                                                                \
    fail_msg(#family " %s is in no model", sn_##family##_all()[i]->name)

static void test_coverage(void **state)
{
    seen s = {.n = 0};
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        grad *g = open_model(&models[i]);
        const sn_model *m = g->k.m;
        for (int k = 0; k < m->n_node; k++)
            if (!m->node[k].ground) see(&s, m->node[k].cls);
        see_family(&s, &m->element), see_family(&s, &m->joint);
        see_family(&s, &m->sensor), see_family(&s, &m->signal);
        for (int section = SN_SEC_MATERIALS; section <= SN_SEC_MESHES; section++)
            for (int k = 0; k < m->n_entry[section]; k++) see(&s, m->entry[section][k].cls);
        grad_close(g);
    }
    COVERED(node);
    COVERED(element);
    COVERED(joint);
    COVERED(signal);
    COVERED(sensor);
    COVERED(property);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
