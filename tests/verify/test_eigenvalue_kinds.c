/* Derivatives of eigenvalues by numbers of every kind, about the start, which moves: against extrapolated
   differences of eigenvalues. Models and measure of agreement: gradient_models.h, gradient.h. */
#include "verify/gradient_models.h"

#include "sensitivity/vibration.h"

#include <time.h>

enum { ROOTS = 4 };

typedef struct roots {
    sn_vibration *v;
    sn_arena arena;
    sn_oscillations all;
} roots;

static void solve(kit *k, const sn_values *p, int np, const int *id, roots *r)
{
    sn_vibration_request q = {.run = k->o, .any_motion = 1, .np = np, .id = id};
    q.run.exact = 1;
    *r = (roots){.v = NULL};
    kit_good(k, sn_vibration_new(k->m, p, &q, &r->v, &k->err));
    kit_good(k, sn_vibration_modes(r->v, &r->arena, 1, &r->all, &k->err));
}

static void forget(roots *r)
{
    sn_vibration_free(r->v);
    sn_arena_free(&r->arena);
}

/* Roots far enough from all others, spread over the spectrum. */
static int choose(const roots *r, int *which)
{
    int good[256], n = 0, count = 0;
    const sn_oscillation *m = r->all.mode;
    for (int i = 0; i < r->all.n && n < 256; i++) {
        double apart = cimag(m[i].s) > 0 ? 2 * cimag(m[i].s) : INFINITY;
        for (int j = 0; j < r->all.n; j++)
            if (j != i) apart = fmin(apart, cabs(m[i].s - m[j].s));
        if (apart > 0.02 * cabs(m[i].s) && cabs(m[i].s) > 1e-3 * cabs(m[r->all.n - 1].s)) good[n++] = i;
    }
    for (int k = 0; k < ROOTS && k < n; k++)
        which[count++] = good[k * (n - 1) / (ROOTS - 1 > 0 ? ROOTS - 1 : 1)];
    return count;
}

/* The roots nearest to s (count) where number id is moved by h. */
static void moved(kit *k, int id, double h, int count, const double complex *s, double complex *to)
{
    roots r;
    sn_values *p;
    kit_good(k, sn_values_copy(k->p, &p, &k->err));
    p->x[id] += h, p->fixed[id] = 1;
    kit_good(k, sn_values_update_beyond(p, &k->err));
    solve(k, p, 0, NULL, &r);
    for (int c = 0; c < count; c++) {
        sn_mode_jet jet;
        int best = 0;
        for (int i = 1; i < r.all.n; i++)
            if (cabs(r.all.mode[i].s - s[c]) < cabs(r.all.mode[best].s - s[c])) best = i;
        kit_good(k, sn_vibration_jet(r.v, &r.arena, &r.all, best, 0, &jet, &k->err));
        to[c] = jet.s;
    }
    forget(&r);
    sn_values_free(p);
}

/* Central differences over steps h and h/2, extrapolated: an error of h^4, 1e-12 of smooth dependence, and of
   rounding 1e-13/h. The scale of a number that is 0 is not known: steps are smaller until the two, or their
   extrapolations, agree to that or to rounding.
 */
static void differences(kit *k, int id, int count, const double complex *s, double complex *out)
{
    double x = fabs(k->p->x[id]), h = 1e-3 * (x > 0 ? x : 1), least[ROOTS];
    const double f[4] = {1, -1, 0.5, -0.5};
    double complex before[ROOTS];
    for (int c = 0; c < count; c++) least[c] = INFINITY, before[c] = INFINITY;
    for (int try = 0; try < 5; try++, h /= 8) {
        double complex at[4][ROOTS];
        int more = 0;
        for (int j = 0; j < 4; j++) moved(k, id, f[j] * h, count, s, at[j]);
        for (int c = 0; c < count; c++) {
            const double complex far = (at[0][c] - at[1][c]) / (2 * h), near = (at[2][c] - at[3][c]) / h,
                                 here = (4 * near - far) / 3;
            const double rounding = 1e-13 * cabs(s[c]) / h,
                         off = fmin(cabs(near - far), cabs(here - before[c]));
            if (off + rounding < least[c]) least[c] = off + rounding, out[c] = here;
            more |= off > 1e-6 * cabs(out[c]) + fmax(1e-11 * cabs(s[c]), rounding);
            before[c] = here;
        }
        if (!more) break;
    }
}

/* The start's accelerations in joints that rub are differentiated to 8 digits where displacements are
   projected on the constraints: what they leave of small changes of eigenvalues. */
static double close_enough(const char *name) { return strstr(name, ".displacement.") ? 1e-5 : GRAD_CLOSE; }

typedef struct verdict {
    double worst;
    int n, roots;
    sn_steadiness what;
} verdict;

/* most: the largest change by a number, or what differences can see: roots are known to 1e-13, steps are 1e-3
 */
static void compare(const model *m, const char *name, double size, double complex exact, double complex other,
                    double most, verdict *out)
{
    double off = cabs(exact - other) / fmax(cabs(exact), GRAD_FLOOR * most / size);
    out->worst = fmax(out->worst, off);
    if (!(off < close_enough(name)))
        fail_msg("%s: eigenvalue by %s: %.12g%+.12gi, differences %.12g%+.12gi", m->file, name, creal(exact),
                 cimag(exact), creal(other), cimag(other));
}

static void check_model(const model *m, int number)
{
    grad *g = open_model(m);
    kit *k = &g->k;
    int id[GRAD_NAMES], which[ROOTS], np = 0;
    double complex s[ROOTS], ds[ROOTS][GRAD_NAMES], d[ROOTS];
    double most[ROOTS] = {0};
    verdict v = {0};
    roots r;
    clock_t begin = clock();
    grad_all_numbers(g, m->skip);
    for (int i = 0; i < g->o.n_wrt; i++)
        if (getenv("SINEW_TEST_ALL") || i % m->each == number % m->each)
            id[np++] = sn_quantity_find(k->m, g->wrt[i]);
    solve(k, k->p, np, id, &r);
    v.roots = choose(&r, which), v.what = r.v->what;
    assert_true(v.roots > 0);
    for (int c = 0; c < v.roots; c++) {
        sn_mode_jet jet;
        kit_good(k, sn_vibration_jet(r.v, &r.arena, &r.all, which[c], 1, &jet, &k->err));
        s[c] = jet.s, most[c] = 0.1 * cabs(jet.s);
        for (int i = 0; i < np; i++) {
            double x = fabs(k->p->x[id[i]]);
            ds[c][i] = jet.ds[i], most[c] = fmax(most[c], cabs(jet.ds[i]) * (x > 0 ? x : 1));
        }
    }
    for (int i = 0; i < np; i++) {
        char name[200];
        double x = fabs(k->p->x[id[i]]);
        if (!r.v->by[i].x) continue;
        differences(k, id[i], v.roots, s, d);
        for (int c = 0; c < v.roots; c++)
            compare(m, sn_quantity_name(k->m, id[i], name, sizeof name), x > 0 ? x : 1, ds[c][i], d[c],
                    most[c], &v);
        v.n++;
    }
    print_message("  %-10s %3d numbers, %d eigenvalues, %s: %.1e; %.2f s\n", m->file, v.n, v.roots,
                  v.what == SN_AT_REST  ? "at rest"
                  : v.what == SN_STEADY ? "steady"
                                        : "moving",
                  v.worst, (double)(clock() - begin) / CLOCKS_PER_SEC);
    forget(&r);
    grad_close(g);
}

static void test_kinds(void **state)
{
    const char *only = getenv("SINEW_TEST_MODEL");
    (void)state;
    for (int i = 0; i < MODELS; i++)
        if (!only || !strcmp(only, models[i].file)) check_model(&models[i], i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
