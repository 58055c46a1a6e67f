/* Programs of expressions: the builder that folds constants, and those programs that need no text. */
#include "model/expr_code.h"
#include "sinew/class.h"

#include <string.h>

int sn_op_arity(int code)
{
    static const signed char arity[] = {
#define X(name, n) n,
        SN_OP_LIST(X)
#undef X
    };
    return arity[code];
}

void sn_build_free(sn_build *b)
{
    sn_free(b->run);
    sn_free(b->full);
    sn_free(b->var);
}

/* Room for one more operation in both lists; SN_ERR_INPUT: the stack is full. */
static sn_status build_room(sn_build *b)
{
    if (b->sp >= SN_EXPR_STACK || b->nfull >= SN_EXPR_OPS) return SN_ERR_INPUT;
    SN_TRY(sn_grow(&b->run, &b->crun, b->nrun + 1, sizeof *b->run));
    return sn_grow(&b->full, &b->cfull, b->nfull + 1, sizeof *b->full);
}

sn_status sn_build_push(sn_build *b, sn_op op)
{
    SN_TRY(build_room(b));
    op.slot = (unsigned char)b->sp;
    b->full[b->nfull++] = op;
    b->run[b->nrun] = op;
    b->stack[b->sp++] = b->nrun++;
    return SN_OK;
}

sn_status sn_build_variable(sn_build *b, int id, int col)
{
    int i = 0;
    while (i < b->nvar && b->var[i] != id) i++;
    if (i == b->nvar) {
        SN_TRY(sn_grow(&b->var, &b->cvar, b->nvar + 1, sizeof *b->var));
        b->var[b->nvar++] = id;
    }
    return sn_build_push(b, (sn_op){.code = SN_OP_VAR, .var = i, .col = col});
}

/* Apply an operation to the top of the stack. Constant arguments, one operation each, are the last ones of
 * `run`. */
sn_status sn_build_apply(sn_build *b, int code, int col)
{
    int n = sn_op_arity(code), constant = 1, last = b->stack[b->sp - 1];
    double a[3] = {0};
    sn_op op = {.code = (unsigned char)code, .col = col};
    b->sp -= n;
    op.slot = (unsigned char)b->sp;
    SN_TRY(build_room(b));
    b->full[b->nfull++] = op;
    for (int k = 0; k < n; k++) {
        op.arg[k] = (short)b->stack[b->sp + k];
        a[k] = b->run[op.arg[k]].value;
        constant &= b->run[op.arg[k]].code == SN_OP_CONST;
    }
    if (constant) {
        op.value = sn_op_value(code, 0, a);
        op.code = SN_OP_CONST;
        b->nrun -= n;
    } else if (code == SN_OP_POW && b->run[last].code == SN_OP_CONST) {
        op.code = SN_OP_POWC;
        op.value = b->run[last].value;
        b->nrun--;
    }
    b->run[b->nrun] = op;
    b->stack[b->sp++] = b->nrun++;
    return SN_OK;
}

static void *keep(sn_arena *arena, const void *from, int n, size_t size)
{
    void *p = sn_arena_alloc(arena, (size_t)n, size);
    if (p && n) memcpy(p, from, (size_t)n * size);
    return p;
}

/* Copy the finished program into the arena. */
sn_status sn_build_finish(const sn_build *b, sn_arena *arena, const sn_mark *where, sn_expr **out)
{
    sn_expr *e = sn_arena_alloc(arena, 1, sizeof *e);
    sn_code *code = sn_arena_alloc(arena, 1, sizeof *code);
    if (!e || !code) return SN_ERR_MEMORY;
    if (where) code->where = *where;
    code->nrun = b->nrun, code->nfull = b->nfull, e->nvar = b->nvar;
    code->run = keep(arena, b->run, b->nrun, sizeof *b->run);
    code->full = keep(arena, b->full, b->nfull, sizeof *b->full);
    e->code = code;
    e->var = keep(arena, b->var, b->nvar, sizeof *b->var);
    if (!code->run || !code->full || !e->var) return SN_ERR_MEMORY;
    /* a literal, perhaps with a sign; the constants pi and e count as names */
    e->is_number = b->full[0].code == SN_OP_CONST && b->full[0].var == 0;
    for (int i = 1; i < b->nfull; i++) e->is_number &= b->full[i].code == SN_OP_NEG;
    *out = e;
    return SN_OK;
}

sn_status sn_expr_linear(sn_arena *arena, int n, const int *id, const double *c, double c0, sn_expr **out)
{
    sn_expr *e = sn_arena_alloc(arena, 1, sizeof *e);
    int *var = sn_arena_alloc(arena, (size_t)n, sizeof *var);
    double *coef = sn_arena_alloc(arena, (size_t)n + 1, sizeof *coef);
    if (!e || !var || !coef) return SN_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < e->nvar && var[k] != id[i]) k++;
        if (k == e->nvar) var[e->nvar++] = id[i];
        coef[k] += c[i];
    }
    coef[e->nvar] = c0;
    e->var = var, e->coef = coef;
    e->is_number = n == 0;
    *out = e;
    return SN_OK;
}

sn_status sn_expr_between(sn_arena *arena, int n, int nvar, const int *id, const double *c, sn_expr **out)
{
    int own = 0; /* different ones */
    sn_expr *e = sn_arena_alloc(arena, (size_t)n, sizeof *e);
    int *var = sn_arena_alloc(arena, (size_t)(n * nvar), sizeof *var);
    double *coef = sn_arena_alloc(arena, (size_t)nvar + 1, sizeof *coef);
    if (!e || !var || !coef) return SN_ERR_MEMORY;
    for (int k = 0; k < nvar; k++) {
        int at = 0;
        while (at < own && var[at] != id[k]) at++;
        if (at == own) var[own++] = id[k];
        coef[at] += c[k];
    }
    if (own == 1) coef[0] = 1;
    for (int i = 0; i < n; i++) {
        int *mine = var + (size_t)i * (size_t)own;
        for (int k = 0; k < own; k++) mine[k] = var[k] + i;
        e[i] = (sn_expr){.var = mine, .coef = coef, .nvar = own};
    }
    *out = e;
    return SN_OK;
}

static sn_status rotated(sn_build *b, int a, int w, int first, int second, int sine_first)
{
    if (a >= 0) SN_TRY(sn_build_variable(b, a, 0));
    SN_TRY(sn_build_variable(b, w, 0));
    SN_TRY(sn_build_apply(b, sine_first ? SN_OP_SIN : SN_OP_COS, 0));
    SN_TRY(sn_build_variable(b, first, 0));
    SN_TRY(sn_build_apply(b, SN_OP_MUL, 0));
    if (a >= 0) SN_TRY(sn_build_apply(b, SN_OP_ADD, 0));
    SN_TRY(sn_build_variable(b, w, 0));
    SN_TRY(sn_build_apply(b, sine_first ? SN_OP_COS : SN_OP_SIN, 0));
    SN_TRY(sn_build_variable(b, second, 0));
    SN_TRY(sn_build_apply(b, SN_OP_MUL, 0));
    return sn_build_apply(b, sine_first ? SN_OP_ADD : SN_OP_SUB, 0);
}

sn_status sn_expr_rotated(sn_arena *arena, int a, int w, int b, int c, int sine_first, sn_expr **out)
{
    sn_build code = {0};
    sn_status s = rotated(&code, a, w, b, c, sine_first);
    if (s == SN_OK) s = sn_build_finish(&code, arena, NULL, out);
    sn_build_free(&code);
    return s;
}

static sn_status products(sn_build *b, int a, int n, int width, const int *id)
{
    if (a >= 0) SN_TRY(sn_build_variable(b, a, 0));
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < width; k++) {
            SN_TRY(sn_build_variable(b, id[i * width + k], 0));
            if (k) SN_TRY(sn_build_apply(b, SN_OP_MUL, 0));
        }
        if (i || a >= 0) SN_TRY(sn_build_apply(b, SN_OP_ADD, 0));
    }
    return SN_OK;
}

sn_status sn_expr_products(sn_arena *arena, int a, int n, int width, const int *id, sn_expr **out)
{
    sn_build code = {0};
    sn_status s = products(&code, a, n, width, id);
    if (s == SN_OK) s = sn_build_finish(&code, arena, NULL, out);
    sn_build_free(&code);
    return s;
}

sn_status sn_expr_renamed(sn_arena *arena, const sn_expr *from, const int *id, sn_expr **out)
{
    sn_expr *e = keep(arena, from, 1, sizeof *from);
    if (!e || !(e->var = keep(arena, id, from->nvar, sizeof *id))) return SN_ERR_MEMORY;
    *out = e;
    return SN_OK;
}

sn_status sn_expr_axis(sn_arena *arena, const sn_line_axis *axis, int i, double at, int n, const int *id,
                       sn_expr **out)
{
    sn_expr *e = sn_arena_alloc(arena, 1, sizeof *e);
    sn_axis_code *code = sn_arena_alloc(arena, 1, sizeof *code);
    if (!e || !code || !(e->var = keep(arena, id, n, sizeof *id))) return SN_ERR_MEMORY;
    *code = (sn_axis_code){.code.nfull = -1, .axis = axis, .i = i, .at = at};
    e->code = &code->code, e->nvar = n;
    *out = e;
    return SN_OK;
}

const sn_line_axis *sn_expr_axis_of(const sn_expr *e)
{
    return e->code && e->code->nfull < 0 ? ((const sn_axis_code *)e->code)->axis : NULL;
}

sn_expr *sn_expr_at(sn_expr *e, int i) { return e + i; }

int sn_expr_nvar(const sn_expr *e) { return e->nvar; }

int sn_expr_var(const sn_expr *e, int i) { return e->var[i]; }

int sn_expr_is_number(const sn_expr *e) { return e->is_number; }
