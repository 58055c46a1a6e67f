/* fixed: holds coordinates of a node at given values, phi = q_k - value_k for each chosen k, in the order of
   the node's coordinates. Slots x (0), y (1), z (2), theta (3), which may vary in time: a moving support. The
   support puts -lam on the node: forces, and the moment of the plane.

   Rotations of a spatial frame are held at the reference configuration, R = 1 (no slots):
     all three, or one   phi_x = (R_zy - R_yz)/2 and so on: sine of the rotation times its axis
     two                 the third axis e of the body stays where it is: its components along the other two,
                         so that the body may turn about it without limit */
#include "joint/space.h"

extern const sn_joint_class sn_joint_fixed;

static const sn_slot slots[] = {
    {"x", "m", "held value", 1, SN_VARIES, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@1.x"},
    {"y", "m", "held value", 1, SN_VARIES, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@1.y"},
    {"z", "m", "held value, in space", 1, SN_VARIES, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, "@1.z"},
    {"theta", "rad", "held value, in the plane", 1, SN_VARIES | SN_NEEDS_ROT, 0, -SN_INFINITE, SN_INFINITE,
     NULL},
    {.name = NULL},
};
static const sn_option options[] = {
    {"only", "@coords", "the coordinates that are held (all)", -1},
    {.name = NULL},
};
enum { THETA = 3 };

/* The coordinate that equation i holds. */
static int held(const sn_in *in, int i)
{
    int k = 0;
    for (;; k++)
        if (SN_CHOSEN(in->opt[0], k) && i-- == 0) return k;
}

/* The slot of coordinate k; -1: a spatial rotation. */
static int slot_of(const sn_in *in, int k) { return k < in->dim ? k : in->dim == 2 ? THETA : -1; }

static int holds(const int *opt, int dim, int k)
{
    return SN_CHOSEN(opt[0], k) ? slot_of(&(sn_in){.dim = dim}, k) : -1;
}

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const plane[] = {"x", "y", "theta"}, *const space[] = {"x",  "y",  "z",
                                                                              "rx", "ry", "rz"};
    unsigned mask = (unsigned)l->opt[0], place = (1u << l->dim) - 1;
    l->m = 0;
    l->vector = (mask & place) == place;
    for (int k = 0; k < l->nv && k < (l->dim == 2 ? 3 : 6); k++) { /* a frame has no more */
        if (!SN_CHOSEN(l->opt[0], k)) continue;
        l->component[l->m] = l->dim == 2 ? plane[k] : space[k];
        l->unit[l->m++] = k < l->dim ? "m" : "rad";
    }
    if (l->m == 0) return sn_fail(err, SN_ERR_INPUT, NULL, "'only' names no coordinate, so nothing is held");
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    (void)c;
    if (in->dim == 2 && in->s[2] != 0) return sn_fail(err, SN_ERR_INPUT, NULL, "a planar node has no 'z'");
    if (in->dim == 3 && in->s[THETA] != 0)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "'theta' is a planar angle; spatial rotations are held at the reference");
    return SN_OK;
}

/* The ground and the node as a pair of bodies, for its rotation. */
static void turned(const sn_in *in, sn_pair *p)
{
    *p = (sn_pair){.nv = in->nv, .x = {-1, -1}, .th = {-1, 3}};
    p->R1[0] = p->R1[4] = p->R1[8] = 1;
    sn_quat_matrix(in->q + 3, p->R2);
    memcpy(p->Q, p->R2, sizeof p->Q);
}

/* Equation of the rotation about axis k (0 .. 2): sum of f_n (e_a . R e_b) for n < 2, unit vectors d = e_a, e
 * = e_b
 */
static void axes(const sn_in *in, int k, double *f, double d[][3], double e[][3])
{
    int a = (k + 2) % 3, b = (k + 1) % 3, free_axis = -1, count = 0;
    for (int i = 0; i < 3; i++)
        if ((unsigned)in->opt[0] >> (3 + i) & 1u)
            count++;
        else
            free_axis = i;
    f[0] = 0.5, f[1] = -0.5;
    if (count == 2) f[0] = b == free_axis, f[1] = -(a == free_axis);
    for (int i = 0; i < 3; i++) {
        d[0][i] = e[1][i] = i == a;
        e[0][i] = d[1][i] = i == b;
    }
}

static void rotation_row(const sn_in *in, const sn_pair *p, int k, sn_row *r)
{
    double f[2], d[2][3], e[2][3];
    sn_row one;
    *r = (sn_row){.phi = 0};
    axes(in, k, f, d, e);
    for (int n = 0; n < 2; n++) {
        sn_pair_square(p, d[n], e[n], &one);
        sn_row_add(f[n], &one, r);
    }
}

static void rotation_K(const sn_in *in, const sn_pair *p, int k, double lam, double *K)
{
    double f[2], d[2][3], e[2][3];
    axes(in, k, f, d, e);
    for (int n = 0; n < 2; n++) {
        for (int i = 0; i < 3; i++) d[n][i] *= lam * f[n];
        sn_pair_square_K(p, d[n], e[n], K);
    }
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    sn_pair p;
    if (out->B) memset(out->B, 0, sizeof *out->B * (size_t)(in->m * in->nv));
    if (in->dim == 3 && sn_is_frame(in->view, 0)) turned(in, &p);
    for (int i = 0; i < in->m; i++) {
        int k = held(in, i), s = slot_of(in, k);
        if (s >= 0) {
            out->phi[i] = in->q[k] - in->s[s];
            out->r[k] += in->lam[i];
            if (out->B) out->B[i * in->nv + k] = 1;
            continue;
        }
        sn_row r;
        rotation_row(in, &p, k - 3, &r);
        out->phi[i] = r.phi;
        sn_row_put(&p, in->lam[i], &r, out->r);
        if (out->B) sn_row_put(&p, 1, &r, out->B + i * in->nv);
        if (out->K) rotation_K(in, &p, k - 3, in->lam[i], out->K);
    }
    return SN_OK;
}

static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    sn_pair p;
    if (in->dim == 3 && sn_is_frame(in->view, 0)) turned(in, &p);
    for (int i = 0; i < in->m; i++) {
        double K[36] = {0};
        int k = held(in, i), s = slot_of(in, k);
        phi_t[i] = s < 0 ? 0 : -in->sd[s];
        gamma[i] = s < 0 ? 0 : -in->sdd[s];
        if (s >= 0) continue;
        rotation_K(in, &p, k - 3, 1, K);
        gamma[i] = sn_pair_bend(&p, K, in->v);
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    (void)dr;
    for (int i = 0; i < in->m; i++)
        if (slot_of(in, held(in, i)) == index) dphi[i] -= 1;
    return SN_OK;
}

static const sn_geometry geometry = {SN_SHAPE_NONE, SN_STRAIGHT, "clamp", 0, NULL};

const sn_joint_class sn_joint_fixed = {
    .name = "fixed",
    .doc = "holds a node, or some of its coordinates",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .options = options,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
    .holds = holds,
    .geometry = &geometry,
};
