/* Shared by the tests of expressions: a few names, their look-up, a parse that must succeed, random numbers.
 */
#ifndef SN_TEST_EXPR_H
#define SN_TEST_EXPR_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/expr.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"x", "y", "z", "k", "m", "bar1.E", "@2.x", "t"};
enum { NNAME = sizeof names / sizeof *names };
/* Knows `names`; a context of "e" adds a variable of that name. */
static inline int lookup(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    for (int i = 0; i < NNAME; i++)
        if (!strcmp(name, names[i])) return i;
    if (ctx && !strcmp(name, ctx)) return NNAME;
    sn_fail(err, SN_ERR_INPUT, where, "unknown name '%s'", name);
    return -1;
}

static inline sn_expr *parse(sn_arena *a, const char *text)
{
    static sn_err err;
    sn_mark where = {"a.yaml", NULL, 7, 11};
    sn_expr *e = NULL;
    sn_err_clear(&err);
    if (sn_expr_parse(a, text, &where, lookup, NULL, &e, &err) != SN_OK)
        fail_msg("'%s': %s", text, err.report[0].text);
    return e;
}

static inline double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24);
}

#endif
