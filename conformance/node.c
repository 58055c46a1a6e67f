/* A node kind: its start and the derivatives of it, retraction and tangent maps, against differences. */
#include "conformance.h"

#include "kit_rigid.h"

int conform_size = 3;

/* One of the maps of a node, as a function of the tangent vector behind X in a case's state: see check_node.
 */
enum { BY_STEP, BY_STEP_TANGENT, BY_OLD, BY_OLD_TANGENT };

typedef struct node_test {
    const sn_node_class *c;
    double q[KIT_TABLE], d[KIT_TABLE], E[KIT_TABLE * KIT_TABLE], T[KIT_TABLE * KIT_TABLE];
} node_test;

/* The new configuration when coordinate j of the step or of the old configuration changes by eps: directly,
   and as the tangent maps tell. */
static void node_map(const node_test *t, int map, int j, double eps, double *q1)
{
    double d[KIT_TABLE] = {0}, q[KIT_TABLE];
    const double *tangent = map == BY_STEP_TANGENT ? t->T : t->E;
    int nv = t->c->nv;
    if (map == BY_STEP) {
        memcpy(d, t->d, sizeof d);
        d[j] += eps;
        kit_retract(t->c, t->c->nq, t->q, d, q1);
    } else if (map == BY_OLD) {
        d[j] = eps;
        kit_retract(t->c, t->c->nq, t->q, d, q);
        kit_retract(t->c, t->c->nq, q, t->d, q1);
    } else {
        for (int i = 0; i < nv; i++) d[i] = eps * tangent[i * nv + j];
        kit_retract(t->c, t->c->nq, t->q, t->d, q);
        kit_retract(t->c, t->c->nq, q, d, q1);
    }
}

/* Derivative of a map by eps; fourth order, h^4 = 1e-12. */
static void node_slope(const node_test *t, int map, int j, double *slope)
{
    const double h = 1e-3;
    double f[4][KIT_TABLE];
    for (int i = 0; i < 4; i++) node_map(t, map, j, (double[]){-2, -1, 1, 2}[i] * h, f[i]);
    for (int l = 0; l < t->c->nq; l++) slope[l] = (8 * (f[2][l] - f[1][l]) - (f[3][l] - f[0][l])) / (12 * h);
}

/* E and T of a node: the change of retract(q, d) by q and by d, as a tangent vector there. */
static double node_tangents(const sn_node_class *c, const double *q, uint64_t *seed)
{
    double worst = 0, direct[KIT_TABLE], told[KIT_TABLE];
    node_test t = {.c = c};
    memcpy(t.q, q, (size_t)c->nq * sizeof *q);
    for (int i = 0; i < c->nv; i++) t.d[i] = kit_random(seed, -1.5, 1.5);
    for (int i = 0; i < c->nv; i++) t.E[i * c->nv + i] = t.T[i * c->nv + i] = 1;
    if (c->tangent) c->tangent(t.d, t.E, t.T);
    for (int map = BY_STEP; map <= BY_OLD; map += 2)
        for (int j = 0; j < c->nv; j++) {
            node_slope(&t, map, j, direct);
            node_slope(&t, map + 1, j, told);
            for (int l = 0; l < c->nq; l++) worst = fmax(worst, fabs(direct[l] - told[l]));
        }
    return worst;
}

/* dstart by each slot: retract(q, eps dq) must follow q(s + eps). The slots enter linearly or smoothly. */
static double node_start(const sn_node_class *c, const double *s, int ns)
{
    const double h = 1e-4;
    const int nq = c->nq, nv = c->nv;
    int slot_n[KIT_TABLE], opt[KIT_TABLE];
    const sn_node_in in = kit_node_in(c, s, slot_n, opt);
    double worst = 0, X[2][KIT_N], q[2][KIT_N], v[2][KIT_N], X0[KIT_N], q0[KIT_N], v0[KIT_N];
    double dX[KIT_N] = {0}, dq[KIT_N] = {0}, dv[KIT_N] = {0}, moved[KIT_N], d[KIT_N], want[2][KIT_N];
    kit_start(c, s, X0, q0, v0);
    for (int j = 0; j < ns; j++) {
        c->dstart(&in, j, dX, dq, dv);
        for (int i = 0; i < 2; i++) {
            memcpy(moved, s, (size_t)ns * sizeof *moved);
            moved[j] += i ? h : -h;
            kit_start(c, moved, X[i], q[i], v[i]);
            for (int l = 0; l < nv; l++) d[l] = (i ? h : -h) * dq[l];
            kit_retract(c, nq, q0, d, want[i]);
        }
        for (int l = 0; l < nq; l++) {
            worst = fmax(worst, fabs((X[1][l] - X[0][l]) / (2 * h) - dX[l]));
            worst = fmax(worst, fabs((q[1][l] - q[0][l]) - (want[1][l] - want[0][l])) / (2 * h));
        }
        for (int l = 0; l < nv; l++) worst = fmax(worst, fabs((v[1][l] - v[0][l]) / (2 * h) - dv[l]));
    }
    return worst;
}

/* A node moved as a body: `turned` must tell the rotation. */
static double node_turned(const sn_node_class *c, const double *q, uint64_t *seed)
{
    kit_motion t = {.dim = c->dim, .angle = kit_random(seed, -9, 9)};
    double worst = 0, d[3] = {0, 0, t.angle}, q1[KIT_N], X[KIT_N] = {0}, Q[9];
    for (int i = 0; i < 3 && t.dim == 3; i++) d[i] = kit_random(seed, -6, 6);
    sn_quat_exp(d, t.p);
    sn_quat_matrix(t.p, t.Q);
    memcpy(q1, q, (size_t)c->nq * sizeof *q);
    kit_turn_node(&t, 1, 0, q1 + sn_node_view(&(sn_node){.cls = c}, SN_FRAME)->q, X);
    c->turned(q, q1, Q);
    for (int i = 0; i < t.dim; i++)
        for (int j = 0; j < t.dim; j++) worst = fmax(worst, fabs(Q[t.dim * i + j] - t.Q[3 * i + j]));
    return worst;
}

static int tell(int quiet, const char *what, double worst, double most, const char *why_not)
{
    int bad = !why_not && !(worst < most);
    if (quiet) return bad;
    if (why_not)
        printf("    %-34s does not apply: %s\n", what, why_not);
    else
        printf("    %-34s %4d cases, worst %.1e%s\n", what, KIT_SAMPLES, worst, bad ? "  FAILED" : "");
    return bad;
}

/* The joint between such a node and a frame, where it names one; else NULL. */
static const sn_joint_class *tie_of(const sn_node_class *c)
{
    const sn_joint_class *j = c->frame_joint ? sn_joint_find(c->frame_joint) : NULL;
    return j && j->args.min <= 2 && j->args.max >= 2 && (!j->args.dim || j->args.dim == c->dim) ? j : NULL;
}

int conform_node(const sn_node_class *given, int quiet)
{
    const sn_node_class *const *all = sn_node_all(), *c = given;
    uint64_t seed = kit_seed(given->name);
    double s[KIT_N], X[KIT_N], q[KIT_N], v[KIT_N], by_start = 0, by_tangent = 0, by_turn = 0;
    int slot_n[KIT_TABLE], ns = 0;
    for (int i = 0; all[i]; i++)
        if (all[i] == given) c = kit_nodes()[i]; /* with a size, where entries decide it */
    for (int l = 0; c->slots[l].name; l++) ns += slot_n[l] = c->slots[l].n;
    for (int i = 0; i < KIT_SAMPLES; i++) {
        kit_draw_slots(&seed, c->slots, slot_n, 0, s);
        kit_start(c, s, X, q, v);
        by_start = fmax(by_start, node_start(c, s, ns));
        if (c->retract) by_tangent = fmax(by_tangent, node_tangents(c, q, &seed));
        if (c->turned) by_turn = fmax(by_turn, node_turned(c, q, &seed));
    }
    if (!quiet) printf("node %s: %d cases\n", c->name, KIT_SAMPLES);
    return tell(quiet, "start, dstart", by_start, KIT_TOL, NULL) +
           tell(quiet, "tangent maps", by_tangent, KIT_TOL, c->retract ? NULL : "it is flat") +
           tell(quiet, "turned", by_turn, 1e-13, c->turned ? NULL : "it has no rotation") +
           tell(quiet, "the joint that ties a frame to it", !tie_of(c), 0.5,
                c->frame_joint ? NULL : "it names none");
}
