/* A design as JSON, as a text for the terminal, and as a study for what will be measured. */
#define _GNU_SOURCE /* realpath */
#include "identify/design.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 24, COLUMNS = 6 };

static const char *const criteria[] = {"D", "A", "c"};

static double goal_of(const sn_plan *p, int k)
{
    const sn_unknown *u = &p->s->unknown[k];
    return p->d->goal[k] * (u->log ? u->start : u->scale);
}

/* A set of k sensors is at least so good as any other of k, in standard errors. */
static double efficiency(const sn_set_size *z) { return fmin(exp(z->bound - z->criterion), 1); }

/* ---- JSON ---- */

/* Of the unknowns of all experiments. */
static void errors(sn_text *t, const sn_plan *p, const char *key, const double *se)
{
    sn_text_add(t, ", \"%s\": {", key);
    for (int k = 0; k < p->s->n_common; k++) {
        if (k) sn_text_add(t, ", ");
        sn_text_string(t, p->s->unknown[k].name);
        sn_text_add(t, ": ");
        sn_text_number(t, se[k]);
    }
    sn_text_add(t, "}");
}

static void json_head(sn_text *t, const sn_plan *p)
{
    const sn_set_size *z = &p->size[p->chosen - 1];
    sn_text_add(t, "{\"title\": ");
    sn_text_string(t, p->s->title);
    sn_text_add(t, ", \"study\": ");
    sn_text_string(t, p->s->file);
    sn_text_add(t, ", \"criterion\": \"%s\", \"function\": ", criteria[p->d->criterion]);
    if (p->d->function)
        sn_text_string(t, p->d->function);
    else
        sn_text_add(t, "null");
    sn_text_add(t, ", \"goals\": %d, \"reached\": %s, \"stopped\": %s", p->d->n_goal,
                p->reached ? "true" : "false", p->stopped ? "true" : "false");
    sn_text_pair(t, "duration", p->duration);
    sn_text_pair(t, "rate", p->rate);
    sn_text_pair(t, "longest", p->d->longest);
    sn_text_pair(t, "highest_rate", p->d->rate[p->d->n_rate - 1]);
    sn_text_pair(t, "criterion_value", z->criterion);
    sn_text_pair(t, "efficiency_at_least", efficiency(z));
    sn_text_add(t, ", \"simulations\": %ld", p->simulations);
    sn_text_pair(t, "seconds", p->seconds);
    sn_text_add(t, ", \"excitation\": {");
    for (int i = 0; i < p->d->n_excitation; i++) {
        const sn_excitation *e = &p->d->excitation[i];
        if (i) sn_text_add(t, ", ");
        sn_text_string(t, e->name);
        sn_text_add(t, ": {\"unit\": ");
        sn_text_string(t, e->unit);
        sn_text_pair(t, "value", p->excitation[i]);
        if (!e->n) sn_text_pair(t, "lower", e->lower), sn_text_pair(t, "upper", e->upper);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "}");
}

static void json_sensors(sn_text *t, const sn_plan *p)
{
    const sn_experiment *x = &p->s->experiment[p->d->experiment];
    sn_text_add(t, ", \"sensors\": [");
    for (int i = 0; i < p->d->n_candidate; i++) {
        const sn_sensor_choice *c = &p->d->candidate[p->order[i]];
        sn_text_add(t, "%s{\"name\": ", i ? ", " : "");
        sn_text_string(t, c->name);
        sn_text_add(t, ", \"chosen\": %s, \"channels\": [", i < p->chosen ? "true" : "false");
        for (int k = c->first; k < c->first + c->n; k++) {
            sn_channel h = sn_channel_get(p->s->model, x->channel[k]);
            char name[300];
            snprintf(name, sizeof name, "%s.%s", h.sensor, h.component);
            sn_text_add(t, "%s{\"name\": ", k > c->first ? ", " : "");
            sn_text_string(t, name);
            sn_text_add(t, ", \"unit\": ");
            sn_text_string(t, h.unit);
            sn_text_pair(t, "noise", x->sigma[k]);
            sn_text_pair(t, "correlation_time", p->d->memory[k]);
            sn_text_add(t, "}");
        }
        sn_text_add(t, "]");
        sn_text_pair(t, "adds", 1 - exp(-p->adds[i]));
        errors(t, p, "std_errors_with_it", p->after[i]);
        if (i < p->chosen) errors(t, p, "std_errors_without_it", p->without[p->order[i]]);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "]");
}

static void json_sizes(sn_text *t, const sn_plan *p)
{
    sn_text_add(t, ", \"sizes\": [");
    for (int i = 0; i < p->n_size; i++) {
        const sn_set_size *z = &p->size[i];
        sn_text_add(t, "%s{\"n\": %d, \"sensors\": [", i ? ", " : "", i + 1);
        for (int c = 0, n = 0; c < p->d->n_candidate; c++) {
            if (z->w[c] == 0) continue;
            if (n++) sn_text_add(t, ", ");
            sn_text_string(t, p->d->candidate[c].name);
        }
        sn_text_add(t, "]");
        sn_text_pair(t, "efficiency_at_least", efficiency(z));
        sn_text_pair(t, "duration_for_goals", p->d->n_goal ? z->duration : NAN);
        errors(t, p, "std_errors", z->std_error);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "], \"rates\": [");
    for (int i = 0; i < p->d->n_rate; i++) {
        sn_text_add(t, "%s{\"rate\": ", i ? ", " : "");
        sn_text_number(t, p->d->rate[i]);
        sn_text_pair(t, "duration_for_goals", p->d->n_goal ? p->rate_duration[i] : NAN);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "]");
}

static void json_parameters(sn_text *t, const sn_plan *p)
{
    sn_text_add(t, ", \"parameters\": {");
    for (int k = 0; k < p->s->n_common; k++) {
        const sn_unknown *u = &p->s->unknown[k];
        double goal = goal_of(p, k);
        if (k) sn_text_add(t, ", ");
        sn_text_string(t, u->name);
        sn_text_add(t, ": {\"unit\": ");
        sn_text_string(t, u->unit);
        sn_text_pair(t, "value", u->start);
        sn_text_pair(t, "std_error", p->e->std_error[k]);
        sn_text_pair(t, "std_error_all_candidates", p->all[k]);
        sn_text_pair(t, "goal", goal);
        sn_text_add(t, ", \"reached\": %s",
                    isnan(goal)                               ? "null"
                    : p->e->std_error[k] <= goal * (1 + 1e-9) ? "true"
                                                              : "false");
        if (p->worst) sn_text_pair(t, "std_error_worst_draw", p->worst[k]);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "}");
    if (p->d->robust)
        sn_text_add(t, ", \"draws\": {\"n\": %d, \"reaching\": %d}", p->d->robust, p->draws_reaching);
}

sn_status sn_plan_json(const sn_plan *p, char **text, size_t *length, sn_err *err)
{
    sn_text t = {0};
    json_head(&t, p);
    json_sensors(&t, p);
    json_sizes(&t, p);
    json_parameters(&t, p);
    sn_seen_json(&t, p->e);
    sn_verdicts_json(&t, p->e);
    sn_text_add(&t, "}\n");
    return sn_text_finish(&t, text, length, err);
}

/* ---- the terminal ---- */

/* "0.84 %", or in the unit of an unknown that is zero. */
static const char *error_text(const sn_plan *p, int k, double se, char *text, size_t size)
{
    const sn_unknown *u = &p->s->unknown[k];
    if (!isfinite(se))
        snprintf(text, size, "not seen");
    else if (u->start != 0)
        snprintf(text, size, "%.3g %%", 100 * se / fabs(u->start));
    else
        snprintf(text, size, "%.3g %s", se / u->shown_factor, u->shown);
    return text;
}

/* Unknowns that have a column in the tables. */
static int columns(const sn_plan *p, int *list)
{
    int n = 0;
    for (int k = 0; k < p->s->n_common && n < COLUMNS; k++)
        if (p->d->asked[k]) list[n++] = k;
    return n;
}

static void row(sn_text *t, const sn_plan *p, int width, const char *name, const double *se)
{
    int list[COLUMNS], n = columns(p, list);
    char text[60];
    sn_text_add(t, "  %-*s", width, name);
    for (int i = 0; i < n; i++)
        sn_text_add(t, " %12s",
                    se ? error_text(p, list[i], se[list[i]], text, sizeof text)
                       : p->s->unknown[list[i]].name);
}

static void sensor_table(sn_text *t, const sn_plan *p)
{
    static const char first[] = "sensors, each with those above";
    int width = (int)sizeof first - 3, n = p->d->n_candidate, shown = 0;
    for (int i = 0; i < n; i++)
        if ((int)strlen(p->d->candidate[i].name) > width) width = (int)strlen(p->d->candidate[i].name);
    sn_text_add(t, "in %.4g s at %.6g Hz\n", p->d->longest, p->d->rate[p->d->n_rate - 1]);
    sn_text_add(t, "%s%*s", first, width + 3 - (int)sizeof first, "");
    int list[COLUMNS], m = columns(p, list);
    for (int i = 0; i < m; i++) sn_text_add(t, " %12s", p->s->unknown[list[i]].name);
    sn_text_add(t, "\n");
    for (int i = 0; i < p->chosen; i++) {
        row(t, p, width, p->d->candidate[p->order[i]].name, p->after[i]);
        if (i && p->adds[i] > 0)
            sn_text_add(t, "   %.2g %% smaller in the mean\n", 100 * (1 - exp(-p->adds[i])));
        else
            sn_text_add(t, "\n");
    }
    if (p->chosen < n) sn_text_add(t, "not chosen, each beside all of these\n");
    for (int i = p->chosen; i < n && shown < LINES; i++, shown++) {
        row(t, p, width, p->d->candidate[p->order[i]].name, p->after[i]);
        sn_text_add(t, "   %.2g %% smaller\n", 100 * (1 - exp(-p->adds[i])));
    }
    if (p->chosen + shown < n)
        sn_text_add(t, "and %d more that add less: design.json has them all\n", n - p->chosen - shown);
}

/* What fewer sensors would do: the best of each number. */
static void size_table(sn_text *t, const sn_plan *p)
{
    if (p->n_size < 2) return;
    sn_text_add(t, "\nbest sets of fewer sensors\n");
    for (int i = 0; i < p->n_size && i < LINES; i++) {
        const sn_set_size *z = &p->size[i];
        char names[200] = "";
        for (int c = 0; c < p->d->n_candidate; c++) {
            size_t used = strlen(names);
            if (z->w[c] != 0)
                snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                         p->d->candidate[c].name);
        }
        int most = (int)sizeof "sensors, each with those above" - 3;
        char *cut = (int)strlen(names) > most ? names + most - 3 : NULL;
        if (cut) strcpy(cut, "...");
        row(t, p, most, names, z->std_error);
        if (p->d->n_goal && !isnan(z->duration)) sn_text_add(t, "   goals reached in %.4g s", z->duration);
        sn_text_add(t, "\n");
    }
}

static void unknown_table(sn_text *t, const sn_plan *p)
{
    int width = 9;
    for (int k = 0; k < p->s->n_common; k++)
        if ((int)strlen(p->s->unknown[k].name) > width) width = (int)strlen(p->s->unknown[k].name);
    sn_text_add(t, "\n%-*s %24s  %-28s %s\n", width, "", "expected", "standard error",
                p->d->n_goal ? "goal" : "");
    for (int k = 0; k < p->s->n_common && k < LINES; k++) {
        const sn_unknown *u = &p->s->unknown[k];
        double f = u->shown_factor, se = p->e->std_error[k], goal = goal_of(p, k);
        char value[60], error[80], relative[60];
        snprintf(value, sizeof value, "%.6g %s", u->start / f, u->shown);
        error_text(p, k, se, relative, sizeof relative);
        if (isfinite(se) && u->start != 0)
            snprintf(error, sizeof error, "%.3g %s (%s)", se / f, u->shown, relative);
        else
            snprintf(error, sizeof error, "%s", relative);
        sn_text_add(t, "%-*s %24s  %-28s", width, u->name, value, error);
        if (!isnan(goal))
            sn_text_add(t, " %s, %s", error_text(p, k, goal, relative, sizeof relative),
                        se <= goal * (1 + 1e-9) ? "reached" : "NOT REACHED");
        sn_text_add(t, "\n");
    }
    if (p->s->n_common > LINES)
        sn_text_add(t, "and %d more: design.json has them all\n", p->s->n_common - LINES);
    if (p->s->n_unknown > p->s->n_common)
        sn_text_add(t, "and %d of the experiment itself\n", p->s->n_unknown - p->s->n_common);
}

static void excitation_table(sn_text *t, const sn_plan *p)
{
    for (int i = 0; i < p->d->n_excitation; i++) {
        const sn_excitation *e = &p->d->excitation[i];
        sn_text_add(t, "%s%s = %.6g %s", i ? "\n" : "", e->name, p->excitation[i] / e->shown_factor,
                    e->shown);
        if (e->n)
            sn_text_add(t, "   (of %d values)", e->n);
        else
            sn_text_add(t, "   (%.6g .. %.6g)", e->lower / e->shown_factor, e->upper / e->shown_factor);
    }
    if (p->d->n_excitation) sn_text_add(t, "\n\n");
}

sn_status sn_plan_summary(const sn_plan *p, char **text, sn_err *err)
{
    static const char *const level[] = {"ok:     ", "warning:", "BAD:    "};
    const sn_set_size *z = &p->size[p->chosen - 1];
    sn_text t = {0};
    sn_text_add(&t, "%s%s\n", p->s->title, p->s->title[0] ? "" : p->s->file);
    sn_text_add(&t, "%s-optimal%s%s: %d of %d sensors, %.4g s at %.6g Hz; %ld simulations, %.3g s\n",
                criteria[p->d->criterion], p->d->function ? " for " : "",
                p->d->function ? p->d->function : "", p->chosen, p->d->n_candidate, p->duration, p->rate,
                p->simulations, p->seconds);
    if (efficiency(z) < 0.995)
        sn_text_add(&t, "no other set of %d sensors has standard errors more than %.2g %% smaller\n",
                    p->chosen, 100 * (1 - efficiency(z)));
    sn_text_add(&t, "\n");
    excitation_table(&t, p);
    sensor_table(&t, p);
    size_table(&t, p);
    unknown_table(&t, p);
    sn_text_add(&t, "\n");
    for (int l = 2; l >= 0; l--)
        for (int i = 0; i < p->e->n_verdict; i++)
            if (p->e->verdict[i].level == l) sn_text_add(&t, "%s %s\n", level[l], p->e->verdict[i].text);
    return sn_text_finish(&t, text, NULL, err);
}

/* ---- the study ---- */

/* An item of the file as one line, without the keys that only a design has. */
static void flow(sn_text *t, const sn_item *i, int level)
{
    if (i->type == SN_ITEM_SCALAR) {
        sn_text_string(t, i->text);
        return;
    }
    sn_text_add(t, i->type == SN_ITEM_MAP ? "{" : "[");
    int n = 0;
    for (const sn_item *c = i->child; c; c = c->next) {
        if (level == 1 && c->key && !strcmp(c->key, "goal")) continue;
        if (n++) sn_text_add(t, ", ");
        if (c->key) sn_text_string(t, c->key), sn_text_add(t, ": ");
        flow(t, c, level + 1);
    }
    sn_text_add(t, i->type == SN_ITEM_MAP ? "}" : "]");
}

/* The way from a folder to a file, both by their real names; NULL: it cannot be told. */
static char *way_to(sn_arena *a, const char *folder, const char *file)
{
    char *from = realpath(folder, NULL), *to = realpath(file, NULL), *way = NULL;
    if (from && to) {
        size_t same = 0;
        for (size_t i = 0; from[i] && from[i] == to[i]; i++)
            if (from[i] == '/') same = i + 1;
        if (!strncmp(from, to, strlen(from)) && to[strlen(from)] == '/') same = strlen(from) + 1;
        char up[600] = "";
        const char *rest = same > strlen(from) ? "" : from + same;
        while (*rest && strlen(up) < sizeof up - 4) {
            strcat(up, "../");
            rest += strcspn(rest, "/");
            rest += *rest == '/';
        }
        way = sn_arena_printf(a, "%s%s", up, to + same);
    }
    free(from), free(to);
    return way;
}

/* What was set besides the design's excitations. */
static void settings(sn_text *t, const sn_plan *p)
{
    const sn_item *set = sn_item_get(p->s->root, "set");
    sn_text_add(t, "set:\n");
    for (const sn_item *i = set ? set->child : NULL; i; i = i->next) {
        int ours = 0;
        for (int k = 0; k < p->d->n_excitation; k++) ours |= !strcmp(p->d->excitation[k].name, i->key);
        if (ours) continue;
        sn_text_add(t, "  "), sn_text_string(t, i->key), sn_text_add(t, ": "), flow(t, i, 0),
            sn_text_add(t, "\n");
    }
    for (int k = 0; k < p->d->n_excitation; k++) {
        const sn_excitation *e = &p->d->excitation[k];
        sn_text_add(t, "  "), sn_text_string(t, e->name);
        sn_text_add(t, ": \"%.9g %s\"\n", p->excitation[k] / e->shown_factor, e->shown);
    }
}

sn_status sn_plan_study(const sn_plan *p, const char *folder, sn_text *t, sn_err *err)
{
    static const char *const kept[] = {"run",    "offset",    "horizon", "windows",
                                       "starts", "optimiser", "loss",    "unknowns"};
    const sn_experiment *x = &p->s->experiment[p->d->experiment];
    const double *w = p->size[p->chosen - 1].w;
    sn_arena a = {0};
    const char *model = p->s->model->file ? way_to(&a, folder, p->s->model->file) : NULL;
    sn_text_add(t, "# %.6g s at %.6g Hz. Put what is measured into measured.csv, with columns t", p->duration,
                p->rate);
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            sn_text_add(t, "\nstudy: 1\ntitle: "), sn_text_string(t, p->s->title);
            sn_text_add(t, "\nmodel: "), sn_text_string(t, model               ? model
                                                           : p->s->model->file ? p->s->model->file
                                                                               : "");
            sn_text_add(t, "\ndata: measured.csv\nnoise:\n");
        }
        for (int i = 0; i < p->d->n_candidate; i++)
            for (int c = 0; w[i] != 0 && c < p->d->candidate[i].n; c++) {
                int at = p->d->candidate[i].first + c;
                sn_channel h = sn_channel_get(p->s->model, x->channel[at]);
                if (pass)
                    sn_text_add(t, "  %s.%s: %.9g %s\n", h.sensor, h.component, x->sigma[at], h.unit);
                else
                    sn_text_add(t, ", %s.%s", h.sensor, h.component);
            }
    }
    if (p->d->n_excitation || sn_item_get(p->s->root, "set")) settings(t, p);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const sn_item *k = sn_item_get(p->s->root, kept[i]);
        if (k) sn_text_add(t, "%s: ", kept[i]), flow(t, k, 0), sn_text_add(t, "\n");
    }
    sn_arena_free(&a);
    return t->failed ? SN_OUT_OF_MEM(err) : SN_OK;
}
