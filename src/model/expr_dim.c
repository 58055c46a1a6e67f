/* Dimensions of expressions.

   A bare literal is a pure number in products and takes the dimension of its partner in sums; functions that
   give a pure number (sin, exp, sign, step ...) give a bare one, so that 0.1*sin(tilt) may be a length. A sum
   of a known and an unknown term is known, a product of them is unknown. Powers: the base may have a
   dimension when the exponent is a constant. Exponents of base units are real numbers on the way
   (sqrt(E)*sqrt(I) is fine); a whole with broken or very large exponents counts as unknown. All faults are
   reported, each at its operator or function. */
#include "model/expr_code.h"

#include <math.h>
#include <stdio.h>

enum { UNKNOWN = 0, KNOWN = 1, BARE = 2 };

typedef struct quantity {
    int known, constant;
    double value; /* when constant */
    double e[3];  /* exponents of m, kg, s */
} quantity;

typedef struct check {
    const sn_expr *expr;
    sn_err *err;
    sn_status status;
} check;

static int whole_dim(const quantity *q, sn_dim *d)
{
    for (int k = 0; k < 3; k++)
        if (fabs(q->e[k]) > 127 || fabs(q->e[k] - rint(q->e[k])) > 1e-9) return 0;
    *d = (sn_dim){(signed char)rint(q->e[0]), (signed char)rint(q->e[1]), (signed char)rint(q->e[2])};
    return 1;
}

static int same(const quantity *a, const quantity *b)
{
    for (int k = 0; k < 3; k++)
        if (fabs(a->e[k] - b->e[k]) > 1e-9) return 0;
    return 1;
}

static int has_dimension(const quantity *q)
{
    const quantity pure = {0};
    return q->known == KNOWN && !same(q, &pure);
}

static const char *words(const quantity *q, char *out, size_t size)
{
    sn_dim d;
    if (whole_dim(q, &d))
        sn_dim_text(d, out, size);
    else
        snprintf(out, size, "m^%g*kg^%g*s^%g", q->e[0], q->e[1], q->e[2]);
    return out;
}

static sn_mark place(const check *c, const sn_op *o)
{
    sn_mark m = c->expr->code ? c->expr->code->where : (sn_mark){.line = 0};
    m.col += o->col;
    return m;
}

/* The common dimension of two terms. */
static quantity unify(check *c, const sn_op *o, const quantity *a, const quantity *b)
{
    char ta[96], tb[96];
    if (a->known == KNOWN && b->known == KNOWN && !same(a, b)) {
        sn_mark m = place(c, o);
        c->status =
            sn_fail(c->err, SN_ERR_INPUT, &m, "'%s' joins %s and %s, which are not of the same dimension",
                    sn_op_text(o->code), words(a, ta, sizeof ta), words(b, tb, sizeof tb));
        return (quantity){0};
    }
    if (a->known == KNOWN) return *a;
    if (b->known == KNOWN) return *b;
    return a->known == UNKNOWN ? *a : *b;
}

/* a times b to the power s. */
static quantity product(const quantity *a, double s, const quantity *b)
{
    quantity q = {0};
    if (a->known == UNKNOWN || b->known == UNKNOWN) return q;
    q.known = a->known == BARE && b->known == BARE ? BARE : KNOWN;
    for (int k = 0; k < 3; k++)
        q.e[k] = (a->known == KNOWN ? a->e[k] : 0) + (b->known == KNOWN ? s * b->e[k] : 0);
    return q;
}

static quantity power(check *c, const sn_op *o, const quantity *a, const quantity *b)
{
    char t[96];
    const quantity one = {.known = BARE};
    sn_mark m = place(c, o);
    if (has_dimension(b)) {
        c->status = sn_fail(c->err, SN_ERR_INPUT, &m, "an exponent must be a pure number, not %s",
                            words(b, t, sizeof t));
        return (quantity){0};
    }
    if (has_dimension(a) && !b->constant) {
        c->status = sn_fail(c->err, SN_ERR_INPUT, &m, "a base in %s needs a constant exponent",
                            words(a, t, sizeof t));
        return (quantity){0};
    }
    if (!has_dimension(a)) return (quantity){.known = a->known};
    return isfinite(b->value) ? product(&one, b->value, a) : (quantity){0};
}

/* Functions whose argument must be a pure number, and whose result is one. */
static quantity pure(check *c, const sn_op *o, const quantity *a)
{
    char t[96];
    sn_mark m = place(c, o);
    if (has_dimension(a))
        c->status = sn_fail(c->err, SN_ERR_INPUT, &m, "%s takes a pure number or an angle, not %s",
                            sn_op_text(o->code), words(a, t, sizeof t));
    return (quantity){.known = BARE};
}

static quantity apply(check *c, const sn_op *o, const quantity *a)
{
    const quantity bare = {.known = BARE};
    quantity q;
    switch (o->code) {
    case SN_OP_NEG:
    case SN_OP_ABS:
        return a[0];
    case SN_OP_ADD:
    case SN_OP_SUB:
    case SN_OP_MIN:
    case SN_OP_MAX:
    case SN_OP_HYPOT:
        return unify(c, o, &a[0], &a[1]);
    case SN_OP_MUL:
        return product(&a[0], 1, &a[1]);
    case SN_OP_DIV:
        return product(&a[0], -1, &a[1]);
    case SN_OP_POW:
        return power(c, o, &a[0], &a[1]);
    case SN_OP_SQRT:
        return product(&bare, 0.5, &a[0]);
    case SN_OP_SIGN:
    case SN_OP_STEP:
        return bare;
    case SN_OP_ATAN2:
        unify(c, o, &a[0], &a[1]);
        return bare;
    case SN_OP_SMOOTHSTEP:
        q = unify(c, o, &a[0], &a[1]);
        unify(c, o, &q, &a[2]);
        return bare;
    }
    return pure(c, o, a);
}

/* A sum of variables with pure coefficients. */
static quantity linear(check *c, const sn_dimension *x)
{
    const sn_op plus = {.code = SN_OP_ADD};
    quantity sum = {.known = BARE};
    for (int i = 0; i < c->expr->nvar; i++) {
        quantity q = {.known = x[i].known, .e = {x[i].dim.m, x[i].dim.kg, x[i].dim.s}};
        sum = unify(c, &plus, &sum, &q);
    }
    return sum;
}

static quantity program(check *c, const sn_dimension *x)
{
    quantity s[SN_EXPR_STACK + 3] = {{0}};
    const sn_code *code = c->expr->code;
    for (const sn_op *o = code->full, *end = o + code->nfull; o < end; o++) {
        quantity *a = s + o->slot, q;
        if (o->code == SN_OP_VAR || o->code == SN_OP_CONST) {
            sn_dimension d = o->code == SN_OP_VAR ? x[o->var] : o->dim;
            q = (quantity){.known = d.known, .e = {d.dim.m, d.dim.kg, d.dim.s}};
            q.constant = o->code == SN_OP_CONST, q.value = o->value;
        } else {
            double v[3] = {0};
            int constant = 1, n = sn_op_arity(o->code);
            for (int k = 0; k < n; k++) v[k] = a[k].value, constant &= a[k].constant;
            q = apply(c, o, a);
            q.constant = constant, q.value = constant ? sn_op_value(o->code, 0, v) : 0;
        }
        *a = q;
    }
    return s[0];
}

sn_status sn_expr_dimension(const sn_expr *e, const sn_dimension *x, sn_dimension *out, sn_err *err)
{
    check c = {.expr = e, .err = err, .status = SN_OK};
    if (sn_expr_axis_of(e)) {
        *out = (sn_dimension){UNKNOWN, {0, 0, 0}};
        return SN_OK;
    }
    quantity q = e->coef ? linear(&c, x) : program(&c, x);
    *out = (sn_dimension){q.known, {0, 0, 0}};
    if (q.known != KNOWN || !whole_dim(&q, &out->dim)) out->known = q.known == BARE ? BARE : UNKNOWN;
    return c.status;
}
