/* Units behind lists. A bracket counts where a value begins, outside of quotes and comments; what stands
   behind its end must be a unit and nothing else up to the end of the value. Brackets within texts are left
   alone: there no value begins. */
#include "io/list_unit.h"
#include "model/unit.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 256 };

typedef struct scan {
    const char *text;
    size_t length, at;
    char open[DEEPEST]; /* brackets that are open */
    int depth;
    int begins; /* a value may begin here */
} scan;

/* Behind a quoted text that begins at `at`. */
static size_t behind_quote(const scan *s)
{
    const char quote = s->text[s->at];
    size_t i = s->at + 1;
    for (; i < s->length && s->text[i] != quote; i++)
        if (quote == '"' && s->text[i] == '\\') i++;
    return i < s->length ? i + 1 : s->length;
}

/* Bytes from `at` on that are blanks, a unit and blanks up to the end of a value; *unit: where it is. */
static size_t unit_behind(const scan *s, size_t at, size_t *unit, size_t *size)
{
    double factor;
    sn_dim dim;
    const char *t = s->text + at;
    size_t blanks = strspn(t, " "), n = (size_t)sn_unit_parse(t + blanks, &factor, &dim);
    while (n && t[blanks + n - 1] == ' ') n--;
    if (!n) return 0;
    size_t rest = strspn(t + blanks + n, " "), end = blanks + n + rest;
    if (t[end] && !strchr(",}]\n\r", t[end]) && !(t[end] == '#' && rest)) return 0;
    *unit = at + blanks, *size = n;
    return blanks + n;
}

/* One step: a quoted text, a comment, or a character. Returns 1 behind the end of a list. */
static int step(scan *s)
{
    const char c = s->text[s->at], before = s->at ? s->text[s->at - 1] : '\n';
    if (before == '\n') {
        s->begins = 1;
        if (!strchr(" \t\n]}", c)) s->depth = 0; /* no bracket reaches past a line that is not indented */
    }
    if (c == '#' && strchr(" \t\n", before)) {
        s->at += strcspn(s->text + s->at, "\n");
        return 0;
    }
    if ((c == '"' || c == '\'') && s->begins) {
        s->at = behind_quote(s), s->begins = 0;
        return 0;
    }
    s->at++;
    if (strchr(" \t\n", c)) return 0;
    if ((c == '[' || c == '{') && s->begins) {
        if (s->depth < DEEPEST) s->open[s->depth++] = c;
        return 0;
    }
    if ((c == ']' || c == '}') && s->depth) {
        s->begins = 0;
        return s->open[--s->depth] == '[' && c == ']';
    }
    const int blank = s->at == s->length || strchr(" \t\n", s->text[s->at]) != NULL;
    s->begins = (c == ',' && s->depth) || (c == ':' && blank) || (c == '-' && s->begins && blank);
    return 0;
}

sn_status sn_list_units(const char *text, size_t length, sn_arena *arena, char **copy, sn_list_unit **list,
                        int *n)
{
    scan s = {.text = text, .length = length};
    int cap = 0;
    *copy = NULL, *list = NULL, *n = 0;
    while (s.at < length) {
        size_t unit, size, taken;
        if (!step(&s) || !(taken = unit_behind(&s, s.at, &unit, &size))) continue;
        if (!*copy && !(*copy = sn_arena_strndup(arena, text, length))) return SN_ERR_MEMORY;
        if (*n == cap) {
            sn_list_unit *more = sn_arena_alloc(arena, 2 * (size_t)cap + 8, sizeof *more);
            if (!more) return SN_ERR_MEMORY;
            if (cap) memcpy(more, *list, sizeof *more * (size_t)cap);
            *list = more, cap = 2 * cap + 8;
        }
        char *name = sn_arena_strndup(arena, text + unit, size);
        if (!name) return SN_ERR_MEMORY;
        (*list)[(*n)++] = (sn_list_unit){s.at - 1, name};
        memset(*copy + unit, ' ', size);
        s.at += taken;
    }
    return SN_OK;
}

const char *sn_list_unit_at(const sn_list_unit *list, int n, size_t close)
{
    int low = 0, high = n;
    while (low < high) {
        int mid = (low + high) / 2;
        if (list[mid].close == close) return list[mid].unit;
        if (list[mid].close < close)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

sn_status sn_list_unit_apply(sn_item *list, const char *unit, sn_arena *arena)
{
    for (sn_item *k = list->child; k; k = k->next) {
        if (k->type == SN_ITEM_LIST) SN_TRY(sn_list_unit_apply(k, unit, arena));
        if (k->type != SN_ITEM_SCALAR || !k->text[0]) continue;
        char *end;
        strtod(k->text, &end);
        k->text = sn_arena_printf(arena, *end ? "(%s)*(1 %s)" : "%s %s", k->text, unit);
        if (!k->text) return SN_ERR_MEMORY;
    }
    return SN_OK;
}
