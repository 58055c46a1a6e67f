/* An estimate as JSON (short for programs, whole for the report page) and as HDF5. */
#include "identify/places.h"
#include "identify/result.h"
#include "identify/modal.h"
#include "identify/text.h"
#include "identify/thin.h"
#include "io/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"indirect", "direct", "adapted_direct", "kalman"};
static const char *const sorts[] = {"time_series", "modes", "frf"};

static void list(sn_text *t, const char *key, int n, const double *x, int stride)
{
    sn_text_add(t, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i) sn_text_add(t, ",");
        sn_text_number(t, x[(size_t)i * (size_t)stride]);
    }
    sn_text_add(t, "]");
}

/* ---- parts ---- */

static void minima(sn_text *t, const sn_estimate *e)
{
    sn_text_add(t, ", \"minima\": [");
    for (int i = 0; i < e->n_minimum; i++) {
        const sn_minimum *m = &e->minimum[i];
        sn_text_add(t, "%s{\"cost\": %.12g", i ? ", " : "", m->cost);
        sn_text_pair(t, "weight", m->weight);
        sn_text_add(t, ", \"starts\": %d, \"parameters\": {", m->starts);
        for (int k = 0; k < e->s->n_common; k++) {
            sn_text_add(t, k ? ", " : "");
            sn_text_string(t, e->s->unknown[k].name);
            sn_text_add(t, ": ");
            sn_text_number(t, sn_fit_value(e->s, k, m->z[k]));
        }
        sn_text_add(t, "}}");
    }
    sn_text_add(t, "]");
}

static void bootstrap(sn_text *t, const sn_estimate *e)
{
    const sn_study *s = e->s;
    int longest = 1, n = 0;
    for (int k = 0; k < s->n_experiment; k++)
        if (e->bootstrap.block[k] > longest) longest = e->bootstrap.block[k];
    sn_text_add(t, ", \"bootstrap\": {\"n\": %d, \"block\": %d, \"seed\": %lu, \"blocks\": {", e->bootstrap.n,
                longest, s->bootstrap.seed);
    for (int k = 0; k < s->n_experiment; k++) {
        if (s->experiment[k].hold_out) continue;
        if (n++) sn_text_add(t, ", ");
        sn_text_string(t, s->experiment[k].name);
        sn_text_add(t, ": %d", e->bootstrap.block[k]);
    }
    sn_text_add(t, "}}");
}

static void head(sn_text *t, const sn_estimate *e)
{
    sn_text_add(t, "\"title\": ");
    sn_text_string(t, e->s->title);
    sn_text_add(t, ", \"study\": ");
    sn_text_string(t, e->s->file);
    sn_text_add(t, ", \"method\": \"%s\", \"converged\": %s, \"reason\": ", methods[e->s->method],
                e->converged ? "true" : "false");
    sn_text_string(t, e->reason);
    sn_text_add(t, ", \"stopped\": %s", e->stopped ? "true" : "false");
    sn_text_pair(t, "rms", e->rms);
    sn_text_pair(t, "hold_out_rms", e->hold_out);
    sn_text_add(t, ", \"measured\": %ld, \"simulations\": %ld, \"simulations_kept\": %ld", e->count,
                e->simulations, e->kept);
    sn_text_add(t, ", \"iterations_made\": %d", e->n_iteration);
    sn_text_pair(t, "seconds", e->seconds);
    if (e->starts) sn_text_add(t, ", \"starts\": %d, \"starts_alike\": %d", e->starts, e->alike);
    if (e->n_minimum > 1) minima(t, e);
    if (e->s->finer.halvings || e->s->finer.mesh > 1) {
        sn_text_add(t, ", \"refined\": {\"step\": ");
        sn_text_number(t, e->s->run.step);
        if (e->s->run.error > 0) sn_text_pair(t, "error", e->s->run.error);
        sn_text_add(t, ", \"halvings\": %d, \"mesh\": %d}", e->s->finer.halvings, e->s->finer.mesh);
    }
    if (e->s->refine == SN_REFINE_CORRECT)
        sn_text_add(t, ", \"corrected\": {\"step\": %s, \"mesh\": %s}", e->step.taken ? "true" : "false",
                    e->mesh.taken ? "true" : "false");
    if (e->bootstrap.n) bootstrap(t, e);
    sn_verdicts_json(t, e);
}

/* The profile of unknown k: its values, what the cost rises by, and the values of the others. */
static void profile(sn_text *t, const sn_estimate *e, int k)
{
    const sn_profile_curve *c = &e->curve[k];
    sn_text_add(t, ", \"profile\": {\"limit\": ");
    sn_text_number(t, c->limit);
    for (int part = 0; part < 2; part++) {
        sn_text_add(t, part ? "], \"cost\": [" : ", \"value\": [");
        for (int i = 0; i < c->n; i++) {
            sn_text_add(t, i ? "," : "");
            sn_text_number(t, part ? c->point[i].rise : c->point[i].value);
        }
    }
    sn_text_add(t, "], \"others\": {");
    for (int j = 0, n = 0; j < e->s->n_common; j++) {
        if (j == k) continue;
        sn_text_add(t, n++ ? ", " : "");
        sn_text_string(t, e->s->unknown[j].name);
        for (int i = 0; i < c->n; i++) {
            sn_text_add(t, i ? "," : ": [");
            sn_text_number(t, c->point[i].others[j]);
        }
        sn_text_add(t, "]");
    }
    sn_text_add(t, "}}");
}

static void one_parameter(sn_text *t, const sn_estimate *e, int k)
{
    const sn_unknown *u = &e->s->unknown[k];
    sn_text_add(t, "\"unit\": ");
    sn_text_string(t, u->unit);
    sn_text_add(t, ", \"shown\": {\"unit\": ");
    sn_text_string(t, u->shown);
    sn_text_pair(t, "factor", u->shown_factor);
    sn_text_add(t, "}");
    sn_text_pair(t, "start", u->start);
    sn_text_pair(t, "estimate", e->value[k]);
    sn_text_pair(t, "std_error", e->std_error[k]);
    const double interval[2] = {e->lo[k], e->hi[k]};
    list(t, "interval", 2, interval, 1);
    sn_text_pair(t, "degrees_of_freedom", e->freedom[k]);
    sn_text_pair(t, "white_noise_factor", sqrt(e->inflation[k]));
    if (e->curve && k < e->s->n_common && e->curve[k].n) profile(t, e, k);
    if (e->bootstrap.n) sn_text_pair(t, "bootstrap_std_error", e->bootstrap.sd[k]);
    if (e->bootstrap.n) sn_text_pair(t, "bootstrap_widened", e->bootstrap.widened[k]);
    if (e->step.bias) sn_text_pair(t, "bias_step", e->step.bias[k]);
    if (e->mesh.bias) sn_text_pair(t, "bias_mesh", e->mesh.bias[k]);
    if (e->step.taken || e->mesh.taken) sn_text_pair(t, "correction", e->correction[k]);
    sn_text_pair(t, "lower", u->lower);
    sn_text_pair(t, "upper", u->upper);
    sn_text_add(t, ", \"scale\": \"%s\", \"at_bound\": %d, \"prior\": ", u->log ? "log" : "linear",
                e->at_bound[k]);
    if (isnan(u->prior)) {
        sn_text_add(t, "null");
    } else {
        double mean = u->log ? exp(u->prior) : u->prior;
        sn_text_add(t, "[%.12g, %.12g]", mean, u->log ? mean * u->prior_sd : u->prior_sd);
    }
    sn_text_add(t, ", \"experiment\": ");
    if (u->experiment >= 0)
        sn_text_string(t, e->s->experiment[u->experiment].name);
    else
        sn_text_add(t, "null");
}

static void parameters(sn_text *t, const sn_estimate *e, int as_list)
{
    sn_text_add(t, ", \"parameters\": %c", as_list ? '[' : '{');
    for (int k = 0, n = 0; k < e->s->n_unknown; k++) {
        if (e->s->unknown[k].of_history) continue;
        if (n++) sn_text_add(t, ", ");
        if (as_list) sn_text_add(t, "{\"name\": ");
        sn_text_string(t, e->s->unknown[k].name);
        sn_text_add(t, as_list ? ", " : ": {");
        one_parameter(t, e, k);
        sn_text_add(t, "}");
    }
    sn_text_add(t, as_list ? "]" : "}");
}

static void iterations(sn_text *t, const sn_estimate *e)
{
    sn_text_add(t, ", \"iterations\": [");
    for (int i = 0; i < e->n_iteration; i++) {
        const sn_iteration *q = &e->iteration[i];
        sn_text_add(t, "%s{\"iteration\": %d, \"stage\": %d", i ? ", " : "", q->iteration, q->stage);
        sn_text_pair(t, "cost", q->cost);
        sn_text_pair(t, "rms", q->rms);
        sn_text_pair(t, "step", q->change);
        sn_text_pair(t, "damping", q->damping);
        sn_text_pair(t, "horizon", q->horizon);
        sn_text_add(t, ", \"parameters\": {");
        for (int k = 0, n = 0; k < e->s->n_common; k++) {
            if (e->s->unknown[k].of_history) continue;
            if (n++) sn_text_add(t, ", ");
            sn_text_string(t, e->s->unknown[k].name);
            sn_text_add(t, ": ");
            sn_text_number(t, q->value[k]);
        }
        sn_text_add(t, "}}");
    }
    sn_text_add(t, "]");
}

static void name_and_unit(sn_text *t, const char *name, const char *unit)
{
    sn_text_add(t, "{\"name\": ");
    sn_text_string(t, name);
    sn_text_add(t, ", \"unit\": ");
    sn_text_string(t, unit ? unit : "");
}

static void channel_head(sn_text *t, const sn_estimate *e, int channel)
{
    sn_channel h = sn_channel_get(e->s->model, channel);
    char name[300];
    snprintf(name, sizeof name, "%s.%s", h.sensor, h.component);
    name_and_unit(t, name, h.unit);
}

/* Probabilities under white noise. */
static void tests(sn_text *t, const sn_channel_fit *q)
{
    static const char *const name[SN_TEST_COUNT] = {"neighbours", "pattern", "line", "mean"};
    sn_text_add(t, ", \"tests\": {\"least\": ");
    sn_text_number(t, q->tests.least);
    for (int i = 0; i < SN_TEST_COUNT; i++) sn_text_pair(t, name[i], q->tests.p[i]);
    sn_text_pair(t, "stated_noise", q->known ? q->size_p : NAN);
    sn_text_add(t, "}");
}

static void channels(sn_text *t, const sn_estimate *e, int k, const sn_rows_shown *shown)
{
    const sn_experiment *x = &e->s->experiment[k];
    sn_text_add(t, ", \"channels\": [");
    for (int c = 0; c < x->n_channel; c++) {
        const sn_channel_fit *q = &e->channel[k][c];
        if (c) sn_text_add(t, ", ");
        const sn_column h = sn_column_get(e->s, x, c);
        name_and_unit(t, h.name, h.unit);
        sn_text_pair(t, "sigma", q->sigma);
        sn_text_add(t, ", \"sigma_stated\": %s", q->known ? "true" : "false");
        sn_text_pair(t, "noise_seen", q->seen);
        sn_text_pair(t, "rms", q->rms);
        sn_text_pair(t, "fit_percent", 100 * q->fit);
        sn_text_add(t, ", \"noise_like\": %s", q->noise_like ? "true" : "false");
        sn_text_pair(t, "mean", q->tests.mean * q->sigma / sqrt(x->weight));
        tests(t, q);
        sn_noise_json(t, x, c, q);
        if (x->hold_out)
            sn_text_pair(t, "rms_after_window", q->rest),
                sn_text_pair(t, "rms_within_first_second", q->second);
        sn_text_add(t, ", \"whiteness\": {\"statistic\": ");
        sn_text_number(t, q->white.statistic);
        sn_text_pair(t, "p_value", q->white.p);
        list(t, "lags", q->white.n, q->white.r, 1);
        sn_text_pair(t, "limit", q->white.limit);
        sn_text_add(t, "}");
        if (shown->row) {
            sn_thin_put(t, "data", shown, x->y + c, x->n_channel);
            sn_thin_put(t, "fit", shown, e->model[k] + c, x->n_channel);
            sn_thin_put(t, "start", shown, e->start[k] + c, x->n_channel);
            sn_thin_put(t, "residual", shown, e->residual[k] + c, x->n_channel);
        }
        sn_text_add(t, "}");
    }
    sn_text_add(t, "]");
}

/* Measured and fitted modes side by side. */
static void modes(sn_text *t, const sn_experiment *x, const sn_mode_pair *q)
{
    sn_text_add(t, ", \"modes\": [");
    for (int i = 0; q && i < x->n; i++) {
        sn_text_add(t, "%s{\"row\": %d, \"mode\": %d", i ? ", " : "", i + 1, q[i].mode);
        for (int c = 0; c < x->n_channel; c++) {
            int kind = x->modal->column[c].kind;
            if (kind == SN_COLUMN_FREQUENCY || kind == SN_COLUMN_NATURAL)
                sn_text_pair(t, "measured_frequency", x->y[i * x->n_channel + c]);
            if (kind == SN_COLUMN_DAMPING) sn_text_pair(t, "measured_damping", x->y[i * x->n_channel + c]);
        }
        sn_text_pair(t, "frequency", q[i].frequency);
        sn_text_pair(t, "natural_frequency",
                     q[i].frequency / sqrt(fmax(1 - q[i].damping * q[i].damping, 1e-300)));
        sn_text_pair(t, "damping", q[i].damping);
        sn_text_pair(t, "mac", q[i].mac);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "], \"about\": \"%s\"",
                x->modal->at_static   ? "static"
                : x->modal->at_steady ? "steady"
                                      : "start");
}

static void efforts(sn_text *t, const sn_estimate *e, int k)
{
    int n = 0;
    sn_text_add(t, ", \"efforts\": [");
    for (int i = 0; i < e->n_effort; i++) {
        const sn_effort *q = &e->effort[i];
        if (q->experiment != k || q->n == 0) continue;
        if (n++) sn_text_add(t, ", ");
        channel_head(t, e, q->channel);
        list(t, "t", q->n, q->t, 1);
        list(t, "y", q->n, q->y, 1);
        list(t, "band", q->n, q->band, 1);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "]");
}

enum { REPORT_ROWS = 40000, FEWEST_ROWS = 600, MOST_ROWS = 4000 };

/* Rows of long records are thinned out in the report, so that a page of a million of them can be opened. */
static sn_status experiment(sn_text *t, const sn_estimate *e, int k, int whole, sn_err *err)
{
    const sn_experiment *x = &e->s->experiment[k];
    sn_rows_shown shown = {0};
    int most = REPORT_ROWS / e->s->n_experiment;
    most = most < FEWEST_ROWS ? FEWEST_ROWS : most > MOST_ROWS ? MOST_ROWS : most;
    if (whole && !SN_NEW(shown.row, x->n + 1)) return SN_OUT_OF_MEM(err);
    sn_status status = whole ? sn_thin(x, e->residual[k], most, shown.row, &shown.n, err) : SN_OK;
    sn_text_add(t, "%s{\"name\": ", k ? ", " : "");
    sn_text_string(t, x->name);
    sn_text_add(t, ", \"data_file\": ");
    sn_text_string(t, x->file);
    sn_text_add(t, ", \"hold_out\": %s, \"rows\": %d", x->hold_out ? "true" : "false", x->n);
    sn_text_add(t, ", \"sort\": \"%s\"", sorts[x->sort]);
    if (x->sort == SN_MODES) modes(t, x, e->pair ? e->pair[k] : NULL);
    if (whole) sn_thin_put(t, "t", &shown, x->t, 1);
    channels(t, e, k, &shown);
    efforts(t, e, k);
    sn_text_add(t, "}");
    sn_free(shown.row);
    return status;
}

sn_status sn_estimate_json(const sn_estimate *e, int whole, char **text, size_t *length, sn_err *err)
{
    sn_text t = {0};
    sn_status status = SN_OK;
    sn_text_add(&t, "{");
    head(&t, e);
    parameters(&t, e, whole);
    sn_histories_json(&t, e);
    sn_places_json(&t, e);
    sn_seen_json(&t, e);
    sn_candidates_json(&t, e);
    if (e->direct) sn_text_add(&t, ", \"direct\": %s", e->direct);
    sn_text_add(&t, ", \"model\": ");
    sn_text_string(&t, e->s->model->file ? e->s->model->file : "");
    sn_text_add(&t, ", \"experiments\": [");
    for (int k = 0; !status && k < e->s->n_experiment; k++) status = experiment(&t, e, k, whole, err);
    sn_text_add(&t, "]");
    iterations(&t, e);
    sn_text_add(&t, "}\n");
    if (status) sn_free(t.text);
    return status ? status : sn_text_finish(&t, text, length, err);
}

/* ---- HDF5 ---- */

/* A force with its band: rows t, value, standard error. */
static sn_status effort_table(const sn_estimate *e, int i, sn_arena *arena, sn_result_array *array, int *n,
                              sn_err *err)
{
    const sn_effort *q = &e->effort[i];
    sn_channel h = sn_channel_get(e->s->model, q->channel);
    if (!q->n) return SN_OK;
    const char *name = sn_arena_printf(arena, "/experiments/%s/efforts/%s.%s",
                                       e->s->experiment[q->experiment].name, h.sensor, h.component);
    double *table = sn_arena_alloc(arena, (size_t)q->n * 3, sizeof *table);
    if (!name || !table) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < q->n; k++)
        table[3 * k] = q->t[k], table[3 * k + 1] = q->y[k], table[3 * k + 2] = q->band[k];
    array[(*n)++] = (sn_result_array){name, q->n, 3, table, NULL, NULL, h.unit, NULL};
    return SN_OK;
}

/* A profile: rows value, cost above the minimum. */
static sn_status profile_table(const sn_estimate *e, int k, sn_arena *arena, sn_result_array *array, int *n,
                               sn_err *err)
{
    const sn_profile_curve *c = &e->curve[k];
    if (!c->n) return SN_OK;
    const char *name = sn_arena_printf(arena, "/profiles/%s", e->s->unknown[k].name);
    double *table = sn_arena_alloc(arena, (size_t)c->n * 2, sizeof *table);
    if (!name || !table) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < c->n; i++) table[2 * i] = c->point[i].value, table[2 * i + 1] = c->point[i].rise;
    array[(*n)++] = (sn_result_array){name, c->n, 2, table, NULL, NULL, "value, cost", NULL};
    return SN_OK;
}

sn_status sn_estimate_h5(const sn_estimate *e, const char *path, const char *command, sn_err *err)
{
    const sn_study *s = e->s;
    sn_arena arena = {0};
    int n = s->n_unknown, arrays = 0, most = 8 + 7 * s->n_experiment + e->n_effort + n + 3 * e->n_history;
    const char **names = sn_arena_alloc(&arena, (size_t)n + 1, sizeof *names);
    double *table = sn_arena_alloc(&arena, (size_t)n * 5 + 1, sizeof *table);
    sn_result_array *array = sn_arena_alloc(&arena, (size_t)most, sizeof *array);
    sn_result *out = NULL;
    sn_status status = names && table && array ? SN_OK : SN_OUT_OF_MEM(err);
    for (int k = 0; !status && k < n; k++) {
        names[k] = s->unknown[k].name;
        const double row[5] = {s->unknown[k].start, e->value[k], e->std_error[k], e->lo[k], e->hi[k]};
        memcpy(table + 5 * (size_t)k, row, sizeof row);
    }
    if (!status) {
        array[arrays++] = (sn_result_array){
            "/parameters", n, 5, table, NULL, names, "start, estimate, std_error, lower, upper", NULL};
        array[arrays++] = (sn_result_array){"/correlation", n, n, e->correlation, NULL, names, NULL, NULL};
    }
    for (int k = 0; !status && k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        size_t all = (size_t)x->n * (size_t)x->n_channel;
        const double *gap = e->discrepancy[k];
        const double *data[] = {x->t,
                                x->y,
                                e->model[k],
                                e->residual[k],
                                x->noise ? e->innovation[k] : NULL,
                                gap,
                                gap ? gap + all : NULL};
        const char *const what[] = {
            "t", "data", "fit", "residual", "innovation", "discrepancy", "discrepancy_deviation"};
        for (int i = 0; i < 7 && !status; i++) {
            if (!data[i]) continue;
            const char *name = sn_arena_printf(&arena, "/experiments/%s/%s", x->name, what[i]);
            if (!name)
                status = SN_OUT_OF_MEM(err);
            else
                array[arrays++] =
                    (sn_result_array){name, x->n, i ? x->n_channel : 1, data[i], NULL, NULL, NULL, NULL};
        }
    }
    for (int i = 0; !status && i < e->n_effort; i++) status = effort_table(e, i, &arena, array, &arrays, err);
    for (int k = 0; !status && e->curve && k < s->n_common; k++)
        status = profile_table(e, k, &arena, array, &arrays, err);
    if (!status) status = sn_histories_h5(e, &arena, array, &arrays, err);
    const sn_result_text text[] = {{"@title", s->title},
                                   {"@program", "sinew"},
                                   {"@version", sn_version()},
                                   {"@analysis", "identify"},
                                   {"@command", command ? command : ""},
                                   {"@reason", e->reason},
                                   {"/model/text", s->model->source ? s->model->source : ""}};
    const sn_result_column column[] = {{"/iterations/cost", 1, NULL, NULL, "cost"},
                                       {"/iterations/rms", 1, NULL, NULL, "rms"},
                                       {"/iterations/horizon", 1, NULL, NULL, "horizon"},
                                       {"/iterations/parameters", n, names, NULL, "parameters"}};
    const sn_result_layout l = {.n_frames = e->n_iteration > 0 ? e->n_iteration : 1,
                                .frame_name = "/iteration",
                                .frame_unit = "1",
                                .n_columns = 4,
                                .n_texts = sizeof text / sizeof *text,
                                .n_arrays = arrays,
                                .column = column,
                                .text = text,
                                .array = array};
    if (!status) status = sn_result_create(path, &l, &out, err);
    for (int i = 0; !status && i < e->n_iteration; i++) {
        const sn_iteration *q = &e->iteration[i];
        const double *data[4] = {&q->cost, &q->rms, &q->horizon, q->value};
        status = sn_result_frame(out, q->iteration, data, err);
    }
    if (out) {
        sn_status closed =
            sn_result_close(out, e->converged ? SN_RESULT_COMPLETE : SN_RESULT_FAILED, status ? NULL : err);
        if (!status) status = closed;
    }
    sn_arena_free(&arena);
    return status;
}
