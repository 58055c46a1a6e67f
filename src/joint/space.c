/* Spatial joints as lists of primitive equations: constants, residual, tangent, rates and derivatives by the
   joint's numbers, for any list. See space.h.

   The axes x, y that belong to the axis z: x = z x e / |z x e| with e the first global axis that is not near
   z, y = z x x. */
#include "joint/space.h"

static const double place_tol = 1e-9; /* relative distance at which a joint still sits on a point */

double sn_space_unit(const double *w, double *u)
{
    double l = sqrt(sn_dot3(w, w));
    for (int i = 0; i < 3; i++) u[i] = l > 0 ? w[i] / l : 0;
    return l;
}

void sn_space_dunit(const double *u, double length, const double *dw, double *du)
{
    double along = sn_dot3(u, dw);
    for (int i = 0; i < 3; i++) du[i] = (dw[i] - u[i] * along) / length;
}

static void helper(const double *z, double *e)
{
    int k = fabs(z[0]) < 0.6 ? 0 : fabs(z[1]) < 0.6 ? 1 : 2;
    for (int i = 0; i < 3; i++) e[i] = i == k;
}

void sn_space_triad(const double *z, double *x, double *y)
{
    double e[3], w[3];
    helper(z, e);
    sn_cross3(z, e, w);
    sn_space_unit(w, x);
    sn_cross3(z, x, y);
}

void sn_space_dtriad(const double *z, const double *x, const double *dz, double *dx, double *dy)
{
    double e[3], w[3], dw[3], u[3];
    helper(z, e);
    sn_cross3(z, e, w);
    sn_cross3(dz, e, dw);
    sn_space_dunit(x, sn_space_unit(w, u), dw, dx);
    sn_cross3(dz, x, u);
    sn_cross3(z, dx, dy);
    for (int i = 0; i < 3; i++) dy[i] += u[i];
}

sn_status sn_space_layout(const sn_space *j, sn_layout *l, sn_err *err)
{
    (void)err;
    l->nc = SN_SPACE_NC;
    l->m = j->n;
    l->vector =
        j->n > 2 && j->eq[0].form == SN_ALONG && j->eq[1].form == SN_ALONG && j->eq[2].form == SN_ALONG;
    for (int i = 0; i < j->n; i++) {
        l->component[i] = j->eq[i].name;
        l->unit[i] = j->eq[i].unit;
    }
    return SN_OK;
}

/* s_i = at - X_i; a point carries no arm */
static sn_status place(const sn_space *j, const sn_in *in, double *c, sn_err *err)
{
    const double *at = j->at >= 0 ? in->s + j->at : in->X + in->off[1];
    double size = sqrt(sn_dot3(at, at));
    for (int i = 0; i < 2; i++) size = fmax(size, sqrt(sn_dot3(in->X + in->off[i], in->X + in->off[i])));
    for (int i = 0; i < 2; i++) {
        const double *X = in->X + in->off[i];
        double *s = c + 3 * i;
        for (int k = 0; k < 3; k++) s[k] = at[k] - X[k];
        if (sn_is_frame(in->view, i)) continue;
        if (sqrt(sn_dot3(s, s)) > place_tol * size)
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "node %d has no rotation, so the joint must sit on it: it is at (%g, %g, %g), the "
                           "node at (%g, %g, %g)",
                           i + 1, at[0], at[1], at[2], X[0], X[1], X[2]);
        s[0] = s[1] = s[2] = 0;
    }
    return SN_OK;
}

sn_status sn_space_prepare(const sn_space *j, const sn_in *in, double *c, sn_err *err)
{
    double *axis = c + SN_SPACE_AXES, *length = c + SN_SPACE_LENGTH;
    for (int i = 0; i < SN_SPACE_NC; i++) c[i] = 0;
    SN_TRY(place(j, in, c, err));
    axis[0] = axis[4] = axis[8] = length[0] = length[1] = 1;
    if (j->axis >= 0) {
        length[0] = sn_space_unit(in->s + j->axis, axis + 6);
        if (!(length[0] > 0))
            return sn_fail(err, SN_ERR_INPUT, NULL, "the axis has no direction: it is (0, 0, 0)");
        sn_space_triad(axis + 6, axis, axis + 3);
    }
    if (j->axis2 >= 0) length[1] = sn_space_unit(in->s + j->axis2, axis + 9);
    if (!(length[1] > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL, "the second axis has no direction: it is (0, 0, 0)");
    return SN_OK;
}

void sn_space_dconstants(const sn_space *j, const sn_in *in, int index, double *dc)
{
    const double *axis = in->c + SN_SPACE_AXES, *length = in->c + SN_SPACE_LENGTH;
    double dw[3] = {0, 0, 0}, *da = dc + SN_SPACE_AXES;
    for (int i = 0; i < SN_SPACE_NC; i++) dc[i] = 0;
    for (int i = 0; i < 2; i++) {
        /* both arms follow the joint's place, each goes against its own node */
        int own = index - in->ns - in->off[i], at = j->at >= 0 ? index - j->at : index - in->ns - in->off[1];
        if (!sn_is_frame(in->view, i)) continue;
        if (at >= 0 && at < 3) dc[3 * i + at] += 1;
        if (own >= 0 && own < 3) dc[3 * i + own] -= 1;
    }
    if (j->axis >= 0 && index >= j->axis && index < j->axis + 3) {
        dw[index - j->axis] = 1;
        sn_space_dunit(axis + 6, length[0], dw, da + 6);
        sn_space_dtriad(axis + 6, axis, da + 6, da, da + 3);
    } else if (j->axis2 >= 0 && index >= j->axis2 && index < j->axis2 + 3) {
        dw[index - j->axis2] = 1;
        sn_space_dunit(axis + 9, length[1], dw, da + 9);
    }
}

void sn_space_pair(const sn_in *in, sn_pair *p)
{
    double *R[2] = {p->R1, p->R2}, u[3];
    p->nv = in->nv;
    for (int i = 0; i < 2; i++) {
        static const double none[4] = {1, 0, 0, 0};
        int frame = sn_is_frame(in->view, i);
        p->x[i] = in->offv[i];
        p->th[i] = frame ? in->offv[i] + 3 : -1;
        sn_quat_matrix(frame ? in->q + in->off[i] + 3 : none, R[i]);
    }
    for (int k = 0; k < 3; k++) {
        p->dx[k] = in->q[in->off[1] + k] - in->q[in->off[0] + k];
        p->s1[k] = in->c[SN_SPACE_S1 + k];
        p->s2[k] = in->c[SN_SPACE_S2 + k];
    }
    sn_tmatmul3(p->R1, p->R2, p->Q);
    sn_tmul3(p->R1, p->dx, p->w);
    sn_mul3(p->Q, p->s2, u);
    for (int k = 0; k < 3; k++) p->w[k] += u[k];
}

/* One equation with axes D of body 1 and E of body 2. */
static void row_of(const sn_equation *q, const sn_pair *p, const double *D, const double *E, sn_row *r)
{
    const double *a = D + 3 * q->a, *b = E + 3 * q->b;
    if (q->form == SN_ALONG) {
        const double e[3] = {q->a == 0, q->a == 1, q->a == 2};
        sn_pair_along(p, e, r);
    } else if (q->form == SN_WITHIN) {
        sn_pair_within(p, a, r);
    } else {
        sn_pair_square(p, a, b, r);
        /* axes that are not square to each other keep their angle */
        if (q->form == SN_SQUARE && q->b == 3) r->phi -= sn_dot3(a, b);
        if (q->form == SN_SKEW) {
            sn_row other;
            sn_pair_square(p, D + 3 * q->b, E + 3 * q->a, &other);
            sn_row_add(-1, &other, r);
            sn_row half = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
            sn_row_add(0.5, r, &half);
            *r = half;
        }
    }
}

/* The values alone: residuals are asked for more often than gradients. */
static void values(const sn_space *j, const sn_pair *p, const double *axis, double *phi)
{
    double apart[3], u[3], v[3];
    sn_mul3(p->R1, p->s1, u);
    sn_mul3(p->R2, p->s2, v);
    for (int k = 0; k < 3; k++) apart[k] = p->dx[k] + v[k] - u[k];
    for (int i = 0; i < j->n; i++) {
        const sn_equation *q = &j->eq[i];
        const double *a = axis + 3 * q->a, *b = axis + 3 * q->b;
        if (q->form == SN_ALONG) {
            phi[i] = apart[q->a];
        } else if (q->form == SN_WITHIN) {
            phi[i] = sn_dot3(a, p->w) - sn_dot3(a, p->s1);
        } else {
            sn_mul3(p->Q, b, u);
            sn_mul3(p->Q, a, v);
            phi[i] = sn_dot3(a, u);
            if (q->form == SN_SQUARE && q->b == 3) phi[i] -= sn_dot3(a, b);
            if (q->form == SN_SKEW) phi[i] = 0.5 * (phi[i] - sn_dot3(b, v));
        }
    }
}

/* The equations' sum, weighted by multipliers: one direction for each form and axis of body 2. */
typedef struct bundle {
    double along[3], within[3], square[4][3];
    int any_along, any_within, used[4];
} bundle;

static void collect(const sn_space *j, const double *axis, const double *lam, bundle *y)
{
    memset(y, 0, sizeof *y);
    for (int i = 0; i < j->n; i++) {
        const sn_equation *q = &j->eq[i];
        const double *a = axis + 3 * q->a, *b = axis + 3 * q->b;
        if (q->form == SN_ALONG) {
            y->along[q->a] += lam[i], y->any_along = 1;
        } else if (q->form == SN_WITHIN) {
            for (int k = 0; k < 3; k++) y->within[k] += lam[i] * a[k];
            y->any_within = 1;
        } else {
            double f = q->form == SN_SKEW ? 0.5 * lam[i] : lam[i];
            for (int k = 0; k < 3; k++) y->square[q->b][k] += f * a[k];
            for (int k = 0; k < 3 && q->form == SN_SKEW; k++) y->square[q->a][k] -= f * b[k];
            y->used[q->b] = 1;
            if (q->form == SN_SKEW) y->used[q->a] = 1;
        }
    }
}

static void reaction(const bundle *y, const sn_pair *p, const double *axis, double *r)
{
    sn_row sum = {.phi = 0}, one;
    if (y->any_along) sn_pair_along(p, y->along, &sum);
    if (y->any_within) sn_pair_within(p, y->within, &one), sn_row_add(1, &one, &sum);
    for (int b = 0; b < 4; b++)
        if (y->used[b]) sn_pair_square(p, y->square[b], axis + 3 * b, &one), sn_row_add(1, &one, &sum);
    sn_row_put(p, 1, &sum, r);
}

/* K += second derivatives */
static void curvature(const bundle *y, const sn_pair *p, const double *axis, double *K)
{
    if (y->any_along) sn_pair_along_K(p, y->along, K);
    if (y->any_within) sn_pair_within_K(p, y->within, K);
    for (int b = 0; b < 4; b++)
        if (y->used[b]) sn_pair_square_K(p, y->square[b], axis + 3 * b, K);
}

sn_status sn_space_eval(const sn_space *j, const sn_in *in, sn_joint_out *out)
{
    const double *axis = in->c + SN_SPACE_AXES;
    bundle y;
    sn_pair p;
    sn_space_pair(in, &p);
    collect(j, axis, in->lam, &y);
    reaction(&y, &p, axis, out->r);
    values(j, &p, axis, out->phi);
    if (out->B) memset(out->B, 0, sizeof *out->B * (size_t)(j->n * in->nv));
    for (int i = 0; out->B && i < j->n; i++) {
        sn_row r;
        row_of(&j->eq[i], &p, axis, axis, &r);
        sn_row_put(&p, 1, &r, out->B + i * in->nv);
    }
    if (out->K) curvature(&y, &p, axis, out->K);
    return SN_OK;
}

sn_status sn_space_rate(const sn_space *j, const sn_in *in, double *phi_t, double *gamma)
{
    sn_pair p;
    sn_space_pair(in, &p);
    for (int i = 0; i < j->n; i++) {
        double K[SN_PAIR_MAX * SN_PAIR_MAX] = {0}, lam[6] = {0};
        bundle y;
        lam[i] = 1;
        collect(j, in->c + SN_SPACE_AXES, lam, &y);
        curvature(&y, &p, in->c + SN_SPACE_AXES, K);
        phi_t[i] = 0;
        gamma[i] = sn_pair_bend(&p, K, in->v);
    }
    return SN_OK;
}

sn_status sn_space_dparam(const sn_space *j, const sn_in *in, int index, double *dr, double *dphi)
{
    const double *axis = in->c + SN_SPACE_AXES;
    double dc[SN_SPACE_NC];
    const double *da = dc + SN_SPACE_AXES;
    sn_pair p, dp;
    sn_space_pair(in, &p);
    sn_space_dconstants(j, in, index, dc);
    /* the same bodies with the change of the arms in place of the arms, and nothing between them */
    dp = p;
    memset(dp.dx, 0, sizeof dp.dx);
    memcpy(dp.s1, dc + SN_SPACE_S1, sizeof dp.s1);
    memcpy(dp.s2, dc + SN_SPACE_S2, sizeof dp.s2);
    sn_mul3(p.Q, dp.s2, dp.w);
    for (int i = 0; i < j->n; i++) {
        const sn_equation *q = &j->eq[i];
        sn_row sum = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, r;
        if (q->form == SN_ALONG || q->form == SN_WITHIN) {
            row_of(q, &dp, axis, axis, &r);
            /* the direction of the force does not change with the arms */
            memset(r.x, 0, sizeof r.x);
            sn_row_add(1, &r, &sum);
        } else {
            row_of(q, &p, axis, da, &r);
            sn_row_add(1, &r, &sum);
        }
        if (q->form != SN_ALONG) {
            row_of(q, &p, da, axis, &r);
            sn_row_add(1, &r, &sum);
        }
        dphi[i] += sum.phi;
        sn_row_put(&p, in->lam[i], &sum, dr);
    }
    return SN_OK;
}

/* By the axis, and by the arms with nothing else between the bodies. */
void sn_space_dway(const sn_in *in, const sn_pair *p, const double *dc, sn_row *r)
{
    sn_pair dp = *p;
    sn_row arms;
    sn_pair_within(p, dc + SN_SPACE_AXES + 6, r);
    memcpy(dp.s1, dc + SN_SPACE_S1, sizeof dp.s1);
    memcpy(dp.s2, dc + SN_SPACE_S2, sizeof dp.s2);
    sn_mul3(p->Q, dp.s2, dp.w);
    sn_pair_within(&dp, in->c + SN_SPACE_AXES + 6, &arms);
    memset(arms.x, 0, sizeof arms.x);
    sn_row_add(1, &arms, r);
}
