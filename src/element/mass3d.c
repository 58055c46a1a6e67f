/* mass3d: rigid body at a spatial node: mass, inertia about its centre, and where the centre is.

   In body axes, with s = com, W and al the angular velocity and acceleration of the node: the centre has the
   acceleration f = R'(a - g) + al x s + W x (W x s) against the field; the residual is m R f at the node and
   J al + W x J W + m s x f about it. Variations of the rotation are dR = R dth~. The inertia matrix J has the
   entries inertia = (Jxx, Jyy, Jzz) and products = (Jxy, Jxz, Jyz), Jxy being minus the integral of x y dm.
   On a point node only the mass acts. */
#include "sinew/class.h"
#include "element/particle.h"
#include "math/rot3.h"

extern const sn_element_class sn_element_mass3d;

enum { MASS, INERTIA, PRODUCTS = INERTIA + 3, COM = PRODUCTS + 3, NS = COM + 3 };

/* Row and column of the entries of J in the slots. */
static const int entry[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

static void inertia_matrix(const double *s, double *J)
{
    for (int k = 0; k < 6; k++) {
        J[3 * entry[k][0] + entry[k][1]] = s[INERTIA + k];
        J[3 * entry[k][1] + entry[k][0]] = s[INERTIA + k];
    }
}

/* No body has a negative moment of inertia about any axis. */
static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    double J[9], x[3], top = 0, minor = 0;
    (void)c;
    inertia_matrix(in->s, J);
    for (int k = 0; k < 3; k++) top = fmax(top, J[4 * k]);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        minor = fmin(minor, J[4 * i] * J[4 * j] - J[3 * i + j] * J[3 * i + j]);
    }
    sn_cross3(J + 3, J + 6, x);
    if (minor < -1e-12 * top * top || sn_dot3(J, x) < -1e-12 * top * top * top)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "no body has this inertia: its products are too large for its moments of inertia");
    return SN_OK;
}

/* What the functions need, in body axes. */
typedef struct body {
    double R[9], J[9], b[3], c[3], Ws[3], JW[3]; /* R'(a - g); al x s + W x (W x s); W x s; J W */
} body;

static void motion(const sn_in *in, const double *com, body *y)
{
    const double *W = in->v + 3, *al = in->a + 3;
    double d[3], x[3];
    sn_quat_matrix(in->q + 3, y->R);
    inertia_matrix(in->s, y->J);
    for (int i = 0; i < 3; i++) d[i] = in->a[i] - in->g[i];
    sn_tmul3(y->R, d, y->b);
    sn_cross3(W, com, y->Ws);
    sn_cross3(W, y->Ws, y->c);
    sn_cross3(al, com, x);
    for (int i = 0; i < 3; i++) y->c[i] += x[i];
    sn_mul3(y->J, W, y->JW);
}

/* Adds the 3x3 block A at (row, col) of a 6x6 matrix. */
static void add_block(double *K, int row, int col, const double *A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) K[6 * (row + i) + col + j] += A[3 * i + j];
}

/* K: f turns by b~, R f by -f~; together R (b - f)~ = -R c~ (times m), and m s~ b~. */
static void stiffness(double m, const double *s, const body *y, double *K)
{
    double S[9], A[9], B[9];
    sn_skew3(y->c, A);
    sn_matmul3(y->R, A, B);
    for (int i = 0; i < 9; i++) B[i] *= -m;
    add_block(K, 0, 3, B);
    sn_skew3(s, S);
    sn_skew3(y->b, A);
    sn_matmul3(S, A, B);
    for (int i = 0; i < 9; i++) B[i] *= m;
    add_block(K, 3, 3, B);
}

/* C: df/dW = D = -(W x s)~ - W~ s~; m R D and W~ J - (J W)~ + m s~ D. */
static void damping(double m, const double *s, const double *W, const body *y, double *C)
{
    double S[9], w[9], D[9], A[9], B[9];
    sn_skew3(s, S);
    sn_skew3(W, w);
    sn_skew3(y->Ws, A);
    sn_matmul3(w, S, D);
    for (int i = 0; i < 9; i++) D[i] = -m * (D[i] + A[i]);
    sn_matmul3(y->R, D, B);
    add_block(C, 0, 3, B);
    sn_matmul3(S, D, B);
    sn_matmul3(w, y->J, A);
    for (int i = 0; i < 9; i++) B[i] += A[i];
    sn_skew3(y->JW, A);
    for (int i = 0; i < 9; i++) B[i] -= A[i];
    add_block(C, 3, 3, B);
}

/* M: m, -m R s~ and its transpose, J - m s~ s~ */
static void inertia(double m, const double *s, const body *y, double *M)
{
    double S[9], A[9], B[9];
    sn_skew3(s, S);
    sn_matmul3(y->R, S, A);
    sn_matmul3(S, S, B);
    for (int i = 0; i < 3; i++) {
        M[7 * i] += m;
        for (int j = 0; j < 3; j++) {
            M[6 * i + 3 + j] -= m * A[3 * i + j];
            M[6 * (3 + j) + i] -= m * A[3 * i + j];
            M[6 * (3 + i) + 3 + j] += y->J[3 * i + j] - m * B[3 * i + j];
        }
    }
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const double m = in->s[MASS], *s = in->s + COM;
    double f[3], x[3], y3[3];
    body y;
    if (!sn_is_frame(in->view, 0)) {
        for (int i = 0; i < 3; i++) {
            r[i] += m * (in->a[i] - in->g[i]);
            if (K && M) M[4 * i] += m;
        }
        return SN_OK;
    }
    motion(in, s, &y);
    for (int i = 0; i < 3; i++) f[i] = m * (y.b[i] + y.c[i]);
    sn_cross3(s, f, x);
    sn_mul3(y.R, f, f);
    for (int i = 0; i < 3; i++) r[i] += f[i], r[3 + i] += x[i];
    sn_mul3(y.J, in->a + 3, x);
    sn_cross3(in->v + 3, y.JW, y3);
    for (int i = 0; i < 3; i++) r[3 + i] += x[i] + y3[i];
    if (!K) return SN_OK;
    stiffness(m, s, &y, K);
    if (C) damping(m, s, in->v + 3, &y, C);
    if (M) inertia(m, s, &y, M);
    return SN_OK;
}

/* By an entry of J: al and W x J W for the unit matrix. */
static void by_inertia(const sn_in *in, int k, double *dr)
{
    int i = entry[k][0], j = entry[k][1];
    const double *W = in->v + 3, *al = in->a + 3;
    double h[3] = {0, 0, 0}, x[3];
    h[i] = W[j];
    h[j] = W[i];
    sn_cross3(W, h, x);
    for (int l = 0; l < 3; l++) dr[3 + l] += x[l];
    dr[3 + i] += al[j];
    if (i != j) dr[3 + j] += al[i];
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    int field = index - NS - in->nq, rot = sn_is_frame(in->view, 0);
    double m = in->s[MASS], f[3], x[3];
    const double *s = in->s + COM;
    const double unit[3] = {index == COM, index == COM + 1, index == COM + 2};
    body y;
    if (index >= INERTIA && index < COM) {
        if (rot) by_inertia(in, index - INERTIA, dr);
        return SN_OK;
    }
    if (!rot) {
        for (int i = 0; i < 3; i++) dr[i] += index == MASS ? in->a[i] - in->g[i] : field == i ? -m : 0;
        return SN_OK;
    }
    if (index >= NS && field < 0) return SN_OK;
    motion(in, s, &y);
    if (index == MASS) {
        for (int i = 0; i < 3; i++) f[i] = y.b[i] + y.c[i];
    } else if (index < NS) {
        for (int i = 0; i < 3; i++) f[i] = m * (y.b[i] + y.c[i]);
        sn_cross3(unit, f, x);
        for (int i = 0; i < 3; i++) dr[3 + i] += x[i];
        motion(in, unit, &y);
        for (int i = 0; i < 3; i++) f[i] = m * y.c[i];
    } else {
        for (int i = 0; i < 3; i++) f[i] = -m * y.R[3 * field + i];
    }
    sn_cross3(s, f, x);
    sn_mul3(y.R, f, f);
    for (int i = 0; i < 3; i++) dr[i] += f[i], dr[3 + i] += x[i];
    return SN_OK;
}

/* Velocity of the centre in body axes u = w + W x s with w = R'v, its place x; R the identity at a point. */
static void centre_motion(const sn_in *in, double *R, double *w, double *u, double *x)
{
    const double *s = in->s + COM;
    double p[4] = {1, 0, 0, 0};
    int rot = sn_is_frame(in->view, 0);
    if (rot) memcpy(p, in->q + 3, sizeof p);
    sn_quat_matrix(p, R);
    sn_tmul3(R, in->v, w);
    memcpy(u, w, 3 * sizeof *u);
    memcpy(x, in->q, 3 * sizeof *x);
    if (!rot) return;
    double Ws[3], Rs[3];
    sn_cross3(in->v + 3, s, Ws);
    sn_mul3(R, s, Rs);
    for (int i = 0; i < 3; i++) u[i] += Ws[i], x[i] += Rs[i];
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const double m = in->s[MASS], *s = in->s + COM, *g = in->g;
    int nv = in->nv, rot = sn_is_frame(in->view, 0);
    double R[9], w[3], u[3], x[3], J[9], JW[3] = {0, 0, 0}, y[3];
    centre_motion(in, R, w, u, x);
    inertia_matrix(in->s, J);
    if (rot) sn_mul3(J, in->v + 3, JW);
    e[0] = 0.5 * (m * sn_dot3(u, u) + (rot ? sn_dot3(in->v + 3, JW) : 0));
    e[1] = -m * sn_dot3(g, x);
    if (de && de->q) {
        for (int i = 0; i < 3; i++) de->q[nv + i] -= m * g[i];
        if (rot) {
            sn_cross3(u, w, y);
            for (int i = 0; i < 3; i++) de->q[3 + i] += m * y[i];
            sn_tmul3(R, g, y);
            sn_cross3(y, s, y);
            for (int i = 0; i < 3; i++) de->q[nv + 3 + i] += m * y[i];
        }
    }
    if (de && de->v) {
        sn_mul3(R, u, y);
        for (int i = 0; i < 3; i++) de->v[i] += m * y[i];
        sn_cross3(s, u, y);
        for (int i = 0; i < 3 && rot; i++) de->v[3 + i] += m * y[i] + JW[i];
    }
}

static void denergy(const sn_in *in, int index, double *de)
{
    int field = index - NS - in->nq, rot = sn_is_frame(in->view, 0);
    const double m = in->s[MASS], *W = in->v + 3;
    const double unit[3] = {index == COM, index == COM + 1, index == COM + 2};
    double R[9], w[3], u[3], x[3], y[3];
    centre_motion(in, R, w, u, x);
    de[0] = de[1] = 0;
    if (index == MASS) {
        de[0] = 0.5 * sn_dot3(u, u);
        de[1] = -sn_dot3(in->g, x);
    } else if (index < COM && rot) {
        int i = entry[index - INERTIA][0], j = entry[index - INERTIA][1];
        de[0] = i == j ? 0.5 * W[i] * W[i] : W[i] * W[j];
    } else if (index >= COM && index < NS && rot) {
        sn_cross3(W, unit, y);
        de[0] = m * sn_dot3(u, y);
        sn_mul3(R, unit, y);
        de[1] = -m * sn_dot3(in->g, y);
    } else if (field >= 0) {
        de[1] = -m * x[field];
    }
}

static int particle(const sn_in *in, int k, double *m, double *x, double *N)
{
    const int rot = sn_is_frame(in->view, 0);
    const double none[9] = {0}, origin[3] = {0};
    double J[9], R[9], y[3], p[4] = {1, 0, 0, 0};
    if (k >= (rot ? SN_BODY_PARTICLES : 1)) return 0;
    inertia_matrix(in->s, J);
    if (rot) memcpy(p, in->q + 3, sizeof p);
    sn_quat_matrix(p, R);
    *m = sn_body_particle(k, in->s[MASS], rot ? J : none, rot ? in->s + COM : origin, y);
    sn_mul3(R, y, x);
    for (int i = 0; i < 3; i++) x[i] += in->q[i];
    memset(N, 0, 3 * (size_t)in->nv * sizeof *N);
    if (rot) sn_body_particle_map(R, y, 6, N);
    for (int i = 0; i < 3; i++) N[in->nv * i + i] = 1;
    return 1;
}

static const sn_slot slots[] = {
    {"mass", "kg", "mass", 1, 0, SN_REQUIRED, 0, SN_INFINITE, "shape.mass"},
    {"inertia", "kg*m^2", "moments of inertia Jxx, Jyy, Jzz about the centre of mass", 3,
     SN_TENSOR | SN_NEEDS_ROT, 0, 0, SN_INFINITE,
     "mass*shape.gyration.x;mass*shape.gyration.y;mass*shape.gyration.z"},
    {"products", "kg*m^2", "other entries Jxy, Jxz, Jyz of the inertia matrix", 3, SN_NEEDS_ROT, 0,
     -SN_INFINITE, SN_INFINITE,
     "mass*shape.gyration_products.x;mass*shape.gyration_products.y;mass*shape.gyration_products.z"},
    {"com", "m", "centre of mass relative to the node, in the axes of the reference configuration", 3,
     SN_ROTATES | SN_NEEDS_ROT | SN_ON_NODE1, 0, -SN_INFINITE, SN_INFINITE,
     "shape.centre.x;shape.centre.y;shape.centre.z"},
    {.name = NULL},
};

static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    (void)slot_n;
    double J = (s[INERTIA] + s[INERTIA + 1] + s[INERTIA + 2]) / 3;
    z->radius = s[MASS] > 0 ? sqrt(J / s[MASS]) : 0;
}
static const sn_geometry geometry = {SN_SHAPE_POINT, SN_STRAIGHT, "mass", 0, sizes};

const sn_element_class sn_element_mass3d = {
    .name = "mass3d",
    .doc = "mass or rigid body at a spatial node",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 3, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .flags = SN_USES_V | SN_USES_A | SN_SYMMETRIC | SN_CONSERVATIVE,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .energy = energy,
    .denergy = denergy,
    .geometry = &geometry,
    .particle = particle,
};
