/* Expressions of the model file, with exact derivatives.

   Grammar: + - * / ^ (right associative; also **), unary minus, parentheses, numbers that may carry a unit
   directly behind them ("0.1 m", "30 deg", "700 N/m", "5mm"), names, functions with 1 to 3 arguments,
   constants pi and e only where no variable has that name. Functions: sin cos tan asin acos atan atan2 sinh
   cosh tanh exp log log10 sqrt abs sign min max hypot pow step (0 below 0, 1 from 0 on) smoothstep(x, x0,
   x1). Names are [A-Za-z_@][A-Za-z0-9_.@]* so that "bar1.E" and "@2.x" are names. */
#ifndef SN_MODEL_EXPR_H
#define SN_MODEL_EXPR_H

#include "base/mem.h"
#include "model/unit.h"

typedef struct sn_expr sn_expr; /* a program, constant after parsing, lives in the arena */

/* A number with its first and second derivative by time, f[0..2], and the derivative of these three along one
   direction in the space of parameters, d[0..2]. */
typedef struct sn_jet {
    double f[3], d[3];
} sn_jet;

/* What a name means: an id >= 0, or -1 for unknown (the lookup itself then adds the report, with
 * did-you-mean). */
typedef int sn_expr_lookup(void *ctx, const char *name, const sn_mark *where, sn_err *err);

/* Parse a scalar's text. `where` is the place of its first character; errors point to the character in
   question. Errors: syntax (what was found, what was expected), unknown function (did you mean), wrong number
   of arguments, unknown unit after a number (did you mean), non-finite number, text too long (> 4096) or
   nested too deep (> 64). */
sn_status sn_expr_parse(sn_arena *arena, const char *text, const sn_mark *where, sn_expr_lookup *lookup,
                        void *ctx, sn_expr **out, sn_err *err);

/* A function that is not one of the expressions' own: the id >= 0 of the variable that its call stands for;
   -1: refused, and reported; -2: there is none of that name. `inside` is the text between the parentheses,
   `length` bytes at the place `where`. */
typedef int sn_expr_call(void *ctx, const char *name, const char *inside, int length, const sn_mark *where,
                         sn_err *err);
/* What names and calls mean. */
typedef struct sn_expr_names {
    sn_expr_lookup *lookup;
    sn_expr_call *call; /* or NULL */
    void *ctx;
} sn_expr_names;
/* sn_expr_parse with such functions. */
sn_status sn_expr_parse_calls(sn_arena *arena, const char *text, const sn_mark *where,
                              const sn_expr_names *names, sn_expr **out, sn_err *err);

/* A program that is a linear combination sum c[i] * (variable id[i]) + c0 (for derived quantities: mesh
 * nodes, placements). */
sn_status sn_expr_linear(sn_arena *arena, int n, const int *id, const double *c, double c0, sn_expr **out);
/* n of them at once, an array: sum of c[k] * (variable id[k] + i) over k < nvar, where the c are 1 together.
 */
sn_status sn_expr_between(sn_arena *arena, int n, int nvar, const int *id, const double *c, sn_expr **out);
/* One of such an array. */
sn_expr *sn_expr_at(sn_expr *e, int i);
/* A program  a + cos(w)*b - sin(w)*c  or, with sine_first, a + sin(w)*b + cos(w)*c; a may be -1 (zero):
 * placement by rotation. */
sn_status sn_expr_rotated(sn_arena *arena, int a, int w, int b, int c, int sine_first, sn_expr **out);

/* A program  a + sum of n products of `width` variables each; a may be -1 (zero). */
sn_status sn_expr_products(sn_arena *arena, int a, int n, int width, const int *id, sn_expr **out);

/* Component i of the axis of a line (class.h) at `at`, of the variables id[0 .. n). It does not vary in time.
 */
struct sn_line_axis;
sn_status sn_expr_axis(sn_arena *arena, const struct sn_line_axis *axis, int i, double at, int n,
                       const int *id, sn_expr **out);
const struct sn_line_axis *sn_expr_axis_of(const sn_expr *e); /* or NULL: it is none */

/* The same program with other variables, id[i] in place of the i-th; the program itself is shared. */
sn_status sn_expr_renamed(sn_arena *arena, const sn_expr *from, const int *id, sn_expr **out);

int sn_expr_nvar(const sn_expr *e);       /* distinct variables */
int sn_expr_var(const sn_expr *e, int i); /* id of the i-th */
int sn_expr_is_number(
    const sn_expr *e); /* a plain number (perhaps with sign and unit): value in sn_expr_value(e, NULL) */

/* x[i] is the value of the i-th distinct variable. No allocation. */
double sn_expr_value(const sn_expr *e, const double *x);
double sn_expr_gradient(const sn_expr *e, const double *x, double *g); /* value; g[i] = d/dx[i] */
void sn_expr_jet(const sn_expr *e, const sn_jet *x, sn_jet *y);

/* Dimension. A quantity's dimension is known, or not (a bare number or a parameter without a unit).
   Literals without unit are pure numbers in products and fit anything in sums and as a whole; variables of
   unknown dimension make products unknown. */
typedef struct sn_dimension {
    int known; /* 0: unknown, fits anything; 1: known; 2: a bare literal (pure in products, fits anything
                  else) */
    sn_dim dim;
} sn_dimension;

/* Dimension of the whole; reports sums of unlike terms, sin(5 mm), x^(2 m) and the like, at their place. x:
 * of the variables. */
sn_status sn_expr_dimension(const sn_expr *e, const sn_dimension *x, sn_dimension *out, sn_err *err);

#endif
