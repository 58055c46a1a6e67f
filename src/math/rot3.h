/* Rotations in space: vectors of 3, matrices 3x3 row-major, unit quaternions (w, x, y, z).

   R exp(d~) is the rotation R followed by d in body axes. With d moved by dd, the body variation of exp(d~)
   is T(d) dd: T = 1 - (1-cos)/t^2 d~ + (t-sin)/t^3 d~^2, t = |d| (series near 0), and T^-1 = 1 + d~/2 +
   (1/t^2 - 1/(2 t tan(t/2))) d~^2. */
#ifndef SN_MATH_ROT3_H
#define SN_MATH_ROT3_H

#include <math.h>
#include <string.h>

static inline double sn_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sn_cross3(const double *a, const double *b, double *c)
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y, c[2] = z;
}

/* S = a~, so that S b = a x b */
static inline void sn_skew3(const double *a, double *S)
{
    const double s[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    memcpy(S, s, sizeof s);
}

static inline void sn_mul3(const double *A, const double *x, double *y) /* y = A x */
{
    double r[3];
    for (int i = 0; i < 3; i++) r[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
    memcpy(y, r, sizeof r);
}

static inline void sn_tmul3(const double *A, const double *x, double *y) /* y = A' x */
{
    double r[3];
    for (int i = 0; i < 3; i++) r[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
    memcpy(y, r, sizeof r);
}

static inline void sn_matmul3(const double *A, const double *B, double *C) /* C = A B */
{
    double r[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    memcpy(C, r, sizeof r);
}

static inline void sn_tmatmul3(const double *A, const double *B, double *C) /* C = A' B */
{
    double r[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
    memcpy(C, r, sizeof r);
}

static inline void sn_quat_matrix(const double *p, double *R)
{
    double w = p[0], x = p[1], y = p[2], z = p[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, r, sizeof r);
}

static inline void sn_quat_mul(const double *a, const double *b, double *c)
{
    const double r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                         a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(c, r, sizeof r);
}

/* exp(d~) as a quaternion */
static inline void sn_quat_exp(const double *d, double *p)
{
    double t2 = sn_dot3(d, d), t = sqrt(t2), h = 0.5 * t;
    double s = t > 1e-4 ? sin(h) / t : 0.5 - t2 / 48 + t2 * t2 / 3840;
    p[0] = cos(h);
    for (int i = 0; i < 3; i++) p[1 + i] = s * d[i];
}

/* The rotation vector of a unit quaternion, of length at most pi */
static inline void sn_quat_log(const double *p, double *d)
{
    double n = sqrt(sn_dot3(p + 1, p + 1)), w = p[0], sign = w < 0 ? -1 : 1;
    /* 2 atan2(n, |w|) / n */
    double f = n > 1e-6 ? 2 * atan2(n, fabs(w)) / n : 2 / fabs(w) * (1 - n * n / (3 * w * w));
    for (int i = 0; i < 3; i++) d[i] = sign * f * p[1 + i];
}

/* T = 1 + a d~ + b d~^2 */
static inline void sn_tangent_form(const double *d, double a, double b, double *T)
{
    double t2 = sn_dot3(d, d), S[9];
    sn_skew3(d, S);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T[3 * i + j] = (i == j) * (1 - b * t2) + a * S[3 * i + j] + b * d[i] * d[j];
}

static inline void sn_rot3_T(const double *d, double *T)
{
    double t2 = sn_dot3(d, d), t = sqrt(t2);
    double a = t > 1e-2 ? (1 - cos(t)) / t2 : 0.5 - t2 / 24 + t2 * t2 / 720 - t2 * t2 * t2 / 40320;
    double b =
        t > 1e-2 ? (t - sin(t)) / (t2 * t) : 1.0 / 6 - t2 / 120 + t2 * t2 / 5040 - t2 * t2 * t2 / 362880;
    sn_tangent_form(d, -a, b, T);
}

/* D = derivative of T(d) w by d. With T w = w - a d x w + b d x (d x w) and a', b' the derivatives of a, b by
   t^2/2: D e = -a e x w + b (e x (d x w) + d x (e x w)) + (d.e) (-a' d x w + b' d x (d x w)). */
static inline void sn_rot3_dT(const double *d, const double *w, double *D)
{
    double t2 = sn_dot3(d, d), t = sqrt(t2), a, b, a1, b1, dw[3], ddw[3];
    if (t > 0.1) {
        a = (1 - cos(t)) / t2, b = (t - sin(t)) / (t2 * t);
        a1 = (sin(t) / t - 2 * a) / t2, b1 = ((1 - cos(t)) / t2 - 3 * b) / t2;
    } else {
        a = 0.5 - t2 / 24 + t2 * t2 / 720 - t2 * t2 * t2 / 40320;
        b = 1.0 / 6 - t2 / 120 + t2 * t2 / 5040 - t2 * t2 * t2 / 362880;
        a1 = -1.0 / 12 + t2 / 180 - t2 * t2 / 6720 + t2 * t2 * t2 / 453600;
        b1 = -1.0 / 60 + t2 / 1260 - t2 * t2 / 60480 + t2 * t2 * t2 / 4989600;
    }
    sn_cross3(d, w, dw);
    sn_cross3(d, dw, ddw);
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, ew[3], edw[3], dew[3];
        sn_cross3(e, w, ew);
        sn_cross3(e, dw, edw);
        sn_cross3(d, ew, dew);
        for (int i = 0; i < 3; i++)
            D[3 * i + j] = -a * ew[i] + b * (edw[i] + dew[i]) + d[j] * (b1 * ddw[i] - a1 * dw[i]);
    }
}

static inline double sn_rot3_Tinv_b(double t2)
{
    double t = sqrt(t2);
    if (t < 1e-1)
        return 1.0 / 12 + t2 / 720 + t2 * t2 / 30240 + t2 * t2 * t2 / 1209600 + t2 * t2 * t2 * t2 / 47900160;
    return 1 / t2 - 1 / (2 * t * tan(0.5 * t));
}

static inline void sn_rot3_Tinv(const double *d, double *T)
{
    sn_tangent_form(d, 0.5, sn_rot3_Tinv_b(sn_dot3(d, d)), T);
}

/* Rows `row`.. and columns `col`.. of a matrix with n columns: += f A */
static inline void sn_block3(double *M, int n, int row, int col, double f, const double *A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) M[(row + i) * n + col + j] += f * A[3 * i + j];
}

/* A frame, x, y, z and a unit quaternion, moved by d: x, y, z along global axes and a rotation vector in its
   own axes. */
static inline void sn_frame3_retract(const double *q, const double *d, double *q1)
{
    double p[4], n;
    for (int k = 0; k < 3; k++) q1[k] = q[k] + d[k];
    sn_quat_exp(d + 3, p);
    sn_quat_mul(q + 3, p, p);
    /* rounding only: keep the quaternion of unit length */
    n = 1 / sqrt(p[0] * p[0] + sn_dot3(p + 1, p + 1));
    for (int k = 0; k < 4; k++) q1[3 + k] = n * p[k];
}

#endif
