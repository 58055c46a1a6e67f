/* Adams, Bashforth and Moulton's method of order 4 (predict, evaluate, correct, evaluate) with coordinate
   partitioning; Runge and Kutta's for the first three steps and where the motion has a jump or a kink.

       v_p = v0 + h sum b_j a_-j,    d_p = h sum b_j v_-j      extrapolation of the last four
       v1  = v0 + h sum c_j a_1-j,   d   = h sum c_j v_1-j     with v_p, a_p at the end

   Both times the dependent coordinates and velocities are moved back onto the equations (explicit.h). The
   increment of rotations in space has h^2 sqrt(3)/12 (w x w') besides, w and w' the angular velocities at
   the two points of Gauss (Magnus' expansion), so that it is of order 4, too. Histories are those of all
   coordinates: another choice of the independent ones needs no new start.

   The state keeps velocities and accelerations at the three times before, h apart; after another h they are
   interpolated. */
#include "integrator/explicit.h"

#include <math.h>
#include <string.h>

extern const sn_integrator_class sn_integrator_adams;

/* own: v at t - h, t - 2h, t - 3h; a likewise; which coordinates are independent; how many of the times there
   are, in its first number */
enum { PAST = 3, OWN_V = 0, OWN_A = PAST, OWN_SET = 2 * PAST, OWN_NOTE, OWN_COUNT };

/* h times the frequency of an undamped vibration, below which the method is stable */
static const double limit = 1.2;

typedef struct adams {
    sn_explicit x;
    double *v[PAST], *a[PAST]; /* the times before, for the step's size */
    double *vp, *ap, *dp;      /* predicted */
    double *w0, *w1;           /* at Gauss' points */
    double extrapolate[2][4];  /* to them from t, t - h .. */
    double interpolate[2][4];  /* from t + h, t, t - h .. */
    sn_local_error error;
} adams;

static const double predictor[4] = {55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24},
                    corrector[4] = {9.0 / 24, 19.0 / 24, -5.0 / 24, 1.0 / 24};

/* Lagrange's weights at s for values at first, first - 1 .. */
static void weights(double s, double first, double *w)
{
    for (int i = 0; i < 4; i++) {
        w[i] = 1;
        for (int j = 0; j < 4; j++)
            if (j != i) w[i] *= (s - (first - j)) / (double)(j - i);
    }
}

static void close_(void *self)
{
    adams *s = self;
    if (!s) return;
    for (int k = 0; k < PAST; k++) sn_free(s->v[k]), sn_free(s->a[k]);
    double *const x[] = {s->vp, s->ap, s->dp, s->w0, s->w1};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) sn_free(x[i]);
    sn_explicit_close(&s->x);
    sn_free(s);
}

static sn_status open_(const sn_integration *in, void **self, sn_err *err)
{
    const int n = in->w->m->nv + 1;
    adams *s;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    double **const x[] = {&s->vp,   &s->ap,   &s->dp,   &s->w0,   &s->w1,  &s->v[0],
                          &s->v[1], &s->v[2], &s->a[0], &s->a[1], &s->a[2]};
    sn_status status = SN_OK;
    for (size_t i = 0; i < sizeof x / sizeof *x && !status; i++)
        if (!SN_NEW(*x[i], n)) status = SN_OUT_OF_MEM(err);
    if (!status) status = sn_explicit_open(in, &s->x, err);
    if (status) {
        close_(s);
        return status;
    }
    for (int k = 0; k < 2; k++) {
        const double at = 0.5 + (k ? 1 : -1) * sqrt(3) / 6;
        weights(at, 0, s->extrapolate[k]), weights(at, 1, s->interpolate[k]);
    }
    *self = s;
    return SN_OK;
}

static sn_status begin(void *self, sn_state *x, sn_err *err)
{
    adams *s = self;
    const sn_model *m = s->x.w->m;
    for (int k = 0; k < OWN_COUNT; k++) memset(x->own[k], 0, sizeof(double) * (size_t)m->nv);
    SN_TRY(sn_explicit_begin(&s->x, x, limit, err));
    return sn_explicit_choose(&s->x, x, 1, x->own[OWN_SET], err);
}

/* The times before into s->v and s->a, for a step of size h; how many of them there are. */
static int recall(adams *s, const sn_state *x0, double h)
{
    const int nv = s->x.w->m->nv;
    int known = nv ? (int)x0->own[OWN_NOTE][0] : 0;
    const double ratio = x0->h > 0 ? h / x0->h : 0;
    const int same = fabs(ratio - 1) <= 1e-9;
    if (!same && (known < PAST || ratio > 1.5 || ratio < 0.1)) known = 0;
    for (int k = 0; k < known; k++) {
        double w[4] = {0};
        if (same)
            w[k + 1] = 1;
        else
            weights(-(k + 1) * ratio, 0, w);
        const double *const *o = (const double *const *)x0->own;
        for (int i = 0; i < nv; i++) {
            s->v[k][i] =
                w[0] * x0->v[i] + w[1] * o[OWN_V][i] + w[2] * o[OWN_V + 1][i] + w[3] * o[OWN_V + 2][i];
            s->a[k][i] =
                w[0] * x0->a[i] + w[1] * o[OWN_A][i] + w[2] * o[OWN_A + 1][i] + w[3] * o[OWN_A + 2][i];
        }
    }
    return known;
}

/* x1's history: that of x0 and x0 itself, known of the times before x0 and x1's own size of step. */
static void remember(const adams *s, const sn_state *x0, int known, sn_state *x1)
{
    const size_t bytes = sizeof(double) * (size_t)s->x.w->m->nv;
    memcpy(x1->own[OWN_V], x0->v, bytes), memcpy(x1->own[OWN_A], x0->a, bytes);
    for (int k = 1; k < PAST; k++) {
        memcpy(x1->own[OWN_V + k], s->v[k - 1], bytes), memcpy(x1->own[OWN_A + k], s->a[k - 1], bytes);
        if (k <= known) continue;
        memset(x1->own[OWN_V + k], 0, bytes), memset(x1->own[OWN_A + k], 0, bytes);
    }
    memset(x1->own[OWN_NOTE], 0, bytes);
    if (bytes) x1->own[OWN_NOTE][0] = known < PAST ? known + 1 : PAST;
}

/* Whether what the motion does over four or five times, the last one first, is no polynomial: the highest
   difference is more than half of the lowest ones. A jump is one as long as it is within. */
static int rough(const adams *s, int n, const double *const *a, const double *const *v)
{
    static const double binomial[2][5] = {{1, -3, 3, -1, 0}, {1, -4, 6, -4, 1}};
    const sn_model *m = s->x.w->m;
    const double *size = s->x.size, *b = binomial[n - 4];
    double highest = 0, lowest = 0, all = 0;
    for (int i = 0; i < m->nv; i++) {
        const double *const *y = m->order_of[i] == 1 ? v : a;
        double high = 0, low = 0;
        for (int k = 0; k < n; k++) high += b[k] * y[k][i], all = fmax(all, fabs(y[k][i]) * size[i]);
        for (int k = 1; k < n; k++) low = fmax(low, fabs(y[k][i] - y[k - 1][i]));
        highest = fmax(highest, fabs(high) * size[i]), lowest = fmax(lowest, low * size[i]);
    }
    return highest > 0.5 * lowest && highest > 1e-9 * all;
}

/* d = h sum of weights times v, and what rotations have besides. */
static void increment(adams *s, double h, const double *w, double to_gauss[2][4], const double *const *v,
                      double *d)
{
    const int nv = s->x.w->m->nv;
    for (int i = 0; i < nv; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += w[k] * v[k][i];
        d[i] = h * sum;
    }
    d[nv] = 0;
    for (int t = 0; t < s->x.n_turn; t++)
        for (int i = s->x.turn[t]; i < s->x.turn[t] + 3; i++) {
            s->w0[i] = s->w1[i] = 0;
            for (int k = 0; k < 4; k++)
                s->w0[i] += to_gauss[0][k] * v[k][i], s->w1[i] += to_gauss[1][k] * v[k][i];
        }
    sn_explicit_add_bracket(&s->x, h * h * sqrt(3) / 12, s->w0, s->w1, d);
}

/* x1, whose time is known, by d and velocities v0 + h sum of weights times a. */
static sn_status arrive(adams *s, const sn_state *x0, const double *w, const double *const *a, double *d,
                        sn_state *x1, sn_err *err)
{
    sn_explicit *x = &s->x;
    const double *set = x0->own[OWN_SET];
    for (int i = 0; i < x->w->m->nv; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += w[k] * a[k][i];
        x1->v[i] = x0->v[i] + x1->h * sum;
    }
    SN_TRY(sn_explicit_fit(x, set, x0, d, x1, err));
    SN_TRY(sn_explicit_fit_rates(x, set, x1, err));
    return SN_OK;
}

/* *smooth: 0 where the step must be made otherwise. */
static sn_status predict_correct(adams *s, const sn_state *x0, double h, sn_state *x1, int *smooth,
                                 sn_err *err)
{
    sn_explicit *x = &s->x;
    const int nv = x->w->m->nv;
    const size_t bytes = sizeof(double) * (size_t)nv;
    const double *const a[] = {s->ap, x0->a, s->a[0], s->a[1], s->a[2]}, *const v[] = {s->vp, x0->v, s->v[0],
                                                                                       s->v[1], s->v[2]};
    *smooth = !rough(s, 4, a + 1, v + 1);
    if (!*smooth) return SN_OK;
    x1->t = x0->t + h, x1->h = h;
    SN_TRY(sn_explicit_time(x, x1->t, err));
    increment(s, h, predictor, s->extrapolate, v + 1, s->dp);
    SN_TRY(arrive(s, x0, predictor, a + 1, s->dp, x1, err));
    SN_TRY(sn_explicit_rates(x, x1, err));
    memcpy(s->vp, x1->v, bytes), memcpy(s->ap, x1->a, bytes);
    *smooth = !rough(s, 5, a, v);
    if (!*smooth) return SN_OK;
    increment(s, h, corrector, s->interpolate, v, x->d);
    SN_TRY(arrive(s, x0, corrector, a, x->d, x1, err));
    /* Milne's device */
    s->error = (sn_local_error){0};
    for (int i = 0; i < nv; i++) {
        s->error.now = fmax(s->error.now, 19.0 / 270 * fabs(x->d[i] - s->dp[i]) * x->size[i]);
        if (x->w->m->order_of[i] != 1)
            s->error.now = fmax(s->error.now, 19.0 / 270 * h * fabs(x1->v[i] - s->vp[i]) * x->size[i]);
    }
    s->error.ahead = s->error.now;
    return SN_OK;
}

static sn_status make_step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    adams *s = self;
    sn_explicit *x = &s->x;
    const sn_model *m = x->w->m;
    const double *set = x0->own[OWN_SET];
    const int known = recall(s, x0, h);
    int smooth = 0;
    if (known == PAST) SN_TRY(predict_correct(s, x0, h, x1, &smooth, err));
    if (!smooth) SN_TRY(sn_explicit_runge_kutta(x, x0, h, set, x1, &s->error, err));
    memcpy(x1->own[OWN_SET], set, sizeof *set * (size_t)m->nv);
    /* by the factors of the velocities' fit */
    SN_TRY(sn_explicit_choose(x, x1, 0, x1->own[OWN_SET], err));
    if (smooth) SN_TRY(sn_explicit_rates(x, x1, err));
    remember(s, x0, known, x1);
    return SN_OK;
}

static sn_status step(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err)
{
    const int before = sn_err_count(err);
    return sn_explicit_failed(&((adams *)self)->x, make_step(self, x0, h, x1, err), before, h, limit, err);
}

static sn_local_error error(void *self) { return ((adams *)self)->error; }

static void restart(void *self) { sn_explicit_restart(&((adams *)self)->x); }

static const sn_scheme schemes[] = {
    {"adams", "Adams-Bashforth-Moulton of order 4 with coordinate partitioning: for rigid and soft systems",
     NULL, NULL},
    {.name = NULL}};

const sn_integrator_class sn_integrator_adams = {
    .name = "adams",
    .doc = "Adams, Bashforth and Moulton's method with coordinate partitioning",
    .schemes = schemes,
    .history = OWN_COUNT,
    .order = 4,
    .open = open_,
    .begin = begin,
    .step = step,
    .error = error,
    .restart = restart,
    .close = close_,
};
