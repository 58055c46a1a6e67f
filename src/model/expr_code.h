/* Inside of sn_expr, shared by its parser (expr.c), its builder (expr_build.c), its evaluation (expr_eval.c)
   and its check of dimensions (expr_dim.c); nobody else includes this.

   A program is a list of operations in postfix order. The result of an operation goes to place `slot` of a
   stack, where its arguments lie at slot, slot + 1, slot + 2; arg[] are the positions in the list that made
   them (for the reverse sweep of the gradient). There are two lists: `full` as written, for dimensions, and
   `run` with constants folded. */
#ifndef SN_MODEL_EXPR_CODE_H
#define SN_MODEL_EXPR_CODE_H

#include "model/expr.h"
#include "sinew/limits.h"

/* The text bounds the operations: each one takes a character of it at least. */
enum { SN_EXPR_TEXT = 4096, SN_EXPR_OPS = SN_EXPR_TEXT, SN_EXPR_STACK = 128, SN_EXPR_DEPTH = 64 };

/* name, number of arguments */
#define SN_OP_LIST(X)                                                                                        \
    X(CONST, 0)                                                                                              \
    X(VAR, 0)                                                                                                \
    X(NEG, 1)                                                                                                \
    X(POWC, 1) /* to a constant power, kept in value */                                                      \
    X(SIN, 1)                                                                                                \
    X(COS, 1)                                                                                                \
    X(TAN, 1)                                                                                                \
    X(ASIN, 1)                                                                                               \
    X(ACOS, 1)                                                                                               \
    X(ATAN, 1)                                                                                               \
    X(SINH, 1)                                                                                               \
    X(COSH, 1)                                                                                               \
    X(TANH, 1)                                                                                               \
    X(EXP, 1)                                                                                                \
    X(LOG, 1)                                                                                                \
    X(LOG10, 1)                                                                                              \
    X(SQRT, 1)                                                                                               \
    X(ABS, 1)                                                                                                \
    X(SIGN, 1)                                                                                               \
    X(STEP, 1)                                                                                               \
    X(ADD, 2)                                                                                                \
    X(SUB, 2)                                                                                                \
    X(MUL, 2)                                                                                                \
    X(DIV, 2)                                                                                                \
    X(POW, 2)                                                                                                \
    X(ATAN2, 2)                                                                                              \
    X(MIN, 2)                                                                                                \
    X(MAX, 2)                                                                                                \
    X(HYPOT, 2)                                                                                              \
    X(SMOOTHSTEP, 3)

typedef enum sn_op_code {
#define X(name, arity) SN_OP_##name,
    SN_OP_LIST(X)
#undef X
} sn_op_code;

typedef struct sn_op {
    unsigned char code, slot;
    short arg[3];
    int var;          /* VAR: which of the distinct variables; CONST: 1 for pi and e */
    int col;          /* offset of its character in the text */
    double value;     /* CONST, POWC */
    sn_dimension dim; /* CONST */
} sn_op;

typedef struct sn_code {
    sn_mark where;
    const sn_op *run, *full;
    int nrun, nfull; /* nfull < 0: it is an sn_axis_code */
} sn_code;

/* In place of a program: component i of the axis of a line at `at`. */
typedef struct sn_axis_code {
    sn_code code;
    const struct sn_line_axis *axis;
    int i;
    double at;
} sn_axis_code;

/* Small: a mesh has some for each of its nodes. */
struct sn_expr {
    const int *var;
    const sn_code *code;
    const double *coef; /* a linear combination has no program: nvar factors, then the constant */
    int nvar, is_number;
};

int sn_op_arity(int code);
double sn_op_value(int code, double c, const double *a); /* of arguments a; c: the value of POWC and CONST */
const char *sn_op_text(int code);                        /* as written in the model file: "+", "sin" */

/* A program under construction. stack[k]: which operation of `run` left its result in slot k. */
typedef struct sn_build {
    sn_op *run, *full;
    int *var;
    int nrun, nfull, nvar, crun, cfull, cvar;
    int sp, stack[SN_EXPR_STACK];
} sn_build;

/* All return SN_ERR_MEMORY, or SN_ERR_INPUT when the stack is full. */
sn_status sn_build_push(sn_build *b, sn_op op);
sn_status sn_build_variable(sn_build *b, int id, int col);
sn_status sn_build_apply(sn_build *b, int code, int col);
sn_status sn_build_finish(const sn_build *b, sn_arena *arena, const sn_mark *where, sn_expr **out);
void sn_build_free(sn_build *b);

#endif
