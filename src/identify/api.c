/* sn_identify: read, solve, write. */
#include "identify/folder.h"
#include "identify/grow.h"
#include "identify/hand_over.h"
#include "identify/history.h"
#include "identify/motion.h"
#include "identify/page.h"
#include "identify/places.h"
#include "identify/progress.h"
#include "identify/read.h"
#include "identify/refine.h"
#include "identify/resume.h"
#include "identify/text.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

/* What is written may be none of what was read: the study, its model with all files of it, the data. */
static sn_status check_outputs(const sn_study *s, const char *study, const char *folder, sn_err *err)
{
    static const char *const name[] = {"study.json",    "study.h5",   "report.html",  "report.h5",
                                       "progress.json", "resume.bin", "histories.csv"};
    char path[SN_PATH];
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        SN_TRY(sn_output_check(path, 1, &study, err));
        SN_TRY(sn_output_check(path, s->model->n_read, s->model->read, err));
        for (int k = 0; k < s->n_history; k++)
            if (s->history[k].truth_file) SN_TRY(sn_output_check(path, 1, &s->history[k].truth_file, err));
        for (int k = 0; k < s->n_experiment; k++) {
            const sn_experiment *x = &s->experiment[k];
            SN_TRY(sn_output_check(path, 1, &x->file, err));
            for (int j = 0; j < x->n_input; j++)
                if (x->input[j].file) SN_TRY(sn_output_check(path, 1, &x->input[j].file, err));
        }
    }
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
    sn_arena a = {0};
    const char *json = sn_arena_printf(&a, "%s/study.json", folder),
               *h5 = sn_arena_printf(&a, "%s/study.h5", folder),
               *report = sn_arena_printf(&a, "%s/report.html", folder),
               *csv = sn_arena_printf(&a, "%s/histories.csv", folder),
               *scratch = sn_arena_printf(&a, "%s/report.h5", folder);
    sn_text text = {0};
    sn_status status = json && h5 && report && csv && scratch
                           ? sn_estimate_json(e, 0, &text.text, &text.n, err)
                           : SN_OUT_OF_MEM(err);
    if (!status) status = write_report(e, report, scratch, err);
    if (!status) status = sn_estimate_h5(e, h5, command, err);
    if (!status) status = sn_histories_csv(e, csv, err);
    if (!status) status = sn_text_save(&text, json, err); /* last: where it is, all of it is there */
    sn_free(text.text);
    sn_arena_free(&a);
    return status;
}

/* What goes with a study while it is solved, all in its folder. */
typedef struct keeping {
    sn_journal *journal; /* all NULL: nothing is kept */
    sn_memo *memo;
    sn_progress *progress;
    char path[SN_PATH]; /* progress.json */
} keeping;

static void drop(keeping *k)
{
    sn_memo_free(k->memo);
    sn_progress_free(k->progress);
    k->memo = NULL, k->progress = NULL;
}

static sn_status keep(keeping *k, const sn_study *s, sn_err *err)
{
    if (!k->journal) return SN_OK;
    SN_TRY(sn_memo_new(s, k->journal, &k->memo, err));
    return sn_progress_new(s, k->path, &k->progress, err);
}

static sn_solve_options options_of(const sn_identify_options *o, const keeping *k)
{
    return (sn_solve_options){.threads = o->threads,
                              .progress = o->progress,
                              .state = o->state,
                              .message = o->message,
                              .ctx = o->ctx,
                              .memo = k->memo,
                              .file = k->progress};
}

/* First the windows, each with unknowns of its own: what they find in common is a start for the whole. */
static sn_status by_windows(sn_study *s, const char *study, const sn_identify_options *o, sn_journal *journal,
                            const char *progress, sn_err *err)
{
    sn_study *parts = NULL;
    sn_estimate *e = NULL;
    keeping k = {.journal = journal};
    snprintf(k.path, sizeof k.path, "%s", progress);
    sn_status status = sn_study_read(study, o, 1, &parts, err);
    if (!status) parts->trying = SN_TRY_NEVER; /* only a start is wanted */
    if (!status) status = keep(&k, parts, err);
    sn_solve_options so = options_of(o, &k);
    so.message = NULL; /* of the whole, later */
    if (!status) status = sn_study_solve(parts, &so, &e, err);
    for (int i = 0; !status && i < s->n_common; i++) s->unknown[i].start = e->value[i];
    sn_estimate_free(e);
    drop(&k);
    sn_study_free(parts);
    return status;
}

/* From what was kept, or from the start, to the estimate. */
static sn_status solve(sn_study *s, const char *study, const sn_identify_options *o, keeping *k,
                       sn_estimate **e, sn_err *err)
{
    sn_resume r = {.n = 0};
    sn_status status = keep(k, s, err);
    if (!status && k->memo)
        status = sn_resume_begin(&r, s, k->memo, o->resume ? o->folder : NULL, o->message, o->ctx, err);
    /* estimates are a better start than windows find */
    int first = s->windows > 1 && s->n_fit && !(k->memo && !status && sn_resume_at_estimates(&r));
    if (!status && first) status = by_windows(s, study, o, k->journal, k->path, err);
    const sn_solve_options so = options_of(o, k);
    sn_pieces pieces = {.n = 0};
    if (!status && s->hand_over > 1) status = sn_hand_over(s, &so, &pieces, err);
    if (!status)
        status = s->method == SN_INDIRECT || s->sequential ? sn_study_solve(s, &so, e, err)
                                                           : sn_direct_study(s, e, err);
    if (!status) status = sn_pieces_keep(&pieces, *e, err);
    sn_pieces_free(&pieces);
    if (!status && k->memo) sn_resume_end(&r, k->memo, *e);
    sn_resume_free(&r);
    return status;
}

/* Finer and finer, as far as the biases ask for it and there are refinements left. Where they are small the
   minimum is near the estimate before; where not the discretisation may have led to quite another one, and
   the search begins anew. */
static sn_status refine(sn_study **s, const sn_identify_options *o, keeping *k, sn_estimate **e, sn_err *err)
{
    int halvings, mesh;
    while ((*s)->refine == SN_REFINE_YES && !(*e)->stopped && sn_refine_next(*e, &halvings, &mesh)) {
        sn_study *finer = NULL;
        sn_estimate *better = NULL;
        sn_err why;
        sn_err_clear(&why);
        sn_status status = sn_study_refined(*s, halvings, mesh, &finer, &why);
        if (status && status != SN_ERR_MEMORY) { /* what there is stays */
            sn_estimate_verdict(*e, 1, "step", "could not be refined: %s", why.report[0].text);
            return sn_estimate_whole(*e, err);
        }
        if (status) sn_err_join(err, &why);
        drop(k);
        if (!status) status = keep(k, finer, err);
        sn_solve_options so = options_of(o, k);
        so.from = *e;

        if (!status) status = sn_study_solve(finer, &so, &better, err);
        if (status) {
            drop(k); /* it is the finer study's */
            sn_study_free(finer);
            return status;
        }
        sn_estimate_free(*e), sn_study_free(*s);
        *e = better, *s = finer;
    }
    return SN_OK;
}

/* Where a load is, where that is sought. */
static sn_status rank_places(sn_study **s, const sn_identify_options *o, sn_ranking *places, sn_err *err)
{
    const keeping nothing = {.journal = NULL};
    const sn_solve_options so = options_of(o, &nothing);
    return sn_places_rank(s, &so, places, err);
}

static sn_status open_folder(keeping *k, const sn_identify_options *o, sn_err *err)
{
    char path[SN_PATH];
    if (!o->folder) return SN_OK;
    if (o->resume && !sn_resume_possible(o->folder))
        return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = o->folder},
                       "there is nothing to go on from: neither resume.bin nor progress.json or study.json");
    SN_TRY(sn_folder_make(o->folder, err));
    snprintf(k->path, sizeof k->path, "%s/progress.json", o->folder);
    snprintf(path, sizeof path, "%s/resume.bin", o->folder);
    return sn_journal_open(path, o->resume, &k->journal, err);
}

/* All is written: the estimates on the way are of no use any more. */
static void close_folder(keeping *k, const sn_identify_options *o)
{
    int why = k->journal ? sn_journal_failed(k->journal) : 0;
    char text[300];
    if (k->progress) sn_progress_remove(k->progress);
    if (!why || !o->message) return;
    snprintf(text, sizeof text, "resume.bin could not be written to its end (%s): --resume will repeat work",
             strerror(why));
    o->message(o->ctx, text);
}

sn_status sn_identify_keep(const char *study, const sn_identify_options *o, sn_identify_info *info,
                           sn_study **kept, sn_estimate **estimate, sn_err *err)
{
    sn_study *s = NULL;
    sn_estimate *e = NULL;
    keeping k = {.journal = NULL};
    sn_ranking places = {.n = 0};
    *info = (sn_identify_info){0};
    sn_status status = sn_study_read(study, o, 0, &s, err);
    if (!status && o->folder) status = check_outputs(s, study, o->folder, err);
    if (!status) status = open_folder(&k, o, err);
    if (!status) status = rank_places(&s, o, &places, err);
    if (!status && sn_series_grows(s)) status = sn_series_grow(&s, o, err);
    if (!status) status = solve(s, study, o, &k, &e, err);
    if (!status) status = refine(&s, o, &k, &e, err);
    if (!status) status = sn_places_judge(&places, e, err);
    if (!status) status = sn_estimate_whole(e, err);
    sn_ranking_free(&places);
    if (!status && o->folder) status = write_all(e, o->folder, o->command, err);
    if (!status) close_folder(&k, o);
    if (!status) status = sn_estimate_summary(e, &info->summary, err);
    if (!status && o->json) status = sn_estimate_json(e, 0, &info->json, NULL, err);
    if (status == SN_ERR_NUMERIC && !sn_err_count(err))
        status =
            sn_fail(err, status, NULL,
                    "residuals are not finite: measured numbers, start values or what the model makes of "
                    "them are too large");
    if (status) {
        sn_release(info->summary), sn_release(info->json);
        info->summary = info->json = NULL;
        sn_estimate_free(e);
        e = NULL;
    }
    if (!status) {
        info->converged = e->converged, info->rms = e->rms;
        info->simulations = e->simulations, info->kept = e->kept;
        info->stopped = e->stopped != 0;
        for (int i = 0; i < e->n_verdict; i++)
            ++*(e->verdict[i].level == 0   ? &info->n_good
                : e->verdict[i].level == 1 ? &info->n_warning
                                           : &info->n_bad);
    }
    drop(&k);
    sn_journal_close(k.journal);
    if (status) {
        sn_study_free(s);
        s = NULL;
    }
    *kept = s, *estimate = e;
    return status;
}

sn_status sn_identify(const char *study, const sn_identify_options *o, sn_identify_info *info, sn_err *err)
{
    sn_study *s;
    sn_estimate *e;
    sn_status status = sn_identify_keep(study, o, info, &s, &e, err);
    sn_estimate_free(e);
    sn_study_free(s);
    return status;
}
