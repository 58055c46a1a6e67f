/* interface: ties a frame to a point of a reduced flexible body, made for each node that a body is written
   with. Nodes: the body's frame (x0, R), its modes d (none: a rigid one), the tied frame (x, Rn).

   Along the axes of the body's frame the point lies at y = s + sum_i U_i d_i and has turned by th = sum_i V_i
   d_i, so that its axes are R (1 + th~), which are orthonormal only for small th. With P = R'Rn

       phi_x = x - x0 - R y        phi_r = vect((1 - th~) P)

   vect(A) being half of (A_zy - A_yz, A_xz - A_zx, A_yx - A_xy): the skew part. With L(A) = (trace A - A)/2,
   vect(a~ A) = L(A) a and vect(A a~) = L(A)'a; F and m are the multipliers, the first in body axes, Q = (1 -
   th~) P:

       by      x, x0     R of the body                              d_i         Rn
       phi_x   1, -1     R y~                                       -R U_i
       phi_r             -L(P) + (P'th)~/2 - vect(P) th'            -L(P) V_i   L(Q)'

   The body's place in the reference is that of its file turned by R0 (body_axes.h), so that
   s, U, V are R0 times the numbers of the file. */
#include "model/body_axes.h"
#include "model/reduced_body.h"

extern const sn_joint_class sn_joint_interface;

static const sn_slot slots[] = {SN_BODY_AXES_SLOTS, {.name = NULL}};
static const sn_option options[] = {{"point", "#", "which of the body's points", 0}, {.name = NULL}};

/* Constants: R0, s, U (3 x nd), V (3 x nd) */
enum { C_R0 = 0, C_S = 9, C_U = 12 };

static int modes(const sn_in *in) { return in->nv - 12; }

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"x", "y", "z", "rx", "ry", "rz"};
    const sn_reduced_body *b = l->block;
    int nd = b ? b->nd : 0;
    if (!b)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "is made by flexible bodies for their nodes, and cannot be written");
    if (l->opt[0] < 0 || l->opt[0] >= b->n_point)
        return sn_fail(err, SN_ERR_INPUT, NULL, "the body has no point number %d", l->opt[0] + 1);
    if (l->nn != (nd ? 3 : 2) || l->nv != 12 + nd || !sn_is_frame(l->view, 0) ||
        !sn_is_frame(l->view, l->nn - 1))
        return sn_fail(err, SN_ERR_INPUT, NULL, "needs a frame, the %d modes of the body and another frame",
                       nd);
    l->m = 6, l->vector = 1;
    l->nc = C_U + 6 * nd;
    for (int k = 0; k < 6; k++) l->component[k] = name[k], l->unit[k] = k < 3 ? "m" : "rad";
    return SN_OK;
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    const sn_reduced_body *b = in->block;
    const int p = in->opt[0], nd = b->nd;
    SN_TRY(sn_body_axes(in->s, c + C_R0, err));
    sn_mul3(c + C_R0, b->X + 3 * p, c + C_S);
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < nd; i++) {
            double u = 0, v = 0;
            for (int k = 0; k < 3; k++) {
                u += c[C_R0 + 3 * l + k] * b->phi[(3 * p + k) * nd + i];
                v += c[C_R0 + 3 * l + k] * b->theta[(3 * p + k) * nd + i];
            }
            c[C_U + l * nd + i] = u, c[C_U + (3 + l) * nd + i] = v;
        }
    return SN_OK;
}

/* The body's size: of the box around its points, at least its radius of gyration. */
static double size_of(const sn_reduced_body *b)
{
    double s = b->mass > 0 ? (b->second[0] + b->second[4] + b->second[8]) / b->mass : 0;
    for (int k = 0; k < 3; k++) {
        double lo = b->X[k], hi = lo;
        for (int i = 1; i < b->n_point; i++) lo = fmin(lo, b->X[3 * i + k]), hi = fmax(hi, b->X[3 * i + k]);
        s += (hi - lo) * (hi - lo);
    }
    return sqrt(s);
}

/* In the reference the node must be where the point is. */
static sn_status fits(const sn_in *in, sn_err *err)
{
    const sn_reduced_body *b = in->block;
    const double *Xn = in->X + in->off[in->nn - 1];
    double at[3], gap = 0;
    for (int k = 0; k < 3; k++) at[k] = in->X[k] + in->c[C_S + k], gap = hypot(gap, at[k] - Xn[k]);
    if (gap <= 1e-6 * size_of(b)) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, NULL,
                   "the node is %.4g m away from the body's point '%s', which is at [%.9g, %.9g, %.9g]", gap,
                   b->point[in->opt[0]], at[0], at[1], at[2]);
}

/* ---- matrices ---- */

static void vect(const double *A, double *v)
{
    v[0] = (A[7] - A[5]) / 2, v[1] = (A[2] - A[6]) / 2, v[2] = (A[3] - A[1]) / 2;
}

static void half_trace(const double *A, double *L)
{
    double t = A[0] + A[4] + A[8];
    for (int k = 0; k < 9; k++) L[k] = ((k % 4 ? 0 : t) - A[k]) / 2;
}

static void transpose(const double *A, double *B)
{
    for (int k = 0; k < 9; k++) B[k] = A[k % 3 * 3 + k / 3];
}

/* A += f x y' */
static void add_outer(double f, const double *x, const double *y, double *A)
{
    for (int k = 0; k < 9; k++) A[k] += f * x[k / 3] * y[k % 3];
}

static void add(double f, const double *A, double *B)
{
    for (int k = 0; k < 9; k++) B[k] += f * A[k];
}

/* to = f times a 3x3 matrix, added, at rows of n */
static void put(int n, double f, const double *A, double *to)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[i * n + j] += f * A[3 * i + j];
}

/* Sum of the columns of X (3 x nd) with d */
static void combine(int nd, const double *X, const double *d, double *y)
{
    for (int k = 0; k < 3; k++) {
        double s = 0;
        for (int i = 0; i < nd; i++) s += X[k * nd + i] * d[i];
        y[k] = s;
    }
}

/* to (3 x nd at rows of n) += f A X, or its transpose where `down` */
static void put_modes(int nd, int n, double f, const double *A, const double *X, int down, double *to)
{
    for (int k = 0; k < 3; k++) {
        const double a = f * A[3 * k], b = f * A[3 * k + 1], c = f * A[3 * k + 2];
        for (int i = 0; i < nd; i++)
            to[down ? i * n + k : k * n + i] += a * X[i] + b * X[nd + i] + c * X[2 * nd + i];
    }
}

typedef struct place {
    double R[9], P[9], Q[9], y[3], th[3], vP[3], LP[9];
    const double *U, *V;
    int nd, n, node, qn; /* modes, coordinates, where the tied frame begins in v and q */
} place;

static void find(const sn_in *in, place *p)
{
    double Rn[9], T[9];
    p->nd = modes(in), p->n = in->nv, p->node = 6 + p->nd, p->qn = 7 + p->nd;
    p->U = in->c + C_U, p->V = p->U + 3 * p->nd;
    sn_quat_matrix(in->q + 3, p->R), sn_quat_matrix(in->q + p->qn + 3, Rn);
    sn_tmatmul3(p->R, Rn, p->P);
    combine(p->nd, p->U, in->q + 7, p->y), combine(p->nd, p->V, in->q + 7, p->th);
    for (int k = 0; k < 3; k++) p->y[k] += in->c[C_S + k];
    sn_skew3(p->th, T), sn_matmul3(T, p->P, p->Q);
    for (int k = 0; k < 9; k++) p->Q[k] = p->P[k] - p->Q[k];
    vect(p->P, p->vP), half_trace(p->P, p->LP);
}

/* phi_r by R of the body */
static void turn_by_body(const place *p, double *A)
{
    double x[3];
    sn_tmul3(p->P, p->th, x), sn_skew3(x, A);
    for (int k = 0; k < 9; k++) A[k] = A[k] / 2 - p->LP[k];
    add_outer(-1, p->vP, p->th, A);
}

static void jacobian(const place *p, double *B)
{
    double A[9], L[9], Y[9];
    int n = p->n, node = p->node;
    memset(B, 0, sizeof *B * (size_t)(6 * n));
    for (int k = 0; k < 3; k++) B[k * n + k] = -1, B[k * n + node + k] = 1;
    sn_skew3(p->y, Y), sn_matmul3(p->R, Y, A), put(n, 1, A, B + 3);
    put_modes(p->nd, n, -1, p->R, p->U, 0, B + 6);
    turn_by_body(p, A), put(n, 1, A, B + 3 * n + 3);
    put_modes(p->nd, n, -1, p->LP, p->V, 0, B + 3 * n + 6);
    half_trace(p->Q, L), transpose(L, A), put(n, 1, A, B + 3 * n + node + 3);
}

/* What the moment of the tied frame, and of the body's, change by with th: m vect(P)' - (P m)~/2, and m~P'/2
   - vect(P).m */
static void by_turn(const place *p, const double *m, double *Gn, double *Gb)
{
    double x[3], S[9], Pt[9], dot = sn_dot3(p->vP, m);
    sn_mul3(p->P, m, x), sn_skew3(x, Gn);
    for (int k = 0; k < 9; k++) Gn[k] /= -2;
    add_outer(1, m, p->vP, Gn);
    sn_skew3(m, S), transpose(p->P, Pt), sn_matmul3(S, Pt, Gb);
    for (int k = 0; k < 9; k++) Gb[k] = Gb[k] / 2 - (k % 4 ? 0 : dot);
}

/* Second derivatives of m.phi_r by the two rotations */
static void bend(const place *p, const double *m, double *Kbb, double *Kbn, double *Knn)
{
    double S[9], A[9], B[9], x[3], Pt[9], th[9], phi[3];
    sn_skew3(m, S), transpose(p->P, Pt), sn_skew3(p->th, th);
    /* bb: -m vP' - P'm~/2 - m~P'th~/2 + th (L'm)' */
    sn_matmul3(Pt, S, Kbb), sn_matmul3(S, Pt, A), sn_matmul3(A, th, B);
    for (int k = 0; k < 9; k++) Kbb[k] = -(Kbb[k] + B[k]) / 2;
    sn_tmul3(p->LP, m, x), add_outer(1, p->th, x, Kbb), add_outer(-1, m, p->vP, Kbb);
    /* bn: m vP' + (P'm)~/2 + m~(P'th)~/2 - th (L m)' */
    sn_tmul3(p->P, p->th, x), sn_skew3(x, A), sn_matmul3(S, A, Kbn);
    sn_tmul3(p->P, m, x), sn_skew3(x, A);
    for (int k = 0; k < 9; k++) Kbn[k] = (Kbn[k] + A[k]) / 2;
    sn_mul3(p->LP, m, x), add_outer(-1, p->th, x, Kbn), add_outer(1, m, p->vP, Kbn);
    /* nn: -m phi' + Q m~/2 */
    sn_matmul3(p->Q, S, Knn), vect(p->Q, phi);
    for (int k = 0; k < 9; k++) Knn[k] /= 2;
    add_outer(-1, m, phi, Knn);
}

static void stiffness(const place *p, const double *F, const double *m, double *K)
{
    double A[9], B[9], Y[9], Kbb[9], Kbn[9], Knn[9];
    int n = p->n, node = p->node, nd = p->nd;
    sn_skew3(F, A), sn_skew3(p->y, Y), sn_matmul3(Y, A, B);
    bend(p, m, Kbb, Kbn, Knn);
    add(-1, B, Kbb);
    put(n, 1, Kbb, K + 3 * n + 3), put(n, 1, Kbn, K + 3 * n + node + 3);
    transpose(Kbn, B), put(n, 1, B, K + (node + 3) * n + 3);
    put(n, 1, Knn, K + (node + 3) * n + node + 3);
    put_modes(nd, n, 1, A, p->U, 0, K + 3 * n + 6), put_modes(nd, n, 1, A, p->U, 1, K + 6 * n + 3);
    by_turn(p, m, A, B);
    put_modes(nd, n, 1, B, p->V, 0, K + 3 * n + 6), put_modes(nd, n, 1, B, p->V, 1, K + 6 * n + 3);
    put_modes(nd, n, 1, A, p->V, 0, K + (node + 3) * n + 6),
        put_modes(nd, n, 1, A, p->V, 1, K + 6 * n + node + 3);
}

static sn_status eval(const sn_in *in, sn_joint_out *out)
{
    const double *f = in->lam, *m = in->lam + 3;
    double x[3], F[3], A[9], L[9], *r = out->r;
    place p;
    find(in, &p);
    int node = p.node, nd = p.nd;
    sn_mul3(p.R, p.y, x);
    for (int k = 0; k < 3; k++) out->phi[k] = in->q[p.qn + k] - in->q[k] - x[k];
    vect(p.Q, out->phi + 3);
    for (int k = 0; k < 3; k++) r[k] -= f[k], r[node + k] += f[k];
    sn_tmul3(p.R, f, F), sn_cross3(F, p.y, x);
    for (int k = 0; k < 3; k++) r[3 + k] += x[k];
    turn_by_body(&p, A), sn_tmul3(A, m, x);
    for (int k = 0; k < 3; k++) r[3 + k] += x[k];
    half_trace(p.Q, L), sn_mul3(L, m, x);
    for (int k = 0; k < 3; k++) r[node + 3 + k] += x[k];
    sn_tmul3(p.LP, m, x);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < nd; i++) r[6 + i] -= p.U[k * nd + i] * F[k] + p.V[k * nd + i] * x[k];
    if (out->B) jacobian(&p, out->B);
    if (out->K) stiffness(&p, F, m, out->K);
    return SN_OK;
}

/* gamma_x = -R (w x (w x y) + 2 w x y'), gamma_r = vect((1 - th~)(P wn~wn~ - 2 w~P wn~ + w~w~P) - 2 th'~ P'),
   P' = P wn~ - w~P */
static sn_status rate(const sn_in *in, double *phi_t, double *gamma)
{
    double w[9], wn[9], y1[3], th1[3], x[3], z[3], A[9], B[9], C[9], T[9], Pwn[9], wP[9];
    place p;
    find(in, &p);
    combine(p.nd, p.U, in->v + 6, y1), combine(p.nd, p.V, in->v + 6, th1);
    sn_cross3(in->v + 3, p.y, x);
    for (int k = 0; k < 3; k++) x[k] += 2 * y1[k];
    sn_cross3(in->v + 3, x, x), sn_mul3(p.R, x, z);
    sn_skew3(in->v + 3, w), sn_skew3(in->v + p.node + 3, wn);
    sn_matmul3(p.P, wn, Pwn), sn_matmul3(w, p.P, wP);
    sn_matmul3(Pwn, wn, A), sn_matmul3(w, Pwn, B), sn_matmul3(w, wP, C);
    for (int k = 0; k < 9; k++) A[k] += C[k] - 2 * B[k], Pwn[k] -= wP[k];
    sn_skew3(p.th, T), sn_matmul3(T, A, B);
    sn_skew3(th1, T), sn_matmul3(T, Pwn, C);
    for (int k = 0; k < 9; k++) A[k] -= B[k] + 2 * C[k];
    vect(A, gamma + 3);
    for (int k = 0; k < 3; k++) gamma[k] = -z[k];
    for (int k = 0; k < 6; k++) phi_t[k] = 0;
    return SN_OK;
}

/* With the axes of the file turned by de: y, th, U, V change by their cross products with it. */
static sn_status dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    double de[3], dy[3], dth[3], x[3], F[3], Gn[9], Gb[9], LF[3], LM[3];
    const double *m = in->lam + 3;
    place p;
    if (index >= SN_BODY_AXES) return SN_OK;
    find(in, &p);
    sn_body_daxes(in->s, index, de);
    sn_cross3(de, p.y, dy), sn_cross3(de, p.th, dth);
    sn_mul3(p.R, dy, x);
    for (int k = 0; k < 3; k++) dphi[k] -= x[k];
    sn_mul3(p.LP, dth, x);
    for (int k = 0; k < 3; k++) dphi[3 + k] -= x[k];
    sn_tmul3(p.R, in->lam, F), sn_cross3(F, dy, x);
    for (int k = 0; k < 3; k++) dr[3 + k] += x[k];
    by_turn(&p, m, Gn, Gb);
    sn_mul3(Gb, dth, x);
    for (int k = 0; k < 3; k++) dr[3 + k] += x[k];
    sn_mul3(Gn, dth, x);
    for (int k = 0; k < 3; k++) dr[p.node + 3 + k] += x[k];
    sn_cross3(de, F, LF), sn_tmul3(p.LP, m, x), sn_cross3(de, x, LM);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < p.nd; i++) dr[6 + i] += p.U[k * p.nd + i] * LF[k] + p.V[k * p.nd + i] * LM[k];
    return SN_OK;
}

const sn_joint_class sn_joint_interface = {
    .name = "interface",
    .doc = "ties a frame to a point of a flexible body; made by the body",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 3, .ask = SN_FRAME | SN_SCALARS, .ask_first = SN_FRAME},
    .slots = slots,
    .options = options,
    .layout = layout,
    .prepare = prepare,
    .fits = fits,
    .eval = eval,
    .rate = rate,
    .dparam = dparam,
};
