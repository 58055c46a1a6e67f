/* Tangents of beam3d_cr in closed form. Only beam3d_cr.c includes this file.

   A direction (phi1, phi2, u = d2 - d1) is taken apart into the spin w = G'd of the chord's axes, the spins
   rho_i = phi_i - w of the ends relative to them, and the elongation u_x. The derivative is then
       K d = R_1 rho_1 + R_2 rho_2 + X w + l u_x = R_1 phi_1 + R_2 phi_2 + (X - R_1 - R_2) G'd + l u_x
   with 12x3 matrices R_i, X. C stands for the derivative by the velocities, without dm Ml (dm is in A: A + dm
   V).

   X: forces turn; velocities and accelerations of the nodes and the field g stay behind:
       X w = w x f_t + C (V_t x w) + Ml (A_t x w) + df/dg (g x w).
   R_i: the turned node moves its spin and angular acceleration, and its moment is given in its axes:
       R_i rho = -C (0, V_i x rho) - Ml (0, A_i x rho) + (0, f_i x rho) + what G and th_i do at fixed V.
   G changes by alpha = dp_iy/(2 q_y) and beta = dp_ix/(2 q_y), dp_i = rho_i x p_i:
       dG kap = G kap_0 (-alpha, beta, 0) + kap_0 (alpha, -beta, 0) in the moment i,
       dG'V   = (alpha (V_ix - W_x) + beta (W_y - V_iy), 0, 0).
   th_i: dmu_i = sum_j H_ij rho_j, H_ij = T_i' k_ij T_j + D_i T_i with T = T^-1(th_i), D_i = d(T'm_i)/dth_i.

   With h = Ml V~ - P~, U = W for forces and W - V_i for moments the inertia has
       C = U~ Ml - Ml W~ + (0, P_r~) + h G' - G h'.

   Finite shear adds its stiffness by l and the rotations to N, m and H_ij. Offsets are a rigid transformation
   of these matrices of the ends to those of the nodes, with what a turning arm does to place, velocity and
   acceleration of its end: see add_arms.

   The rows of both nodes are treated at once: see beam3d_cr_pairs.h. */
#ifndef SN_ELEMENT_BEAM3D_CR_CLOSED_H
#define SN_ELEMENT_BEAM3D_CR_CLOSED_H

#include "element/beam3d_cr_pairs.h"

typedef struct tangent {
    pair A[6]; /* accelerations with dm V, of spins with the other sign */
    columns m[2];
    pair h[6][3];
    sn_quad C[3][12];
    pair R[2][6][3], X[6][3], l[6];
    pair T[9], H[2][9], sum[9]; /* T^-1 of the ends, H_ij for each j, sum_j T_i' k_ij T_j */
} tangent;

/* y = U~ diag(d) - diag(d) W~, a block of a matrix with 12 columns */
static INLINE void diagonal_turn(const pair *d, const pair *U, const pair *W, pair *y)
{
    y[0] = y[13] = y[26] = both(0);
    y[1] = d[0] * W[2] - U[2] * d[1];
    y[2] = U[1] * d[2] - d[0] * W[1];
    y[12] = U[2] * d[0] - d[1] * W[2];
    y[14] = d[1] * W[0] - U[0] * d[2];
    y[24] = d[2] * W[1] - U[1] * d[0];
    y[25] = U[0] * d[1] - d[2] * W[0];
}

/* The same of b as above */
static INLINE void twist_turn(pair p, pair q, const pair *U, const pair *W, pair *y)
{
    y[0] = y[14] = y[25] = both(0);
    y[1] = U[1] * q;
    y[2] = -U[2] * p;
    y[12] = p * W[1];
    y[13] = -U[0] * q - p * W[0];
    y[24] = -q * W[2];
    y[26] = U[0] * p + q * W[0];
}

/* C -= G h' of node j */
static INLINE void add_spin_columns(const pair_motion *k, int j, const pair *y, const pair *z,
                                    const pair (*h)[3], pair (*to)[12])
{
    for (int r = 0; r < 6; r++) {
        double x = h[r][0][j], u = y[r][j], v = z[r][j];
        pair *C = &to[0][6 * j + r];
        C[12] += (pair){u, -u};
        C[24] += (pair){v, -v};
        C[36] -= k->a * x;
        C[48] += k->b * x;
    }
}

/* C += h G' - G h' */
static INLINE void add_spin_product(const pair_motion *k, const pair (*h)[3], pair (*to)[12])
{
    pair y[6], z[6];
    for (int r = 0; r < 6; r++) {
        pair x = h[r][0], *C = to[r];
        y[r] = h[r][2] * k->il;
        z[r] = (h[r][1] + k->eta * x) * -k->il;
        C[1] -= y[r];
        C[2] -= z[r];
        C[3] += k->a[0] * x;
        C[4] -= k->b[0] * x;
        C[7] += y[r];
        C[8] += z[r];
        C[9] += k->a[1] * x;
        C[10] -= k->b[1] * x;
    }
    add_spin_columns(k, 0, y, z, h, to);
    add_spin_columns(k, 1, y, z, h, to);
}

/* h and C of the inertia */
static INLINE void inertia_rates(const pair_motion *k, const pair_forces *t, tangent *s)
{
    const pair W[3] = {both(k->W[0]), both(k->W[1]), both(k->W[2])};
    const pair U[3] = {W[0] - k->V[3], W[1] - k->V[4], W[2] - k->V[5]};
    pair P[6], C[6][12];
    for (int l = 0; l < 6; l++) P[l] = -t->P[l];
    skew_rows(P, s->h);
    skew_rows(P + 3, s->h + 3);
    for (int j = 0; j < 2; j++) {
        const columns *m = &s->m[j];
        add_mass_cross(m, k->V, j, s->h, s->h);
        diagonal_turn(m->t, W, W, &C[0][6 * j]);
        twist_turn(m->yz, m->zy, W, W, &C[0][6 * j + 3]);
        twist_turn(m->myz, m->mzy, U, W, &C[3][6 * j]);
        diagonal_turn(m->r, U, W, &C[3][6 * j + 3]);
        for (int l = 0; l < 3; l++) {
            int u = (l + 1) % 3, v = (l + 2) % 3;
            C[3 + u][6 * j + 3 + v] += only[j] * P[3 + l];
            C[3 + v][6 * j + 3 + u] -= only[j] * P[3 + l];
        }
    }
    add_spin_product(k, (const pair(*)[3])s->h, C);
    for (int r = 0; r < 3; r++)
        for (int j = 0; j < 12; j++) s->C[r][j] = JOINED(C[r][j], C[3 + r][j]);
}

/* H_ij = T_i' k_ij Y_j */
static INLINE void stiff_products(const constants *c, const pair *T, const pair *Y, pair (*H)[9])
{
    for (int j = 0; j < 2; j++) {
        const double k1[3] = {c->gj, c->y.k1, c->z.k1}, k2[3] = {-c->gj, c->y.k2, c->z.k2};
        pair x[9];
        for (int l = 0; l < 9; l++)
            x[l] = T[l] * (j ? (pair){k2[l / 3], k1[l / 3]} : (pair){k1[l / 3], k2[l / 3]});
        for (int l = 0; l < 3; l++)
            for (int m = 0; m < 3; m++)
                H[j][3 * l + m] = x[l] * Y[m][j] + x[3 + l] * Y[3 + m][j] + x[6 + l] * Y[6 + m][j];
    }
}

/* y += G L, L of 3 columns */
static INLINE void add_spin_rows(const pair_motion *k, const double *L, pair (*y)[3])
{
    for (int j = 0; j < 3; j++) {
        y[1][j] += opposite * (L[6 + j] * k->il);
        y[2][j] -= opposite * ((L[3 + j] + k->eta * L[j]) * k->il);
        y[3][j] += k->a * L[j];
        y[4][j] -= k->b * L[j];
    }
}

/* Rows of derivatives by (d1, phi1, d2, phi2), from R_1, R_2, x = X - R_1 - R_2, l of forces and moments */
static INLINE void spread_rows(const pair_motion *k, const sn_quad *r1, const sn_quad *r2, const sn_quad *x,
                               const pair *l, sn_quad *y)
{
    y[6] = JOINED(l[0], l[1]);
    y[7] = x[2] * k->il;
    y[8] = (x[1] + k->eta * x[0]) * -k->il;
    for (int j = 0; j < 3; j++) y[j] = -y[6 + j];
    y[3] = r1[0] + k->a[0] * x[0];
    y[4] = r1[1] - k->b[0] * x[0];
    y[5] = r1[2];
    y[9] = r2[0] + k->a[1] * x[0];
    y[10] = r2[1] - k->b[1] * x[0];
    y[11] = r2[2];
}

/* C += stiffness-proportional damping d: mu_i = d sum_j T_i'k_ij T_j (V_j - W), N = d EA/L (V_2x - V_1x) */
static inline void add_damping_rates(const pair_motion *k, const constants *c, double d, tangent *s)
{
    for (int l = 0; l < 9; l++) s->sum[l] = s->H[0][l] + s->H[1][l];
    pair R[2][6][3];
    sn_quad r1[3], r2[3], x[3], y[12];
    double L[9];
    for (int l = 0; l < 18; l++) R[0][l / 3][l % 3] = R[1][l / 3][l % 3] = both(0);
    for (int j = 0; j < 2; j++) {
        for (int l = 0; l < 9; l++) {
            pair H = d * s->H[j][l];
            R[j][3 + l / 3][l % 3] = H;
            L[l] = -H[0] - H[1];
        }
        add_spin_rows(k, L, R[j]);
    }
    for (int r = 0; r < 3; r++) {
        for (int l = 0; l < 3; l++) {
            r1[l] = JOINED(R[0][r][l], R[0][3 + r][l]), r2[l] = JOINED(R[1][r][l], R[1][3 + r][l]);
            x[l] = -r1[l] - r2[l];
        }
        const pair l[2] = {opposite * (r ? 0 : d * c->ea), both(0)};
        spread_rows(k, r1, r2, x, l, y);
        for (int j = 0; j < 12; j++) s->C[r][j] += y[j];
    }
}

/* 1 + a u~ + b u~^2 */
static INLINE void form(double a, pair b, const pair *u, pair *T)
{
    pair x = b * u[0], y = b * u[1], z = b * u[2], d = 1 - x * u[0] - y * u[1] - z * u[2];
    T[0] = d + x * u[0], T[4] = d + y * u[1], T[8] = d + z * u[2];
    T[1] = x * u[1] - a * u[2], T[3] = x * u[1] + a * u[2];
    T[2] = x * u[2] + a * u[1], T[6] = x * u[2] - a * u[1];
    T[5] = y * u[2] - a * u[0], T[7] = y * u[2] + a * u[0];
}

/* Derivative by th of (1 + s th~ + b th~^2) y, times T, for both ends */
static INLINE void form_turn(const pair_motion *k, double s, const pair *th, const pair *y, const pair *T,
                             pair *H)
{
    const pair b = k->tb, db = k->dtb;
    pair u[3], v[3], x[3], tT[3], dot = b * (th[0] * y[0] + th[1] * y[1] + th[2] * y[2]);
    for (int l = 0; l < 3; l++) u[l] = th[(l + 1) % 3] * y[(l + 2) % 3] - th[(l + 2) % 3] * y[(l + 1) % 3];
    for (int l = 0; l < 3; l++) {
        v[l] = db * (th[(l + 1) % 3] * u[(l + 2) % 3] - th[(l + 2) % 3] * u[(l + 1) % 3]) - b * y[l];
        x[l] = s * y[l] + b * u[l];
        tT[l] = th[0] * T[l] + th[1] * T[3 + l] + th[2] * T[6 + l];
    }
    /* -x~ + v th' + dot, times T */
    for (int l = 0; l < 3; l++) {
        int m = (l + 1) % 3, n = (l + 2) % 3;
        for (int j = 0; j < 3; j++)
            H[3 * l + j] = x[n] * T[3 * m + j] - x[m] * T[3 * n + j] + v[l] * tT[j] + dot * T[3 * l + j];
    }
}

/* H_ij += T_i' h T_j, h the finite shear's stiffness by the rotations about y and z */
static inline void add_shear_products(const pair_motion *k, tangent *s)
{
    const double *h = k->H;
    for (int l = 0; l < 3; l++) {
        pair y = h[4] * s->T[3 + l] + h[7] * s->T[6 + l], z = h[5] * s->T[3 + l] + h[8] * s->T[6 + l];
        for (int m = 0; m < 3; m++)
            for (int j = 0; j < 2; j++) s->H[j][3 * l + m] += y * s->T[3 + m][j] + z * s->T[6 + m][j];
    }
}

/* H += D_i T_i and kap_0 (alpha, -beta, 0); with damping the change of T_j (V_j - W) */
static INLINE void add_form_turns(const pair_motion *k, const constants *c, double d, const pair_forces *t,
                                  const pair *al, const pair *be, tangent *s)
{
    pair x[3], Y[9];
    if (d != 0) {
        for (int l = 0; l < 3; l++) x[l] = k->V[3 + l] - k->W[l];
        form_turn(k, -0.5, k->th, x, s->T, Y);
        for (int l = 0; l < 9; l++) Y[l] = s->T[l] + d * Y[l];
        stiff_products(c, s->T, Y, s->H);
        for (int l = 0; l < 3; l++) {
            pair e = d * (al[l] * (k->V[3] - k->W[0]) + be[l] * (k->W[1] - k->V[4]));
            for (int r = l; r < 9; r += 3)
                for (int j = 0; j < 2; j++) s->H[j][r] -= s->sum[r - l] * e[j];
        }
    }
    if (k->shear) add_shear_products(k, s);
    form_turn(k, 0.5, k->th, t->m, s->T, Y);
    for (int l = 0; l < 3; l++) {
        Y[l] += t->kap[0] * al[l];
        Y[3 + l] -= t->kap[0] * be[l];
    }
    for (int l = 0; l < 9; l++)
        for (int j = 0; j < 2; j++) s->H[j][l] += only[j] * Y[l];
}

/* R_i of the moments and of G with its changes */
static INLINE void end_spins(const pair_motion *k, const constants *c, double d, const pair_forces *t,
                             tangent *s)
{
    const pair x = k->iq * k->B[1], y = k->iq * k->B[4], z = k->iq * k->B[7];
    const pair al[3] = {-z, both(0), x}, be[3] = {both(0), z, -y};
    const double *g = k->g;
    const pair b = opposite * -c->weight.B;
    pair L[9];
    add_form_turns(k, c, d, t, al, be, s);
    for (int l = 0; l < 9; l++)
        L[l] = -(pair){s->H[0][l][0], s->H[1][l][0]} - (pair){s->H[0][l][1], s->H[1][l][1]};
    for (int l = 0; l < 3; l++) {
        /* the load's arm th x e1 */
        pair T1 = b * s->T[3 + l], T2 = b * s->T[6 + l];
        L[l] -= g[1] * T1 + g[2] * T2;
        L[3 + l] += g[0] * T1;
        L[6 + l] += g[0] * T2;
    }
    for (int l = 0; l < 3; l++) {
        pair e = both(0);
        if (k->field) e = al[l] * (k->V[3] - k->W[0]) + be[l] * (k->W[1] - k->V[4]);
        for (int j = 0; j < 2; j++)
            for (int r = 0; r < 6; r++) {
                s->R[j][r][l] = k->field ? s->h[r][0] * e[j] : both(0);
                if (r > 2) s->R[j][r][l] += s->H[j][3 * r - 9 + l];
            }
        for (int j = 0; j < 2 && k->shear; j++)
            s->R[j][0][l] += opposite * (k->H[1] * s->T[3 + l][j] + k->H[2] * s->T[6 + l][j]);
    }
    for (int j = 0; j < 2; j++) {
        double Lj[9];
        for (int l = 0; l < 9; l++) Lj[l] = L[l][j];
        add_spin_rows(k, Lj, s->R[j]);
    }
}

/* Moments mu of the ends in the column l */
static INLINE void add_moments(const pair_motion *k, const pair *mu, tangent *s)
{
    const double kap[3] = {-sum(mu[0]), -sum(mu[1]), -sum(mu[2])};
    for (int l = 0; l < 3; l++) s->l[3 + l] += mu[l];
    add_spin_force(k, kap, s->l);
}

/* The column l: N, and the 1/l of G and of W */
static INLINE void elongation(const pair_motion *k, const constants *c, double d, const pair_forces *t,
                              tangent *s)
{
    const double il = k->il;
    pair mu[3];
    s->l[0] = opposite * c->ea;
    s->l[1] = opposite * (-il * il * t->kap[2]);
    s->l[2] = opposite * (il * il * (t->kap[1] + k->eta * t->kap[0]));
    s->l[3] = s->l[4] = s->l[5] = both(0);
    if (k->shear) {
        s->l[0] += opposite * k->H[0];
        for (int l = 0; l < 3; l++) mu[l] = k->H[3] * s->T[3 + l] + k->H[6] * s->T[6 + l];
        add_moments(k, mu, s);
    }
    if (!k->rates) return;
    const double W[3] = {-il * k->eta * k->W[1], -il * k->W[1], -il * k->W[2]};
    for (int r = 0; r < 6 && k->field; r++)
        s->l[r] += s->h[r][0] * W[0] + s->h[r][1] * W[1] + s->h[r][2] * W[2];
    if (d == 0) return;
    for (int l = 0; l < 3; l++)
        mu[l] = -d * (s->sum[3 * l] * W[0] + s->sum[3 * l + 1] * W[1] + s->sum[3 * l + 2] * W[2]);
    add_moments(k, mu, s);
}

/* X: the forces turn, the field g does not */
static INLINE void frame_spin_turns(const pair_motion *k, const load *p, const pair_forces *t, tangent *s)
{
    const double *g = k->g;
    pair u[3];
    /* w x f - A/2 g x w */
    for (int l = 0; l < 3; l++) u[l] = -t->f[l] - 0.5 * p->A * g[l];
    skew_rows(u, s->X);
    /* moments B (g x w) x e1, -B (g x w) x e1 of the ends; the arm x: B (g x w) x x */
    const double x[3] = {0, k->th[2][0] - k->th[2][1], k->th[1][1] - k->th[1][0]}, gx = sn_dot3(g, x);
    double L[9];
    for (int l = 0; l < 3; l++) {
        const pair T1 = s->T[3 + l] * opposite * -p->B, T2 = s->T[6 + l] * opposite * -p->B;
        s->X[3 + l][0] = -g[1] * T1 - g[2] * T2;
        s->X[3 + l][1] = g[0] * T1;
        s->X[3 + l][2] = g[0] * T2;
        for (int m = 0; m < 3; m++)
            L[3 * l + m] = p->B * ((l == m) * gx - g[l] * x[m]) - s->X[3 + l][m][0] - s->X[3 + l][m][1];
    }
    add_spin_rows(k, L, s->X);
}

/* y += s u x v for rows u */
static INLINE void add_row_cross(double s, const sn_quad *u, const double *v, sn_quad *y)
{
    double v0 = s * v[0], v1 = s * v[1], v2 = s * v[2];
    y[0] += u[1] * v2 - u[2] * v1;
    y[1] += u[2] * v0 - u[0] * v2;
    y[2] += u[0] * v1 - u[1] * v0;
}

/* Rows of K from the parts, and from the velocities that C sees */
static INLINE void join_rows(const pair_motion *k, const tangent *s, sn_quad (*K)[12])
{
    double V[12];
    for (int l = 0; l < 12 && k->rates; l++) V[l] = k->V[l % 6][l / 6];
    for (int r = 0; r < 3; r++) {
        const sn_quad *C = s->C[r];
        sn_quad r1[3], r2[3], X[3];
        for (int l = 0; l < 3; l++) {
            r1[l] = JOINED(s->R[0][r][l], s->R[0][3 + r][l]),
            r2[l] = JOINED(s->R[1][r][l], s->R[1][3 + r][l]);
            X[l] = JOINED(s->X[r][l], s->X[3 + r][l]);
        }
        if (k->rates) {
            add_row_cross(1, C, V, X);
            add_row_cross(-1, C + 3, V + 3, r1);
            add_row_cross(1, C + 6, V + 6, X);
            add_row_cross(-1, C + 9, V + 9, r2);
        }
        for (int l = 0; l < 3; l++) X[l] -= r1[l] + r2[l];
        const pair l[2] = {s->l[r], s->l[3 + r]};
        spread_rows(k, r1, r2, X, l, K[r]);
    }
}

/* Elastic moments and accelerations of the ends */
static INLINE void start_tangent(const pair_motion *k, const constants *c, double dm, tangent *s)
{
    form(-0.5, k->tb, k->th, s->T);
    stiff_products(c, s->T, s->T, s->H);
    for (int l = 0; l < 6 && k->rates; l++) {
        s->A[l] = k->A[l] + dm * k->V[l];
        if (l > 2) s->A[l] = -s->A[l];
    }
}

/* Columns by the spin of node j, from those by the place of its end: place, velocity and acceleration of the
   end follow phi x c, phi x Ve, phi x Ae, and with the velocity w x c and w x Ve + Vr x (w x c) */
static void add_arm_columns(const pair_motion *k, double dm, int j, tangent *s, sn_quad (*K)[12],
                            sn_quad (*M)[12])
{
    double c[3], V[3], Ve[3], Ae[3];
    for (int l = 0; l < 3; l++) {
        c[l] = k->c[l][j], V[l] = k->V[3 + l][j], Ve[l] = k->Ve[l][j];
        Ae[l] = k->Ae[l][j] + dm * Ve[l];
    }
    for (int r = 0; r < 3; r++) {
        sn_quad *Kr = K[r] + 6 * j, *Cr = s->C[r] + 6 * j, *Mr = M[r] + 6 * j, z[3] = {{0}};
        add_row_cross(-1, Kr, c, Kr + 3);
        add_row_cross(-1, Cr, Ve, Kr + 3);
        add_row_cross(-1, Mr, Ae, Kr + 3);
        add_row_cross(-1, Cr, c, Cr + 3);
        add_row_cross(-1, Mr, Ve, Cr + 3);
        add_row_cross(1, Mr, V, z);
        add_row_cross(-1, z, c, Cr + 3);
        add_row_cross(-1, Mr, c, Mr + 3);
    }
}

/* Moments about the nodes: += c x forces; of K, F: c x (dF - phi x F) */
static void add_arm_rows(const pair_motion *k, const pair *F, sn_quad (*x)[12])
{
    for (int j = 0; j < 12; j++) {
        pair f[3], y[3], m[3];
        for (int l = 0; l < 3; l++) {
            f[l] = y[l] = (pair){x[l][j][0], x[l][j][1]};
            m[l] = (pair){x[l][j][2], x[l][j][3]};
        }
        if (F && j % 6 > 2) {
            int l = j % 6 - 3, u = (l + 1) % 3, v = (l + 2) % 3;
            y[u] += only[j / 6] * F[v];
            y[v] -= only[j / 6] * F[u];
        }
        add_cross2(k->c, y, m);
        for (int l = 0; l < 3; l++) x[l][j] = JOINED(f[l], m[l]);
    }
}

/* K, C, M of the nodes from those of eccentric ends; M as a full matrix */
static __attribute__((noinline)) void add_arms(const pair_motion *k, double dm, const pair_forces *t,
                                               tangent *s, sn_quad (*K)[12], sn_quad (*M)[12])
{
    full_mass(s->m, M);
    for (int j = 0; j < 2; j++) add_arm_columns(k, dm, j, s, K, M);
    add_arm_rows(k, t->f, K);
    add_arm_rows(k, NULL, s->C);
    add_arm_rows(k, NULL, M);
    for (int l = 0; l < 36 && dm != 0; l++) s->C[l / 12][l % 12] += dm * M[l / 12][l % 12];
}

/* K, C, M of the beam without the constant mass */
static SN_SIMD void closed_tangent(const pair_motion *k, const constants *c, const double *damp,
                                   const pair_forces *t, double *K, double *C, double *M)
{
    tangent s;
    turns Q;
    sn_quad x[3][12], y[3][12];
    pair f[3], m[3] = {t->f[3], t->f[4], t->f[5]};
    const pair one[3] = {both(1), both(1), both(1)};
    start_tangent(k, c, damp[1], &s);
    if (k->field) {
        mass_columns(c, s.m);
        inertia_rates(k, t, &s);
    } else if (k->rates) {
        memset(s.C, 0, sizeof s.C);
    }
    if (damp[0] != 0) add_damping_rates(k, c, damp[0], &s);
    end_spins(k, c, damp[0], t, &s);
    elongation(k, c, damp[0], t, &s);
    frame_spin_turns(k, &c->weight, t, &s);
    if (k->arms) add_cross2(t->f, k->c, m); /* about the ends */
    for (int j = 0; j < 2; j++) {
        for (int l = 0; l < 3; l++) f[l] = only[j] * m[l];
        add_diagonal_cross(one, f, s.R[j] + 3);
        if (k->field) add_mass_cross(&s.m[j], s.A, j, s.X, s.R[j]);
    }
    join_rows(k, &s, x);
    node_turns(k, &Q);
    if (k->arms) add_arms(k, damp[1], t, &s, x, y);
    set_turned(&Q, 1, x, K);
    if (k->rates)
        set_turned(&Q, 0, s.C, C);
    else if (C)
        memset(C, 0, 144 * sizeof *C);
    if (!k->field) {
        if (M) memset(M, 0, 144 * sizeof *M);
        return;
    }
    if (k->arms) {
        set_turned(&Q, 0, y, M);
        return;
    }
    set_turned_mass(&Q, s.m, M);
    if (damp[1] != 0) add_turned_mass(&Q, s.m, damp[1], C);
}

#endif
