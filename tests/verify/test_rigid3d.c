/* Rigid bodies in space: the heavy top against published numbers, a body about its middle axis against
   Euler's equations, momenta and energy, many turns, a plane model built in space, a model turned as a whole,
   and what the sensors of rotations mean.

   Limits h -> 0 come from h, h/2, h/4: the errors of the scheme are a h^2 + b h^3 + O(h^4). What is left of
   an extrapolated number is estimated by how far two successive extrapolations are apart. */
#include "verify/kit.h"

#include "math/rot3.h"

enum { CHANNELS = 10 };

/* n channels at time t with the steps h, h/2, h/4 in y, and their limit */
static void limit_values(kit *k, double t, double h, int n, const char *const *channel, double y[3][CHANNELS],
                         double *limit)
{
    k->o.tolerance = 1e-13;
    for (int j = 0; j < 3; j++) {
        k->o.step = h / (1 << j);
        kit_values(k, t, n, channel, y[j]);
    }
    for (int i = 0; i < n; i++)
        limit[i] = richardson(richardson(y[0][i], y[1][i], 2), richardson(y[1][i], y[2][i], 2), 3);
}

/* n channels at the start */
static void start_values(kit *k, int n, const char *const *channel, double *y)
{
    const double t[KIT_POINTS] = {0};
    double end = k->o.end;
    k->o.end = k->o.step;
    kit_points(k, n, channel, t, y);
    k->o.end = end;
}

static const char *const quaternion[] = {"rotation.w", "rotation.x", "rotation.y", "rotation.z"};

/* Euler parameters at 0.2 s to the seven digits printed: half a unit of the last. The terms left by the
   extrapolation are (150 rad/s h)^4 = 5e-8 times a factor of one for h = 1e-4. Second order to 5 %. */
static void heavy_top(void **state)
{
    static const double reference[] = {-.7082792, .4387811, .5457284, .0893998};
    double y[3][CHANNELS], limit[CHANNELS];
    kit k;
    (void)state;
    kit_file(&k, "examples/heavy-top/heavy-top.yaml");
    limit_values(&k, 0.2, 1e-4, 4, quaternion, y, limit);
    for (int i = 0; i < 4; i++) {
        print_message("%s %.9f, order %.3f\n", quaternion[i], limit[i],
                      order_of(y[0][i] - y[1][i], y[1][i] - y[2][i]));
        kit_near(quaternion[i], limit[i], reference[i], 1e-7);
        kit_within("order", order_of(y[0][i] - y[1][i], y[1][i] - y[2][i]), 1.95, 2.05);
    }
    kit_close(&k);
}

/* Gravity is along z and the joint at the origin: the energy and the angular momentum about z stay, to the
   order of the scheme. At each step the centre keeps its distance, and the pivot carries m (a - g). */
static void heavy_top_balances(void **state)
{
    static const char *const name[] = {"energy.total", "momentum.Lz"};
    static const char *const pivot[] = {"pivot.fx",       "pivot.fy",       "pivot.fz",
                                        "acceleration.x", "acceleration.y", "acceleration.z",
                                        "centre.x",       "centre.y",       "centre.z"};
    const double start[2] = {0.5 * (150 * 150 * .46875 + 4.61538 * 4.61538 * (15 + .234375)),
                             -4.61538 * (15 + .234375)};
    double y[3][CHANNELS], limit[CHANNELS];
    kit k;
    (void)state;
    kit_file(&k, "examples/heavy-top/heavy-top.yaml");
    limit_values(&k, 0.2, 1e-4, 2, name, y, limit);
    for (int i = 0; i < 2; i++) {
        print_message("%s %.9f, off by %.2e and %.2e\n", name[i], limit[i], y[0][i] - start[i],
                      y[1][i] - start[i]);
        kit_near(name[i], limit[i], start[i], 1e-8 * fabs(start[i]));
        kit_within("order", order_of(y[0][i] - start[i], y[1][i] - start[i]), 1.9, 2.1);
    }
    k.o.step = 1e-3;
    kit_values(&k, 0.2, 9, pivot, y[0]);
    for (int i = 0; i < 3; i++) kit_near(pivot[i], y[0][i], 15 * (y[0][3 + i] + (i == 2 ? 9.81 : 0)), 1e-6);
    kit_near("|centre|", sqrt(sn_dot3(y[0] + 6, y[0] + 6)), 1, 1e-12);
    kit_close(&k);
}

/* Euler's equations J W' = J W x W and p' = p (0, W)/2 by the classical method of fourth order */
static void euler_rates(const double *J, const double *x, double *dx)
{
    const double *W = x + 4, h[4] = {0, W[0] / 2, W[1] / 2, W[2] / 2};
    double JW[3] = {J[0] * W[0], J[1] * W[1], J[2] * W[2]};
    sn_quat_mul(x, h, dx);
    sn_cross3(JW, W, dx + 4);
    for (int i = 0; i < 3; i++) dx[4 + i] /= J[i];
}

static void euler_equations(const double *J, double t, int steps, double *x)
{
    static const double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double h = t / steps, k[7], sum[7], at[7];
    for (int n = 0; n < steps; n++) {
        memset(sum, 0, sizeof sum);
        memset(k, 0, sizeof k);
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 7; i++) at[i] = x[i] + reach[s] * h * k[i];
            euler_rates(J, at, k);
            for (int i = 0; i < 7; i++) sum[i] += weight[s] * k[i];
        }
        for (int i = 0; i < 7; i++) x[i] += h / 6 * sum[i];
    }
}

/* A free body that spins about its middle axis with a disturbance turns over (Dzhanibekov). Its node is not
   its centre of mass, which must stay where it is. Runge's error is (10 rad/s h)^4 t/120 with h = 1e-4, 1e-13
   of a radian. Newton's iteration leaves some 1e-13 in the increments of a step, 1e-10 in a spin with h =
   1e-3, and the body makes 40 times as much of it before it turns over: 1e-8, for angular velocities of 10
   rad/s ten times that. The extrapolation leaves (10 h)^4 = 1e-8 times a small factor. */
static const char tumbling[] =
    "sinew: 1\n"
    "nodes: {n: {at: [0.5, -0.2, 0.3], spin: [0.5, 10, 0.3], velocity: [-3.03, 0.09, 2.05]}}\n"
    "elements: {b: {mass3d: n, mass: 2, inertia: [1, 2, 3], com: [0.2, -0.1, 0.3]}}\n"
    "sensors:\n"
    "  rotation: {quaternion: n}\n"
    "  centre: {position: n, offset: [0.2, -0.1, 0.3]}\n"
    "  v: {velocity: n, offset: [0.2, -0.1, 0.3]}\n"
    "  all: {momentum: all}\n"
    "  energy: {energy: all}\n"
    "run: {end: 4, step: 1 ms}\n";

static void middle_axis(void **state)
{
    static const char *const name[] = {"rotation.w", "rotation.x", "rotation.y", "rotation.z", "v.rx",
                                       "v.ry",       "v.rz",       "centre.x",   "centre.y",   "centre.z"};
    const double J[3] = {1, 2, 3};
    double x[7] = {1, 0, 0, 0, 0.5, 10, 0.3}, y[3][CHANNELS], limit[CHANNELS], R[9], want[CHANNELS],
           lowest = 1;
    kit k;
    (void)state;
    kit_text(&k, tumbling);
    limit_values(&k, 2, 1e-3, CHANNELS, name, y, limit);
    euler_equations(J, 1, 10000, x);
    lowest = fmin(lowest, x[5]);
    euler_equations(J, 1, 10000, x);
    lowest = fmin(lowest, x[5]);
    print_message("spin about the body's y axis %g and less, 10 at the start\n", lowest);
    assert_true(lowest < -5);
    sn_quat_matrix(x, R);
    memcpy(want, x, 4 * sizeof *x);
    sn_mul3(R, x + 4, want + 4);
    want[7] = 0.7, want[8] = -0.3, want[9] = 0.6;
    for (int i = 0; i < CHANNELS; i++) {
        print_message("%s %.9f, off by %.1e\n", name[i], limit[i], limit[i] - want[i]);
        kit_near(name[i], limit[i], want[i], i >= 4 && i < 7 ? 1e-7 : 1e-8);
    }
    kit_close(&k);
}

/* Energy and angular momentum of that body: errors of second order in the step. */
static void conservation(void **state)
{
    static const char *const name[] = {"energy.total", "all.Lx", "all.Ly", "all.Lz",
                                       "all.px",       "all.py", "all.pz"};
    double y[3][CHANNELS], limit[CHANNELS], start[CHANNELS];
    kit k;
    (void)state;
    kit_text(&k, tumbling);
    start_values(&k, 7, name, start);
    kit_near("energy", start[0], 0.5 * (0.25 + 2 * 100 + 3 * 0.09), 1e-12);
    limit_values(&k, 1, 4e-3, 7, name, y, limit);
    for (int i = 0; i < 7; i++) {
        double e[3] = {y[0][i] - start[i], y[1][i] - start[i], y[2][i] - start[i]};
        print_message("%s %.6f, changes %.1e %.1e %.1e\n", name[i], start[i], e[0], e[1], e[2]);
        kit_within("order", order_of(e[1], e[2]), 1.8, 2.3);
    }
    kit_close(&k);
}

/* 9.5 turns about a fixed skew axis: all increments are along it, so that the scheme is exact. */
static void many_turns(void **state)
{
    static const char text[] = "sinew: 1\n"
                               "nodes: {n: {at: [0, 0, 0], spin: [10, 20, -20]}}\n"
                               "elements: {b: {mass3d: n, mass: 1, inertia: [2, 2, 2]}}\n"
                               "sensors: {rotation: {quaternion: n}, v: {rotation: n}}\n"
                               "run: {end: 2, step: 10 ms, tolerance: 1e-13}\n";
    double q[4], v[3], half = 30;
    kit k;
    (void)state;
    kit_text(&k, text);
    kit_values(&k, 2, 4, quaternion, q);
    kit_values(&k, 2, 3, (const char *const[]){"v.rx", "v.ry", "v.rz"}, v);
    kit_near("w", q[0], cos(half), 1e-10);
    for (int i = 0; i < 3; i++) {
        double axis = (i == 0 ? 1 : i == 1 ? 2 : -2) / 3.0;
        kit_near("quaternion", q[1 + i], axis * sin(half), 1e-10);
        /* 60 rad less 9 turns is more than half a turn, so that the vector is that of one turn more */
        kit_near("rotation vector", v[i], axis * (60 - 20 * acos(-1)), 1e-10);
    }
    kit_close(&k);
}

/* A planar pendulum, and the same one in space, upright or with its plane turned: at each step the
   equations are the same, so that Newton's tolerance is all that differs (1e-13 a step of the size of a
   radian, a thousand steps, times 10 for a body that is not held at its centre). Reactions are m omega^2 = 30
   N/m times that. */
static void plane_in_space(void **state)
{
    static const char flat[] =
        "sinew: 1\n"
        "gravity: [0, -9.81]\n"
        "nodes: {b: [0.3, 0.1]}\n"
        "elements: {m: {mass2d: b, mass: 2, inertia: 0.3, com: [0.2, -0.1]}}\n"
        "joints: {pin: {revolute2d: [ground, b], at: [0, 0]}}\n"
        "sensors: {b: {position: b}, v: {velocity: b}, a: {acceleration: b}, pin: {reaction: pin},\n"
        "  e: {energy: all}, p: {momentum: all}}\n"
        "run: {end: 1, step: 1 ms, tolerance: 1e-13}\n";
    static const char form[] =
        "sinew: 1\n"
        "gravity: [%.17g, %.17g, %.17g]\n"
        "nodes: {b: [%.17g, %.17g, %.17g]}\n"
        "elements: {m: {mass3d: b, mass: 2, inertia: [0.3, 0.3, 0.3], com: [%.17g, %.17g, %.17g]}}\n"
        "joints: {pin: {revolute: [ground, b], at: [0, 0, 0], axis: [%.17g, %.17g, %.17g]}}\n"
        "sensors: {b: {position: b}, v: {velocity: b}, a: {acceleration: b}, pin: {reaction: pin},\n"
        "  e: {energy: all}, p: {momentum: all}}\n"
        "run: {end: 1, step: 1 ms, tolerance: 1e-13}\n";
    static const char *const in_plane[] = {"b.x", "b.y",    "v.x",    "v.y",  "a.x",
                                           "a.y", "pin.fx", "pin.fy", "p.px", "p.py"};
    static const char *const in_space[][3] = {{"b.x", "b.y", "b.z"},
                                              {"v.x", "v.y", "v.z"},
                                              {"a.x", "a.y", "a.z"},
                                              {"pin.fx", "pin.fy", "pin.fz"},
                                              {"p.px", "p.py", "p.pz"}};
    static const char *const turns[] = {"b.theta", "v.theta", "a.theta", "p.L"};
    static const char *const spins[][3] = {{"b.rx", "b.ry", "b.rz"},
                                           {"v.rx", "v.ry", "v.rz"},
                                           {"a.rx", "a.ry", "a.rz"},
                                           {"p.Lx", "p.Ly", "p.Lz"}};
    const double turn[2][3] = {{0, 0, 0}, {0.7, -1.1, 0.4}},
                 scale[] = {1, 10, 100, 60, 10, 0, 1, 10, 100, 10};
    double y[10], a[4], x[3], energy;
    kit k, s;
    (void)state;
    kit_text(&k, flat);
    kit_values(&k, 1, 10, in_plane, y);
    kit_values(&k, 1, 4, turns, a);
    energy = kit_value(&k, "e.kinetic", 1);
    kit_close(&k);
    for (int i = 0; i < 2; i++) {
        char text[2000];
        double v[4][3] = {{0, -9.81, 0}, {0.3, 0.1, 0}, {0.2, -0.1, 0}, {0, 0, 1}}, p[4], Q[9];
        sn_quat_exp(turn[i], p);
        sn_quat_matrix(p, Q);
        for (int j = 0; j < 4; j++) sn_mul3(Q, v[j], v[j]);
        snprintf(text, sizeof text, form, v[0][0], v[0][1], v[0][2], v[1][0], v[1][1], v[1][2], v[2][0],
                 v[2][1], v[2][2], v[3][0], v[3][1], v[3][2]);
        kit_text(&s, text);
        for (int j = 0; j < 5; j++) {
            kit_values(&s, 1, 3, in_space[j], x);
            sn_tmul3(Q, x, x);
            for (int l = 0; l < 2; l++) kit_near(in_plane[2 * j + l], x[l], y[2 * j + l], 1e-9 * scale[j]);
            kit_near("out of the plane", x[2], 0, 1e-9 * scale[j]);
        }
        for (int j = 0; j < 4; j++) {
            kit_values(&s, 1, 3, spins[j], x);
            sn_tmul3(Q, x, x);
            kit_near("about x", x[0], 0, 1e-9 * scale[6 + j]);
            kit_near("about y", x[1], 0, 1e-9 * scale[6 + j]);
            kit_near(turns[j], x[2], a[j], 1e-9 * scale[6 + j]);
        }
        kit_near("kinetic energy", kit_value(&s, "e.kinetic", 1), energy, 1e-8);
        kit_close(&s);
    }
}

/* The heavy top without symmetry, written in axes turned by Q: inertia Q J Q', all vectors Q v. Results turn.
 */
static void turned_model(void **state)
{
    static const char form[] =
        "sinew: 1\n"
        "gravity: [%.17g, %.17g, %.17g]\n"
        "nodes: {n: {at: [0, 0, 0], spin: [%.17g, %.17g, %.17g]}}\n"
        "elements: {m: {mass3d: n, mass: 3, com: [%.17g, %.17g, %.17g],\n"
        "  inertia: [%.17g, %.17g, %.17g], products: [%.17g, %.17g, %.17g]}}\n"
        "joints: {pivot: {spherical: [ground, n]}}\n"
        "sensors: {c: {position: n, offset: [%.17g, %.17g, %.17g]}, p: {reaction: pivot}}\n"
        "run: {end: 1, step: 1 ms, tolerance: 1e-13}\n";
    static const char *const name[] = {"c.x", "c.y", "c.z", "p.fx", "p.fy", "p.fz"};
    const double J[9] = {2, 0.3, -0.2, 0.3, 1.5, 0.4, -0.2, 0.4, 1};
    double y[2][6];
    for (int i = 0; i < 2; i++) {
        double v[3][3] = {{0, 0, -9.81}, {1, 3, -5}, {0.3, 0.5, -0.2}}, p[4], Q[9], Qt[9], A[9];
        char text[2000];
        kit k;
        sn_quat_exp(i ? (const double[]){-1.3, 0.8, 2.1} : (const double[]){0, 0, 0}, p);
        sn_quat_matrix(p, Q);
        for (int j = 0; j < 9; j++) Qt[j] = Q[j % 3 * 3 + j / 3];
        sn_matmul3(Q, J, A);
        sn_matmul3(A, Qt, A);
        for (int j = 0; j < 3; j++) sn_mul3(Q, v[j], v[j]);
        snprintf(text, sizeof text, form, v[0][0], v[0][1], v[0][2], v[1][0], v[1][1], v[1][2], v[2][0],
                 v[2][1], v[2][2], A[0], A[4], A[8], A[1], A[2], A[5], v[2][0], v[2][1], v[2][2]);
        kit_text(&k, text);
        kit_values(&k, 1, 6, name, y[i]);
        sn_tmul3(Q, y[i], y[i]);
        sn_tmul3(Q, y[i] + 3, y[i] + 3);
        kit_close(&k);
    }
    (void)state;
    for (int j = 0; j < 6; j++) kit_near(name[j], y[1][j], y[0][j], j < 3 ? 1e-9 : 1e-7);
}

/* A body at rest, turned at the start by Ri(alpha) Rj(beta) Rk(gamma), shows these angles again. */
static void euler_angles(void **state)
{
    static const char *const order[] = {"zyx", "zxz", "xyz", "xzy", "yxz", "yzx",
                                        "zxy", "xyx", "xzx", "yxy", "yzy", "zyz"};
    static const char *const name[] = {"e.alpha", "e.beta", "e.gamma"};
    const double angle[3] = {2.5, 0.8, -1.9};
    (void)state;
    for (int i = 0; i < 12; i++) {
        double p[4] = {1, 0, 0, 0}, v[3], y[3];
        char text[600];
        kit k;
        for (int j = 0; j < 3; j++) {
            double e[4], d[3] = {0, 0, 0};
            d[order[i][j] - 'x'] = angle[j];
            sn_quat_exp(d, e);
            sn_quat_mul(p, e, p);
        }
        sn_quat_log(p, v);
        snprintf(text, sizeof text,
                 "sinew: 1\nnodes: {n: {at: [0, 0, 0], rotation: [%.17g, %.17g, %.17g]}}\n"
                 "elements: {b: {mass3d: n, mass: 1, inertia: [1, 1, 1]}}\n"
                 "sensors: {e: {euler: n, order: %s}}\nrun: {end: 1, step: 1}\n",
                 v[0], v[1], v[2], order[i]);
        kit_text(&k, text);
        start_values(&k, 3, name, y);
        for (int j = 0; j < 3; j++) kit_near(order[i], y[j], angle[j], 1e-12);
        kit_close(&k);
    }
}

/* Two frames turned about x by 0.3 and 1: seen from the first, the second is turned by 0.7 and lies where x2
   - x1 is, turned back by 0.3. The hinge's reaction in the axes of the body is the global one turned back
   by 1. */
static void other_axes(void **state)
{
    static const char text[] = "sinew: 1\n"
                               "gravity: [0, 0, -9.81]\n"
                               "nodes:\n"
                               "  a: {at: [0, 0, 0], rotation: [0.3, 0, 0]}\n"
                               "  b: {at: [1, 2, 3], rotation: [1, 0, 0]}\n"
                               "elements:\n"
                               "  a: {mass3d: a, mass: 1, inertia: [1, 1, 1]}\n"
                               "  b: {mass3d: b, mass: 2, inertia: [1, 1, 1], com: [0.5, 0.4, 0.3]}\n"
                               "joints: {hinge: {revolute: [ground, b], axis: [1, 0, 0]}}\n"
                               "sensors:\n"
                               "  rel: {relative: [a, b]}\n"
                               "  far: {distance: [a, b]}\n"
                               "  node: {reaction: hinge}\n"
                               "  global: {reaction: hinge, axes: global}\n"
                               "  body: {reaction: hinge, axes: body}\n"
                               "run: {end: 1, step: 1 ms}\n";
    static const char *const part[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    static const char *const axes[] = {"node", "global", "body"};
    static const char *const rel[] = {"rel.x", "rel.y", "rel.z", "rel.rx", "rel.ry", "rel.rz", "far"};
    const double c = cos(0.3), s = sin(0.3), want[] = {1, 2 * c + 3 * s, 3 * c - 2 * s, 0.7, 0, 0, sqrt(14)};
    double y[7], f[3][6];
    kit k;
    (void)state;
    kit_text(&k, text);
    start_values(&k, 7, rel, y);
    for (int i = 0; i < 7; i++) kit_near(rel[i], y[i], want[i], 1e-12);
    for (int i = 0; i < 3; i++) {
        char name[6][40];
        const char *list[6];
        for (int j = 0; j < 6; j++) {
            snprintf(name[j], sizeof name[j], "%s.%s", axes[i], part[j]);
            list[j] = name[j];
        }
        start_values(&k, 6, list, f[i]);
    }
    for (int j = 0; j < 6; j += 3) { /* forces, moments */
        const double *g = f[1] + j, *b = f[2] + j,
                     back[3] = {g[0], cos(1) * g[1] + sin(1) * g[2], cos(1) * g[2] - sin(1) * g[1]};
        for (int i = 0; i < 3; i++) {
            kit_near(part[j + i], b[i], back[i], 1e-9);
            kit_near(part[j + i], f[0][j + i], j ? b[i] : g[i], 1e-12);
        }
        assert_true(fabs(g[1]) + fabs(g[2]) > 1);
    }
    kit_close(&k);
}

/* Mass and centre of bodies in space, one of them turned. */
static void mass_and_centre(void **state)
{
    static const char text[] = "sinew: 1\n"
                               "nodes: {a: [1, 2, 3], b: {at: [0, 0, 1], rotation: [0, 0, pi/2]}}\n"
                               "elements:\n"
                               "  a: {mass3d: a, mass: 1}\n"
                               "  b: {mass3d: b, mass: 3, inertia: [1, 1, 1], com: [1, 0, 0.5]}\n"
                               "run: {end: 1, step: 1 ms}\n";
    /* the second centre is at (0, 1, 1.5) */
    const double want[] = {0.25, 1.25, 1.875};
    sn_check_report r;
    kit k;
    (void)state;
    kit_text(&k, text);
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    kit_near("mass", r.mass, 4, 1e-12);
    for (int i = 0; i < 3; i++) kit_near("centre", r.com[i], want[i], 1e-12);
    assert_int_equal(r.freedom, 9);
    sn_release(r.names);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top),    cmocka_unit_test(heavy_top_balances),
        cmocka_unit_test(middle_axis),  cmocka_unit_test(conservation),
        cmocka_unit_test(many_turns),   cmocka_unit_test(plane_in_space),
        cmocka_unit_test(turned_model), cmocka_unit_test(euler_angles),
        cmocka_unit_test(other_axes),   cmocka_unit_test(mass_and_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
