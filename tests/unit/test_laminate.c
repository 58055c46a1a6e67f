/* Laminates: closed forms and published numbers of classical laminate theory, transverse shear, derivatives
   by every number of the plies. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "element/shell_laminate.h"

enum { MOST = 6 };
#define DEG (3.14159265358979323846 / 180)

/* Numbers of n equal plies, each number for all of them; angles and thicknesses then differ. */
typedef struct layup {
    double s[MOST * PLY_NUMBERS];
    shell_plies p;
} layup;

static const double graphite[PLY_NUMBERS] = {5e-3,  0,    181e9,  10.3e9, 0.28, 7.17e9, 7.17e9,
                                             3.0e9, 1600, 1500e6, 1500e6, 40e6, 246e6,  68e6};

static void lay(layup *l, int n, const double *ply, const double *degrees)
{
    for (int k = 0; k < PLY_NUMBERS; k++)
        for (int i = 0; i < n; i++) l->s[k * n + i] = k == PLY_ANGLE ? degrees[i] * DEG : ply[k];
    l->p = (shell_plies){l->s, n, -1};
}

static void integrals(const layup *l, int index, shell_laminate *y)
{
    const shell_plies p = {l->s, l->p.n, index};
    laminate_of(&p, constant(5.0 / 6), y);
}

static void near(const char *what, double x, double want, double most)
{
    if (!(fabs(x - want) <= most)) fail_msg("%s is %.15g, should be %.15g", what, x, want);
}

/* Products of a few rounded numbers, a few dozen of them added: 1e-13 of the largest entry. */
static void test_isotropic(void **state)
{
    (void)state;
    static const double angles[3] = {17, -50, 81}, share[3] = {0.2, 0.5, 0.3};
    const double E = 70e9, nu = 0.33, G = E / 2 / (1 + nu), h = 3e-3, rho = 2700;
    const double ply[PLY_NUMBERS] = {0, 0, E, E, nu, G, G, G, rho, 0, 0, 0, 0, 0};
    const double q = E / (1 - nu * nu), Q[9] = {q, nu * q, 0, nu * q, q, 0, 0, 0, G};
    layup l;
    shell_laminate y;
    lay(&l, 3, ply, angles);
    for (int i = 0; i < 3; i++) l.s[PLY_THICKNESS * 3 + i] = share[i] * h;
    integrals(&l, -1, &y);
    for (int k = 0; k < 9; k++) {
        near("A", y.A[k].x, Q[k] * h, 1e-13 * q * h);
        near("B", y.B[k].x, 0, 1e-13 * q * h * h);
        near("D", y.D[k].x, Q[k] * h * h * h / 12, 1e-13 * q * h * h * h / 12);
    }
    for (int k = 0; k < 4; k++) near("S", y.S[k].x, k % 3 ? 0 : 5.0 / 6 * G * h, 1e-13 * G * h);
    near("m", y.m.x, rho * h, 1e-13 * rho * h);
    near("j", y.j.x, rho * h * h * h / 12, 1e-13 * rho * h * h * h);
}

/* Kaw, Mechanics of Composite Materials, 2nd ed., CRC Press 2006, example 4.2: [0/30/-45], 5 mm each, of
   graphite/epoxy E1 181, E2 10.3, G12 7.17 GPa, nu12 0.28. Four digits are printed: half of the last one. */
static void test_published(void **state)
{
    (void)state;
    static const double angles[3] = {0, 30, -45};
    static const double A[9] = {1.739e9,  3.884e8, 5.663e7,  3.884e8, 4.533e8,
                                -1.141e8, 5.663e7, -1.141e8, 4.525e8};
    static const double B[9] = {-3.129e6, 9.855e5,  -1.072e6, 9.855e5, 1.158e6,
                                -1.072e6, -1.072e6, -1.072e6, 9.855e5};
    static const double D[9] = {3.343e4,  6.461e3,  -5.240e3, 6.461e3, 9.320e3,
                                -5.596e3, -5.240e3, -5.596e3, 7.663e3};
    layup l;
    shell_laminate y;
    lay(&l, 3, graphite, angles);
    integrals(&l, -1, &y);
    const dual *got[3] = {y.A, y.B, y.D};
    const double *want[3] = {A, B, D};
    for (int k = 0; k < 27; k++) {
        const double x = want[k / 9][k % 9], digit = pow(10, floor(log10(fabs(x))) - 3);
        near(k < 9 ? "A" : k < 18 ? "B" : "D", got[k / 9][k % 9].x, x, 0.51 * digit);
    }
}

/* [0/90]: B11 = -B22 = (Q22 - Q11) h^2/8, B12 = B66 = 0; [a/-a]: B16 = -Qbar16 h^2/4, A16 = D16 = 0
   (Jones, 2nd ed., 4.3.3). Bottom ply first. */
static void test_closed_forms(void **state)
{
    (void)state;
    static const double cross_ply[2] = {0, 90}, angle_ply[2] = {30, -30};
    const double f = 1 / (1 - 0.28 * 0.28 * 10.3 / 181), h = 0.01, q = 181e9 * f;
    layup l;
    shell_laminate y;
    shell_ply ply;
    dual Q[9];
    lay(&l, 2, graphite, cross_ply);
    integrals(&l, -1, &y);
    near("B11", y.B[0].x, (10.3e9 - 181e9) * f * h * h / 8, 1e-14 * q * h * h);
    near("B22", y.B[4].x, -y.B[0].x, 1e-14 * q * h * h);
    const int none[7] = {1, 2, 3, 5, 6, 7, 8};
    for (int k = 0; k < 7; k++) near("B12, B66", y.B[none[k]].x, 0, 1e-14 * q * h * h);
    lay(&l, 2, graphite, angle_ply);
    integrals(&l, -1, &y);
    laminate_ply(&l.p, 0, &ply);
    ply_turned(&ply, Q);
    near("B16", y.B[2].x, -Q[2].x * h * h / 4, 1e-14 * q * h * h);
    near("A16", y.A[2].x, 0, 1e-14 * q * h);
    near("D16", y.D[2].x, 0, 1e-14 * q * h * h * h);
    near("B11", y.B[0].x, 0, 1e-14 * q * h * h);
}

/* A sandwich whose core bears no bending and whose faces do not shear: S = G/c ((c + t) + t^2/(3 (c + t)))^2,
   Allen's G (c + t)^2/c of thin faces. Left out are G/G_face = 1e-9 and E_core/E_face = 1e-9. */
static void test_sandwich(void **state)
{
    (void)state;
    const double t = 1e-3, c = 20e-3, G = 30e6, none[3] = {0, 0, 0};
    layup l;
    shell_laminate y;
    lay(&l, 3, graphite, none);
    for (int i = 0; i < 3; i++) {
        l.s[PLY_THICKNESS * 3 + i] = i == 1 ? c : t;
        for (int k = PLY_G13; k <= PLY_G23; k++) l.s[k * 3 + i] = i == 1 ? G : 1e9 * G;
        for (int k = PLY_E1; k <= PLY_E2; k++) l.s[k * 3 + i] = i == 1 ? 70 : 70e9;
        l.s[PLY_G12 * 3 + i] = i == 1 ? 7 : 7e9;
    }
    integrals(&l, -1, &y);
    const double want = G / c * pow(c + t + t * t / (3 * (c + t)), 2);
    near("S1", y.S[0].x, want, 1e-7 * want);
    near("S2", y.S[3].x, want, 1e-7 * want);
    near("S12", y.S[1].x, 0, 1e-12 * want);
}

/* All plies turned by 90 degrees: axes 1 and 2 change places. */
static void test_turned(void **state)
{
    (void)state;
    static const double a[3] = {10, 55, -30}, b[3] = {100, 145, 60};
    static const int to[9] = {4, 3, 5, 1, 0, 2, 7, 6, 8};
    static const double sign[9] = {1, 1, -1, 1, 1, -1, -1, -1, 1};
    layup l;
    shell_laminate x, y;
    lay(&l, 3, graphite, a);
    integrals(&l, -1, &x);
    lay(&l, 3, graphite, b);
    integrals(&l, -1, &y);
    for (int k = 0; k < 9; k++) {
        near("A", y.A[k].x, sign[k] * x.A[to[k]].x, 1e-14 * x.A[0].x);
        near("B", y.B[k].x, sign[k] * x.B[to[k]].x, 1e-14 * x.A[0].x * x.h.x);
        near("D", y.D[k].x, sign[k] * x.D[to[k]].x, 1e-14 * x.D[0].x);
    }
    near("S", y.S[0].x, x.S[3].x, 1e-13 * x.S[0].x);
}

static void flat(const shell_laminate *y, double *x, double *d)
{
    const dual *all = (const dual *)y;
    for (size_t k = 0; k < sizeof *y / sizeof(dual); k++) x[k] = all[k].x, d[k] = all[k].d;
}

/* Derivatives by every number against central differences, extrapolated once: with h = 1e-3 of the number
   (4 D(h/2) - D(h))/3 errs by h^4 = 1e-12 and by rounding, 1e-14 x/h. Asked for is 1e-8 of the array's
   largest derivative, at least 1e-14 of its largest entry over h. */
static void test_derivatives(void **state)
{
    (void)state;
    static const double angles[4] = {0, 30, -45, 80};
    enum { N = sizeof(shell_laminate) / sizeof(dual) };
    static const int begin[] = {0, 9, 18, 27, 31, 32, 33, N};
    layup l;
    shell_laminate y;
    double x[2][N], d[N], none[N], num[2][N];
    lay(&l, 4, graphite, angles);
    for (int i = 0; i < 4 * PLY_NUMBERS; i++) l.s[i] *= 1 + 0.1 * (i % 4);
    for (int j = 0; j < 4 * PLY_NUMBERS; j++) {
        const double old = l.s[j], h = 1e-3 * (old != 0 ? fabs(old) : 1);
        integrals(&l, j, &y);
        flat(&y, x[0], d);
        for (int half = 0; half < 2; half++) {
            for (int side = 0; side < 2; side++) {
                l.s[j] = old + (side ? 1 : -1) * h / (1 + half);
                integrals(&l, -1, &y);
                flat(&y, x[side], none);
            }
            for (int k = 0; k < N; k++) num[half][k] = (x[1][k] - x[0][k]) / (2 * h / (1 + half));
        }
        l.s[j] = old;
        for (int g = 0; g < 7; g++) {
            double top = 0;
            for (int k = begin[g]; k < begin[g + 1]; k++)
                top = fmax(top, fmax(fabs(d[k]), 1e-6 * fabs(x[0][k]) / h));
            for (int k = begin[g]; k < begin[g + 1]; k++)
                near("a derivative", d[k], (4 * num[1][k] - num[0][k]) / 3, 1e-8 * top);
        }
    }
}

/* Off-axis tension of a ply: 1/s^2 = c^4/X^2 + (1/S^2 - 1/X^2) c^2 s^2 + s^4/Y^2 (Jones, 2.9.3) */
static void test_tsai_hill(void **state)
{
    (void)state;
    const double *X = graphite + PLY_XT;
    for (int i = 0; i <= 9; i++) {
        const double a = 10 * i * DEG, c = cos(a), s = sin(a), load = i % 2 ? 20e6 : -20e6;
        const double x = load > 0 ? X[0] : X[1], y = load > 0 ? X[2] : X[3];
        const double stress[3] = {load * c * c, load * s * s, -load * c * s};
        const double want =
            load * load *
            (pow(c, 4) / (x * x) + (1 / (X[4] * X[4]) - 1 / (x * x)) * c * c * s * s + pow(s, 4) / (y * y));
        dual z[3], strength[5];
        for (int j = -1; j < 8; j++) { /* a quadratic form: central differences by stresses are exact */
            double side[2] = {0, 0};
            for (int k = 0; k < 3; k++) z[k] = (dual){stress[k], j == k};
            for (int k = 0; k < 5; k++) strength[k] = (dual){X[k], j == 3 + k};
            const dual index = tsai_hill(z, strength);
            near("index", index.x, want, 1e-13 * want);
            if (j < 0 || j > 2 || fabs(stress[j]) < 1e6) continue;
            for (int up = 0; up < 2; up++) {
                z[j].x = stress[j] + (up ? 1e5 : -1e5);
                side[up] = tsai_hill(z, strength).x;
            }
            near("its derivative", index.d, (side[1] - side[0]) / 2e5, 1e-10 * want / 1e5);
        }
        for (int k = 0; k < 3; k++) z[k] = constant(stress[k]);
        dual sum = {0, 0}; /* all strengths in proportion: the index goes with their -2nd power */
        for (int k = 0; k < 5; k++) strength[k] = (dual){X[k], X[k]};
        sum = tsai_hill(z, strength);
        near("by strengths", sum.d, -2 * want, 1e-13 * want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isotropic),    cmocka_unit_test(test_published),
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_sandwich),
        cmocka_unit_test(test_turned),       cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_tsai_hill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
