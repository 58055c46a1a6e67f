/* Modes and frequency responses as data of a study, against closed forms: two masses in a row on damped
   springs (eigenvalues by Newton's method on the determinant, responses by the inverse of a 2 x 2 matrix),
   and the cantilever. Noise has fixed seeds; bounds are those of the normal and of the binomial distribution.
 */
#include "../identify_kit.h"
#include "identify/modal.h"

#include <complex.h>

/* Two masses along x: pa, pb show where they are, ab the acceleration of the second. */
static const char chain_text[] =
    "sinew: 1\n"
    "parameters: {m1: 2 kg, m2: 1 kg, k1: 800 N/m, k2: 500 N/m, c1: 1 N*s/m, c2: 0.6 N*s/m}\n"
    "nodes: {a: {point2d: [1, 0]}, b: {point2d: [2, 0]}}\n"
    "elements:\n"
    "  m1: {mass2d: a, mass: m1}\n"
    "  m2: {mass2d: b, mass: m2}\n"
    "  s1: {spring2d: [ground, a], k: k1, c: c1}\n"
    "  s2: {spring2d: [a, b], k: k2, c: c2}\n"
    "  push: {force2d: a, force: [0, 0]}\n"
    "joints: {ra: {fixed: a, only: y}, rb: {fixed: b, only: y}}\n"
    "sensors: {pa: {position: a}, pb: {position: b}, ab: {acceleration: b}}\n"
    "run: {end: 1 s, step: 5 ms}\n";

typedef struct chain {
    double m1, m2, k1, k2, c1, c2;
} chain;

static const chain truth = {2, 1, 800, 500, 1, 0.6};

/* s^2 M + s C + K */
static void dynamic(const chain *p, double complex s, double complex T[4])
{
    double complex z1 = p->k1 + s * p->c1, z2 = p->k2 + s * p->c2;
    T[0] = p->m1 * s * s + z1 + z2, T[1] = T[2] = -z2, T[3] = p->m2 * s * s + z2;
}

static double complex determinant(const chain *p, double complex s)
{
    double complex T[4];
    dynamic(p, s, T);
    return T[0] * T[3] - T[1] * T[2];
}

/* Eigenvalue 0 or 1, and its shape (1, u). */
static double complex eigenvalue(const chain *p, int which, double complex *u)
{
    double a = p->m1 * p->m2, b = p->m1 * p->k2 + p->m2 * (p->k1 + p->k2), c = p->k1 * p->k2;
    double w2 = (b + (which ? 1 : -1) * sqrt(b * b - 4 * a * c)) / (2 * a);
    double complex s = _Complex_I * sqrt(w2), T[4];
    for (int it = 0; it < 50; it++) {
        double complex h = 1e-6 * s, d = determinant(p, s);
        s -= d * 2 * h / (determinant(p, s + h) - determinant(p, s - h));
    }
    dynamic(p, s, T);
    if (u) *u = -T[0] / T[1];
    return s;
}

static double hertz(double complex s) { return cimag(s) / (2 * acos(-1)); }
static double ratio(double complex s) { return -creal(s) / cabs(s); }

/* Displacements to a force on the first mass. */
static void response(const chain *p, double f, double complex H[2])
{
    double complex T[4], s = 2 * acos(-1) * f * _Complex_I, d = determinant(p, s);
    dynamic(p, s, T);
    H[0] = T[3] / d, H[1] = -T[2] / d;
}

static void put(const char *name, const char *format, ...)
{
    char text[4000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kit_put(name, text);
}

static kit_fit solve(const char *format, ...)
{
    char text[4000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return kit_solve(text);
}

/* ---- modes ---- */

static void chain_from_damped_modes(void **state)
{
    (void)state;
    double complex s[2] = {eigenvalue(&truth, 0, NULL), eigenvalue(&truth, 1, NULL)};
    put("modes.csv", "frequency,damping\n%.15g,%.15g\n%.15g,%.15g\n", hertz(s[0]), ratio(s[0]), hertz(s[1]),
        ratio(s[1]));
    kit_fit r = solve("study: 1\nmodel: chain.yaml\n"
                      "experiments: {shaker: {modes: modes.csv, noise: {frequency: 0.1 %%, damping: 1 %%}}}\n"
                      "unknowns: {k1: 300, k2: 900, c1: 3, c2: 0.2}\n");
    kit_converged(&r);
    /* exact data: what is left is where the search stops, 1e-9 of the cost */
    kit_is("k1", kit_value_of(&r, "k1"), 800, 800 * 1e-6);
    kit_is("k2", kit_value_of(&r, "k2"), 500, 500 * 1e-6);
    kit_is("c1", kit_value_of(&r, "c1"), 1, 1e-5);
    kit_is("c2", kit_value_of(&r, "c2"), 0.6, 1e-5);
    kit_must_say(&r, "nothing is left to test");
    kit_drop(&r);
    /* the undamped frequency is another number */
    put("modes.csv", "natural_frequency\n%.15g\n%.15g\n", cabs(s[0]) / (2 * acos(-1)),
        cabs(s[1]) / (2 * acos(-1)));
    r = solve("study: 1\nmodel: chain.yaml\nset: {c1: 30, c2: 20}\nmodes: modes.csv\nnoise: 0.1 %%\n"
              "unknowns: {k1: 300, k2: 900}\n");
    kit_converged(&r);
    double complex heavy =
        eigenvalue(&(chain){2, 1, kit_value_of(&r, "k1"), kit_value_of(&r, "k2"), 30, 20}, 0, NULL);
    kit_is("|s|", cabs(heavy), cabs(s[0]), 1e-7 * cabs(s[0]));
    assert_true(fabs(cimag(heavy) / cabs(heavy) - 1) > 1e-2);
    kit_drop(&r);
}

/* f_n = (beta L)^2 / (2 pi L^2) sqrt(EI / (rho A)) */
static void cantilever(void **state)
{
    (void)state;
    static const double beta[3] = {1.875104068711961, 4.694091132974174, 7.854757438237613};
    const double EI = 20.0, mass = 0.5, L = 1;
    double f[3];
    kit_put("beam.yaml",
            "sinew: 1\nparameters: {EI: 10 N*m^2}\n"
            "nodes: {a: [0, 0], b: [1, 0]}\n"
            "elements: {bar: {beam2d_cr: [a, b], EA: 1e7, EI: EI, rhoA: 0.5, elements: 12}}\n"
            "joints: {wall: {fixed: a}}\nsensors: {tip: {position: b}}\nrun: {end: 1 s, step: 5 ms}\n");
    for (int k = 0; k < 3; k++) f[k] = beta[k] * beta[k] / (2 * acos(-1) * L * L) * sqrt(EI / mass);
    kit_fit r =
        solve("study: 1\nmodel: beam.yaml\n"
              "modes: {frequency: [%.12g Hz, %.12g Hz, %.12g Hz], noise: 0.1 %%}\nunknowns: {EI: 3}\n",
              f[0], f[1], f[2]);
    kit_converged(&r);
    /* cubic elements with consistent mass: f off by (beta L / 12)^4 / 1440 or so, 1.3e-4 of the third; EI
     * twice */
    kit_is("EI", kit_value_of(&r, "EI"), EI, 3e-4 * EI);
    kit_is("its error", kit_error_of(&r, "EI"), 2 * 1e-3 / sqrt(3) * EI, 1e-3 * EI * 0.01);
    kit_drop(&r);
}

/* Shapes of any scale, real and complex, in any order. */
static void shapes_pair_the_modes(void **state)
{
    (void)state;
    double complex u[2], s[2];
    for (int k = 0; k < 2; k++) s[k] = eigenvalue(&truth, k, &u[k]);
    double complex a[2] = {3.7 * cexp(2.1 * _Complex_I), -0.02 * cexp(0.3 * _Complex_I)};
    FILE *file = fopen(kit_path("shapes.csv"), "w");
    fprintf(file, "frequency,damping,pa.x.re,pa.x.im,pb.x.abs,pb.x.deg\n");
    for (int k = 1; k >= 0; k--) /* the second mode first */
        fprintf(file, "%.15g,%.15g,%.15g,%.15g,%.15g,%.15g\n", hertz(s[k]), ratio(s[k]), creal(a[k]),
                cimag(a[k]), cabs(a[k] * u[k]), carg(a[k] * u[k]) * 180 / acos(-1));
    fclose(file);
    kit_fit r = solve(
        "study: 1\nmodel: chain.yaml\n"
        "experiments: {tap: {modes: shapes.csv, noise: {frequency: 0.1 %%, damping: 1 %%, shape: 1 %%}}}\n"
        "unknowns: {k1: 500, k2: 700, c1: 2, c2: 0.4, m2: 1.5}\n");
    kit_converged(&r);
    kit_is("k1", kit_value_of(&r, "k1"), 800, 800 * 1e-5);
    kit_is("m2", kit_value_of(&r, "m2"), 1, 1e-5);
    kit_is("c2", kit_value_of(&r, "c2"), 0.6, 1e-5);
    assert_int_equal(r.e->pair[0][0].mode, 2);
    assert_int_equal(r.e->pair[0][1].mode, 1);
    kit_is("MAC", r.e->pair[0][0].mac, 1, 1e-9);
    kit_drop(&r);
    /* Real shapes of an undamped model. Measured are the frequencies of the second mode only, and the model
       starts so soft that its first mode is nearer to none of them: the shape tells which it is. */
    chain p = truth;
    p.c1 = p.c2 = 0;
    s[1] = eigenvalue(&p, 1, &u[1]);
    r = solve("study: 1\nmodel: chain.yaml\nset: {c1: 0, c2: 0}\n"
              "modes: {frequency: [%.15g], pa.x: [-2], pb.x: [%.15g]}\n"
              "noise: {frequency: 0.1 %%, shape: 1 %%}\nunknowns: {k1: {start: 3000, bounds: [1, 1e5]}, k2: "
              "{start: 1800, bounds: [1, 1e5]}}\n",
              hertz(s[1]), -2 * creal(u[1]));
    kit_converged(&r);
    assert_int_equal(r.e->pair[0][0].mode, 2);
    kit_is("k1", kit_value_of(&r, "k1"), 800, 800 * 1e-4);
    kit_is("k2", kit_value_of(&r, "k2"), 500, 500 * 1e-4);
    kit_drop(&r);
}

/* Two masses that do not know of each other, alike at the start: which stiffness is whose is told by the
 * first step.
 */
static void coinciding_modes_part(void **state)
{
    (void)state;
    kit_put("pair.yaml",
            "sinew: 1\nparameters: {ka: 100 N/m, kb: 100 N/m}\n"
            "nodes: {a: {point2d: [1, 0]}, b: {point2d: [2, 0]}}\n"
            "elements:\n"
            "  m1: {mass2d: a, mass: 1}\n  m2: {mass2d: b, mass: 1}\n"
            "  s1: {spring2d: [ground, a], k: ka}\n"
            "  s2: {spring2d: [ground, b], k: kb}\n"
            "joints: {ra: {fixed: a, only: y}, rb: {fixed: b, only: y}}\nrun: {end: 1 s, step: 5 ms}\n");
    kit_fit r = solve("study: 1\nmodel: pair.yaml\nmodes: {frequency: [%.15g, %.15g], noise: 0.1 %%}\n"
                      "unknowns: {ka: 100, kb: 100}\n",
                      sqrt(80) / (2 * acos(-1)), sqrt(150) / (2 * acos(-1)));
    kit_converged(&r);
    double a = kit_value_of(&r, "ka"), b = kit_value_of(&r, "kb");
    kit_is("the softer one", fmin(a, b), 80, 80 * 1e-6);
    kit_is("the stiffer one", fmax(a, b), 150, 150 * 1e-6);
    kit_drop(&r);
}

/* ---- frequency responses ---- */

enum { LINES = 60 };

/* Receptance of the first mass as parts, accelerance of the second in dB and degrees; noise in per cent of
 * both. */
static void measure_responses(const chain *p, double noise, uint64_t seed)
{
    FILE *file = fopen(kit_path("frf.csv"), "w");
    fprintf(file, "f,pa.x.re,pa.x.im,ab.x.db,ab.x.deg\n");
    for (int i = 0; i < LINES; i++) {
        double f = 1 + 6.0 * i / LINES, w = 2 * acos(-1) * f;
        double complex H[2];
        response(p, f, H);
        H[1] *= -w * w;
        for (int k = 0; k < 2 && noise > 0; k++) {
            double size = cabs(H[k]);
            H[k] += noise * size * (kit_normal(&seed) + _Complex_I * kit_normal(&seed));
        }
        fprintf(file, "%.15g,%.15g,%.15g,%.15g,%.15g\n", f, creal(H[0]), cimag(H[0]), 20 * log10(cabs(H[1])),
                carg(H[1]) * 180 / acos(-1));
    }
    fclose(file);
}

static void responses_meet_the_closed_form(void **state)
{
    (void)state;
    measure_responses(&truth, 0, 0);
    /* the force by its element's number, and by the sensor that it acts along */
    static const char *const input[] = {"push.force.x", "pa.x"};
    for (int k = 0; k < 2; k++) {
        kit_fit r = solve("study: 1\nmodel: chain.yaml\nfrf: frf.csv\ninput: %s\nnoise: 1 %%\n"
                          "unknowns: {k1: 801, m1: 2, m2: 1.01, k2: 500, c1: 1.1, c2: 0.6}\n",
                          input[k]);
        kit_converged(&r);
        kit_is("k1", kit_value_of(&r, "k1"), 800, 800 * 1e-7);
        kit_is("m2", kit_value_of(&r, "m2"), 1, 1e-7);
        kit_is("c1", kit_value_of(&r, "c1"), 1, 1e-7);
        kit_is("residuals", r.e->rms, 0, 1e-6);
        kit_drop(&r);
    }
}

static void responses_with_noise(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        measure_responses(&truth, 0.05, seed);
        kit_fit r = solve("study: 1\nmodel: chain.yaml\n"
                          "experiments: {tap: {frf: frf.csv, input: pa.x, noise: 5 %%}}\n"
                          "unknowns: {k1: 760, k2: 520, c1: 2, c2: 0.4, m2: 1.1}\n");
        kit_converged(&r);
        static const char *const name[] = {"k1", "k2", "c1", "c2", "m2"};
        const double is[] = {800, 500, 1, 0.6, 1};
        for (int k = 0; k < 5; k++)
            kit_is(name[k], kit_value_of(&r, name[k]), is[k], 3 * kit_error_of(&r, name[k]));
        kit_must_say(&r, "are met within");
        kit_drop(&r);
    }
}

/* A noise of its own for each response, found with the fit; and a model without its damping is found out. */
static void noise_of_responses(void **state)
{
    (void)state;
    uint64_t seed = 7;
    FILE *file = fopen(kit_path("frf.csv"), "w");
    fprintf(file, "f,pa.x.re,pa.x.im\n");
    for (int i = 0; i < 200; i++) {
        double f = 1 + 6.0 * i / 200;
        double complex H[2];
        response(&truth, f, H);
        fprintf(file, "%.15g,%.15g,%.15g\n", f, creal(H[0]) + 2e-4 * kit_normal(&seed),
                cimag(H[0]) + 2e-4 * kit_normal(&seed));
    }
    fclose(file);
    kit_fit r = solve("study: 1\nmodel: chain.yaml\nfrf: frf.csv\ninput: push.force.x\n"
                      "unknowns: {k1: 780, k2: 510, c1: 1, c2: 0.6, m1: 2.1}\n");
    kit_converged(&r);
    /* of 400 numbers: 3.5 % standard deviation, four of them */
    kit_is("the noise", r.s->experiment[0].sigma[0], 2e-4, 2e-4 * 0.14);
    kit_is("k1", kit_value_of(&r, "k1"), 800, 4 * kit_error_of(&r, "k1"));
    kit_must_say(&r, "as large as neighbouring frequencies scatter");
    kit_drop(&r);
    r = solve("study: 1\nmodel: chain.yaml\nset: {c2: 4}\nfrf: frf.csv\ninput: push.force.x\n"
              "unknowns: {k1: 780, k2: 510, c1: 1, m1: 2.1}\n");
    kit_must_say(&r, "larger than neighbouring frequencies scatter");
    kit_drop(&r);
}

/* ---- what the answer means ---- */

enum { SEEDS = 200 };

/* Two stiffnesses from four frequencies, of which two are with another mass. */
static void intervals_cover(void **state)
{
    (void)state;
    int inside[2] = {0, 0}, alarms = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t at = seed * 7919;
        double f[4];
        for (int k = 0; k < 4; k++) {
            chain p = truth;
            if (k > 1) p.m2 = 3;
            f[k] = hertz(eigenvalue(&p, k % 2, NULL)) * (1 + 0.005 * kit_normal(&at));
        }
        kit_fit r =
            solve("study: 1\nmodel: chain.yaml\nexperiments:\n"
                  "  bare: {modes: {frequency: [%.15g, %.15g]}, noise: 0.5 %%}\n"
                  "  laden: {modes: {frequency: [%.15g, %.15g]}, noise: {frequency: 0.5 %%}, set: {m2: 3}}\n"
                  "unknowns: {k1: 700, k2: 600}\n",
                  f[0], f[1], f[2], f[3]);
        kit_converged(&r);
        inside[0] += r.e->lo[0] <= 800 && 800 <= r.e->hi[0],
            inside[1] += r.e->lo[1] <= 500 && 500 <= r.e->hi[1];
        alarms += kit_says(&r, "does not explain");
        kit_drop(&r);
    }
    /* binomial of 0.95: 190 +- 3.1, four deviations; of two tests of 0.3 % in two experiments 2.4 alarms at
       most are expected, 9 are four deviations more */
    for (int k = 0; k < 2; k++)
        if (inside[k] < 178 || inside[k] > 200) fail_msg("%d of %d intervals cover", inside[k], SEEDS);
    if (alarms > 9) fail_msg("%d of %d alarms are false", alarms, SEEDS);
}

/* A frequency that the model cannot have is named. */
static void wrong_models_are_found_out(void **state)
{
    (void)state;
    double complex u[2], s[2];
    for (int k = 0; k < 2; k++) s[k] = eigenvalue(&truth, k, &u[k]);
    kit_fit r = solve("study: 1\nmodel: chain.yaml\n"
                      "modes: {frequency: [%.15g, %.15g], pa.x: [1, 1], pb.x: [%.15g, %.15g]}\n"
                      "noise: {frequency: 0.1 %%, shape: 2 %%}\nunknowns: {k1: 700}\n",
                      hertz(s[0]), 1.05 * hertz(s[1]), creal(u[0]), creal(u[1]));
    kit_must_say(&r, "does not explain");
    kit_must_say(&r, "frequency at mode");
    kit_drop(&r);
    /* a mode was missed: by order the second is taken for the first */
    r = solve("study: 1\nmodel: chain.yaml\nmodes: {frequency: [%.15g], noise: 0.1 %%}\n"
              "unknowns: {k1: {start: 790, bounds: [700, 900]}}\n",
              hertz(s[1]));
    kit_must_say(&r, "was a mode missed");
    kit_drop(&r);
    r = solve("study: 1\nmodel: chain.yaml\nmodes: {frequency: [%.15g], mode: [2]}\nnoise: 0.1 %%\n"
              "unknowns: {k1: {start: 790, bounds: [700, 900]}}\n",
              hertz(s[1]));
    kit_is("k1", kit_value_of(&r, "k1"), 800, 800 * 1e-5);
    assert_false(kit_says(&r, "was a mode missed"));
    kit_drop(&r);
    /* noise that is not stated */
    r = solve("study: 1\nmodel: chain.yaml\nmodes: {frequency: [%.15g, %.15g]}\nunknowns: {k1: 700}\n",
              hertz(s[0]), hertz(s[1]));
    kit_must_say(&r, "0.5 %");
    kit_drop(&r);
}

/* ---- derivatives ---- */

/* Rows of the Jacobian against central differences, extrapolated twice: errors of h^6 and of rounding,
 * 1e-13/h. */
static void check_rows(const char *study)
{
    sn_study *s;
    sn_fit *f;
    sn_err err;
    sn_err_clear(&err);
    kit_put("study.yaml", study);
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err));
    kit_tell(&err, sn_fit_new(s, 1, &f, &err));
    double *z = calloc((size_t)f->n, sizeof *z);
    sn_fit_start(f, z);
    kit_tell(&err, sn_fit_rows(f, z, &err));
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_part *p = &f->part[e];
        int n = s->experiment[e].n * s->experiment[e].n_channel;
        double *J = calloc((size_t)(n * p->n), sizeof *J), *top = calloc((size_t)p->n, sizeof *top);
        memcpy(J, p->J, sizeof *J * (size_t)(n * p->n));
        for (int k = 0; k < n * p->n; k++) top[k % p->n] = fmax(top[k % p->n], fabs(J[k]));
        for (int a = 0; a < p->n; a++) {
            double *d[3], was = z[p->unknown[a]];
            for (int level = 0; level < 3; level++) {
                double h = 8e-3 / (1 << level);
                d[level] = calloc((size_t)n, sizeof *d[level]);
                for (int side = -1; side <= 1; side += 2) {
                    z[p->unknown[a]] = was + side * h;
                    kit_tell(&err, sn_fit_signals(f, z, 0, 0, &err));
                    for (int i = 0; i < n; i++) d[level][i] += side * p->r[i] / (2 * h);
                }
                z[p->unknown[a]] = was;
            }
            for (int i = 0; i < n; i++) {
                double x = (4 * d[1][i] - d[0][i]) / 3, y = (4 * d[2][i] - d[1][i]) / 3,
                       best = (16 * y - x) / 15;
                if (isnan(p->r[i])) continue;
                kit_is(s->unknown[p->unknown[a]].name, J[i * p->n + a], best, 1e-6 * top[a]);
            }
            for (int level = 0; level < 3; level++) free(d[level]);
        }
        free(J), free(top);
        kit_tell(&err, sn_fit_rows(f, z, &err));
    }
    free(z);
    sn_fit_free(f);
    sn_study_free(s);
}

static void derivatives(void **state)
{
    (void)state;
    check_rows(
        "study: 1\nmodel: chain.yaml\nexperiments:\n"
        "  a: {modes: {frequency: [2, 5], damping: [0.01, 0.02], pa.x: [1, 1], pb.x: [1.4, -1]}}\n"
        "  b: {modes: {natural_frequency: [2, 5], pa.x.re: [1, 1], pa.x.im: [0.1, 0], pb.x.re: [1.4, -1],\n"
        "      pb.x.im: [0.1, 0.2], ab.x.re: [-200, 900], ab.x.im: [0, 10]}}\n"
        "unknowns: {k1: 800, k2: 500, c1: 20, c2: 10, m1: 2, m2: 1}\n");
    /* a beam that its weight bends, with a damped hinge: the equilibrium moves with the unknowns, equations
     * too */
    kit_put(
        "sag.yaml",
        "sinew: 1\ngravity: [0, -9.81]\nparameters: {EI: 0.5 N*m^2, kt: 4, ct: 0.02, m: 0.05, L: 1 m}\n"
        "nodes: {a: [0, 0], b: [0, 0], c: [L, 0]}\n"
        "elements:\n"
        "  bar: {beam2d_cr: [b, c], EA: 1e4, EI: EI, rhoA: 0.1, elements: 3}\n"
        "  hinge: {spring2d: [a, b], k: 0, kt: kt, ct: ct}\n"
        "  end: {mass2d: c, mass: m}\n"
        "  pull: {force2d: c, force: [0, 0]}\n"
        "joints: {wall: {fixed: a}, pin: {revolute2d: [a, b]}}\n"
        "sensors: {tip: {position: c}, turn: {rotation: b}, held: {reaction: wall}, acc: {acceleration: c}}\n"
        "run: {end: 1 s, step: 5 ms}\n");
    kit_put("sag.csv",
            "f,tip.y.re,tip.y.im,held.fx.re,held.fx.im,acc.x.abs\n0.5,1,1,1,1,1\n2,1,1,1,1,1\n9,1,1,1,1,1\n");
    check_rows("study: 1\nmodel: sag.yaml\nexperiments:\n"
               "  a: {modes: {frequency: [1, 9], damping: [0.01, 0.02], tip.x: [0.1, 1], tip.y: [1, -1], "
               "turn: [1, 2]}}\n"
               "  b: {frf: sag.csv, input: pull.force.y, noise: 10 %}\n"
               "  c: {frf: sag.csv, input: turn, noise: 10 %}\n"
               "unknowns: {EI: 0.5, kt: 4, ct: 0.02, m: 0.05, L: 1}\n");
}

/* ---- rubber ---- */

/* 2 kg on a mount along z that relaxes, which its weight presses: about the equilibrium x the stiffness is
   k0 + 3 k3 x^2 + k1 i w tau/(1 + i w tau). */
static const char rubber_text[] =
    "sinew: 1\ngravity: [0, 0, -10]\nparameters: {m: 2 kg, k0: 5 N/mm, k1: 8 N/mm, tau: 20 ms, k3: 1e8 "
    "N/m^3}\n"
    "nodes: {b: {frame3d: [0, 0, 0]}}\n"
    "elements:\n"
    "  m: {mass3d: b, mass: m, inertia: [1, 1, 1]}\n"
    "  mount: {bushing: [ground, b], k: k0, k3: k3}\n"
    "  relax: {bushing_maxwell: [ground, b], kz: k1, tau_z: tau}\n"
    "joints: {guide: {fixed: b, only: [x, y, rx, ry, rz]}}\n"
    "sensors: {b: {position: b}, F: {force: relax, axes: element}}\nrun: {end: 1 s, step: 1 ms}\n";

static void measure_rubber(void)
{
    double x = 0, m = 2, k0 = 5e3, k1 = 8e3, tau = 0.02, k3 = 1e8;
    for (int i = 0; i < 50; i++) x -= (k0 * x + k3 * x * x * x + 10 * m) / (k0 + 3 * k3 * x * x);
    FILE *file = fopen(kit_path("rubber.csv"), "w");
    fprintf(file, "f,b.z.re,b.z.im\n");
    for (double f = 0.5; f < 60; f *= 1.15) {
        double w = 2 * acos(-1) * f;
        double complex r = _Complex_I * w * tau, H = 1 / (k0 + 3 * k3 * x * x + k1 * r / (1 + r) - m * w * w);
        fprintf(file, "%.15g,%.15g,%.15g\n", f, creal(H), cimag(H));
    }
    fclose(file);
}

/* Exact data: what is left is where the search stops, 1e-8 of the standard errors, which are below 1 %.
   First-order states are part of the response, however the data are written. */
static void rubber_from_responses(void **state)
{
    static const char *const data[] = {
        "data: {frf: rubber.csv, input: b.z}\nnoise: 1 %%\n",
        "data: {frf: rubber.csv, input: b.z, noise: 1 %%}\n",
        "experiments: {a: {data: {frf: rubber.csv, input: b.z}, noise: 1 %%}}\n",
        "frf: rubber.csv\ninput: b.z\nnoise: 1 %%\n"};
    char text[600];
    (void)state;
    kit_put("rubber.yaml", rubber_text);
    measure_rubber();
    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text,
                 "study: 1\nmodel: rubber.yaml\n%sunknowns: {k0: 7e3, k1: 5e3, tau: 0.01, m: 1.8}\n",
                 data[k]);
        kit_fit r = solve(text);
        kit_converged(&r);
        kit_is("k0", kit_value_of(&r, "k0"), 5e3, 5e3 * 1e-7);
        kit_is("k1", kit_value_of(&r, "k1"), 8e3, 8e3 * 1e-7);
        kit_is("tau", kit_value_of(&r, "tau"), 0.02, 0.02 * 1e-7);
        kit_is("m", kit_value_of(&r, "m"), 2, 2e-7);
        kit_drop(&r);
    }
}

/* Every law in the response, about an equilibrium that moves with the unknowns. */
static void derivatives_of_rubber(void **state)
{
    (void)state;
    kit_put("laws.yaml",
            "sinew: 1\ngravity: [0, 1, -10]\n"
            "parameters: {k0: 5 N/mm, k3: 1e8, k1: 8 N/mm, tau: 20 ms, f1: 300, z1: 2 mm, F: 30 N, h: 1 mm, "
            "s: 1e4, p: 5 N}\n"
            "nodes: {b: {frame3d: [0.1, 0, 0]}}\n"
            "elements:\n"
            "  m: {mass3d: b, mass: 2, inertia: [0.02, 0.03, 0.01], com: [0.02, 0.01, 0.03]}\n"
            "  mount: {bushing: [ground, b], k: k0, kt: 50, k3: k3, preload: [0, p, 0]}\n"
            "  relax: {bushing_maxwell: [ground, b], kz: [k1, 2 N/mm], tau_z: [tau, 0.2], ktx: 30, tau_rx: "
            "0.05}\n"
            "  curve: {bushing_table: [ground, b], z: [-9 mm, -z1, 4 mm], fz: [-2000, -f1, 300]}\n"
            "  rub: {bushing_bouc_wen: [ground, b], fy: F, y_half: h, fz: 20 N, z_half: 3 mm}\n"
            "  stop: {bushing_stop: [ground, b], clearance: 0.01 mm, k: [0, 0, s]}\n"
            "sensors: {b: {position: b}, F: {force: relax, axes: element}, R: {force: rub}}\nrun: {end: 1 s, "
            "step: 1 ms}\n");
    kit_put("laws.csv", "f,b.z.re,b.z.im,b.y.re,b.y.im,F.Fz.re,F.Fz.im,R.fy.abs\n"
                        "0.5,1,1,1,1,1,1,1\n7,1,1,1,1,1,1,1\n40,1,1,1,1,1,1,1\n");
    check_rows("study: 1\nmodel: laws.yaml\nexperiments:\n"
               "  a: {data: {frf: laws.csv, input: b.z}, noise: 10 %}\n"
               "  b: {frf: laws.csv, input: b.y, noise: 10 %}\n"
               "unknowns: {k0: 5e3, k3: 1e8, k1: 8e3, tau: 0.02, f1: 300, z1: 2e-3, F: 30, h: 1e-3, s: 1e4, "
               "p: 5}\n");
}

/* ---- together ---- */

static void mixed_with_time(void **state)
{
    (void)state;
    kit_measure(
        "signal.csv",
        &(kit_data){
            .model = "spring.yaml", .channels = "at.x", .end = 1, .dt = 0.01, .sigma = 1e-3, .seed = 3});
    /* the spring's frequency and damping ratio: m 2, k 80, c 1.5 */
    double wn = sqrt(80 / 2.0), zeta = 1.5 / (2 * sqrt(80 * 2.0)),
           f = wn * sqrt(1 - zeta * zeta) / (2 * acos(-1));
    const char *text =
        "study: 1\nmodel: spring.yaml\nexperiments:\n"
        "  swing: {data: signal.csv, noise: {at.x: 1 mm}}\n"
        "  ring: {modes: {frequency: [%.12g], damping: [%.12g]}, noise: {frequency: 0.01 %%, damping: 1 "
        "%%}%s}\n"
        "%sunknowns: {k: {start: 60}, c: {start: 1}, m: {start: 2.2}, x0: {each: experiment, start: at.x}}\n";
    kit_fit r = solve(text, f, zeta, "", "");
    kit_converged(&r);
    kit_is("k/m", kit_value_of(&r, "k") / kit_value_of(&r, "m"), 40, 40 * 6e-4);
    kit_is("k", kit_value_of(&r, "k"), 80, 3 * kit_error_of(&r, "k"));
    assert_int_equal(r.s->n_unknown, 4); /* modes have no initial state */
    kit_must_say(&r, "ring");
    char *json;
    size_t n;
    sn_err err;
    sn_err_clear(&err);
    kit_tell(&err, sn_estimate_json(r.e, 1, &json, &n, &err));
    assert_non_null(strstr(json, "\"sort\": \"modes\""));
    assert_non_null(strstr(json, "\"measured_damping\""));
    sn_release(json);
    kit_drop(&r);
    /* held out, and by another optimiser */
    r = solve(text, f, zeta, ", hold_out: yes", "optimiser: lbfgs\n");
    kit_converged(&r);
    assert_true(isfinite(r.e->hold_out));
    assert_non_null(r.e->pair[1]);
    kit_drop(&r);
    r = solve(text, f, zeta, "", "optimiser: lbfgs\nstarts: 2\nintervals: profile\nloss: huber\n");
    kit_converged(&r);
    kit_is("k/m", kit_value_of(&r, "k") / kit_value_of(&r, "m"), 40, 40 * 6e-4);
    kit_drop(&r);
}

/* ---- bad input ---- */

static void refused(const char *study, const char *words)
{
    sn_study *s;
    sn_err err;
    char text[1400] = "";
    sn_err_clear(&err);
    kit_put("study.yaml", study);
    sn_status status = sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err);
    if (err.count) sn_report_format(&err.report[0], text, sizeof text);
    if (status != SN_ERR_INPUT || !strstr(text, words))
        fail_msg("status %d, '%s' does not say '%s'", status, text, words);
    assert_null(s);
}

static void bad_input(void **state)
{
    (void)state;
    char text[1000];
    static const struct {
        const char *experiment, *words;
    } list[] = {
        {"{modes: {frequency: [2, 5, 9]}}", "only 2 degrees of freedom"},
        {"{modes: {frequency: [-2, 5]}}", "positive"},
        {"{modes: {frequency: [0, 5]}}", "positive"},
        {"{modes: {frequency: [2, 5], pc.x: [1, 1]}}", "no sensor 'pc.x'"},
        {"{modes: {damping: [0.1]}}", "one column 'frequency'"},
        {"{modes: {frequency: [2], natural_frequency: [2]}}", "one column 'frequency'"},
        {"{modes: {frequency: [2, 5], damping: [0.01]}}", "1 numbers where others have 2"},
        {"{modes: {frequency: [2, 5], damping: [1.5, 0]}}", "ratio"},
        {"{modes: {frequency: [2, 5], pa.x: [1, 1]}}", "two sensors"},
        {"{modes: {frequency: [2, 5], pa.x: [1, 1], pb.x.re: [1, 1], pb.x.im: [1, 1]}}",
         "all real or all complex"},
        {"{modes: {frequency: [2, 5], mode: [1, 1]}}", "same mode"},
        {"{modes: {frequency: [2, 5], mode: [1, 3]}}", "only 2 degrees of freedom"},
        {"{modes: {frequency: [2, 5], mode: [0.5, 1]}}", "counted 1, 2, 3"},
        {"{modes: {frequency: [12 rad/s, 5]}}", "Hz"},
        {"{modes: {frequency: [2 m, 5]}}", "expected"},
        {"{modes: {frequency: [2, 5]}, noise: {damping: 1 %}}", "not measured"},
        {"{modes: {frequency: [2, 5]}, noise: 0}", "positive"},
        {"{modes: {frequency: [2, 5]}, noise: estimated}", "too few"},
        {"{modes: {frequency: [2, 5]}, about: rest}", "'start', 'static' or 'steady'"},
        {"{modes: {frequency: [2, 5]}, offset: 1}", "no key 'offset'"},
        {"{modes: {frequency: [2, 5]}, frf: frf.csv}", "make two"},
        {"{data: {frg: one.csv}}", "'data' is a file, or"},
        {"{data: {frf: one.csv, inputt: pa.x}}", "did you mean 'input'"},
        {"{data: {frf: one.csv, input: pa.x}, input: pa.x}", "stands in 'data' already"},
        {"{frf: one.csv}", "needs 'input: NAME'"},
        {"{frf: one.csv, input: shove}", "no input 'shove'"},
        {"{frf: plain.csv, input: pa.x}", "which part"},
        {"{frf: late.csv, input: pa.x}", "no column 'f'"},
        {"{frf: one.csv, input: pa.x, from: 9 Hz}", "no frequencies between"},
        {"{frf: phase.csv, input: pa.x}", "a phase has no amplitude"},
        {"{data: {frf: one.csv}}", "needs 'input: NAME'"},
        {"{data: {frf: one.csv, input: pa.x, offset: 2}}", "has no key 'offset'"},
        {"{data: {}}", "'data' is a file, or"},
        {"{data: {modes: {frequency: [-2, 5]}}, weight: 2}", "positive"},
    };
    kit_put("one.csv", "f,pa.x.re\n1,2\n2,3\n");
    kit_put("plain.csv", "f,pa.x\n1,2\n2,3\n");

    kit_put("late.csv", "pa.x.im,pa.x.re\n1,2\n2,3\n");
    kit_put("phase.csv", "f,pa.x.deg\n1,2\n2,3\n");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        snprintf(text, sizeof text,
                 "study: 1\nmodel: chain.yaml\nexperiments: {a: %s}\nunknowns: {k1: 700}\n",
                 list[k].experiment);
        refused(text, list[k].words);
    }
    refused("study: 1\nmodel: chain.yaml\nmodes: {frequency: [2, 5]}\nmethod: direct\nunknowns: {k1: 700}\n",
            "direct");
    refused("study: 1\nmodel: chain.yaml\ndata: one.csv\ninput: pa.x\nunknowns: {k1: 700}\n",
            "belongs to an experiment");
    kit_put("swing.yaml", "sinew: 1\ngravity: [0, -9.81]\nparameters: {m: 2}\nnodes: {bob: {at: [1, 0], "
                          "velocity: [0, 1]}}\n"
                          "elements: {m: {mass2d: bob, mass: m}}\njoints: {rod: {distance: [ground, bob]}}\n"
                          "run: {end: 1, step: 1 ms}\n");
    refused("study: 1\nmodel: swing.yaml\nmodes: {frequency: [1]}\nabout: start\nunknowns: {m: 1}\n",
            "is no steady motion");
}

/* A disc that spins with W on a tilting support, Id s^2 - i Ip W s + k = 0: the frequencies of its two whirls
   give the stiffness and, knowing W, the inertia Ip; about the start, which moves. */
static void whirls(void **state)
{
    (void)state;
    const double Id = 0.03, Ip = 0.05, W = 40, k = 200, root = sqrt(Ip * Ip * W * W + 4 * Id * k),
                 two_pi = 2 * acos(-1);
    kit_put("whirl.yaml",
            "sinew: 1\nparameters: {W: 40, k: 150, Ip: 0.06}\n"
            "nodes: {hub: {at: [0, 0, 0]}, disc: {at: [0, 0, 0], spin: [0, 0, W]}}\n"
            "elements:\n  m: {mass3d: disc, mass: 2, inertia: [0.03, 0.03, Ip]}\n"
            "  b: {bushing: [ground, hub], k: [1e5, 1e5, 1e5], kt: [k, k, 1]}\n"
            "joints: {axle: {revolute: [hub, disc], axis: [0, 0, 1]}}\nrun: {end: 1, step: 1 ms}\n"
            "sensors: {at: {position: hub}}\n");
    kit_fit r =
        solve("study: 1\nmodel: whirl.yaml\nexperiments: {a: {modes: {frequency: [%.15g, %.15g]}, noise: "
              "{frequency: 0.01 %%}, about: start}}\nunknowns: {k: 150, Ip: 0.06}\n",
              (root - Ip * W) / (2 * Id) / two_pi, (root + Ip * W) / (2 * Id) / two_pi);
    kit_converged(&r);
    /* Gauss-Newton ends where the change is 1e-8 of the standard errors, 1e-4 of the numbers */
    kit_is("k", kit_value_of(&r, "k"), k, 1e-9 * k);
    kit_is("Ip", kit_value_of(&r, "Ip"), Ip, 1e-9 * Ip);
    kit_drop(&r);
}

static int begin(void **state)
{
    if (kit_begin(state)) return -1;
    kit_put("chain.yaml", chain_text);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_from_damped_modes),
        cmocka_unit_test(cantilever),
        cmocka_unit_test(shapes_pair_the_modes),
        cmocka_unit_test(coinciding_modes_part),
        cmocka_unit_test(responses_meet_the_closed_form),
        cmocka_unit_test(responses_with_noise),
        cmocka_unit_test(noise_of_responses),
        cmocka_unit_test(intervals_cover),
        cmocka_unit_test(wrong_models_are_found_out),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(rubber_from_responses),
        cmocka_unit_test(derivatives_of_rubber),
        cmocka_unit_test(whirls),
        cmocka_unit_test(mixed_with_time),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, begin, kit_end);
}
