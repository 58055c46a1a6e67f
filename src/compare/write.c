/* Tables of a comparison: compare.csv, compare.md, compare.json, and the text for the terminal. */
#include "compare/cases.h"
#include "identify/folder.h"
#include "identify/text.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 13, WORDS = 400, CELL = 300 };

static const char *const head[COLUMNS] = {
    "variant", "refined", "unknowns", "steps",      "iterations",   "factorisations", "factor nonzeros",
    "CPU ms",  "error",   "order",    "ms a digit", "energy drift", "momentum drift"};

/* Time for each digit that is right; NAN where there is none. */
static double per_digit(const sn_case *x)
{
    double digits = -log10(x->error);
    return x->error > 0 && digits > 0 ? x->r.cpu / digits : NAN;
}

static double energy(const sn_case *x) { return (int)x->r.conserved & 1 ? x->r.energy : NAN; }
static double momentum(const sn_case *x) { return (int)x->r.conserved & 2 ? x->r.momentum : NAN; }

static void number(char *cell, const char *format, double x)
{
    if (isfinite(x))
        snprintf(cell, CELL, format, x);
    else
        snprintf(cell, CELL, "-");
}

/* What a row of a table shows; the numbers of a case that failed are "-". */
static void row(const sn_case *x, char cell[COLUMNS][CELL])
{
    const int done = x->state == SN_CASE_DONE;
    const double all[COLUMNS] = {0,
                                 0,
                                 x->r.unknowns,
                                 x->r.steps,
                                 x->r.iterations,
                                 x->r.factorisations,
                                 x->r.factor_nonzeros,
                                 1e3 * x->r.cpu,
                                 x->error,
                                 x->order,
                                 1e3 * per_digit(x),
                                 energy(x),
                                 momentum(x)};
    static const char *const format[COLUMNS] = {"",     "",     "%.0f", "%.0f", "%.0f", "%.0f", "%.0f",
                                                "%.3g", "%.2e", "%.2f", "%.3g", "%.1e", "%.1e"};
    snprintf(cell[0], CELL, "%s", x->variant->name);
    sn_case_words(x, cell[1], CELL);
    for (int i = 2; i < COLUMNS; i++) number(cell[i], format[i], done || i == 2 ? all[i] : NAN);
    if (x->problem->is_static) snprintf(cell[3], CELL, "-");
    if (x->r.reductions > 0 && done) snprintf(cell[3] + strlen(cell[3]), CELL - strlen(cell[3]), "*");
    if (!done) snprintf(cell[8], CELL, x->state == SN_CASE_FAILED ? "failed" : "not solved");
}

static const char *const reference_word[] = {"known numbers", "the limit of each variant, extrapolated",
                                             "the last case of each variant"};

static void reference_text(const sn_problem *p, char *text, size_t size)
{
    if (p->reference != SN_REFERENCE_VARIANT)
        snprintf(text, size, "%s", reference_word[p->reference]);
    else
        snprintf(text, size, "%s '%s'", p->finer ? "a finer run of" : "the limit of", p->variant[p->of].name);
}

/* ---- text and Markdown ---- */

static void widths(const sn_cases *c, const sn_problem *p, int *width)
{
    char cell[COLUMNS][CELL];
    for (int i = 0; i < COLUMNS; i++) width[i] = (int)strlen(head[i]);
    for (int k = p->first; k < p->first + p->n; k++) {
        row(&c->item[k], cell);
        for (int i = 0; i < COLUMNS; i++)
            if ((int)strlen(cell[i]) > width[i]) width[i] = (int)strlen(cell[i]);
    }
}

static void line(sn_text *t, const char *const *cell, const int *width, int markdown)
{
    for (int i = 0; i < COLUMNS; i++)
        sn_text_add(t, i < 2 ? "%s%-*s" : "%s%*s",
                    markdown ? "| "
                    : i      ? "  "
                             : "",
                    width[i], cell[i]),
            sn_text_add(t, markdown ? " " : "");
    sn_text_add(t, markdown ? "|\n" : "\n");
}

static void table(sn_text *t, const sn_cases *c, const sn_problem *p, int markdown)
{
    char cell[COLUMNS][CELL];
    const char *at[COLUMNS];
    int width[COLUMNS];
    widths(c, p, width);
    line(t, head, width, markdown);
    for (int i = 0; markdown && i < COLUMNS; i++) sn_text_add(t, i < 2 ? "|---" : "|---:");
    if (markdown) sn_text_add(t, "|\n");
    for (int k = p->first; k < p->first + p->n; k++) {
        row(&c->item[k], cell);
        for (int i = 0; i < COLUMNS; i++) at[i] = cell[i];
        line(t, at, width, markdown);
    }
}

static void failures(sn_text *t, const sn_cases *c, const sn_problem *p, const char *before)
{
    char words[WORDS];
    for (int k = p->first; k < p->first + p->n; k++) {
        const sn_case *x = &c->item[k];
        if (x->state != SN_CASE_FAILED) continue;
        sn_case_words(x, words, sizeof words);
        sn_text_add(t, "%s%s%s%s failed: %s\n", before, x->variant->name, words[0] ? ", " : "", words,
                    x->reason);
    }
}

static void put_text(sn_text *t, const sn_cases *c, int markdown)
{
    char reference[200];
    if (markdown) sn_text_add(t, "# %s\n", c->title);
    for (int i = 0; i < c->n_problem; i++) {
        const sn_problem *p = &c->problem[i];
        if (!p->n) continue;
        reference_text(p, reference, sizeof reference);
        sn_text_add(t, "%s%s%s\n%serror against %s, relative to %g\n\n", i || markdown ? "\n" : "",
                    markdown ? "## " : "", p->title, markdown ? "\n" : "", reference, p->scale);
        table(t, c, p, markdown);
        if (markdown) sn_text_add(t, "\n");
        failures(t, c, p, markdown ? "- " : "");
    }
    sn_text_add(t,
                "%sCPU time: the smallest of those measured; times are noisy. *: steps that had to be "
                "divided.\n",
                markdown ? "\n" : "");
}

/* ---- CSV ---- */

static void csv_text(sn_text *t, const char *text)
{
    sn_text_add(t, "\"");
    for (; *text; text++) sn_text_add(t, *text == '"' ? "\"\"" : "%c", *text);
    sn_text_add(t, "\"");
}

static void csv_number(sn_text *t, double x)
{
    if (isfinite(x))
        sn_text_add(t, ",%.12g", x);
    else
        sn_text_add(t, ",");
}

static void put_csv(sn_text *t, const sn_cases *c)
{
    static const char *const state[] = {"not solved", "done", "failed"};
    char words[WORDS];
    sn_text_add(t, "problem,variant,refined,state,unknowns,steps,iterations,factorisations,reductions,"
                   "factor_nonzeros,cpu,error,order,cpu_per_digit,energy_drift,momentum_drift,violation,"
                   "reason,values\n");
    for (int k = 0; k < c->n_case; k++) {
        const sn_case *x = &c->item[k];
        const int done = x->state == SN_CASE_DONE;
        const double all[] = {x->r.unknowns,   x->r.steps,           x->r.iterations, x->r.factorisations,
                              x->r.reductions, x->r.factor_nonzeros, x->r.cpu,        x->error,
                              x->order,        per_digit(x),         energy(x),       momentum(x),
                              x->r.violation};
        sn_case_words(x, words, sizeof words);
        csv_text(t, x->problem->name), sn_text_add(t, ","), csv_text(t, x->variant->name);
        sn_text_add(t, ","), csv_text(t, words), sn_text_add(t, ",%s", state[x->state]);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) csv_number(t, done ? all[i] : NAN);
        sn_text_add(t, ","), csv_text(t, x->reason), sn_text_add(t, ",\"");
        for (int i = 0; done && i < x->problem->n_quantity; i++)
            sn_text_add(t, "%s%.12g", i ? " " : "", x->r.y[i]);
        sn_text_add(t, "\"\n");
    }
}

/* ---- JSON ---- */

static void json_case(sn_text *t, const sn_case *x)
{
    static const char *const state[] = {"not solved", "done", "failed"};
    char words[WORDS];
    sn_case_words(x, words, sizeof words);
    sn_text_add(t, "{\"variant\": ");
    sn_text_string(t, x->variant->name);
    sn_text_add(t, ", \"refined\": "), sn_text_string(t, words);
    sn_text_add(t, ", \"state\": \"%s\", \"reference\": %s, \"kept\": %s, \"at\": {", state[x->state],
                x->is_reference ? "true" : "false", x->kept ? "true" : "false");
    for (int k = 0; k < x->variant->n_refined && !x->is_reference; k++) {
        const sn_refined *r = &x->variant->refined[k];
        sn_text_add(t, k ? ", " : "");
        sn_text_string(t, r->name);
        sn_text_add(t, ": {\"value\": "), sn_text_number(t, r->size[x->value[k]]);
        sn_text_add(t, ", \"number\": %d, \"last\": %s}", x->value[k],
                    x->value[k] == r->n - 1 ? "true" : "false");
    }
    sn_text_add(t, "}");
    if (x->state == SN_CASE_FAILED) sn_text_add(t, ", \"reason\": "), sn_text_string(t, x->reason);
    if (x->state == SN_CASE_DONE) {
        sn_text_pair(t, "unknowns", x->r.unknowns), sn_text_pair(t, "steps", x->r.steps);
        sn_text_pair(t, "iterations", x->r.iterations),
            sn_text_pair(t, "factorisations", x->r.factorisations);
        sn_text_pair(t, "reductions", x->r.reductions),
            sn_text_pair(t, "factor_nonzeros", x->r.factor_nonzeros);
        sn_text_pair(t, "cpu", x->r.cpu), sn_text_pair(t, "error", x->error),
            sn_text_pair(t, "order", x->order);
        sn_text_pair(t, "cpu_per_digit", per_digit(x)), sn_text_pair(t, "energy_drift", energy(x));
        sn_text_pair(t, "momentum_drift", momentum(x)), sn_text_pair(t, "violation", x->r.violation);
        sn_text_add(t, ", \"values\": [");
        for (int i = 0; i < x->problem->n_quantity; i++) sn_text_add(t, i ? ", %.15g" : "%.15g", x->r.y[i]);
        sn_text_add(t, "]");
    }
    sn_text_add(t, "}");
}

static void json_problem(sn_text *t, const sn_cases *c, const sn_problem *p)
{
    char reference[200];
    reference_text(p, reference, sizeof reference);
    sn_text_add(t, "{\"name\": "), sn_text_string(t, p->name);
    sn_text_add(t, ", \"title\": "), sn_text_string(t, p->title);
    sn_text_add(t, ", \"note\": "), sn_text_string(t, p->note);
    sn_text_add(t,
                ", \"analysis\": \"%s\", \"scale\": %.12g, \"reference\": ", p->is_static ? "static" : "run",
                p->scale);
    sn_text_string(t, reference);
    sn_text_add(t, ", \"quantities\": [");
    for (int i = 0; i < p->n_quantity; i++)
        sn_text_add(t, i ? ", " : ""), sn_text_string(t, p->quantity[i]->text);
    sn_text_add(t, "], \"cases\": [");
    for (int k = p->first; k < p->first + p->n; k++)
        sn_text_add(t, k > p->first ? ", " : ""), json_case(t, &c->item[k]);
    sn_text_add(t, "]}");
}

static void put_json(sn_text *t, const sn_cases *c, int stopped)
{
    int any = 0;
    sn_text_add(t, "{\"page\": \"cases\", \"title\": "), sn_text_string(t, c->title);
    sn_text_add(t, ", \"file\": "), sn_text_string(t, c->file);
    sn_text_add(t, ", \"version\": \"%s\", \"repeat\": %d, \"stopped\": %s, \"problems\": [", sn_version(),
                c->repeat, stopped ? "true" : "false");
    for (int i = 0; i < c->n_problem; i++)
        if (c->problem[i].n) sn_text_add(t, any++ ? ", " : ""), json_problem(t, c, &c->problem[i]);
    sn_text_add(t, "]}\n");
}

/* ---- files ---- */

static sn_status save(const sn_text *t, const char *folder, const char *name, sn_err *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return sn_text_save(t, path, err);
}

sn_status sn_cases_write(const sn_cases *c, const sn_cases_options *o, int stopped, sn_cases_info *info,
                         sn_err *err)
{
    sn_text text = {0}, md = {0}, csv = {0}, json = {0};
    char path[4096];
    put_text(&text, c, 0), put_text(&md, c, 1), put_csv(&csv, c), put_json(&json, c, stopped);
    snprintf(path, sizeof path, "%s/compare.html", o->folder);
    sn_status s = text.failed || json.failed ? SN_OUT_OF_MEM(err) : save(&md, o->folder, "compare.md", err);
    if (!s) s = save(&csv, o->folder, "compare.csv", err);
    if (!s) s = save(&json, o->folder, "compare.json", err);
    if (!s) s = sn_cases_page(path, c->title, json.text, json.n, err);
    info->cases = c->n_case, info->stopped = stopped;
    for (int i = 0; i < c->n_case; i++)
        info->failed += c->item[i].state == SN_CASE_FAILED, info->kept += c->item[i].kept;
    if (!s) s = sn_text_finish(&text, &info->summary, NULL, err), text.text = NULL;
    if (!s) s = sn_text_finish(&json, &info->json, NULL, err), json.text = NULL;
    sn_free(text.text), sn_free(md.text), sn_free(csv.text), sn_free(json.text);
    return s;
}

/* No file that is written is one that was read. */
static sn_status check_outputs(const char *file, const sn_cases_options *o, sn_err *err)
{
    static const char *const name[] = {"compare.html", "compare.csv", "compare.md", "compare.json",
                                       "resume.bin"};
    char path[4096];
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        snprintf(path, sizeof path, "%s/%s", o->folder, name[i]);
        SN_TRY(sn_output_check(path, 1, &file, err));
    }
    return SN_OK;
}

sn_status sn_compare_cases(const char *file, const sn_cases_options *o, sn_cases_info *info, sn_err *err)
{
    sn_cases *c;
    memset(info, 0, sizeof *info);
    SN_TRY(sn_cases_read(file, o, &c, err));
    sn_status s = sn_cases_check(c, err);
    if (!s) s = sn_folder_make(o->folder, err);
    if (!s) s = check_outputs(file, o, err);
    if (!s) {
        s = sn_cases_solve(c, o, err);
        sn_cases_judge(c);
        if (!s || s == SN_ERR_INTERRUPTED) s = sn_cases_write(c, o, s != SN_OK, info, err);
    }
    sn_cases_free(c);
    return s;
}
