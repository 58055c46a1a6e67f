#include "identify/resume.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OPEN = -1, NOT_CONVERGED, CONVERGED }; /* how it ended */
enum { END, ESTIMATES, READ };                /* places in x; then come used and estimates */

static double *used(const sn_resume *r) { return r->x + READ + r->n; }
static double *found(const sn_resume *r) { return r->x + READ + 2 * r->n; }
static size_t size_of(const sn_resume *r) { return READ + 3 * r->n; }

static const char *const files[] = {"progress.json", "study.json"};

int sn_resume_possible(const char *folder)
{
    char path[SN_PATH];
    const char *const names[] = {files[0], files[1], "resume.bin"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (!access(path, F_OK)) return 1;
    }
    return 0;
}

/* Start values from the estimates of a file: "name": {"unit": ... "estimate": x. *n: of so many unknowns. */
static sn_status take_estimates(sn_study *s, const char *path, int *n, sn_err *err)
{
    char *text = NULL;
    size_t length = 0;
    *n = 0;
    if (access(path, F_OK)) return SN_OK;
    SN_TRY(sn_file_read(path, 64 << 20, &text, &length, err));
    int whole = length > 1 && !memcmp(text + length - 2, "}\n", 2);
    for (int k = 0; whole && k < s->n_unknown; k++) {
        sn_unknown *u = &s->unknown[k];
        char key[400];
        double x;
        snprintf(key, sizeof key, "\"%s\": {\"unit\"", u->name);
        const char *at = strstr(text, key);
        at = at ? strstr(at, "\"estimate\": ") : NULL;
        if (at && sscanf(at + 12, "%lf", &x) == 1 && x >= u->lower && x <= u->upper) u->start = x, ++*n;
    }
    sn_free(text);
    return whole ? SN_OK : sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path}, "the file is cut off");
}

typedef struct teller {
    void (*message)(void *, const char *);
    void *ctx;
} teller;

static void tell(const teller *t, const char *text)
{
    if (t->message) t->message(t->ctx, text);
}

/* Nothing is kept of this very study: its estimates may still be good starts. */
static sn_status from_files(sn_resume *r, sn_study *s, const char *folder, const teller *t, sn_err *err)
{
    char text[SN_PATH + 200], path[SN_PATH];
    int n = 0, known = 0;
    for (int i = 0; i < 2 && !n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        known |= !access(path, F_OK);
        SN_TRY(take_estimates(s, path, &n, err));
    }
    if (known && !n)
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path}, "has no estimates to go on from");
    if (n)
        snprintf(text, sizeof text,
                 "the study, its model or its data are not those of the earlier search: begins anew at the "
                 "estimates in %s (%d of %d unknowns)",
                 path, n, s->n_unknown);
    else
        snprintf(text, sizeof text, "nothing of this study was computed yet: begins anew");
    tell(t, text);
    r->x[ESTIMATES] = n > 0;
    return SN_OK;
}

static sn_status go_on(sn_resume *r, sn_study *s, const sn_memo *m, const char *folder, const teller *t,
                       sn_err *err)
{
    char text[300];
    sn_resume was = *r;
    if (!SN_NEW(was.x, size_of(r))) return SN_OUT_OF_MEM(err);
    int there = sn_memo_get(m, r->key, size_of(r), was.x);
    int same = there && !memcmp(was.x + READ, r->x + READ, r->n * sizeof *r->x);
    sn_status status = there ? SN_OK : from_files(r, s, folder, t, err);
    if (there && !same) tell(t, "other start values than those of the earlier search: begins anew at them");
    if (same && was.x[END] == NOT_CONVERGED)
        tell(t, "the earlier search ended without having converged: begins anew at its estimates");
    if (same && was.x[END] != NOT_CONVERGED) {
        snprintf(text, sizeof text, "goes on with %ld results of earlier%s", sn_journal_count(m->journal),
                 sn_journal_cut(m->journal) ? "; the last of them was not whole and is left out" : "");
        tell(t, text);
    }
    for (size_t k = 0; same && k < r->n; k++)
        s->unknown[k].start = was.x[END] == NOT_CONVERGED ? found(&was)[k] : used(&was)[k];
    if (same) r->x[ESTIMATES] = was.x[END] == NOT_CONVERGED || was.x[ESTIMATES] != 0;
    sn_free(was.x);
    return status;
}

sn_status sn_resume_begin(sn_resume *r, sn_study *s, const sn_memo *m, const char *folder,
                          void (*message)(void *, const char *), void *ctx, sn_err *err)
{
    const teller t = {message, ctx};
    *r = (sn_resume){.n = (size_t)s->n_unknown, .key = sn_key_of("begin")};
    sn_key_word(&r->key, m->study.a), sn_key_word(&r->key, m->study.b);
    if (!SN_NEW(r->x, size_of(r))) return SN_OUT_OF_MEM(err);
    r->x[END] = OPEN;
    for (size_t k = 0; k < r->n; k++) r->x[READ + k] = s->unknown[k].start;
    if (folder) SN_TRY(go_on(r, s, m, folder, &t, err));
    for (size_t k = 0; k < r->n; k++) used(r)[k] = s->unknown[k].start;
    sn_memo_put(m, r->key, 0, size_of(r), r->x);
    return SN_OK;
}

int sn_resume_at_estimates(const sn_resume *r) { return r->x[ESTIMATES] != 0; }

void sn_resume_end(sn_resume *r, const sn_memo *m, const sn_estimate *e)
{
    r->x[END] = e->stopped ? OPEN : e->converged ? CONVERGED : NOT_CONVERGED;
    memcpy(found(r), e->value, r->n * sizeof *r->x);
    sn_memo_put(m, r->key, 0, size_of(r), r->x);
}

void sn_resume_free(sn_resume *r) { sn_free(r->x); }
