/* One element of shell4_mitc in a random large motion against numbers of an independent program (rows of
   tests/verify/data/shell4_element.txt), written with the formulas of the same theory at its points of
   integration. All numbers are of order one and agree to rounding: 1e-12. */
#include "verify/kit.h"

#include "math/rot3.h"
#include "sinew/class.h"

enum { NV = 24, SLOTS = 64, CONSTANTS = 1024 };
static const double tol = 1e-12;

static int row(const char *name, double *y)
{
    char path[1024], word[64];
    int n = 0;
    snprintf(path, sizeof path, "%s/tests/verify/data/shell4_element.txt", SN_SOURCE_DIR);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fscanf(f, "%63s", word) == 1) {
        if (word[0] == '#' || strcmp(word, name) != 0) {
            for (int c = 0; c != '\n' && c != EOF;) c = fgetc(f);
            continue;
        }
        assert_int_equal(fscanf(f, "%d", &n), 1);
        for (int i = 0; i < n; i++) assert_int_equal(fscanf(f, "%lf", &y[i]), 1);
    }
    fclose(f);
    assert_true(n > 0);
    return n;
}

static void near_row(const char *name, const double *y)
{
    double want[NV];
    const int n = row(name, want);
    for (int i = 0; i < n; i++) kit_near(name, y[i], want[i], tol);
}

typedef struct shell {
    const sn_element_class *cls;
    sn_in in;
    double s[SLOTS], X[28], q[28], v[NV], a[NV], g[3], c[CONSTANTS], r[NV], K[NV * NV], C[NV * NV],
        M[NV * NV];
    int opt[8], slot_n[SLOTS];
} shell;

static int slot(const shell *e, const char *name)
{
    int at = 0;
    for (const sn_slot *s = e->cls->slots; s->name; s++) {
        if (!strcmp(s->name, name)) return at;
        at += s->n;
    }
    fail_msg("no slot %s", name);
    return -1;
}

static void make(shell *e, int formulation)
{
    double x[12];
    static const int off[] = {0, 7, 14, 21, 28}, offv[] = {0, 6, 12, 18, 24};
    static const unsigned view[] = {SN_FRAME, SN_FRAME, SN_FRAME, SN_FRAME};
    memset(e, 0, sizeof *e);
    e->cls = sn_element_find("shell4_mitc");
    int ns = 0;
    for (int i = 0; e->cls->slots[i].name; i++) {
        const sn_slot *s = &e->cls->slots[i];
        e->slot_n[i] = s->n;
        for (int k = 0; k < s->n; k++) e->s[ns++] = s->def;
    }
    for (int i = 0; e->cls->options[i].name; i++) e->opt[i] = e->cls->options[i].def;
    e->opt[0] = formulation;
    e->s[slot(e, "E")] = 7, e->s[slot(e, "nu")] = 0.3, e->s[slot(e, "thickness")] = 0.2;
    e->s[slot(e, "rho")] = 3;
    if (formulation) e->s[slot(e, "drill")] = 0;
    row("X", x);
    for (int i = 0; i < 4; i++) memcpy(e->X + 7 * i, x + 3 * i, 3 * sizeof *x), e->X[7 * i + 3] = 1;
    row("x", x);
    for (int i = 0; i < 4; i++) memcpy(e->q + 7 * i, x + 3 * i, 3 * sizeof *x);
    row("rotation", x);
    for (int i = 0; i < 4; i++) sn_quat_exp(x + 3 * i, e->q + 7 * i + 3);
    e->in = (sn_in){.s = e->s, .c = e->c, .X = e->X, .q = e->q, .v = e->v, .a = e->a, .g = e->g};
    e->in.opt = e->opt, e->in.slot_n = e->slot_n, e->in.off = off, e->in.offv = offv, e->in.view = view;
    e->in.nn = 4, e->in.nq = 28, e->in.nv = NV, e->in.ns = ns, e->in.dim = 3;
    sn_layout l = {.nn = 4};
    assert_int_equal(e->cls->layout(&l, NULL), SN_OK);
    assert_true(l.nc <= CONSTANTS);
    e->in.nc = l.nc;
    assert_int_equal(e->cls->prepare(&e->in, e->c, NULL), SN_OK);
    assert_int_equal(e->cls->eval(&e->in, e->r, e->K, e->C, e->M), SN_OK);
}

static void check(shell *e, const char *name)
{
    char full[64];
    double y[2], trace = 0, norm = 0;
    e->cls->energy(&e->in, y, NULL);
    for (int i = 0; i < NV; i++) trace += e->K[(NV + 1) * i];
    for (int i = 0; i < NV * NV; i++) norm += e->K[i] * e->K[i];
    norm = sqrt(norm);
#define ROW(what, y) snprintf(full, sizeof full, "%s.%s", name, what), near_row(full, y)
    ROW("W", y + 1);
    ROW("r", e->r);
    ROW("K_row4", e->K + 3 * NV);
    ROW("K_trace", &trace);
    ROW("K_frobenius", &norm);
#undef ROW
}

static void test_element(void **state)
{
    (void)state;
    shell e;
    double dr[NV] = {0};
    make(&e, 0);
    check(&e, "shell");
    e.cls->dparam(&e.in, slot(&e, "thickness"), dr);
    near_row("shell.dr_dt", dr);
    memset(dr, 0, sizeof dr);
    e.cls->dparam(&e.in, e.in.ns + 7 * 2 + 2, dr);
    near_row("shell.dr_dX3z", dr);
}

static void test_plain(void **state)
{
    (void)state;
    shell e;
    make(&e, 1);
    check(&e, "mitc4");
}

/* rho t int h_i h_j */
static void test_mass(void **state)
{
    (void)state;
    shell e;
    double m[16];
    make(&e, 0);
    row("mass", m);
    for (int i = 0; i < 16; i++)
        for (int l = 0; l < 3; l++)
            kit_near("mass", e.M[NV * (6 * (i / 4) + l) + 6 * (i % 4) + l], 0.6 * m[i], tol);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_element),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
