/* sn_identify: read, solve, write. */
#include "identify/motion.h"
#include "identify/page.h"
#include "identify/read.h"
#include "identify/result.h"
#include "io/atomic.h"
#include "io/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sn_status write_text(const char *path, const char *text, size_t n, sn_err *err)
{
    sn_atomic a = {0};
    sn_status status = sn_atomic_begin(&a, path, err);
    if (!status) status = sn_write_at(a.fd, path, text, n, 0, err);
    if (!status) status = sn_atomic_commit(&a, err);
    sn_atomic_end(&a);
    return status;
}

/* Before anything is computed: a search may take hours. */
static sn_status make_folder(const char *folder, sn_err *err)
{
    sn_mark where = {.file = folder};
    struct stat st;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return sn_fail(err, SN_ERR_FILE, &where, "the folder cannot be made: %s", strerror(errno));
    if (stat(folder, &st) || !S_ISDIR(st.st_mode)) return sn_fail(err, SN_ERR_FILE, &where, "is no folder");
    if (access(folder, W_OK))
        return sn_fail(err, SN_ERR_FILE, &where, "nothing can be written here: %s", strerror(errno));
    return SN_OK;
}

typedef struct motion {
    const sn_estimate *e;
    const char *scratch;
} motion;

static sn_status put_motion(sn_html *h, void *ctx, sn_err *err)
{
    const motion *m = ctx;
    return sn_motion_put(h, m->e, m->scratch, err);
}

static sn_status write_report(const sn_estimate *e, const char *path, const char *scratch, sn_err *err)
{
    const motion m = {.e = e, .scratch = scratch};
    char *text = NULL;
    size_t n;
    SN_TRY(sn_estimate_json(e, 1, &text, &n, err));
    sn_status s =
        sn_page_write(path, e->s->title[0] ? e->s->title : e->s->file, text, n, put_motion, (void *)&m, err);
    sn_free(text);
    return s;
}

static sn_status write_all(const sn_estimate *e, const char *folder, const char *command, sn_err *err)
{
    sn_arena a = {NULL};
    char *text = NULL;
    size_t n;
    const char *json = sn_arena_printf(&a, "%s/study.json", folder),
               *h5 = sn_arena_printf(&a, "%s/study.h5", folder),
               *report = sn_arena_printf(&a, "%s/report.html", folder),
               *scratch = sn_arena_printf(&a, "%s/report.h5", folder);
    sn_status status =
        json && h5 && report && scratch ? sn_estimate_json(e, 0, &text, &n, err) : SN_OUT_OF_MEM(err);
    if (!status) status = write_text(json, text, n, err);
    if (!status) status = sn_estimate_h5(e, h5, command, err);
    if (!status) status = write_report(e, report, scratch, err);
    sn_free(text);
    sn_arena_free(&a);
    return status;
}

/* Start values from the estimates of an earlier study.json: "name": {... "estimate": x. */
static sn_status resume(sn_study *s, const char *folder, sn_err *err)
{
    const char *path = sn_arena_printf(&s->arena, "%s/study.json", folder);
    char *text = NULL;
    size_t n = 0;
    int found = 0;
    if (!path) return SN_OUT_OF_MEM(err);
    SN_TRY(sn_file_read(path, 64 << 20, &text, &n, err));
    for (int k = 0; k < s->n_unknown; k++) {
        char key[400];
        double x;
        snprintf(key, sizeof key, "\"%s\": {\"unit\"", s->unknown[k].name);
        const char *at = strstr(text, key);
        at = at ? strstr(at, "\"estimate\": ") : NULL;
        if (at && sscanf(at + 12, "%lf", &x) == 1 && x >= s->unknown[k].lower && x <= s->unknown[k].upper)
            s->unknown[k].start = x, found++;
    }
    sn_free(text);
    return found ? SN_OK : sn_fail(err, SN_ERR_INPUT, NULL, "'%s' has no estimates to go on from", path);
}

/* First the windows, each with unknowns of its own: what they find in common is a start for the whole. */
static sn_status by_windows(sn_study *s, const char *study, const sn_identify_options *o, sn_err *err)
{
    sn_study *parts = NULL;
    sn_estimate *e = NULL;
    sn_status status = sn_study_read(study, o->data, o->n_start, o->start, 1, &parts, err);
    if (!status) status = sn_study_solve(parts, o->threads, o->progress, o->ctx, &e, err);
    for (int k = 0; !status && k < s->n_common; k++) s->unknown[k].start = e->value[k];
    sn_estimate_free(e);
    sn_study_free(parts);
    return status;
}

sn_status sn_identify(const char *study, const sn_identify_options *o, sn_identify_info *info, sn_err *err)
{
    sn_study *s = NULL;
    sn_estimate *e = NULL;
    *info = (sn_identify_info){0};
    sn_status status = sn_study_read(study, o->data, o->n_start, o->start, 0, &s, err);
    if (!status && o->resume && o->folder) status = resume(s, o->folder, err);
    if (!status && o->folder) status = make_folder(o->folder, err);
    /* who goes on has a better start than windows find */
    if (!status && s->windows > 1 && s->n_fit && !o->resume) status = by_windows(s, study, o, err);
    if (!status)
        status = s->method == SN_INDIRECT ? sn_study_solve(s, o->threads, o->progress, o->ctx, &e, err)
                                          : sn_direct_study(s, &e, err);
    if (!status && o->folder) status = write_all(e, o->folder, o->command, err);
    if (!status) status = sn_estimate_summary(e, &info->summary, err);
    if (!status && o->json) status = sn_estimate_json(e, 0, &info->json, NULL, err);
    if (status) {
        sn_release(info->summary), sn_release(info->json);
        info->summary = info->json = NULL;
    }
    if (!status) info->converged = e->converged, info->rms = e->rms, info->simulations = e->simulations;
    sn_estimate_free(e);
    sn_study_free(s);
    return status;
}
