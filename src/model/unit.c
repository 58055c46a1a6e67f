/* Units of a model file: a table of names and a small reader of products of their powers.

   unit := ("1" | power) { ("*" | "/") power },  power := name [ "^" integer ]; after "1" only "/" goes on.
   Blanks are allowed around * and /. A name directly before "(" is a function (min) and never a unit. Powers
   are limited to +-12 and the sum of a base unit's powers to +-100. Angles are pure numbers, so Hz and rpm
   share the dimension 1/s, Hz counting cycles (factor 1) and rpm turns in radians (2 pi/60). "t" is the tonne
   where it comes first (7.8 t/m^3); behind * and / it is left alone, because there a model file means the
   time (10 m/s*t). */
#include "model/unit.h"

#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { POWER_MAX = 12, SUM_MAX = 100 };

static const struct {
    const char *name;
    double factor;
    sn_dim dim;
} table[] = {
    {"m", 1, {1, 0, 0}},
    {"mm", 1e-3, {1, 0, 0}},
    {"cm", 1e-2, {1, 0, 0}},
    {"um", 1e-6, {1, 0, 0}},
    {"km", 1e3, {1, 0, 0}},
    {"in", 0.0254, {1, 0, 0}},
    {"ft", 0.3048, {1, 0, 0}},
    {"kg", 1, {0, 1, 0}},
    {"g", 1e-3, {0, 1, 0}},
    {"mg", 1e-6, {0, 1, 0}},
    {"t", 1e3, {0, 1, 0}},
    {"s", 1, {0, 0, 1}},
    {"ms", 1e-3, {0, 0, 1}},
    {"us", 1e-6, {0, 0, 1}},
    {"min", 60, {0, 0, 1}},
    {"h", 3600, {0, 0, 1}},
    {"rad", 1, {0, 0, 0}},
    {"deg", PI / 180, {0, 0, 0}},
    {"rev", 2 * PI, {0, 0, 0}},
    {"N", 1, {1, 1, -2}},
    {"kN", 1e3, {1, 1, -2}},
    {"MN", 1e6, {1, 1, -2}},
    {"mN", 1e-3, {1, 1, -2}},
    {"lbf", 4.4482216152605, {1, 1, -2}},
    {"Pa", 1, {-1, 1, -2}},
    {"kPa", 1e3, {-1, 1, -2}},
    {"MPa", 1e6, {-1, 1, -2}},
    {"GPa", 1e9, {-1, 1, -2}},
    {"psi", 4.4482216152605 / (0.0254 * 0.0254), {-1, 1, -2}},
    {"J", 1, {2, 1, -2}},
    {"kJ", 1e3, {2, 1, -2}},
    {"mJ", 1e-3, {2, 1, -2}},
    {"W", 1, {2, 1, -3}},
    {"kW", 1e3, {2, 1, -3}},
    {"Hz", 1, {0, 0, -1}},
    {"kHz", 1e3, {0, 0, -1}},
    {"rpm", 2 * PI / 60, {0, 0, -1}},
    {"g0", 9.80665, {1, 0, -2}},
    {"%", 0.01, {0, 0, 0}},
    {"1", 1, {0, 0, 0}},
};
enum { NUNIT = sizeof table / sizeof *table };

const char *sn_unit_name(int i) { return i >= 0 && i < NUNIT ? table[i].name : NULL; }

int sn_dim_equal(sn_dim a, sn_dim b) { return a.m == b.m && a.kg == b.kg && a.s == b.s; }

static int blanks(const char *s) { return (int)strspn(s, " \t\r\n"); }

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_word(char c)
{
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '.' ||
           c == '@';
}

/* Which unit the name at the head of s is, with its length; -1: none. */
static int name_at(const char *s, int *len)
{
    int n = 0;
    while (is_word(s[n])) n++;
    if (n == 0 && *s == '%') n = 1;
    *len = n;
    if (n == 0 || is_digit(*s) || s[n + blanks(s + n)] == '(') return -1;
    for (int i = 0; i < NUNIT; i++)
        if ((int)strlen(table[i].name) == n && !strncmp(table[i].name, s, (size_t)n)) return i;
    return -1;
}

/* An integer power "^2", "^-1" at the head of s: characters taken, 0 when there is none that a unit can
 * carry. */
static int power_at(const char *s, int *power)
{
    int n = 1, value = 0, minus = 0;
    if (*s != '^') return 0;
    if (s[n] == '-') minus = 1, n++;
    int first = n;
    while (is_digit(s[n]) && n - first < 3) value = 10 * value + (s[n++] - '0');
    if (n == first || is_word(s[n]) || value > POWER_MAX) return 0;
    *power = minus ? -value : value;
    return n;
}

/* Multiply by unit i to the power p; 0 when the exponents grow out of bounds. */
static int times(int i, int p, double *factor, int e[3])
{
    const int d[3] = {table[i].dim.m, table[i].dim.kg, table[i].dim.s};
    for (int k = 0; k < 3; k++)
        if (e[k] + p * d[k] > SUM_MAX || e[k] + p * d[k] < -SUM_MAX) return 0;
    for (int k = 0; k < 3; k++) e[k] += p * d[k];
    for (int k = 0; k < (p < 0 ? -p : p); k++)
        *factor = p < 0 ? *factor / table[i].factor : *factor * table[i].factor;
    return 1;
}

static int parse(const char *text, int tonne_anywhere, double *factor, sn_dim *dim)
{
    int taken = 0, at = 0, sign = 1, e[3] = {0, 0, 0};
    *factor = 1;
    *dim = (sn_dim){0, 0, 0};
    int one = text[0] == '1' && !is_word(text[1]);
    for (taken = one;; one = 0) {
        if (taken) {
            at = taken + blanks(text + taken);
            if (text[at] != '/' && (one || text[at] != '*')) break;
            sign = text[at] == '/' ? -1 : 1;
            at++;
            at += blanks(text + at);
        }
        int len, power = 1, i = name_at(text + at, &len);
        if (i < 0 || (taken && !tonne_anywhere && !strcmp(table[i].name, "t"))) break;
        len += power_at(text + at + len, &power);
        if (!times(i, sign * power, factor, e)) break;
        taken = at + len;
    }
    *dim = (sn_dim){(signed char)e[0], (signed char)e[1], (signed char)e[2]};
    return taken;
}

int sn_unit_parse(const char *text, double *factor, sn_dim *dim) { return parse(text, 0, factor, dim); }

sn_status sn_unit_whole(const char *text, double *factor, sn_dim *dim)
{
    text += blanks(text);
    int n = parse(text, 1, factor, dim);
    n += blanks(text + n);
    return text[n] ? SN_ERR_INPUT : SN_OK;
}

/* What people call a dimension, in place of its kilograms, metres and seconds. */
static const char *usual(sn_dim d)
{
    static const struct {
        sn_dim dim; /* m, kg, s */
        const char *name;
    } all[] = {{{1, 1, -2}, "N"},      {{2, 1, -2}, "N*m"},   {{0, 1, -2}, "N/m"},    {{-1, 1, -2}, "Pa"},
               {{-2, 1, -2}, "N/m^3"}, {{0, 1, -1}, "N*s/m"}, {{2, 1, -1}, "N*m*s"},  {{3, 1, -2}, "N*m^2"},
               {{1, 1, -1}, "N*s"},    {{2, 1, -3}, "W"},     {{-3, 1, 0}, "kg/m^3"}, {{-1, 1, 0}, "kg/m"},
               {{-1, 1, -1}, "Pa*s"},  {{1, 1, 0}, "kg*m"},   {{2, 1, 0}, "kg*m^2"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (sn_dim_equal(all[i].dim, d)) return all[i].name;
    return NULL;
}

void sn_dim_text(sn_dim d, char *out, size_t size)
{
    if (usual(d)) {
        snprintf(out, size, "%s", usual(d));
        return;
    }
    const char *const name[3] = {"kg", "m", "s"};
    const int e[3] = {d.kg, d.m, d.s};
    char text[64] = "";
    size_t n = 0;
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int k = 0; k < 3; k++) {
            int p = sign * e[k];
            if (p <= 0) continue;
            const char *join = sign < 0 ? (n ? "/" : "1/") : (n ? "*" : "");
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", join, name[k]);
            if (p > 1) n += (size_t)snprintf(text + n, sizeof text - n, "^%d", p);
        }
    snprintf(out, size, "%s", n ? text : "a pure number");
}

/* The unit of factor 1 and the same dimension; those that count turns have none. */
static const char *plain(int unit)
{
    if (table[unit].factor == 1) return table[unit].name;
    for (int i = 0; i < NUNIT && strcmp(table[unit].name, "rpm") != 0; i++)
        if (table[i].factor == 1 && sn_dim_equal(table[i].dim, table[unit].dim)) return table[i].name;
    return NULL;
}

int sn_unit_si(const char *text, char *out, size_t size)
{
    size_t n = 0;
    while (*text) {
        int len, unit = name_at(text, &len);
        const char *name = unit >= 0 ? plain(unit) : NULL;
        if (unit >= 0 && !name) return 0;
        size_t take = name ? strlen(name) : 1;
        if (!name) name = text, len = 1;
        if (n + take >= size) return 0;
        memcpy(out + n, name, take);
        n += take, text += len;
    }
    out[n] = 0;
    return 1;
}
