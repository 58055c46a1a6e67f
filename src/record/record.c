/* Analyses into result files: sensors, full states, names, units, the model's text and the program's version.
 */
#include "analysis/analysis.h"
#include "base/size.h"
#include "io/linear_mat.h"
#include "io/result.h"
#include "record/drawing.h"
#include "record/fields.h"
#include "record/linear.h"

#include <math.h>
#include <string.h>

enum { COLUMN_Q, COLUMN_V, COLUMN_A, COLUMN_LAM, STATE_COLUMNS, TEXTS = 9, ROOT = 5 };

typedef struct recorder {
    const sn_model *m;
    sn_arena arena;
    sn_result *out;
    sn_result_column *column;
    int n_column;
    const double **data;
    const sn_run_options *inner; /* whose callbacks are still called */
    const sn_mode_options *modes;
    double *none;      /* zeros: the imaginary part of real shapes */
    double root[ROOT]; /* of a mode: what the column /roots has */
    /* what the file will be: it is made with its first frame, so that a refused start leaves an older result
     * alone */
    const sn_values *p;
    const char *path, *analysis, *axis, *unit;
    int frames;
    const sn_buckling_options *buckling;
    /* paths of equilibria */
    const sn_path_options *paths;
    const char *path_name[4];
    double path_row[4], along, arc;
    int branch;
    const sn_info *info; /* of an equilibrium: whether it is stable; or NULL */
    /* linearised equations */
    const sn_linear_options *linear;
    const char *folder;
    sn_result_array *extra;
    int n_extra;
    sn_fields fields; /* not of modes */
    int n_field;      /* columns of fields, behind all others */
} recorder;

/* Names of n coordinates or equations, in the arena. */
static const char **names_of(recorder *r, int n, const char *(*name)(const sn_model *, int, char *, size_t))
{
    const char **all = sn_arena_alloc(&r->arena, (size_t)n + 1, sizeof *all);
    for (int i = 0; all && i < n; i++) {
        char text[200];
        name(r->m, i, text, sizeof text);
        if (!(all[i] = sn_arena_strndup(&r->arena, text, strlen(text)))) return NULL;
    }
    return all;
}

/* A sensor's derivatives: its components by all parameters, "x/k1", "x/k2", "y/k1" ... */
static sn_status derivatives_of(recorder *r, int i, sn_result_column *c)
{
    const sn_object *o = &r->m->sensor.object[i];
    int np = r->inner->n_wrt;
    const char *path = sn_arena_printf(&r->arena, "/sensitivities/%s", o->name);
    const char **name = sn_arena_alloc(&r->arena, (size_t)o->ny * (size_t)np + 1, sizeof *name);
    if (!path || !name) return SN_ERR_MEMORY;
    for (int k = 0; k < o->ny * np; k++)
        if (!(name[k] = sn_arena_printf(&r->arena, "%s/%s", o->component[k / np], r->inner->wrt[k % np])))
            return SN_ERR_MEMORY;
    *c = (sn_result_column){path, o->ny * np, name, NULL, "derivative"};
    return SN_OK;
}

/* What is told of a field. */
static const sn_result_label *labels(recorder *r, const sn_field *f)
{
    const sn_result_label all[] = {{"doc", -1, &f->doc},
                                   {"of", -1, &f->of},
                                   {"style", -1, &f->style},
                                   {"components", f->n, f->component},
                                   {NULL, 0, NULL}};
    sn_result_label *l = sn_arena_alloc(&r->arena, sizeof all / sizeof *all, sizeof *l);
    if (l) memcpy(l, all, sizeof all);
    return l;
}

/* Columns of the fields that the model has, behind all others, and what their numbers belong to. */
static sn_status fields(recorder *r)
{
    sn_result_array *list = sn_arena_alloc(&r->arena, (size_t)(r->n_extra + r->fields.n) + 1, sizeof *list);
    if (!list) return SN_ERR_MEMORY;
    for (int i = 0; i < r->n_extra; i++) list[i] = r->extra[i];
    r->extra = list;
    for (int k = 0; k < r->fields.n; k++) {
        const sn_field *f = &r->fields.field[k];
        const char *path = sn_arena_printf(&r->arena, "/fields/%s", f->name),
                   *rows = sn_arena_printf(&r->arena, "/model/fields/%s", f->name);
        const sn_result_label *l = labels(r, f);
        if (!path || !rows || !l) return SN_ERR_MEMORY;
        if (!f->rows) continue;
        r->column[r->n_column] = (sn_result_column){path, f->width, NULL, NULL, "field"};
        r->data[r->n_column++] = f->value;
        r->extra[r->n_extra++] = (sn_result_array){rows, f->rows, 2, NULL, f->row, NULL, f->unit, l};
        r->n_field++;
    }
    return SN_OK;
}

/* What a path has beside the sensors: as if it was one of them, for plots. */
static void path_column(recorder *r, sn_result_column *c)
{
    const char *name = "/sensors/path";
    for (int i = 0; i < r->m->sensor.n; i++)
        if (!strcmp(r->m->sensor.object[i].name, "path")) name = "/sensors/path_";
    r->path_name[0] = r->paths->parameter ? r->paths->parameter : "factor";
    r->path_name[1] = "unstable", r->path_name[2] = "branch", r->path_name[3] = "special";
    *c = (sn_result_column){name, 4, r->path_name, NULL, "path"};
    r->data[c - r->column] = r->path_row;
}

/* One column a sensor, then the states, then derivatives of the sensors where they are asked for; room for
 * the fields. */
static sn_status columns(recorder *r)
{
    const sn_model *m = r->m;
    int n = m->sensor.n, np = r->inner ? r->inner->n_wrt : 0;
    r->n_column = n + STATE_COLUMNS + (np ? n : 0) + (r->modes || r->paths);
    r->column = sn_arena_alloc(&r->arena, (size_t)(r->n_column + r->fields.n), sizeof *r->column);
    r->data = sn_arena_alloc(&r->arena, (size_t)(r->n_column + r->fields.n), sizeof *r->data);
    const char **coord = names_of(r, m->nv, sn_coord_name), **equation = names_of(r, m->m, sn_equation_name);
    if (!r->column || !r->data || !coord || !equation) return SN_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        const sn_object *o = &m->sensor.object[i];
        const char *path = sn_arena_printf(&r->arena, "/sensors/%s", o->name);
        if (!path) return SN_ERR_MEMORY;
        r->column[i] = (sn_result_column){path, o->ny, o->component, o->unit, *(const char *const *)o->cls};
    }
    const char *const state[STATE_COLUMNS] = {"/states/q", "/states/v", "/states/a", "/states/lam"};
    for (int k = 0; k < STATE_COLUMNS; k++) {
        int width = k == COLUMN_Q ? m->nq : k == COLUMN_LAM ? m->m : m->nv;
        const char *const *names = k == COLUMN_LAM                   ? equation
                                   : k == COLUMN_Q && m->nq != m->nv ? NULL
                                                                     : coord;
        r->column[n + k] = (sn_result_column){state[k], width, names, NULL, "state"};
    }
    for (int i = 0; np && i < n; i++) SN_TRY(derivatives_of(r, i, &r->column[n + STATE_COLUMNS + i]));
    static const char *const root[ROOT] = {"growth", "omega", "damping", "neutral", "whirl"},
                             *const unit[ROOT] = {"1/s", "rad/s", "1", "1", "1"};
    if (r->modes) {
        r->column[r->n_column - 1] = (sn_result_column){"/roots", ROOT, root, unit, "roots"};
        r->data[r->n_column - 1] = r->root;
    }
    if (r->paths) path_column(r, &r->column[r->n_column - 1]);
    return SN_OK;
}

static const char *stable_word(const sn_info *info)
{
    return !info || info->unstable < 0 ? "not judged" : info->unstable ? "no" : "yes";
}

static sn_status create(recorder *r, sn_err *err)
{
    sn_drawing d = {.arena = &r->arena, .m = r->m, .p = r->p, .o = r->inner};
    const sn_result_text text[TEXTS] = {{"@title", r->m->title},
                                        {"@program", "sinew"},
                                        {"@version", sn_version()},
                                        {"@analysis", r->analysis},
                                        {"@command", r->inner->command ? r->inner->command : ""},
                                        {"@file", r->m->file ? r->m->file : ""},
                                        {"/model/text", r->m->source ? r->m->source : ""},
                                        {"@stable", stable_word(r->info)},
                                        {"@neutral", r->info ? r->info->neutral : ""}};
    if (!r->modes && !r->buckling && !r->inner->no_fields && r->m->nq)
        SN_TRY(sn_fields_begin(&r->fields, r->m, r->p, &r->arena, err));
    if (columns(r) || fields(r)) return SN_OUT_OF_MEM(err);
    if (sn_drawing_make(&d, r->extra, r->n_extra)) return SN_OUT_OF_MEM(err);
    const sn_result_layout l = {.n_frames = r->frames,
                                .frame_name = r->axis,
                                .frame_unit = r->unit,
                                .n_columns = r->n_column,
                                .n_texts = r->info ? TEXTS : TEXTS - 2,
                                .n_arrays = d.n,
                                .single_columns = r->n_field,
                                .single_arrays = d.single,
                                .column = r->column,
                                .text = text,
                                .array = d.array};
    return sn_result_create(r->path, &l, &r->out, err);
}

static sn_status put(recorder *r, double x, const sn_frame *f, sn_err *err)
{
    const sn_model *m = r->m;
    const double *y = f->y;
    if (!r->out) SN_TRY(create(r, err));
    for (int i = 0; i < m->sensor.n; y += m->sensor.object[i++].ny) r->data[i] = y;
    const double *state[STATE_COLUMNS] = {f->q, f->v, f->a, f->lam};
    for (int k = 0; k < STATE_COLUMNS; k++) r->data[m->sensor.n + k] = state[k];
    const double *dy = f->dy;
    for (int i = 0; dy && i < m->sensor.n; dy += (size_t)m->sensor.object[i++].ny * (size_t)r->inner->n_wrt)
        r->data[m->sensor.n + STATE_COLUMNS + i] = dy;
    if (r->fields.w) sn_fields_eval(&r->fields, f);
    return sn_result_frame(r->out, x, r->data, err);
}

/* Close with the status that fits; the analysis' own failure is what is reported. */
static sn_status close_file(recorder *r, sn_status s, sn_err *err)
{
    int status = s == SN_OK                ? SN_RESULT_COMPLETE
                 : s == SN_ERR_INTERRUPTED ? SN_RESULT_INTERRUPTED
                                           : SN_RESULT_FAILED;
    sn_status closed = sn_result_close(r->out, status, s ? NULL : err);
    r->out = NULL;
    return s ? s : closed;
}

static sn_status finish(recorder *r, sn_status s, sn_err *err)
{
    s = close_file(r, s, err);
    sn_fields_end(&r->fields);
    sn_arena_free(&r->arena);
    return s;
}

static sn_status run_frame(void *ctx, const sn_frame *f, sn_err *err)
{
    recorder *r = ctx;
    SN_TRY(put(r, f->t, f, err));
    return r->inner->frame ? r->inner->frame(r->inner->ctx, f, err) : SN_OK;
}

static int run_progress(void *ctx, double done, double t)
{
    recorder *r = ctx;
    return r->inner->progress ? r->inner->progress(r->inner->ctx, done, t) : 0;
}

static void run_message(void *ctx, const char *text)
{
    recorder *r = ctx;
    if (r->inner->message) r->inner->message(r->inner->ctx, text);
}

static sn_run_options wrapped(const sn_run_options *o, recorder *r)
{
    sn_run_options w = *o;
    w.frame = run_frame, w.progress = run_progress, w.message = run_message, w.ctx = r;
    return w;
}

sn_status sn_run_file(const sn_model *m, const sn_values *p, const sn_run_options *o, const char *path,
                      sn_info *info, sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_run_options, o, err));
    double steps = ceil((o->end - o->begin) / o->step - 1e-6),
           dt = o->output > 0 ? o->output : o->step * ceil(steps / 1000);
    if (!(o->step > 0) || !(o->end > 0) || (o->end - o->begin) / dt > 1e8)
        return sn_fail(err, SN_ERR_INPUT, NULL, "end, step and output of the run do not fit");
    recorder r = {.m = m,
                  .inner = o,
                  .p = p,
                  .path = path,
                  .analysis = "run",
                  .axis = "/time",
                  .unit = "s",
                  .frames = (int)floor((o->end - o->begin) / dt * (1 + 1e-12) + 1e-9) + 1};
    sn_run_options w = wrapped(o, &r);
    SN_TRY(sn_output_check(path, m->n_read, m->read, err));
    return finish(&r, sn_run(m, p, &w, info, err), err);
}

sn_status sn_static_file(const sn_model *m, const sn_values *p, const sn_run_options *o, const char *path,
                         double *y, sn_info *info, sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_run_options, o, err));
    recorder r = {.m = m,
                  .inner = o,
                  .p = p,
                  .path = path,
                  .analysis = "static",
                  .axis = "/time",
                  .unit = "s",
                  .frames = 1};
    sn_run_options w = wrapped(o, &r);
    sn_info own;
    r.info = info ? info : &own;
    SN_TRY(sn_output_check(path, m->n_read, m->read, err));
    return finish(&r, sn_static(m, p, &w, y, info ? info : &own, err), err);
}

static sn_status mode_frame(void *ctx, int i, const sn_mode *mode, const sn_frame *state, sn_err *err)
{
    recorder *r = ctx;
    sn_frame f = *state;
    double size = hypot(mode->growth, mode->omega), f_hz = mode->omega / (2 * acos(-1));
    const double root[ROOT] = {mode->growth, mode->omega, size > 0 ? -mode->growth / size : 0, mode->neutral,
                               mode->whirl};
    /* the mode's shape takes the place of the velocities, its imaginary part that of the accelerations */
    f.v = mode->shape, f.a = mode->imaginary ? mode->imaginary : r->none;
    memcpy(r->root, root, sizeof root);
    SN_TRY(put(r, f_hz, &f, err));
    return r->modes->mode ? r->modes->mode(r->modes->ctx, i, mode, state, err) : SN_OK;
}

static sn_status mode_roots(void *ctx, const sn_root_list *roots, sn_err *err)
{
    recorder *r = ctx;
    return r->modes->roots ? r->modes->roots(r->modes->ctx, roots, err) : SN_OK;
}

sn_status sn_modes_file(const sn_model *m, const sn_values *p, const sn_mode_options *o, const char *path,
                        int *found, sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_mode_options, o, err));
    recorder r = {.m = m,
                  .inner = &o->run,
                  .modes = o,
                  .p = p,
                  .path = path,
                  .analysis = "modes",
                  .axis = "/frequency",
                  .unit = "Hz",
                  .frames = o->n > 0 ? o->n : 2 * m->nv};
    sn_mode_options w = *o;
    w.mode = mode_frame, w.roots = mode_roots, w.ctx = &r;
    SN_TRY(sn_output_check(path, m->n_read, m->read, err));
    if (!(r.none = sn_arena_alloc(&r.arena, (size_t)m->nv + 1, sizeof *r.none))) return SN_OUT_OF_MEM(err);
    return finish(&r, sn_modes(m, p, &w, found, err), err);
}

static sn_status buckling_frame(void *ctx, int i, double factor, const double *shape, const sn_frame *state,
                                sn_err *err)
{
    recorder *r = ctx;
    sn_frame f = *state;
    f.v = shape;
    SN_TRY(put(r, factor, &f, err));
    return r->buckling->mode ? r->buckling->mode(r->buckling->ctx, i, factor, shape, state, err) : SN_OK;
}

/* The file is one of modes, over the factor in place of a frequency. */
sn_status sn_buckling_file(const sn_model *m, const sn_values *p, const sn_buckling_options *o,
                           const char *path, int *found, sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_buckling_options, o, err));
    recorder r = {.m = m,
                  .inner = &o->run,
                  .buckling = o,
                  .p = p,
                  .path = path,
                  .analysis = "modes",
                  .axis = "/factor",
                  .unit = "",
                  .frames = o->n};
    sn_buckling_options w = *o;
    w.mode = buckling_frame, w.ctx = &r;
    SN_TRY(sn_output_check(path, m->n_read, m->read, err));
    return finish(&r, sn_buckling(m, p, &w, found, err), err);
}

/* The coordinate of the frames grows along all branches, one behind the other. */
static sn_status path_frame(void *ctx, const sn_path_point *x, sn_err *err)
{
    recorder *r = ctx;
    if (x->branch == r->branch) r->along += fmax(x->arc - r->arc, 0);
    r->arc = x->arc, r->branch = x->branch;
    const double row[4] = {x->parameter, x->negative, x->branch, x->kind};
    memcpy(r->path_row, row, sizeof row);
    SN_TRY(put(r, r->along, x->frame, err));
    return r->paths->point ? r->paths->point(r->paths->ctx, x, err) : SN_OK;
}

sn_status sn_path_file(const sn_model *m, const sn_values *p, const sn_path_options *o, const char *path,
                       sn_path_info *info, sn_err *err)
{
    enum { ROOM = 100000 };
    SN_TRY(SN_OPTIONS_CHECK(sn_path_options, o, err));
    double all = o->branches < 0 ? ROOM : (o->branches ? 3.0 : 1.0) * (5.0 * o->steps + 100);
    recorder r = {.m = m,
                  .inner = &o->run,
                  .paths = o,
                  .p = p,
                  .path = path,
                  .analysis = "path",
                  .axis = "/arc",
                  .unit = "",
                  .frames = (int)fmin(all, ROOM)};
    sn_path_options w = *o;
    w.point = path_frame, w.ctx = &r;
    SN_TRY(sn_output_check(path, m->n_read, m->read, err));
    return finish(&r, sn_path(m, p, &w, info, err), err);
}

static sn_status linear_frame(void *ctx, const sn_linear *l, sn_err *err)
{
    recorder *r = ctx;
    const sn_mtx_folder folder = {r->folder, r->m->n_read, r->m->read};
    const sn_mat_file mat = {r->linear->mat, r->m->n_read, r->m->read};
    if ((mat.path || r->linear->reduce) && !l->system)
        return sn_fail(err, SN_ERR_INPUT, NULL, "there is no system of first order to be written");
    if (folder.path) SN_TRY(sn_linear_mtx(l, &folder, err));
    if (mat.path) SN_TRY(sn_linear_mat(&mat, l, err));
    if (r->path) SN_TRY(sn_linear_arrays(l, &r->arena, &r->extra, &r->n_extra, err));
    /* the matrices are gone after this call: so must be the result that shows them */
    if (r->path) SN_TRY(close_file(r, put(r, l->state->t, l->state, err), err));
    return r->linear->take ? r->linear->take(r->linear->ctx, l, err) : SN_OK;
}

sn_status sn_linearise_file(const sn_model *m, const sn_values *p, const sn_linear_options *o,
                            const char *path, const char *folder, sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_linear_options, o, err));
    recorder r = {.m = m,
                  .inner = &o->run,
                  .linear = o,
                  .folder = folder,
                  .p = p,
                  .path = path,
                  .analysis = "linearise",
                  .axis = "/time",
                  .unit = "s",
                  .frames = 1};
    sn_linear_options w = *o;
    w.take = linear_frame, w.ctx = &r;
    SN_TRY(sn_output_check(path, m->n_read, m->read, err));
    return finish(&r, sn_linearise(m, p, &w, err), err);
}
