/* Expressions: parser and program builder. The grammar is in expr.h, the program's form in expr_code.h.

   sum := term {(+|-) term}, term := sign {(*|/) sign}, sign := {+|-} power, power := primary [(^|**) sign],
   so -x^2 is -(x^2), 2^-x is allowed and ^ goes from right to left. A unit belongs to the number before it as
   far as its names are known units: "5 N*m" is one quantity, "2 m*k" is (2 m)*k, "2*m" a variable. A unit's
   power is an integer, and "^" behind a number with a unit needs parentheses. inf and nan are refused
   wherever they are written; a result that is not finite is left to the caller. A number keeps no decimal
   point on its way to strtod (its digits and an exponent only), so no locale matters. The name of pi and e is
   looked up first, with no place for a report, and taken as the constant where it is unknown. */
#include "model/expr_code.h"
#include "model/item.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

static const struct {
    const char *name;
    int code, nmin, nmax;
} function[] = {
    {"sin", SN_OP_SIN, 1, 1},     {"cos", SN_OP_COS, 1, 1},
    {"tan", SN_OP_TAN, 1, 1},     {"asin", SN_OP_ASIN, 1, 1},
    {"acos", SN_OP_ACOS, 1, 1},   {"atan", SN_OP_ATAN, 1, 1},
    {"atan2", SN_OP_ATAN2, 2, 2}, {"sinh", SN_OP_SINH, 1, 1},
    {"cosh", SN_OP_COSH, 1, 1},   {"tanh", SN_OP_TANH, 1, 1},
    {"exp", SN_OP_EXP, 1, 1},     {"log", SN_OP_LOG, 1, 1},
    {"log10", SN_OP_LOG10, 1, 1}, {"sqrt", SN_OP_SQRT, 1, 1},
    {"abs", SN_OP_ABS, 1, 1},     {"sign", SN_OP_SIGN, 1, 1},
    {"min", SN_OP_MIN, 2, 3},     {"max", SN_OP_MAX, 2, 3},
    {"hypot", SN_OP_HYPOT, 2, 2}, {"pow", SN_OP_POW, 2, 2},
    {"step", SN_OP_STEP, 1, 1},   {"smoothstep", SN_OP_SMOOTHSTEP, 3, 3},
};
enum { NFUNCTION = sizeof function / sizeof *function };

const char *sn_op_text(int code)
{
    switch (code) {
    case SN_OP_NEG:
    case SN_OP_SUB:
        return "-";
    case SN_OP_ADD:
        return "+";
    case SN_OP_MUL:
        return "*";
    case SN_OP_DIV:
        return "/";
    case SN_OP_POW:
        return "^";
    }
    for (int i = 0; i < NFUNCTION; i++)
        if (function[i].code == code) return function[i].name;
    return "?";
}

typedef struct parser {
    const char *text;
    int at, depth;
    sn_mark where;
    sn_expr_names names;
    sn_err *err;
    sn_build code;
} parser;

static sn_mark mark_at(const parser *p, int col)
{
    sn_mark m = p->where;
    m.col += col;
    return m;
}

#define FAIL_AT(p, column, ...)                                                                              \
    do {                                                                                                     \
        sn_mark fail_mark = mark_at((p), (column));                                                          \
        return sn_fail((p)->err, SN_ERR_INPUT, &fail_mark, __VA_ARGS__);                                     \
    } while (0)

/* Add to the program, and say so when that fails. */
static sn_status emitted(const parser *p, sn_status s, int col)
{
    if (s == SN_ERR_MEMORY) return SN_OUT_OF_MEM(p->err);
    if (s != SN_OK) FAIL_AT(p, col, "expression nested too deep");
    return SN_OK;
}

/* What the lookup has reported. */
static sn_status refused(const parser *p)
{
    return p->err && p->err->status == SN_ERR_MEMORY ? SN_ERR_MEMORY : SN_ERR_INPUT;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_name_start(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '@';
}

static int name_length(const char *s)
{
    int n = 0;
    if (is_name_start(*s))
        while (is_name_start(s[n]) || is_digit(s[n]) || s[n] == '.') n++;
    return n;
}

static const char *skip(parser *p)
{
    p->at += (int)strspn(p->text + p->at, " \t\r\n");
    return p->text + p->at;
}

/* The thing at the head of s in words: a name, a number, a character, the end. */
static const char *found(const char *s, char *out, size_t size)
{
    unsigned char c = (unsigned char)*s;
    int n = name_length(s), more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 0, whole = 1;
    for (int i = 1; i <= more && whole; i++) whole = ((unsigned char)s[i] & 0xc0) == 0x80;
    if (is_digit(*s)) n = (int)strspn(s, "0123456789.");
    if (n == 0) n = 1 + more;
    if (c == 0)
        snprintf(out, size, "the end");
    else if (c < 32 || c == 127 || (c >= 0x80 && (more == 0 || !whole)))
        snprintf(out, size, "byte 0x%02x", c);
    else
        snprintf(out, size, "'%.*s'", n > 40 ? 40 : n, s);
    return out;
}

/* Length of the number at the head of s, 0 for none; its value rounded once from its digits. */
static int read_number(const char *s, double *value)
{
    char digits[SN_EXPR_TEXT + 16];
    int n = 0, len = 0, point = 0, scale = 0, power = 0;
    for (;; n++) {
        if (s[n] == '.' && !point)
            point = 1;
        else if (is_digit(s[n]))
            digits[len++] = s[n], scale -= point;
        else
            break;
    }
    if (len == 0) return 0;
    int k = n + 1, minus = s[n] && s[k] == '-';
    if (s[n] && (s[k] == '-' || s[k] == '+')) k++;
    if ((s[n] == 'e' || s[n] == 'E') && is_digit(s[k])) {
        for (n = k; is_digit(s[n]); n++)
            if (power < 100000) power = 10 * power + (s[n] - '0');
    }
    snprintf(digits + len, sizeof digits - (size_t)len, "e%d", scale + (minus ? -power : power));
    *value = strtod(digits, NULL);
    return n;
}

static const char *unit_candidate(int i, const void *ctx)
{
    (void)ctx;
    return sn_unit_name(i);
}

static const char *function_candidate(int i, const void *ctx)
{
    (void)ctx;
    return function[i].name;
}

/* A name behind a number that is no unit: 'm2' for m^2, a misspelt unit, or a missing *. */
static sn_status bad_unit(const parser *p, const char *s)
{
    int n = name_length(s), count = 0;
    char name[NAME], stem[NAME], hint[NAME + 32] = "";
    double factor;
    sn_dim dim;
    snprintf(name, sizeof name, "%.*s", n, s);
    if (s[n + (int)strspn(s + n, " \t\r\n")] == '(')
        FAIL_AT(p, p->at, "write * between a number and '%.40s('", name);
    while (sn_unit_name(count)) count++;
    const char *near = sn_nearest(name, count, unit_candidate, NULL);
    int last = (int)strlen(name) - 1;
    snprintf(stem, sizeof stem, "%.*s", last, name);
    if (last > 0 && is_digit(name[last]) && sn_unit_whole(stem, &factor, &dim) == SN_OK)
        snprintf(hint, sizeof hint, " (did you mean '%s^%c'?)", stem, name[last]);
    else if (near)
        snprintf(hint, sizeof hint, " (did you mean '%s'?)", near);
    FAIL_AT(p, p->at, "unknown unit '%.40s' after a number%s; write * between a number and a name", name,
            hint);
}

static sn_status number(parser *p)
{
    int start = p->at;
    double value = 0, factor = 1;
    sn_dimension dim = {2, {0, 0, 0}};
    sn_dim unit;
    p->at += read_number(p->text + p->at, &value);
    int end = p->at, n;
    const char *s = skip(p);
    /* "5 1/s": the 1 begins a unit only when one follows it */
    n = sn_unit_parse(s, &factor, &unit);
    if (*s == '1' && (n == 1 || p->at == end)) n = 0;
    if (n > 0) {
        p->at += n;
        value *= factor;
        dim = (sn_dimension){1, unit};
        s = skip(p);
        if (*s == '^' || (s[0] == '*' && s[1] == '*'))
            FAIL_AT(p, p->at,
                    "a unit's power is a small integer written with ^; put the number with its unit in "
                    "parentheses to raise both");
    } else if (name_length(s) > 0) {
        return bad_unit(p, s);
    }
    if (!isfinite(value)) FAIL_AT(p, start, "a number must be finite, this one is too large");
    sn_op op = {.code = SN_OP_CONST, .value = value, .dim = dim, .col = start};
    return emitted(p, sn_build_push(&p->code, op), start);
}

static sn_status sum(parser *p);

static sn_status deeper(parser *p, int col)
{
    if (++p->depth > SN_EXPR_DEPTH)
        FAIL_AT(p, col, "expression nested too deep (more than %d levels)", SN_EXPR_DEPTH);
    return SN_OK;
}

static sn_status unknown_function(const parser *p, const char *name, int col)
{
    const char *near = sn_nearest(name, NFUNCTION, function_candidate, NULL);
    if (near) FAIL_AT(p, col, "unknown function '%.40s' (did you mean '%s'?)", name, near);
    FAIL_AT(p, col, "unknown function '%.40s'; write * between a name and '('", name);
}

/* A function of the caller's: what stands between the parentheses is for it to read. */
static sn_status call_outside(parser *p, const char *name, int col)
{
    const char *open = p->text + p->at, *close = open;
    int depth = 0;
    do depth += *close == '(' ? 1 : *close == ')' ? -1 : 0;
    while (depth && *++close);
    if (depth) FAIL_AT(p, p->at, "a ')' is missing for this '('");
    sn_mark inside = mark_at(p, p->at + 1);
    int id = p->names.call(p->names.ctx, name, open + 1, (int)(close - open - 1), &inside, p->err);
    if (id == -2) return unknown_function(p, name, col);
    if (id < 0) return refused(p);
    p->at = (int)(close + 1 - p->text);
    return emitted(p, sn_build_variable(&p->code, id, col), col);
}

/* Arguments and ")" of a function; min and max of three are taken two by two. */
static sn_status call(parser *p, const char *name, int col)
{
    char what[64];
    const char *s;
    int f = 0, n = 0;
    while (f < NFUNCTION && strcmp(function[f].name, name)) f++;
    if (f == NFUNCTION) return p->names.call ? call_outside(p, name, col) : unknown_function(p, name, col);
    int code = function[f].code, least = function[f].nmin, most = function[f].nmax;
    const char *count = most == 1 ? "1 argument" : most == 2 ? "2 arguments" : "3 arguments";
    if (least < most) count = "2 or 3 arguments";
    SN_TRY(deeper(p, col));
    do {
        p->at++;
        s = skip(p);
        if (*s == ')' && n == 0) break;
        if (n == most) FAIL_AT(p, p->at, "%s takes %s, not more", name, count);
        SN_TRY(sum(p));
        if (++n > least) SN_TRY(emitted(p, sn_build_apply(&p->code, code, col), col));
        s = skip(p);
    } while (*s == ',');
    if (*s != ')')
        FAIL_AT(p, p->at, "expected ',' or ')' in %s(...), found %s", name, found(s, what, sizeof what));
    if (n < least) FAIL_AT(p, p->at, "%s takes %s, not %d", name, count, n);
    p->at++;
    p->depth--;
    return emitted(p, sn_build_apply(&p->code, code, col), col);
}

static int not_finite_word(const char *s)
{
    static const char *const word[] = {"inf", "nan", "infinity"};
    char lower[16] = "";
    if (*s == '.') s++;
    int n = name_length(s);
    for (int i = 0; i < n && i < 15; i++) lower[i] = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] + 32) : s[i];
    for (int i = 0; i < 3; i++)
        if (!strcmp(lower, word[i])) return 1;
    return 0;
}

static sn_status name(parser *p)
{
    char word[NAME];
    int col = p->at, n = name_length(p->text + col);
    if (n >= NAME) FAIL_AT(p, col, "name too long (more than %d characters)", NAME - 1);
    memcpy(word, p->text + col, (size_t)n);
    word[n] = 0;
    p->at += n;
    if (*skip(p) == '(') return call(p, word, col);
    int is_pi = !strcmp(word, "pi"), constant = is_pi || !strcmp(word, "e");
    sn_mark here = mark_at(p, col);
    int id = p->names.lookup ? p->names.lookup(p->names.ctx, word, &here, constant ? NULL : p->err) : -1;
    if (id >= 0) return emitted(p, sn_build_variable(&p->code, id, col), col);
    if (constant) {
        double value = is_pi ? 3.14159265358979323846 : 2.71828182845904523536;
        sn_op op = {.code = SN_OP_CONST, .value = value, .dim = {2, {0, 0, 0}}, .col = col, .var = 1};
        return emitted(p, sn_build_push(&p->code, op), col);
    }
    if (!p->names.lookup) FAIL_AT(p, col, "unknown name '%s'", word);
    return refused(p);
}

static sn_status primary(parser *p)
{
    char what[64];
    const char *s = skip(p);
    int col = p->at;
    if (not_finite_word(s))
        FAIL_AT(p, col, "a number must be finite, not %s", found(s + (*s == '.'), what, sizeof what));
    if (is_digit(*s) || (*s == '.' && is_digit(s[1]))) return number(p);
    if (is_name_start(*s)) return name(p);
    if (*s != '(') FAIL_AT(p, col, "expected a number, a name or '(', found %s", found(s, what, sizeof what));
    SN_TRY(deeper(p, col));
    p->at++;
    SN_TRY(sum(p));
    s = skip(p);
    if (*s != ')') FAIL_AT(p, p->at, "expected an operator or ')', found %s", found(s, what, sizeof what));
    p->at++;
    p->depth--;
    return SN_OK;
}

/* {+|-} primary [^ ...] */
static sn_status signed_power(parser *p)
{
    int minus = 0, first = -1;
    for (const char *s = skip(p); *s == '-' || *s == '+'; s = skip(p)) {
        if (*s == '-' && first < 0) first = p->at;
        minus ^= *s == '-';
        p->at++;
    }
    SN_TRY(primary(p));
    const char *s = skip(p);
    int two = s[0] == '*' && s[1] == '*';
    if (*s == '^' || two) {
        int col = p->at;
        p->at += 1 + two;
        SN_TRY(deeper(p, col));
        SN_TRY(signed_power(p));
        p->depth--;
        SN_TRY(emitted(p, sn_build_apply(&p->code, SN_OP_POW, col), col));
    }
    return minus ? emitted(p, sn_build_apply(&p->code, SN_OP_NEG, first), first) : SN_OK;
}

static sn_status term(parser *p)
{
    SN_TRY(signed_power(p));
    for (const char *s = skip(p); *s == '*' || *s == '/'; s = skip(p)) {
        int col = p->at++, code = *s == '*' ? SN_OP_MUL : SN_OP_DIV;
        SN_TRY(signed_power(p));
        SN_TRY(emitted(p, sn_build_apply(&p->code, code, col), col));
    }
    return SN_OK;
}

static sn_status sum(parser *p)
{
    SN_TRY(term(p));
    for (const char *s = skip(p); *s == '+' || *s == '-'; s = skip(p)) {
        int col = p->at++, code = *s == '+' ? SN_OP_ADD : SN_OP_SUB;
        SN_TRY(term(p));
        SN_TRY(emitted(p, sn_build_apply(&p->code, code, col), col));
    }
    return SN_OK;
}

static sn_status whole(parser *p)
{
    char what[64];
    if (strlen(p->text) > SN_EXPR_TEXT)
        FAIL_AT(p, 0, "expression too long (more than %d characters)", SN_EXPR_TEXT);
    if (!*skip(p)) FAIL_AT(p, 0, "expected a number or an expression, found nothing");
    SN_TRY(sum(p));
    const char *s = skip(p);
    if (*s == ',' && is_digit(s[1])) FAIL_AT(p, p->at, "found ',': decimals are written with a point");
    if (*s) FAIL_AT(p, p->at, "expected an operator or the end, found %s", found(s, what, sizeof what));
    if (p->code.nvar > SN_MAX_VARIABLES)
        FAIL_AT(p, 0, "an expression may have at most %d different names", SN_MAX_VARIABLES);
    return SN_OK;
}

sn_status sn_expr_parse_calls(sn_arena *arena, const char *text, const sn_mark *where,
                              const sn_expr_names *names, sn_expr **out, sn_err *err)
{
    parser p = {.text = text, .names = *names, .err = err};
    if (where) p.where = *where;
    sn_status s = whole(&p);
    if (s == SN_OK) s = emitted(&p, sn_build_finish(&p.code, arena, where, out), 0);
    sn_build_free(&p.code);
    return s;
}

sn_status sn_expr_parse(sn_arena *arena, const char *text, const sn_mark *where, sn_expr_lookup *lookup,
                        void *ctx, sn_expr **out, sn_err *err)
{
    return sn_expr_parse_calls(arena, text, where, &(sn_expr_names){lookup, NULL, ctx}, out, err);
}
