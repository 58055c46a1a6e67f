/* force3d: force and torque on a node of space, or a load spread over the length of an element.

   At a node the force acts at x + R p, p = point. Dead: f is given in global axes, its moment in body axes is
   p x R'f. Follower: f is given in body axes, the force is R f and its moment p x f. The torque is in body
   axes or in global ones (R'T in the body); a torque that is constant in global axes has no potential, and
   its tangent is not symmetric. Over an element per_length and torque_per_length are what counts: that
   element spreads them with its own shape functions. */
#include "math/rot3.h"
#include "sinew/class.h"

extern const sn_element_class sn_element_force3d;

enum { FORCE, TORQUE = FORCE + 3, PER_LENGTH = TORQUE + 3, POINT = PER_LENGTH + 6, NS = POINT + 3 };
enum { OPT_FOLLOWER, OPT_TORQUE_AXES };
enum { AXES_SAME, AXES_BODY, AXES_GLOBAL };

static inline int turns(const sn_in *in) { return sn_is_frame(in->view, 0); }

static inline int torque_in_body(const sn_in *in)
{
    int axes = in->opt[OPT_TORQUE_AXES];
    return axes == AXES_BODY || (axes == AXES_SAME && in->opt[OPT_FOLLOWER]);
}

/* K (6 x 6), block (row, 3) -= A */
static void subtract(double *K, int row, const double *A)
{
    for (int i = 0; i < 9; i++) K[6 * (row + i / 3) + 3 + i % 3] -= A[i];
}

/* Residual of force f at `point` (bilinear in both) and of torque T */
static void load(const sn_in *in, const double *f, const double *point, const double *T, double *r, double *K)
{
    double R[9], F[3], m[3], t[3], S[9], P[9];
    int follower = in->opt[OPT_FOLLOWER], body = torque_in_body(in);
    if (!turns(in)) {
        for (int k = 0; k < 3; k++) r[k] -= f[k];
        return;
    }
    sn_quat_matrix(in->q + 3, R);
    memcpy(F, f, sizeof F);
    if (follower)
        sn_mul3(R, f, F);
    else
        sn_tmul3(R, f, m);
    sn_cross3(point, follower ? f : m, t);
    for (int k = 0; k < 3; k++) r[k] -= F[k], r[3 + k] -= t[k];
    if (K && follower) {
        sn_skew3(f, S);
        sn_matmul3(R, S, S);
        for (int i = 0; i < 9; i++) S[i] = -S[i];
        subtract(K, 0, S);
    } else if (K) {
        sn_skew3(m, S);
        sn_skew3(point, P);
        sn_matmul3(P, S, S);
        subtract(K, 3, S);
    }
    memcpy(t, T, sizeof t);
    if (!body) sn_tmul3(R, T, t);
    for (int k = 0; k < 3; k++) r[3 + k] -= t[k];
    if (!K || body) return;
    sn_skew3(t, S);
    subtract(K, 3, S);
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C;
    (void)M;
    load(in, in->s + FORCE, in->s + POINT, in->s + TORQUE, r, K);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    static const double zero[3] = {0, 0, 0};
    double e[3], d[6] = {0, 0, 0, 0, 0, 0};
    int from = index >= POINT ? POINT : index >= PER_LENGTH ? PER_LENGTH : index >= TORQUE ? TORQUE : FORCE;
    if (index >= NS || from == PER_LENGTH) return SN_OK;
    for (int k = 0; k < 3; k++) e[k] = index - from == k;
    if (from == FORCE) {
        load(in, e, in->s + POINT, zero, d, NULL);
    } else if (turns(in)) {
        /* only the moment depends on the point, linearly */
        load(in, from == POINT ? in->s + FORCE : zero, from == POINT ? e : zero, from == TORQUE ? e : zero, d,
             NULL);
        d[0] = d[1] = d[2] = 0;
    }
    for (int i = 0; i < in->nv; i++) dr[i] += d[i];
    return SN_OK;
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    if (l->opt[OPT_FOLLOWER] && l->nn == 1 && !sn_is_frame(l->view, 0))
        return sn_fail(
            err, SN_ERR_INPUT, NULL,
            "a follower force turns with its node, but this node has no rotation (use a frame3d node)");
    return SN_OK;
}

static const sn_slot slots[] = {
    {"force", "N", "force on the node", 3, SN_VARIES | SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"torque", "N*m", "torque on the node", 3, SN_VARIES | SN_ROTATES | SN_NEEDS_ROT, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"per_length", "N/m", "force on an element, a unit of its length", 3, SN_VARIES | SN_ROTATES, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"torque_per_length", "N", "torque on an element, a unit of its length", 3, SN_VARIES | SN_ROTATES, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"point", "m", "where the force acts, from the node, in the axes of the reference configuration", 3,
     SN_ROTATES | SN_NEEDS_ROT | SN_ON_NODE1, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {0},
};

static const sn_option options[] = {
    {"follower", "no|yes", "the load turns with its node or element", 0},
    {"torque_axes", "same|body|global", "axes of the torque on a node: those of the force, or one's own", 0},
    {0},
};

const sn_element_class sn_element_force3d = {
    .name = "force3d",
    .doc = "force and torque on a node of space, or a line load on an element",
    .args =
        {.what = SN_ARG_NODE | SN_ARG_ELEMENT, .min = 1, .max = 1, .dim = 3, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .options = options,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
    .load = &(const sn_load){.slot = PER_LENGTH, .option = OPT_FOLLOWER + 1},
};
