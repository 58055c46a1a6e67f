/* Paths of equilibria and buckling against closed forms and published numbers: von Mises' truss (limit
   points, a bifurcation), Euler's columns, the elastica behind the bifurcation, Lee's frame, Prandtl's strip;
   and statics beyond a limit point. */
#include "analysis/statics.h"
#include "analysis/tangent.h"
#include "verify/kit.h"

static const double pi = 3.14159265358979323846;

enum { POINTS = 4000, CHANNELS = 4 };

typedef struct recorded {
    kit *k;
    int n, n_special, channel[CHANNELS], n_channel;
    struct {
        int kind, branch, negative;
        double parameter, y[CHANNELS];
    } point[POINTS], special[20];
    sn_path_info info;
} recorded;

static recorded r;
static char told[2000];

static void listen(void *ctx, const char *text)
{
    (void)ctx;
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", text);
}

static sn_status record(void *ctx, const sn_path_point *x, sn_err *err)
{
    (void)ctx, (void)err;
    assert_true(r.n < POINTS);
    r.point[r.n].kind = x->kind, r.point[r.n].branch = x->branch, r.point[r.n].negative = x->negative;
    r.point[r.n].parameter = x->parameter;
    for (int i = 0; i < r.n_channel; i++) r.point[r.n].y[i] = x->frame->y[r.channel[i]];
    if (x->kind && r.n_special < 20) {
        assert_non_null(x->shape);
        memcpy(&r.special[r.n_special++], &r.point[r.n], sizeof r.special[0]);
    }
    r.n++;
    return SN_OK;
}

/* The path of a model with options filled in by the caller beforehand. */
static sn_status try_trace(kit *k, sn_path_options *o, int n, const char *const *channel)
{
    memset(&r, 0, sizeof r);
    r.n_channel = n;
    for (int i = 0; i < n; i++) r.channel[i] = kit_channel(k, channel[i]);
    o->point = record;
    told[0] = 0;
    o->run.message = listen;
    return sn_path(k->m, k->p, o, &r.info, &k->err);
}

static const char truss[] = "sinew: 1\n"
                            "parameters: {P: %g N, h: %g m}\n"
                            "nodes: {a: [-1, 0], b: [1, 0], c: [0, h]%s}\n"
                            "elements:\n"
                            "  l: {spring2d: [a, c], k: 1000}\n"
                            "  r: {spring2d: [b, c], k: 1000}\n"
                            "  m: {mass2d: c, mass: 1}\n"
                            "  load: {force2d: c, force: [0, -P]}\n%s"
                            "joints: {fa: {fixed: a}, fb: {fixed: b}}\n"
                            "sensors: {c: {position: c}}\n"
                            "run: {tolerance: 1e-10}\n";

/* Two springs of free length l0 = sqrt(1 + h^2) that meet at height y: P = 2 k y (l0/l - 1), l^2 = 1 + y^2.
   The path is exact but for Newton's tolerance, 1e-10 of the springs' forces (less than 100 N). Limit points
   where l^3 = l0; there the load is stationary, so that an error of 1e-6 in y leaves 1e-9 of it. */
static double truss_load(double h, double y) { return 2000 * y * (sqrt(1 + h * h) / sqrt(1 + y * y) - 1); }

static void test_truss(void **state)
{
    static const char *const out[] = {"c.y", "c.x"};
    const double h = 0.3, at = sqrt(pow(1 + h * h, 1.0 / 3) - 1);
    (void)state;
    /* the second time with a mass that nothing holds beside it, the third over the parameter */
    for (int turn = 0; turn < 3; turn++) {
        char text[1000];
        kit k;
        snprintf(text, sizeof text, truss, 30.0, h, turn == 1 ? ", f: [5, 5]" : "",
                 turn == 1 ? "  fm: {mass2d: f, mass: 1}\n" : "");
        kit_text(&k, text);
        sn_path_options o = sn_path_options_default(k.m, k.p);
        if (turn == 2) o.parameter = "P", o.from = 0, o.to = 30;
        kit_good(&k, try_trace(&k, &o, 2, out));
        double unit = turn == 2 ? 1 : 30;
        print_message("  %d points, limits at %.10g and %.10g N, exact %.10g\n", r.n,
                      unit * r.special[0].parameter, unit * r.special[1].parameter, truss_load(h, at));
        assert_int_equal(r.info.limits, 2);
        assert_int_equal(r.info.bifurcations, 0);
        assert_true(r.info.reached);
        for (int i = 0; i < r.n; i++) {
            double y = r.point[i].y[0];
            kit_near("load", unit * r.point[i].parameter, truss_load(h, y), 1e-7);
            kit_near("sideways", r.point[i].y[1], 0, 1e-9);
            /* stable outside the limit points; those themselves are neither */
            if (!r.point[i].kind) assert_int_equal(r.point[i].negative, fabs(y) < at ? 1 : 0);
        }
        for (int i = 0; i < 2; i++) {
            kit_near("limit load", unit * r.special[i].parameter, (i ? -1 : 1) * truss_load(h, at), 1e-7);
            kit_near("height", r.special[i].y[0], (i ? -1 : 1) * at, 1e-6);
        }
        kit_near("end", unit * r.point[r.n - 1].parameter, 30, 0);
        kit_close(&k);
    }
}

/* A steep truss tips over sideways before it snaps through: the stiffness across vanishes where
   (l0/l - 1) y^2 = 1. Located to where the stiffness is 1e-13 of the springs', or by 1e-11 of a step; the
   equilibrium has 1e-10: 1e-7. The branches beyond are mirror images. */
static void test_steep_truss(void **state)
{
    static const char *const out[] = {"c.y", "c.x"};
    const double h = 3, l0 = sqrt(10);
    double lo = 2, hi = 3;
    char text[1000];
    kit k;
    (void)state;
    for (int i = 0; i < 60; i++) {
        double y = (lo + hi) / 2;
        *((l0 / sqrt(1 + y * y) - 1) * y * y > 1 ? &lo : &hi) = y;
    }
    snprintf(text, sizeof text, truss, 3000.0, h, "", "");
    kit_text(&k, text);
    sn_path_options o = sn_path_options_default(k.m, k.p);
    o.branches = 1, o.max_step = 0.02, o.steps = 60;
    kit_good(&k, try_trace(&k, &o, 2, out));
    assert_true(r.n_special > 0);
    assert_int_equal(r.special[0].kind, SN_PATH_BIFURCATION);
    kit_near("height", r.special[0].y[0], lo, 1e-7);
    kit_near("load", 3000 * r.special[0].parameter, truss_load(h, lo), 1e-3);
    assert_int_equal(r.info.branches, 2);
    double side[3] = {0};
    for (int i = 0; i < r.n; i++)
        if (fabs(r.point[i].y[1]) > fabs(side[r.point[i].branch])) side[r.point[i].branch] = r.point[i].y[1];
    kit_near("first branch", side[0], 0, 1e-8);
    assert_true(fabs(side[1]) > 0.1);
    kit_near("mirror image", side[2], -side[1], 1e-6);
    kit_close(&k);
}

static const char column[] = "sinew: 1\n"
                             "parameters: {P: %.17g N}\n"
                             "nodes: {a: [0, 0], b: [0, 1]}\n"
                             "elements:\n"
                             "  beam: {beam2d_cr: [a, b], EA: 1e8, EI: 1, rhoA: 1, elements: %d}\n"
                             "  load: {force2d: b, force: [0, -P]}\n"
                             "joints: {%s}\n"
                             "sensors: {a: {rotation: a}}\n";

static double factors[10];

static sn_status keep(void *ctx, int i, double factor, const double *shape, const sn_frame *x, sn_err *err)
{
    (void)ctx, (void)shape, (void)x, (void)err;
    factors[i] = factor;
    return SN_OK;
}

static int buckle(kit *k, int n, double at)
{
    sn_buckling_options o = sn_buckling_options_default(k->m, k->p);
    int found;
    o.n = n, o.mode = keep, o.at = at;
    kit_good(k, sn_buckling(k->m, k->p, &o, &found, &k->err));
    return found;
}

/* Critical loads EI (pi/(beta L))^2 of all four supports, linear (about no load and about half of it) and as
   the first bifurcation of the path. A chord for an arc: errors in even powers of the mesh; meshes of 10, 20,
   40 and two extrapolations leave O(h^6): (sqrt(P) h)^6, h = 1/10, P = 39.5: 6e-2 of the factor 1/12^3 and
   1/4 1/16 each: 1e-6. Compression: P/EA = 4e-7. Together 2e-6 relative. */
static void test_euler(void **state)
{
    static const struct {
        const char *joints;
        double P;
    } c[] = {{"f: {fixed: a, only: [x, y]}, t: {fixed: b, only: x}", 1},
             {"f: {fixed: a}", 0.25},
             {"f: {fixed: a}, t: {fixed: b, only: x}", 0}, /* tan(x) = x: below */
             {"f: {fixed: a}, t: {fixed: b, only: [x, theta]}", 4}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        double P = c[i].P * pi * pi, y[3][3];
        if (i == 2) P = 4.493409457909064 * 4.493409457909064;
        for (int j = 0; j < 3; j++) {
            char text[1000];
            kit k;
            snprintf(text, sizeof text, column, 1.2 * P, 10 << j, c[i].joints);
            kit_text(&k, text);
            assert_int_equal(buckle(&k, 2, 0), 2);
            y[0][j] = factors[0];
            assert_int_equal(buckle(&k, 2, 0.5), 2);
            y[1][j] = factors[0];
            sn_path_options o = sn_path_options_default(k.m, k.p);
            o.first = 1;
            kit_good(&k, try_trace(&k, &o, 0, NULL));
            assert_int_equal(r.n_special, 1);
            assert_int_equal(r.special[0].kind, SN_PATH_BIFURCATION);
            y[2][j] = r.special[0].parameter;
            kit_close(&k);
        }
        for (int e = 0; e < 3; e++) {
            double coarse = richardson(y[e][0], y[e][1], 2), fine = richardson(y[e][1], y[e][2], 2),
                   p = 1.2 * richardson(coarse, fine, 4);
            print_message("  support %d: %.9f of the critical load\n", i, p);
            kit_near("critical load", p, 1, 2e-6);
        }
    }
}

/* A square column pinned in both planes buckles in both at once: double factors are found twice. */
static void test_double(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\nnodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
                 "elements:\n"
                 "  beam: {beam3d_cr: [a, b], EA: 1e8, EI_y: 1, EI_z: 1, GJ: 1, rhoA: 1, elements: 12}\n"
                 "  load: {force3d: b, force: [-1, 0, 0]}\n"
                 "joints: {f: {fixed: a}}\nsensors: {b: {position: b}}\n");
    assert_int_equal(buckle(&k, 4, 0), 4);
    print_message("  %.9g %.9g %.9g %.9g\n", factors[0], factors[1], factors[2], factors[3]);
    kit_near("twice", factors[1] / factors[0], 1, 1e-8);
    kit_near("and again", factors[3] / factors[2], 1, 1e-8);
    /* pi^2/4 and 9 pi^2/4; a mesh of 12: (3 pi/2/12)^2/12 = 1.3e-2 at most for the second */
    kit_near("first", factors[0], pi * pi / 4, 5e-3);
    kit_near("second", factors[2] / (9 * pi * pi / 4), 1, 2e-2);
    kit_close(&k);
}

static double elliptic_K(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 30; i++) {
        double m = (a + b) / 2;
        b = sqrt(a * b), a = m;
    }
    return pi / (2 * a);
}

/* Behind the bifurcation a pinned strut is an elastica: P = P_E (2 K(k)/pi)^2 with k = sin(slope/2) of the
   slope at its ends. The largest relative error over the branch falls with the second power of the mesh. The
   next power is smaller by the square of an element's bend, at most 2/20 here: orders to 0.1. */
static void test_elastica(void **state)
{
    static const char *const out[] = {"a.theta"};
    double e[2] = {0};
    (void)state;
    for (int j = 0; j < 2; j++) {
        char text[1000];
        kit k;
        snprintf(text, sizeof text, column, 1.3 * pi * pi, 20 << j,
                 "f: {fixed: a, only: [x, y]}, t: {fixed: b, only: x}");
        kit_text(&k, text);
        sn_path_options o = sn_path_options_default(k.m, k.p);
        o.branches = 1, o.max_step = 0.02;
        kit_good(&k, try_trace(&k, &o, 1, out));
        int n = 0;
        for (int i = 0; i < r.n; i++) {
            if (!r.point[i].branch) continue;
            double slope = fabs(r.point[i].y[0]), K = elliptic_K(sin(slope / 2));
            e[j] = fmax(e[j], fabs(1.3 * r.point[i].parameter / pow(2 * K / pi, 2) - 1));
            assert_int_equal(r.point[i].negative, 0);
            n++;
        }
        assert_true(n > 10);
        assert_int_equal(r.info.branches, 2);
        kit_within("slope at the end", fabs(r.point[r.n - 1].y[0]), 1, 2);
        kit_close(&k);
    }
    print_message("  errors %.2e %.2e\n", e[0], e[1]);
    kit_within("order in the mesh", order_of(e[0], e[1]), 1.9, 2.1);
}

static const char lee[] =
    "sinew: 1\n"
    "parameters: {P: 20 kN}\n"
    "nodes: {foot: [0, 0], corner: [0, 120], load: [24, 120], end: [120, 120]%s}\n"
    "elements:\n"
    "  leg: {beam2d_cr: [foot, corner], EA: 43.2e6, EI: 14.4e6, rhoA: 1, elements: %d}\n"
    "  near: {beam2d_cr: [corner, load], EA: 43.2e6, EI: 14.4e6, rhoA: 1, elements: %d}\n"
    "  far: {beam2d_cr: [load, end], EA: 43.2e6, EI: 14.4e6, rhoA: 1, elements: %d}\n"
    "  push: {force2d: load, force: [0, -P]}\n"
    "joints: {foot: {fixed: foot, only: [x, y]}, end: {fixed: end, only: [x, y]}}\n"
    "sensors: {load: {displacement: load}}\n";

/* Published limit loads of Lee's frame are about 18.55e3 and -9.37e3 (four digits, of meshes that are not
   told: 0.5 %). Here meshes of 20, 40, 80 with errors in even powers: their order is that of the beam, 2 to
   0.1. */
static void test_lee(void **state)
{
    double P[2][3];
    (void)state;
    for (int j = 0; j < 3; j++) {
        char text[1500];
        kit k;
        snprintf(text, sizeof text, lee, "", 10 << j, 2 << j, 8 << j);
        kit_text(&k, text);
        sn_path_options o = sn_path_options_default(k.m, k.p);
        kit_good(&k, try_trace(&k, &o, 0, NULL));
        assert_int_equal(r.info.limits, 2);
        assert_int_equal(r.info.bifurcations, 0);
        assert_true(r.info.reached);
        for (int i = 0; i < 2; i++) P[i][j] = 20e3 * r.special[i].parameter;
        kit_close(&k);
    }
    for (int i = 0; i < 2; i++) {
        double coarse = richardson(P[i][0], P[i][1], 2), fine = richardson(P[i][1], P[i][2], 2),
               limit = richardson(coarse, fine, 4);
        print_message("  limit load %.2f %.2f %.2f, extrapolated %.2f\n", P[i][0], P[i][1], P[i][2], limit);
        kit_within("order in the mesh", order_of(P[i][0] - limit, P[i][1] - limit), 1.9, 2.1);
        kit_near("published", limit / (i ? -9.37e3 : 18.55e3), 1, 5e-3);
    }
}

/* Statics past the limit load of Lee's frame: load steps end there, arc length finds the other side, and says
   so. The path over the factor ends at the same point. */
static void test_static_beyond(void **state)
{
    static const char *const out[] = {"load.x", "load.y"};
    double y[2];
    char text[1500];
    kit k;
    (void)state;
    snprintf(text, sizeof text, lee, "", 10, 2, 8);
    kit_text(&k, text);
    sn_path_options o = sn_path_options_default(k.m, k.p);
    kit_good(&k, try_trace(&k, &o, 2, out));
    k.o.message = listen;
    kit_static(&k, 2, out, y);
    assert_non_null(strstr(told, "found by arc length, through limit points, and may be one of several"));
    assert_int_equal(k.info.unstable, 0);
    kit_near("x", y[0], r.point[r.n - 1].y[0], 1e-6);
    kit_near("y", y[1], r.point[r.n - 1].y[1], 1e-6);
    kit_close(&k);
}

/* The same by the damped motion, which statics tries last: from the frame as written it comes to rest at a
   stable equilibrium, here that at the end of the path: no other one is stable under the whole load. Creeping
   ends at 1e-8 of the load out of balance or with steps of 1e-6 of the frame's size, 1e-4 m; the last steps
   are nearly Newton's: 1e-3. */
static void test_creep(void **state)
{
    static const char *const out[] = {"load.x", "load.y"};
    char text[1500];
    double y[8];
    sn_context d;
    sn_stability judged;
    kit k;
    (void)state;
    snprintf(text, sizeof text, lee, "", 10, 2, 8);
    kit_text(&k, text);
    sn_path_options o = sn_path_options_default(k.m, k.p);
    kit_good(&k, try_trace(&k, &o, 2, out));
    kit_good(&k, sn_context_open(k.m, k.p, &k.o, &k.info, &d, &k.err));
    memcpy(d.x->q, k.p->q0, sizeof(double) * (size_t)k.m->nq);
    kit_good(&k, sn_statics_creep(&d, &k.err));
    kit_good(&k, sn_system_sensors(d.w, d.x, y, &k.err));
    kit_good(&k, sn_stability_judge(&d, &judged, &k.err));
    print_message("  %ld steps to %.6f %.6f\n", k.info.iterations, y[0], y[1]);
    assert_int_equal(judged.negative, 0);
    kit_near("x", y[kit_channel(&k, out[0])], r.point[r.n - 1].y[0], 1e-3);
    kit_near("y", y[kit_channel(&k, out[1])], r.point[r.n - 1].y[1], 1e-3);
    sn_context_close(&d);
    kit_close(&k);
}

/* Prandtl's strip: a cantilever with a load at its end, in the plane in which it is stiff, tips over at
   4.0126 sqrt(EI GJ)/L^2 (five digits; the stiffness in the plane is 1e6 times that across, which leaves
   1e-6). Meshes of 8, 16, 32, second order, two extrapolations: 1e-5 relative beside the printed
   digits, 1.3e-5. */
static void test_prandtl(void **state)
{
    double y[3], EI = 2, GJ = 0.7;
    (void)state;
    for (int j = 0; j < 3; j++) {
        char text[1000];
        kit k;
        snprintf(text, sizeof text,
                 "sinew: 1\nnodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
                 "elements:\n"
                 "  beam: {beam3d_cr: [a, b], EA: 1e7, EI_y: %g, EI_z: 2e6, GJ: %g, rhoA: 1, elements: %d}\n"
                 "  load: {force3d: b, force: [0, 0, -1]}\n"
                 "joints: {f: {fixed: a}}\nsensors: {b: {position: b}}\n",
                 EI, GJ, 8 << j);
        kit_text(&k, text);
        assert_true(buckle(&k, 1, 0) == 1);
        y[j] = factors[0] / sqrt(EI * GJ);
        kit_close(&k);
    }
    double limit = richardson(richardson(y[0], y[1], 2), richardson(y[1], y[2], 2), 4);
    print_message("  %.6f %.6f %.6f, extrapolated %.6f\n", y[0], y[1], y[2], limit);
    kit_near("lateral buckling", limit, 4.0126, 1e-4);
}

/* What cannot be done is said. */
static void test_refused(void **state)
{
    char text[1000];
    kit k;
    (void)state;
    snprintf(text, sizeof text, truss, 30.0, 0.3, "", "");
    kit_text(&k, text);
    sn_path_options o = sn_path_options_default(k.m, k.p);
    o.parameter = "Q", o.from = 0, o.to = 1;
    assert_int_equal(try_trace(&k, &o, 0, NULL), SN_ERR_INPUT);
    sn_err_clear(&k.err);
    o.parameter = "m.mass", o.from = 1, o.to = 2; /* without gravity */
    assert_int_equal(try_trace(&k, &o, 0, NULL), SN_ERR_INPUT);
    assert_non_null(strstr(k.err.report[0].text, "no equilibrium depends on 'm.mass'"));
    sn_err_clear(&k.err);
    o = sn_path_options_default(k.m, k.p);
    kit_set(&k, "P", 0);
    kit_update(&k);
    assert_int_equal(try_trace(&k, &o, 0, NULL), SN_ERR_INPUT);
    assert_non_null(strstr(k.err.report[0].text, "there is no load"));
    kit_close(&k);
    /* an unstretched rope with a load across */
    kit_text(&k,
             "sinew: 1\nnodes: {a: [0, 0], b: [1, 0], c: [2, 0]}\n"
             "elements: {s: {spring2d: [a, b], k: 1}, t: {spring2d: [b, c], k: 1}, p: {force2d: b, force: "
             "[0, 1]}}\n"
             "joints: {f: {fixed: a}, g: {fixed: c}}\n");
    o = sn_path_options_default(k.m, k.p);
    assert_int_equal(try_trace(&k, &o, 0, NULL), SN_ERR_NUMERIC);
    assert_non_null(strstr(k.err.report[0].text, "nothing holds b.y there"));
    kit_close(&k);
}

/* A shallow hinged roof of shells (Sze, Liu, Lo 2004, 3.7, 6.35 mm thick; a quarter) snaps back sharply: with
   these steps Newton's method comes from near the first limit point to equilibria far behind the second
   unless wandering is refused. Both limits are the same for each longest step, as they are located on the
   curve to 1e-10 of the slope; published figures have the first at about 590 N. */
static void test_snap_back(void **state)
{
    static const double longest[] = {0.2, 0.03};
    double first[2] = {0, 0};
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\nparameters: {P: 620}\n"
                 "meshes: {c: {cylinder: , radius: 2540, length: 254, start: 90 deg, angle: 0.1, elements: "
                 "[10, 10]}}\n"
                 "elements:\n  s: {shell4_mitc: c, E: 3102.75, nu: 0.3, thickness: 6.35, rho: 0}\n"
                 "  f: {force3d: c.n0_0, force: [0, -P/4, 0]}\n"
                 "joints: {m: {fixed: c.edge1, only: [z, rx, ry]}, a: {fixed: c.edge4, only: [x, ry, rz]},\n"
                 "  b: {fixed: c.edge2, only: [x, y, z]}}\n");
    for (int i = 0; i < 2; i++) {
        sn_path_options o = sn_path_options_default(k.m, k.p);
        o.parameter = "P", o.from = 0, o.to = 3000, o.max_step = longest[i], o.steps = 60;
        kit_good(&k, try_trace(&k, &o, 0, NULL));
        print_message("  longest step %g: %d points, limits at %.8g and %.8g N\n", longest[i], r.n,
                      r.special[0].parameter, r.special[1].parameter);
        assert_int_equal(r.info.limits, 2);
        if (i) kit_near("first limit", r.special[0].parameter, first[0], 1e-6 * first[0]);
        if (i) kit_near("second limit", r.special[1].parameter, first[1], 1e-6 * first[0]);
        kit_near("published", r.special[0].parameter, 590, 6);
        first[0] = r.special[0].parameter, first[1] = r.special[1].parameter;
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truss),   cmocka_unit_test(test_steep_truss),   cmocka_unit_test(test_euler),
        cmocka_unit_test(test_double),  cmocka_unit_test(test_elastica),      cmocka_unit_test(test_lee),
        cmocka_unit_test(test_prandtl), cmocka_unit_test(test_static_beyond), cmocka_unit_test(test_creep),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_snap_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
