/* Values, gradients and jets of expressions.

   Gradient: one forward sweep for the values, one reverse sweep for the adjoints. Jet: Taylor arithmetic of
   second order in time with one direction of parameters beside it. For u with derivatives u1, u2 in time, and
   a dot for the derivative along the direction, a function g(u) has f1 = g' u1,  f2 = g'' u1^2 + g' u2,  d0 =
   g' ud0,  d1 = g'' ud0 u1 + g' ud1, d2 = g''' ud0 u1^2 + 2 g'' u1 ud1 + g'' ud0 u2 + g' ud2. Griewank and
   Walther, Evaluating Derivatives, chapters 3 and 13. Kinks: a jet at the kink of abs, min or max is that of
   the branch in force just after this time, in all terms of an expression alike, so that a smooth function
   put together of branches keeps its derivative where they meet; without time the mean of both branches is
   taken. sign and step have derivative 0, hypot and atan2 have derivative 0 at the origin. Infinite slopes
   met by a zero increment give 0. */
#include "model/expr_code.h"
#include "sinew/class.h"

#include <math.h>
#include <string.h>

static double pow_term(double coef, double u, double p) { return coef == 0 ? 0 : coef * pow(u, p); }

static double smooth(double s) { return s <= 0 ? 0 : s >= 1 ? 1 : s * s * (3 - 2 * s); }

/* Place of x between x0 and x1; a ramp without length is a step. */
static double between(const double *a)
{
    double w = a[2] - a[1];
    return w == 0 ? (a[0] >= a[1] ? 1 : 0) : (a[0] - a[1]) / w;
}

static double unary_value(int code, double c, double u)
{
    switch (code) {
    case SN_OP_NEG:
        return -u;
    case SN_OP_POWC:
        return pow(u, c);
    case SN_OP_SIN:
        return sin(u);
    case SN_OP_COS:
        return cos(u);
    case SN_OP_TAN:
        return tan(u);
    case SN_OP_ASIN:
        return asin(u);
    case SN_OP_ACOS:
        return acos(u);
    case SN_OP_ATAN:
        return atan(u);
    case SN_OP_SINH:
        return sinh(u);
    case SN_OP_COSH:
        return cosh(u);
    case SN_OP_TANH:
        return tanh(u);
    case SN_OP_EXP:
        return exp(u);
    case SN_OP_LOG:
        return log(u);
    case SN_OP_LOG10:
        return log10(u);
    case SN_OP_SQRT:
        return sqrt(u);
    case SN_OP_ABS:
        return fabs(u);
    case SN_OP_SIGN:
        return u > 0 ? 1 : u < 0 ? -1 : u;
    case SN_OP_STEP:
        return u >= 0 ? 1 : u < 0 ? 0 : u;
    }
    return NAN;
}

double sn_op_value(int code, double c, const double *a)
{
    switch (code) {
    case SN_OP_CONST:
        return c;
    case SN_OP_ADD:
        return a[0] + a[1];
    case SN_OP_SUB:
        return a[0] - a[1];
    case SN_OP_MUL:
        return a[0] * a[1];
    case SN_OP_DIV:
        return a[0] / a[1];
    case SN_OP_POW:
        return pow(a[0], a[1]);
    case SN_OP_ATAN2:
        return atan2(a[0], a[1]);
    case SN_OP_MIN:
        return a[0] <= a[1] || isnan(a[0]) ? a[0] : a[1];
    case SN_OP_MAX:
        return a[0] >= a[1] || isnan(a[0]) ? a[0] : a[1];
    case SN_OP_HYPOT:
        return hypot(a[0], a[1]);
    case SN_OP_SMOOTHSTEP:
        return smooth(between(a));
    }
    return unary_value(code, c, a[0]);
}

/* Circular and hyperbolic functions: value and three derivatives. */
static int circular(int code, double u, double g[4])
{
    double s, c, p;
    switch (code) {
    case SN_OP_SIN:
        s = sin(u), c = cos(u), g[0] = s, g[1] = c, g[2] = -s, g[3] = -c;
        return 1;
    case SN_OP_COS:
        s = sin(u), c = cos(u), g[0] = c, g[1] = -s, g[2] = -c, g[3] = s;
        return 1;
    case SN_OP_SINH:
        s = sinh(u), c = cosh(u), g[0] = g[2] = s, g[1] = g[3] = c;
        return 1;
    case SN_OP_COSH:
        s = sinh(u), c = cosh(u), g[0] = g[2] = c, g[1] = g[3] = s;
        return 1;
    case SN_OP_TAN:
        s = tan(u), p = 1 + s * s;
        g[0] = s, g[1] = p, g[2] = 2 * s * p, g[3] = 2 * p * (1 + 3 * s * s);
        return 1;
    case SN_OP_TANH:
        s = tanh(u), c = 1 / cosh(u), p = c * c;
        g[0] = s, g[1] = p, g[2] = -2 * s * p, g[3] = -2 * p * (1 - 3 * s * s);
        return 1;
    case SN_OP_ASIN:
    case SN_OP_ACOS:
        s = code == SN_OP_ASIN ? 1 : -1, p = 1 / ((1 - u) * (1 + u)), c = s * sqrt(p);
        g[0] = unary_value(code, 0, u), g[1] = c, g[2] = c * u * p, g[3] = c * p * (1 + 3 * u * u * p);
        return 1;
    case SN_OP_ATAN:
        p = 1 / (1 + u * u);
        g[0] = atan(u), g[1] = p, g[2] = -2 * u * p * p, g[3] = p * p * (8 * u * u * p - 2);
        return 1;
    }
    return 0;
}

/* g(u), g', g'', g''' of any function of one argument. */
static void unary(int code, double c, double u, double g[4])
{
    double k = 1;
    if (circular(code, u, g)) return;
    g[0] = unary_value(code, c, u);
    g[1] = g[2] = g[3] = 0;
    switch (code) {
    case SN_OP_NEG:
        g[1] = -1;
        break;
    case SN_OP_ABS:
        g[1] = (u > 0) - (u < 0);
        break;
    case SN_OP_EXP:
        g[1] = g[2] = g[3] = g[0];
        break;
    case SN_OP_LOG10:
        k = 0.43429448190325182765; /* 1/ln 10 */ /* fallthrough */
    case SN_OP_LOG:
        g[1] = k / u, g[2] = -g[1] / u, g[3] = -2 * g[2] / u;
        break;
    case SN_OP_SQRT:
        g[1] = 0.5 / g[0], g[2] = -0.5 * g[1] / u, g[3] = -1.5 * g[2] / u;
        break;
    case SN_OP_POWC:
        g[1] = pow_term(c, u, c - 1);
        g[2] = pow_term(c * (c - 1), u, c - 2);
        g[3] = pow_term(c * (c - 1) * (c - 2), u, c - 3);
        break;
    case SN_OP_SMOOTHSTEP: /* of the place between the ends */
        g[0] = smooth(u);
        if (u > 0 && u < 1) g[1] = 6 * u * (1 - u), g[2] = 6 - 12 * u, g[3] = -12;
        break;
    }
}

/* Its component of the axis; *d: the derivative by x[index]. NAN: there is none. */
static double on_axis(const sn_code *code, const double *x, int index, double *d)
{
    const sn_axis_code *c = (const sn_axis_code *)code;
    double y[SN_AXIS_MOST] = {0}, dy[SN_AXIS_MOST] = {0};
    const sn_status s = c->axis->at(x, index, c->at, y, d ? dy : NULL);
    if (d) *d = s ? NAN : dy[c->i];
    return s ? NAN : y[c->i];
}

double sn_expr_value(const sn_expr *e, const double *x)
{
    double s[SN_EXPR_STACK + 3];
    if (sn_expr_axis_of(e)) return on_axis(e->code, x, -1, NULL);
    if (e->coef) {
        double sum = e->coef[e->nvar];
        for (int i = 0; i < e->nvar; i++) sum += e->coef[i] * x[i];
        return sum;
    }
    for (const sn_op *o = e->code->run, *end = o + e->code->nrun; o < end; o++)
        s[o->slot] = o->code == SN_OP_VAR ? x[o->var] : sn_op_value(o->code, o->value, s + o->slot);
    return s[0];
}

/* Partial derivatives p of one operation with arguments a and value v. */
static void partials(const sn_op *o, const double *a, double v, double *p)
{
    double g[4], h, w, s;
    switch (o->code) {
    case SN_OP_ADD:
        p[0] = p[1] = 1;
        return;
    case SN_OP_SUB:
        p[0] = 1, p[1] = -1;
        return;
    case SN_OP_MUL:
        p[0] = a[1], p[1] = a[0];
        return;
    case SN_OP_DIV:
        p[0] = 1 / a[1], p[1] = -v / a[1];
        return;
    case SN_OP_POW:
        p[0] = pow_term(a[1], a[0], a[1] - 1);
        p[1] = a[0] == 0 && a[1] > 0 ? 0 : v * log(a[0]);
        return;
    case SN_OP_HYPOT:
        p[0] = v == 0 ? 0 : a[0] / v, p[1] = v == 0 ? 0 : a[1] / v;
        return;
    case SN_OP_ATAN2:
        h = hypot(a[0], a[1]);
        p[0] = h == 0 ? 0 : a[1] / h / h, p[1] = h == 0 ? 0 : -a[0] / h / h;
        return;
    case SN_OP_MIN:
    case SN_OP_MAX:
        s = o->code == SN_OP_MIN ? a[1] - a[0] : a[0] - a[1];
        p[0] = s == 0 ? 0.5 : s > 0 || isnan(a[0]), p[1] = 1 - p[0];
        return;
    case SN_OP_SMOOTHSTEP:
        w = a[2] - a[1], s = between(a);
        unary(SN_OP_SMOOTHSTEP, 0, s, g);
        p[0] = w == 0 ? 0 : g[1] / w, p[1] = p[0] * (s - 1), p[2] = -p[0] * s;
        if (p[0] == 0) p[1] = p[2] = 0;
        return;
    }
    unary(o->code, o->value, a[0], g);
    p[0] = g[1];
}

double sn_expr_gradient(const sn_expr *e, const double *x, double *g)
{
    double v[SN_EXPR_OPS], adj[SN_EXPR_OPS], a[3] = {0}, p[3] = {0};
    if (e->coef) {
        memcpy(g, e->coef, (size_t)e->nvar * sizeof *g);
        return sn_expr_value(e, x);
    }
    if (sn_expr_axis_of(e)) {
        for (int i = 0; i < e->nvar; i++) on_axis(e->code, x, i, &g[i]);
        return sn_expr_value(e, x);
    }
    for (int i = 0; i < e->nvar; i++) g[i] = 0;
    for (int i = 0; i < e->code->nrun; i++) {
        const sn_op *o = e->code->run + i;
        for (int k = 0; k < sn_op_arity(o->code); k++) a[k] = v[o->arg[k]];
        v[i] = o->code == SN_OP_VAR ? x[o->var] : sn_op_value(o->code, o->value, a);
        adj[i] = 0;
    }
    adj[e->code->nrun - 1] = 1;
    /* what does not move the result is skipped, so that no infinite slope of it can spoil the sum */
    for (int i = e->code->nrun - 1; i >= 0; i--) {
        const sn_op *o = e->code->run + i;
        int n = sn_op_arity(o->code);
        if (adj[i] == 0) continue;
        if (o->code == SN_OP_VAR) g[o->var] += adj[i];
        if (n == 0) continue;
        for (int k = 0; k < n; k++) a[k] = v[o->arg[k]];
        partials(o, a, v[i], p);
        for (int k = 0; k < n; k++) adj[o->arg[k]] += adj[i] * p[k];
    }
    return v[e->code->nrun - 1];
}

/* Product in which a zero increment wins over an infinite slope. */
static double slope(double g, double du) { return du == 0 ? 0 : g * du; }

static void jet_unary(const double g[4], const sn_jet *u, sn_jet *y)
{
    const sn_jet q = *u;
    const double *f = q.f, *d = q.d;
    y->f[0] = g[0];
    y->f[1] = slope(g[1], f[1]);
    y->f[2] = slope(g[2], f[1] * f[1]) + slope(g[1], f[2]);
    y->d[0] = slope(g[1], d[0]);
    y->d[1] = slope(g[2], d[0] * f[1]) + slope(g[1], d[1]);
    y->d[2] =
        slope(g[3], d[0] * f[1] * f[1]) + slope(g[2], 2 * f[1] * d[1] + d[0] * f[2]) + slope(g[1], d[2]);
}

static void jet_add(sn_jet *a, double s, const sn_jet *b)
{
    for (int i = 0; i < 3; i++) a->f[i] += s * b->f[i], a->d[i] += s * b->d[i];
}

static void jet_mul(sn_jet *a, const sn_jet *b)
{
    const sn_jet q = *a;
    const double *f = q.f, *d = q.d, *g = b->f, *e = b->d;
    a->f[0] = f[0] * g[0];
    a->f[1] = f[1] * g[0] + f[0] * g[1];
    a->f[2] = f[2] * g[0] + 2 * f[1] * g[1] + f[0] * g[2];
    a->d[0] = d[0] * g[0] + f[0] * e[0];
    a->d[1] = d[1] * g[0] + d[0] * g[1] + f[1] * e[0] + f[0] * e[1];
    a->d[2] = d[2] * g[0] + 2 * d[1] * g[1] + d[0] * g[2] + f[2] * e[0] + 2 * f[1] * e[1] + f[0] * e[2];
}

/* q = a/b from q b = a, differentiated term by term and solved for the highest derivative of q. */
static void jet_div(sn_jet *a, const sn_jet *b)
{
    const double *g = b->f, *e = b->d;
    double *f = a->f, *d = a->d, r = g[0];
    f[0] /= r;
    f[1] = (f[1] - f[0] * g[1]) / r;
    f[2] = (f[2] - 2 * f[1] * g[1] - f[0] * g[2]) / r;
    d[0] = (d[0] - f[0] * e[0]) / r;
    d[1] = (d[1] - d[0] * g[1] - f[0] * e[1] - f[1] * e[0]) / r;
    d[2] = (d[2] - d[0] * g[2] - 2 * d[1] * g[1] - f[0] * e[2] - 2 * f[1] * e[1] - f[2] * e[0]) / r;
}

/* Powers: a fixed exponent is exact at any base, a moving one goes through exp(b log a). */
static void jet_pow(sn_jet *a, const sn_jet *b)
{
    double g[4], value = pow(a->f[0], b->f[0]);
    if (b->f[1] == 0 && b->f[2] == 0 && b->d[0] == 0 && b->d[1] == 0 && b->d[2] == 0) {
        unary(SN_OP_POWC, b->f[0], a->f[0], g);
        jet_unary(g, a, a);
        return;
    }
    unary(SN_OP_LOG, 0, a->f[0], g);
    jet_unary(g, a, a);
    jet_mul(a, b);
    g[0] = g[1] = g[2] = g[3] = value;
    jet_unary(g, a, a);
}

/* hypot and atan2 through log(x + iy) = log h + i theta. With c = dz/z = r + iw for each derivative of z:
   theta1 = w1, theta2 = Im(c2 - c1^2), its change along the direction likewise; h1 = h r1, h2 = h (r2 +
   w1^2). */
static void jet_polar(const sn_jet *x, const sn_jet *y, int angle, sn_jet *out)
{
    double h = hypot(x->f[0], y->f[0]), s = h == 0 ? 0 : 1 / h, c = s * x->f[0], n = s * y->f[0];
    double r[3], w[3], rd[3], wd[3];
    for (int i = 0; i < 3; i++) {
        r[i] = s * (c * x->f[i] + n * y->f[i]), w[i] = s * (c * y->f[i] - n * x->f[i]);
        rd[i] = s * (c * x->d[i] + n * y->d[i]), wd[i] = s * (c * y->d[i] - n * x->d[i]);
    }
    if (angle) {
        out->f[0] = atan2(y->f[0], x->f[0]);
        out->f[1] = w[1];
        out->f[2] = w[2] - 2 * r[1] * w[1];
        out->d[0] = wd[0];
        out->d[1] = wd[1] - (rd[0] * w[1] + wd[0] * r[1]);
        out->d[2] = wd[2] - 2 * (rd[1] * w[1] + wd[1] * r[1]) - (rd[0] * w[2] + wd[0] * r[2]) +
                    2 * (wd[0] * (r[1] * r[1] - w[1] * w[1]) + 2 * rd[0] * r[1] * w[1]);
        return;
    }
    out->f[0] = h;
    out->f[1] = h * r[1];
    out->f[2] = h * (r[2] + w[1] * w[1]);
    out->d[0] = h * rd[0];
    out->d[1] = h * (rd[1] + wd[0] * w[1]);
    out->d[2] = h * (rd[2] + 2 * wd[1] * w[1] + wd[0] * w[2] - 2 * r[1] * w[1] * wd[0] - rd[0] * w[1] * w[1]);
}

static void jet_smoothstep(sn_jet *a)
{
    double g[4], x[3] = {a[0].f[0], a[1].f[0], a[2].f[0]}, s = between(x);
    unary(SN_OP_SMOOTHSTEP, 0, s, g);
    if (s > 0 && s < 1) {
        jet_add(&a[0], -1, &a[1]);
        jet_add(&a[2], -1, &a[1]);
        jet_div(&a[0], &a[2]);
        jet_unary(g, &a[0], &a[0]);
    } else {
        a[0] = (sn_jet){{g[0], 0, 0}, {0, 0, 0}};
    }
}

/* The sign that u has just after this time; 0: it stays 0 */
static int sign_ahead(const sn_jet *u)
{
    for (int i = 0; i < 3; i++)
        if (u->f[i] != 0) return u->f[i] > 0 ? 1 : -1;
    return 0;
}

static void jet_abs(sn_jet *u)
{
    double g[4] = {fabs(u->f[0]), sign_ahead(u)};
    jet_unary(g, u, u);
}

static void jet_extreme(int code, sn_jet *a)
{
    sn_jet u = a[0];
    jet_add(&u, -1, &a[1]);
    int sign = code == SN_OP_MAX ? sign_ahead(&u) : -sign_ahead(&u);
    if (isnan(a[1].f[0]) && !isnan(a[0].f[0])) sign = -1;
    if (isnan(a[0].f[0]) || sign > 0) return;
    if (sign < 0) a[0] = a[1];
    for (int i = 0; i < 3 && sign == 0; i++) a[0].d[i] -= 0.5 * u.d[i];
}

/* One operation on the arguments a[0], a[1], ...; the result takes the place of the first. */
static void jet_apply(const sn_op *o, sn_jet *a)
{
    double g[4];
    sn_jet polar;
    switch (o->code) {
    case SN_OP_CONST:
        a[0] = (sn_jet){{o->value, 0, 0}, {0, 0, 0}};
        return;
    case SN_OP_ADD:
        jet_add(a, 1, a + 1);
        return;
    case SN_OP_SUB:
        jet_add(a, -1, a + 1);
        return;
    case SN_OP_MUL:
        jet_mul(a, a + 1);
        return;
    case SN_OP_DIV:
        jet_div(a, a + 1);
        return;
    case SN_OP_POW:
        jet_pow(a, a + 1);
        return;
    case SN_OP_HYPOT:
        jet_polar(a, a + 1, 0, &polar), a[0] = polar;
        return;
    case SN_OP_ATAN2:
        jet_polar(a + 1, a, 1, &polar), a[0] = polar;
        return;
    case SN_OP_SMOOTHSTEP:
        jet_smoothstep(a);
        return;
    case SN_OP_MIN:
    case SN_OP_MAX:
        jet_extreme(o->code, a);
        return;
    case SN_OP_ABS:
        jet_abs(a);
        return;
    }
    unary(o->code, o->value, a->f[0], g);
    jet_unary(g, a, a);
}

static void jet_on_axis(const sn_expr *e, const sn_jet *x, sn_jet *y)
{
    double v[SN_MAX_VARIABLES], g;
    for (int i = 0; i < e->nvar; i++) v[i] = x[i].f[0];
    *y = (sn_jet){{sn_expr_value(e, v), 0, 0}, {0, 0, 0}};
    for (int i = 0; i < e->nvar; i++) {
        if (x[i].d[0] == 0) continue;
        on_axis(e->code, v, i, &g);
        y->d[0] += g * x[i].d[0];
    }
}

void sn_expr_jet(const sn_expr *e, const sn_jet *x, sn_jet *y)
{
    sn_jet s[SN_EXPR_STACK + 3];
    if (sn_expr_axis_of(e)) {
        jet_on_axis(e, x, y);
        return;
    }
    if (e->coef) {
        sn_jet sum = {{e->coef[e->nvar], 0, 0}, {0, 0, 0}};
        for (int i = 0; i < e->nvar; i++) jet_add(&sum, e->coef[i], &x[i]);
        *y = sum;
        return;
    }
    for (const sn_op *o = e->code->run, *end = o + e->code->nrun; o < end; o++) {
        if (o->code == SN_OP_VAR)
            s[o->slot] = x[o->var];
        else
            jet_apply(o, s + o->slot);
    }
    *y = s[0];
}
