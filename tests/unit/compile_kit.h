/* Small model texts for tests of the compiler. In a text a backtick marks where a report is expected; it is
   taken out before reading. "sinew: 1" is put in front on a line of its own. */
#ifndef COMPILE_KIT_H
#define COMPILE_KIT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/sinew.h"

/* Two planar nodes, a and b. */
#define AB "nodes: {a: [0, 0], b: [1, 0]}\n"

typedef struct marked {
    char text[8192];
    int line, col; /* of the backtick; 0: none */
} marked;

static inline void take_mark(const char *with, marked *m)
{
    int line = 1, col = 1, n = 0;
    m->line = m->col = 0;
    for (; *with; with++) {
        assert_true(n < (int)sizeof m->text - 1);
        if (*with == '`') {
            m->line = line;
            m->col = col;
            continue;
        }
        m->text[n++] = *with;
        col++;
        if (*with == '\n') line++, col = 1;
    }
    m->text[n] = 0;
}

static inline void print_reports(const sn_err *err)
{
    char line[2048];
    for (int i = 0; i < err->count && i < SN_ERR_MAX; i++) {
        sn_report_format(&err->report[i], line, sizeof line);
        fprintf(stderr, "%s\n", line);
    }
}

/* Read, and make values. */
static inline sn_status read_whole(const char *text, sn_model **m, sn_values **p, sn_err *err)
{
    sn_err_clear(err);
    *p = NULL;
    sn_status s = sn_model_read_text("model.yaml", text, strlen(text), m, err);
    if (s == SN_OK) s = sn_values_new(*m, p, err);
    return s;
}

/* The text, behind "sinew: 1", fails with one report at its mark that holds these words. */
static inline int refused(const char *text, const char *words)
{
    static marked k;
    char whole[8192 + 32];
    sn_model *m;
    sn_values *p;
    sn_err err;
    snprintf(whole, sizeof whole, "%s%s",
             strstr(text, "sinew: ") || strstr(text, "`sinew") ? "" : "sinew: 1\n", text);
    take_mark(whole, &k);
    sn_status s = read_whole(k.text, &m, &p, &err);
    int good = s == SN_ERR_INPUT && err.count == 1 && err.status == s && err.report[0].line == k.line &&
               err.report[0].col == k.col && strstr(err.report[0].text, words) &&
               (!k.line || !strcmp(err.report[0].file, "model.yaml"));
    sn_values_free(p);
    sn_model_free(m);
    if (good) return 1;
    print_reports(&err);
    fprintf(stderr, "status %d, %d reports; expected one at %d:%d with \"%s\" for\n%s\n", s, err.count,
            k.line, k.col, words, k.text);
    return 0;
}

typedef struct refusal {
    const char *text, *words;
} refusal;

static inline void refuse_all(const refusal *r, size_t n)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) bad += !refused(r[i].text, r[i].words);
    assert_int_equal(bad, 0);
}

#define REFUSE_ALL(list) refuse_all((list), sizeof(list) / sizeof *(list))

/* A good model and its values. */
static inline void accepted(const char *text, sn_model **m, sn_values **p)
{
    char whole[8192 + 32];
    sn_err err;
    snprintf(whole, sizeof whole, "sinew: 1\n%s", text);
    sn_status s = read_whole(whole, m, p, &err);
    if (s) print_reports(&err);
    assert_int_equal(s, SN_OK);
    assert_int_equal(err.count, 0);
}

#endif
