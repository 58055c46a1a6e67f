/* sn_reduce: a reduced body from a model or from files of other programs, into a file or a block. */
#include "reduce/api.h"

#include "base/part.h"
#include "base/size.h"
#include "io/read.h"
#include "reduce/fe_model.h"
#include "reduce/points.h"
#include "reduce/read.h"
#include "reduce/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sn_reduce_options_fill(size_t size, sn_reduce_options *out)
{
    memset(out, 0, size);
    out->size = size;
    if (size == sizeof *out) out->modes = -1;
}

typedef struct job {
    const sn_reduce_options *o;
    sn_arena arena;
    sn_fe_mesh mesh;
    sn_fe_body fe;
    sn_point_list points;
    sn_model *m; /* or NULL */
    sn_values *p;
    sn_err *err;
} job;

static int ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), k = strlen(ending);
    return n >= k && !strcmp(text + n - k, ending);
}

/* ---- a model ---- */

static sn_status set_numbers(const job *k, sn_values *p)
{
    for (int i = 0; i < k->o->n_set; i++) {
        const char *equal = strchr(k->o->set[i], '=');
        char name[300];
        if (!equal) return sn_fail(k->err, SN_ERR_INPUT, NULL, "'%s' is not NAME=VALUE", k->o->set[i]);
        snprintf(name, sizeof name, "%.*s", (int)(equal - k->o->set[i]), k->o->set[i]);
        if (sn_model_is_structural(k->m, name)) continue; /* the model was read with it */
        SN_TRY(sn_values_set(p, name, equal + 1, k->err));
    }
    return sn_values_update(p, k->err);
}

static sn_status from_model(job *k)
{
    const sn_model_file file = {.path = k->o->model, .refined = 1}; /* without reduced bodies of its own */
    SN_TRY(sn_model_load_set(&file, k->o->n_set, k->o->set, &k->m, k->err));
    SN_TRY(sn_values_new(k->m, &k->p, k->err));
    SN_TRY(set_numbers(k, k->p));
    return sn_fe_of_model(k->m, k->p, k->o->at_static, &k->arena, &k->fe, k->err);
}

/* ---- files ---- */

/* Names of nodes are their numbers */
static sn_status name_nodes(job *k)
{
    const char **name = sn_arena_alloc(&k->arena, (size_t)k->mesh.n_node + 1, sizeof *name);
    int *dof = sn_arena_alloc(&k->arena, 6 * (size_t)k->mesh.n_node + 1, sizeof *dof);
    if (!name || !dof) return SN_OUT_OF_MEM(k->err);
    for (int i = 0; i < k->mesh.n_node; i++)
        if (!(name[i] = sn_arena_printf(&k->arena, "%d", k->mesh.id[i]))) return SN_OUT_OF_MEM(k->err);
    for (int i = 0; i < 6 * k->mesh.n_node; i++) dof[i] = -1;
    k->fe.n_node = k->mesh.n_node, k->fe.node = name, k->fe.X = k->mesh.X, k->fe.dof = dof;
    return SN_OK;
}

static sn_status number_rows(job *k, const char *path)
{
    int n, (*pair)[2], *dof = (int *)k->fe.dof;
    if (path) {
        SN_TRY(sn_fe_read_dofs(path, &k->arena, &n, &pair, k->err));
        for (int i = 0; i < n; i++) {
            const int at = sn_fe_mesh_find(&k->mesh, pair[i][0]);
            if (at < 0)
                return sn_fail(k->err, SN_ERR_INPUT, &(sn_mark){.file = path},
                               "row %d is one of node %d, which there is not", i + 1, pair[i][0]);
            if (dof[6 * at + pair[i][1] - 1] >= 0)
                return sn_fail(k->err, SN_ERR_INPUT, &(sn_mark){.file = path},
                               "node %d has the direction %d twice", pair[i][0], pair[i][1]);
            dof[6 * at + pair[i][1] - 1] = i;
        }
    } else {
        n = 0;
        for (int i = 0; i < k->mesh.n_node; i++)
            for (int c = 0; c < (k->mesh.number ? k->mesh.number[i] : 3); c++) dof[6 * i + c] = n++;
        /* six each, where that is how many rows there are */
        if (!k->mesh.number && n != k->fe.n && 2 * n == k->fe.n)
            for (n = 0; n < 6 * k->mesh.n_node; n++) dof[n] = n;
    }
    if (n != k->fe.n)
        return sn_fail(k->err, SN_ERR_INPUT, NULL,
                       "the matrices have %d rows, but the nodes have %d coordinates", k->fe.n, n);
    return SN_OK;
}

/* Two triangles of a face with four corners */
static sn_status take_faces(job *k)
{
    int *t = sn_arena_alloc(&k->arena, 6 * (size_t)k->mesh.n_face + 1, sizeof *t), n = 0;
    if (!t) return SN_OUT_OF_MEM(k->err);
    for (int i = 0; i < k->mesh.n_face; i++) {
        const int *c = k->mesh.face[i], first[6] = {c[0], c[1], c[2], c[0], c[2], c[3]};
        for (int j = 0; j < (c[3] < 0 ? 3 : 6); j++) t[3 * n + j] = first[j];
        n += c[3] < 0 ? 1 : 2;
    }
    k->fe.triangle = t, k->fe.n_triangle = n;
    return SN_OK;
}

/* "FILE:NAME" in two; no NAME: NULL */
static sn_part parts_of(job *k, const char *text, const char **file, const char **name)
{
    size_t n;
    const sn_part part = sn_part_of(text, &n);
    *file = sn_arena_strndup(&k->arena, text, n);
    *name = text[n] == ':' && text[n + 1] ? text + n + 1 : NULL;
    return part;
}

/* From a file of the sort that its name says; object: what is meant in HDF5 where none is named */
static sn_status take_matrix(job *k, const char *path, const char *object, int square, sn_sparse *out)
{
    const char *file, *name;
    const sn_part part = parts_of(k, path, &file, &name);
    if (!file) return SN_OUT_OF_MEM(k->err);
    switch (part) {
    case SN_PART_H5:
        return sn_fe_read_h5_matrix(path, object, square, &k->arena, out, k->err);
    case SN_PART_OP4:
        return sn_fe_read_op4(file, name, square, &k->arena, out, k->err);
    case SN_PART_BULK:
        return sn_fail(k->err, SN_ERR_INPUT, &(sn_mark){.file = file},
                       "mass and stiffness both come from DMIG entries, or neither, and nothing else does");
    default:
        return sn_fe_read_matrix(path, square, &k->arena, out, k->err);
    }
}

static sn_status take_nodes(job *k, const char *path)
{
    const char *file, *name;
    switch (parts_of(k, path, &file, &name)) {
    case SN_PART_H5:
        return sn_fe_read_h5_nodes(path, "/nodes", &k->arena, &k->mesh, k->err);
    case SN_PART_BULK:
        return file ? sn_fe_read_grids(file, &k->mesh, k->err) : SN_OUT_OF_MEM(k->err);
    default:
        break;
    }
    return ends_with(path, ".inp") ? sn_fe_read_inp(path, &k->arena, &k->mesh, k->err)
                                   : sn_fe_read_csv(path, &k->arena, &k->mesh, k->err);
}

static sn_status take_recovery(job *k)
{
    static const char *const component[1] = {"value"}, *const unit[1] = {""};
    sn_sparse R;
    sn_triplets t = {0};
    if (!k->o->recovery) return SN_OK;
    SN_TRY(take_matrix(k, k->o->recovery, "/R", 0, &R));
    if (R.cols != k->fe.n)
        return sn_fail(k->err, SN_ERR_INPUT, &(sn_mark){.file = k->o->recovery},
                       "has %d columns, the body has %d coordinates", R.cols, k->fe.n);
    const char **name = sn_arena_alloc(&k->arena, (size_t)R.rows + 1, sizeof *name);
    sn_status s = name ? SN_OK : SN_OUT_OF_MEM(k->err);
    for (int i = 0; i < R.rows && !s; i++)
        if (!(name[i] = sn_arena_printf(&k->arena, "row%d", i + 1))) s = SN_OUT_OF_MEM(k->err);
    for (int j = 0; j < R.cols && !s; j++)
        for (int e = R.first[j]; e < R.first[j + 1] && !s; e++)
            if (sn_triplets_add(&t, j, R.row[e], R.x[e])) s = SN_OUT_OF_MEM(k->err);
    if (!s) s = sn_triplets_compress(&k->arena, &t, k->fe.n, R.rows, &k->fe.recover, k->err);
    sn_triplets_free(&t);
    k->fe.n_recovery = R.rows, k->fe.recovery_n = 1;
    k->fe.recovery = name, k->fe.recovery_component = component, k->fe.recovery_unit = unit;
    return s;
}

/* NAME.mas, NAME.sti and NAME.dof lie beside NAME.inp */
static sn_status beside(job *k, const char *inp, sn_reduce_options *o)
{
    const int n = (int)strlen(inp) - 4;
    o->nodes = inp;
    if (!o->mass) o->mass = sn_arena_printf(&k->arena, "%.*s.mas", n, inp);
    if (!o->stiffness) o->stiffness = sn_arena_printf(&k->arena, "%.*s.sti", n, inp);
    if (!o->dofs) o->dofs = sn_arena_printf(&k->arena, "%.*s.dof", n, inp);
    return o->mass && o->stiffness && o->dofs ? SN_OK : SN_OUT_OF_MEM(k->err);
}

static sn_status compress(job *k, sn_triplets *t, sn_sparse *out)
{
    const int *dof = k->fe.dof;
    for (int i = 0; i < t->n; i++) t->row[i] = dof[t->row[i]], t->col[i] = dof[t->col[i]];
    return sn_triplets_compress(&k->arena, t, k->fe.n, k->fe.n, out, k->err);
}

/* Entries of both say which coordinates there are */
static sn_status take_dmig(job *k, const sn_reduce_options *o)
{
    const char *file, *name;
    sn_triplets t[2] = {{0}, {0}};
    int *dof = (int *)k->fe.dof;
    sn_status s = o->dofs ? sn_fail(k->err, SN_ERR_INPUT, &(sn_mark){.file = o->dofs},
                                    "DMIG entries have the names of their rows in them: leave it out")
                          : SN_OK;
    for (int i = 0; i < 2 && !s; i++) {
        parts_of(k, i ? o->stiffness : o->mass, &file, &name);
        s = file ? sn_fe_read_dmig(file, name, &k->mesh, &t[i], k->err) : SN_OUT_OF_MEM(k->err);
        for (int e = 0; e < t[i].n && !s; e++) dof[t[i].row[e]] = dof[t[i].col[e]] = 0;
    }
    for (int i = 0; i < 6 * k->mesh.n_node; i++)
        if (!dof[i]) dof[i] = k->fe.n++;
    if (!s) s = compress(k, &t[0], &k->fe.M);
    if (!s) s = compress(k, &t[1], &k->fe.K);
    sn_triplets_free(&t[0]), sn_triplets_free(&t[1]);
    return s;
}

static int is_bulk(const char *path)
{
    size_t n;
    return sn_part_of(path, &n) == SN_PART_BULK;
}

static sn_status read_files(job *k, const sn_reduce_options *o)
{
    if (!o->mass || !o->stiffness || !o->nodes)
        return sn_fail(k->err, SN_ERR_INPUT, NULL,
                       "a body from outside needs its mass and stiffness matrices and its nodes");
    SN_TRY(take_nodes(k, o->nodes));
    if (is_bulk(o->mass) && is_bulk(o->stiffness)) {
        SN_TRY(name_nodes(k));
        SN_TRY(take_dmig(k, o));
        SN_TRY(take_faces(k));
        return take_recovery(k);
    }
    SN_TRY(take_matrix(k, o->mass, "/M", 1, &k->fe.M));
    SN_TRY(take_matrix(k, o->stiffness, "/K", 1, &k->fe.K));
    if (k->fe.M.cols != k->fe.K.cols)
        return sn_fail(k->err, SN_ERR_INPUT, NULL, "the mass matrix has %d rows, the stiffness matrix %d",
                       k->fe.M.cols, k->fe.K.cols);
    k->fe.n = k->fe.M.cols;
    SN_TRY(name_nodes(k));
    SN_TRY(number_rows(k, o->dofs));
    SN_TRY(take_faces(k));
    return take_recovery(k);
}

static sn_status from_files(job *k, const sn_reduce_options *o)
{
    double length, mass;
    SN_TRY(sn_fe_units(o->units, &length, &mass, k->err));
    SN_TRY(read_files(k, o));
    return sn_fe_scale(&k->fe, &k->mesh, length, mass, k->err);
}

/* ---- both ---- */

/* Nothing that is given is left unread: a body comes from a model, or from matrices with their nodes. */
static sn_status agree(job *k)
{
    const sn_reduce_options *o = k->o;
    const int own = o->model && !ends_with(o->model, ".inp");
    const char *const other[] = {o->mass, o->stiffness, o->dofs, o->recovery, o->nodes},
                      *const what[] = {"mass matrix", "stiffness matrix", "names of rows", "recovery matrix",
                                       "nodes"};
    for (int i = own ? 0 : 4; o->model && i < 5; i++)
        if (other[i])
            return sn_fail(k->err, SN_ERR_INPUT, &(sn_mark){.file = o->model},
                           "one body from two sources, this %s and the %s '%s': leave one of them out",
                           own ? "model" : "mesh", what[i], other[i]);
    if (own && o->units)
        return sn_fail(k->err, SN_ERR_INPUT, &(sn_mark){.file = o->model},
                       "a model says itself which units its numbers have: leave 'units' out");
    if (!own && o->n_set)
        return sn_fail(k->err, SN_ERR_INPUT, NULL,
                       "'%s': matrices from outside have no parameters that could be set", o->set[0]);
    return SN_OK;
}

/* All of a list behind a word; nothing of an empty one */
static const char *listed(job *k, const char *before, int n, const char *const *text)
{
    const char *all = "";
    for (int i = 0; i < n && all; i++)
        all = sn_arena_printf(&k->arena, "%s%s%s", all, i ? ", " : before, text[i]);
    return all;
}

static const char *recipe_of(job *k)
{
    const sn_reduce_options *o = k->o;
    const char *set = listed(k, " with ", o->n_set, o->set),
               *points = listed(k, ", points ", o->points != NULL, &o->points),
               *place = listed(k, ", placed ", o->n_place, o->place),
               *stiffness = listed(k, " and ", o->stiffness != NULL, &o->stiffness),
               *units = listed(k, " in ", o->units != NULL, &o->units);
    if (!set || !points || !place || !stiffness || !units) return NULL;
    char up_to[60] = "", modes[40] = "";
    if (o->modes >= 0 || !(o->up_to > 0)) snprintf(modes, sizeof modes, "%d ", o->modes < 0 ? 8 : o->modes);
    if (o->up_to > 0) snprintf(up_to, sizeof up_to, " and all up to %.6g Hz", o->up_to);
    return sn_arena_printf(&k->arena,
                           "%s of %s%s%s%s%s, interfaces %s%s%s; %s%s modes%s; %d coordinates of %d nodes; "
                           "sinew %s",
                           o->free ? "free modes" : "Craig-Bampton", o->model ? o->model : o->mass, stiffness,
                           units, set, o->at_static ? " about its equilibrium" : "", o->interfaces, points,
                           place, modes, o->free ? "free" : "fixed-interface", up_to, k->fe.n, k->fe.n_node,
                           sn_version());
}

static sn_status make(job *k, sn_block *block, sn_reduced_body **out)
{
    const double pi = 3.14159265358979323846;
    const sn_reduce_options *o = k->o;
    sn_reduce_options own = *o;
    if (!o->interfaces || !o->interfaces[strspn(o->interfaces, " ,")])
        return sn_fail(k->err, SN_ERR_INPUT, NULL,
                       "a body needs an interface at least: where it is fastened");
    if (o->modes < -1 || !(o->up_to >= 0) || !isfinite(o->up_to))
        return sn_fail(k->err, SN_ERR_INPUT, NULL, "modes and up_to are not negative");
    SN_TRY(agree(k));
    if (o->model && !ends_with(o->model, ".inp")) {
        SN_TRY(from_model(k));
    } else {
        if (o->model) SN_TRY(beside(k, o->model, &own));
        if (o->at_static)
            return sn_fail(k->err, SN_ERR_INPUT, NULL,
                           "matrices from outside are what they are: no equilibrium is sought");
        SN_TRY(from_files(k, &own));
    }
    k->points = (sn_point_list){.fe = &k->fe,
                                .mesh = k->mesh.n_node ? &k->mesh : NULL,
                                .n_place = o->n_place,
                                .place = o->place,
                                .arena = &k->arena};
    SN_TRY(sn_points_read(&k->points, o->interfaces, k->err));
    const int interfaces = k->points.n;
    if (o->points) SN_TRY(sn_points_read(&k->points, o->points, k->err));
    SN_TRY(sn_points_placed(&k->points, k->err));
    for (int i = interfaces; i < k->points.n; i++)
        if (k->points.point[i].n != 1)
            return sn_fail(k->err, SN_ERR_INPUT, NULL, "point '%s' is not one node", k->points.point[i].name);
    const sn_fe_options f = {.n_interface = interfaces,
                             .n_point = k->points.n - interfaces,
                             .point = k->points.point,
                             .modes = o->modes,
                             .up_to = 2 * pi * o->up_to,
                             .free = o->free,
                             .recipe = recipe_of(k),
                             .tell = o->tell,
                             .ctx = o->ctx};
    if (!f.recipe) return SN_OUT_OF_MEM(k->err);
    return sn_reduce_body(&k->fe, &f, block, out, k->err);
}

static sn_status reduce(const sn_reduce_options *o, sn_block *block, sn_reduced_body **out, int *coordinates,
                        int *nodes, sn_err *err)
{
    job k = {.o = o, .err = err};
    sn_status s = make(&k, block, out);
    *coordinates = k.fe.n, *nodes = k.fe.n_node;
    sn_values_free(k.p);
    sn_model_free(k.m);
    sn_fe_mesh_free(&k.mesh);
    sn_arena_free(&k.arena);
    return s;
}

sn_status sn_reduce_block(const sn_reduce_options *o, sn_block *block, sn_err *err)
{
    sn_reduced_body *b;
    int n, nodes;
    return reduce(o, block, &b, &n, &nodes, err);
}

/* Inertia about the centre: J0 - m (c'c - c c') */
static void about_centre(const sn_reduced_body *b, sn_reduce_report *r)
{
    double *c = r->centre, cc = 0;
    for (int i = 0; i < 3; i++) c[i] = b->first[i] / b->mass, cc += c[i] * c[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r->inertia[3 * i + j] = b->J0[3 * i + j] - b->mass * ((i == j) * cc - c[i] * c[j]);
}

static void *from_arena(sn_block *b, size_t n, size_t size) { return sn_arena_alloc(b->owner, n, size); }

/* The output is none of the files that are read */
static sn_status check_output(const sn_reduce_options *o, const char *path, sn_err *err)
{
    const char *input[] = {o->model, o->mass, o->stiffness, o->nodes, o->dofs, o->recovery};
    sn_arena arena = {0};
    sn_status s = SN_OK;
    for (int i = 0; i < 6 && !s; i++) {
        size_t n;
        if (!input[i]) continue;
        sn_part_of(input[i], &n);
        const char *name = sn_arena_strndup(&arena, input[i], n);
        if (!name)
            s = SN_OUT_OF_MEM(err);
        else
            s = sn_output_check(path, 1, &name, err);
    }
    sn_arena_free(&arena);
    return s;
}

sn_status sn_reduce(const sn_reduce_options *o, const char *path, sn_err *err)
{
    const double pi = 3.14159265358979323846;
    SN_TRY(SN_OPTIONS_CHECK(sn_reduce_options, o, err));
    SN_TRY(check_output(o, path, err));
    sn_arena arena = {0};
    sn_block block = {.alloc = from_arena, .owner = &arena};
    sn_reduced_body *b;
    sn_reduce_report r = {0};
    sn_status s = reduce(o, &block, &b, &r.coordinates, &r.nodes, err);
    if (!s) s = sn_reduced_body_write(path, b, err);
    double *f = s ? NULL : sn_arena_alloc(&arena, (size_t)b->nd + 1, sizeof *f);
    if (!s && !f) s = SN_OUT_OF_MEM(err);
    if (!s && o->report) {
        for (int i = 0; i < b->nd; i++) f[i] = sqrt(b->w2[i]) / (2 * pi);
        r.mass = b->mass, r.modes = b->nd, r.frequency = f, r.interfaces = b->n_interface,
        r.points = b->n_point;
        r.point = b->point, r.recovered = b->n_recovery, r.products = b->PP != NULL, r.recipe = b->recipe;
        r.buckling = sn_body_buckling(b);
        about_centre(b, &r);
        o->report(o->ctx, &r);
    }
    sn_arena_free(&arena);
    return s;
}
