#include "identify/run_words.h"
#include "sinew/class.h"

#include <stdio.h>
#include <string.h>

static const char *of(const char *const *name, int n, int i, const char **doc)
{
    *doc = NULL;
    return i < n ? name[i] : NULL;
}

static const char *start_name(int i, const char **doc)
{
    static const char *const name[] = {"given", "static"};
    return of(name, 2, i, doc);
}

static const char *redundant_name(int i, const char **doc)
{
    static const char *const name[] = {"error", "drop", "share"}; /* in the order of SN_REDUNDANT_... */
    return of(name, 3, i, doc);
}

static const char *constraints_name(int i, const char **doc)
{
    static const char *const name[] = {"multipliers", "penalty", "augmented"}; /* as SN_CONSTRAINTS_... */
    return of(name, 3, i, doc);
}

/* The keys, and the lists of what they may be. */
static const struct run_word {
    const char *key, *(*get)(int, const char **);
} words[] = {{"scheme", sn_scheme_name},
             {"solver", sn_solver_name},
             {"start", start_name},
             {"redundant", redundant_name},
             {"constraints", constraints_name}};
enum { SCHEME, SOLVER, START, REDUNDANT, CONSTRAINTS, WORDS };

static int find(const char *key)
{
    int k = 0;
    while (k < WORDS && strcmp(key, words[k].key) != 0) k++;
    return k;
}

int sn_run_word_is(const char *key) { return find(key) < WORDS; }

/* A word of a list by its number, or an error with all of them. */
static sn_status known_word(int which, const char *word, const sn_mark *where, int *number, sn_err *err)
{
    const char *doc, *name;
    char all[300] = "";
    for (int i = 0; (name = words[which].get(i, &doc)); i++) {
        *number = i;
        if (!strcmp(name, word)) return SN_OK;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", name);
    }
    return sn_fail(err, SN_ERR_INPUT, where, "unknown %s '%s': it is one of %s", words[which].key, word, all);
}

sn_status sn_run_word_set(const char *key, const char *word, const sn_mark *where, sn_run_options *o,
                          sn_err *err)
{
    int which = find(key), number = 0;
    if (which == WORDS) return sn_fail(err, SN_ERR_BUG, where, "'%s' is no word of a run", key);
    SN_TRY(known_word(which, word, where, &number, err));
    if (which == SCHEME) o->scheme = word;
    if (which == SOLVER) o->solver = word;
    if (which == START) o->start_static = number;
    if (which == REDUNDANT) o->drop_redundant = number;
    if (which == CONSTRAINTS) o->constraints = number;
    return SN_OK;
}
