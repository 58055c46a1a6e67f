/* Look-up in the tree of a model file, and the nearest name to a misspelt one.

   Distance: Damerau-Levenshtein in its optimal alignment form (insert, delete, replace, swap neighbours),
   counted in quarters: a full edit costs 4, a change of case or an underscore more or less costs 1. A
   candidate is near within max(1, length/3) full edits that leave something of the word, or when only case
   and underscores differ. What only such differences part, or one edit in a longer word, comes first, then
   words that mean the same (synonym.c). Names longer than 63 characters are compared in the second way only.
   Where nothing is near, the only candidate that begins with the word (of three letters at least) is meant.
 */
#include "model/item.h"

#include <string.h>

enum { WORD = 64, EDIT = 4, SLIP = 1 };

const sn_item *sn_item_get(const sn_item *map, const char *key)
{
    if (!map || map->type != SN_ITEM_MAP) return NULL;
    for (const sn_item *c = map->child; c; c = c->next)
        if (c->key && !strcmp(c->key, key)) return c;
    return NULL;
}

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : (unsigned char)c; }

static int differ_loosely(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == '_') a++;
        while (*b == '_') b++;
        if (lower(*a) != lower(*b)) return 1;
        if (!*a) return 0;
    }
}

static int least(int a, int b) { return a < b ? a : b; }

/* c[i][j]: cost of turning the first i characters of a into the first j of b; three rows are enough */
static int distance(const char *a, int na, const char *b, int nb)
{
    int row[3][WORD], *before = row[0], *last = row[1], *now = row[2];
    last[0] = 0;
    for (int j = 1; j <= nb; j++) last[j] = last[j - 1] + (b[j - 1] == '_' ? SLIP : EDIT);
    for (int i = 1; i <= na; i++) {
        char p = a[i - 1];
        now[0] = last[0] + (p == '_' ? SLIP : EDIT);
        for (int j = 1; j <= nb; j++) {
            char q = b[j - 1];
            int replace = p == q ? 0 : lower(p) == lower(q) ? SLIP : EDIT;
            int c = least(last[j - 1] + replace, last[j] + (p == '_' ? SLIP : EDIT));
            c = least(c, now[j - 1] + (q == '_' ? SLIP : EDIT));
            if (i > 1 && j > 1 && p != q && p == b[j - 2] && q == a[i - 2])
                c = least(c, before[j - 2] + EDIT);
            now[j] = c;
        }
        int *free_row = before;
        before = last, last = now, now = free_row;
    }
    return last[nb];
}

static const char *only_longer(const char *word, int n, const char *(*get)(int i, const void *ctx),
                               const void *ctx)
{
    const char *found = NULL;
    size_t len = strlen(word);
    for (int i = 0; i < n && len > 2; i++) {
        const char *c = get(i, ctx);
        if (!c || strncmp(c, word, len) != 0) continue;
        if (found) return NULL;
        found = c;
    }
    return found;
}

const char *sn_nearest(const char *word, int n, const char *(*get)(int i, const void *ctx), const void *ctx)
{
    const char *best = NULL, *meant;
    size_t len = strlen(word);
    int lowest = 1 << 20, limit = EDIT * (len < 6 ? 1 : len < WORD ? (int)len / 3 : 0);
    for (int i = 0; i < n; i++) {
        const char *c = get(i, ctx);
        if (!c) continue;
        size_t m = strlen(c);
        int loose = !differ_loosely(word, c), cost = 1 << 19;
        if (len < WORD && m < WORD)
            cost = distance(word, (int)len, c, (int)m);
        else if (!loose)
            continue;
        int longer = (int)(m > len ? m : len);
        if (!loose && (cost > limit || cost >= EDIT * longer)) continue;
        if (cost < lowest) lowest = cost, best = c;
    }
    if (best && (!differ_loosely(word, best) || (len > 3 && lowest <= EDIT))) return best;
    if ((meant = sn_synonym(word, n, get, ctx))) return meant;
    return best ? best : only_longer(word, n, get, ctx);
}
