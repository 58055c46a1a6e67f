/* Exporting a result for ParaView: an index NAME.pvd with the times, and NAME/000000.vtu ... with one
   unstructured grid a frame, in VTK's XML format of version 1.0 (numbers as base64, counted by UInt64).

   Frames are written before the index, and an older index is removed before the first of them: what an index
   names is there and belongs together. Modes have no time: the index counts them from 1, the frequency is in
   the file. */
#include "io/atomic.h"
#include "io/scene.h"
#include "sinew/sinew.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".pvd";

typedef struct series {
    sn_result_reader *r;
    sn_scene scene;
    sn_arena arena;
    int column[2]; /* of q and v */
    int modes;
    char *folder, *name, *path; /* of the frames; as the index names it; of one file */
    size_t path_size;
    double *q, *v, *x, *u, *w, *t;
    double *y;           /* one frame of a field */
    float **at;          /* of each field: its numbers at cells or points */
    int block;           /* frames in q and v */
    char *kinds, *names; /* of the cells, each ended by a zero */
    size_t n_kinds, n_names;
} series;

static sn_status cannot(sn_err *err, const char *path, const char *what)
{
    return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = path}, "cannot be %s: %s", what, strerror(errno));
}

/* ---- one array ---- */

typedef struct base64 {
    FILE *f;
    unsigned char rest[3];
    int n;
} base64;

static void put_group(base64 *b)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *r = b->rest;
    char out[4] = {digit[r[0] >> 2], digit[(r[0] & 3) << 4 | r[1] >> 4],
                   b->n > 1 ? digit[(r[1] & 15) << 2 | r[2] >> 6] : '=', b->n > 2 ? digit[r[2] & 63] : '='};
    fwrite(out, 1, sizeof out, b->f);
    *b = (base64){.f = b->f};
}

static void put_bytes(base64 *b, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++) {
        b->rest[b->n++] = p[i];
        if (b->n == 3) put_group(b);
    }
}

static void put_escaped(FILE *f, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (strchr("&<>\"", *p) || (unsigned char)*p < 32)
            fprintf(f, "&#%d;", *p);
        else
            fputc(*p, f);
    }
}

static void put_numbers(FILE *f, const void *data, size_t bytes)
{
    uint64_t count = bytes;
    base64 b = {.f = f};
    put_bytes(&b, &count, sizeof count);
    put_bytes(&b, data, bytes);
    if (b.n) put_group(&b);
    fputs("\n</DataArray>\n", f);
}

static void put_array(FILE *f, const char *type, const char *name, int components, const void *data,
                      size_t bytes)
{
    fprintf(f, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", type,
            name, components);
    put_numbers(f, data, bytes);
}

/* The fields of the cells, or those of the points. */
static void put_fields(FILE *f, const series *e, int at_points)
{
    const sn_scene *s = &e->scene;
    for (int k = 0; k < s->n_field; k++) {
        const sn_scene_field *o = &s->field[k];
        if (o->at_points != at_points) continue;
        fputs("<DataArray type=\"Float32\" Name=\"", f);
        put_escaped(f, o->name);
        fprintf(f, "\" NumberOfComponents=\"%d\"", o->n);
        for (int j = 0; o->n > 1 && j < o->n; j++) {
            fprintf(f, " ComponentName%d=\"", j);
            put_escaped(f, o->component[j]);
            fputs("\"", f);
        }
        fputs(" format=\"binary\">\n", f);
        put_numbers(f, e->at[k], sizeof(float) * (size_t)o->n * (size_t)(at_points ? s->n_point : s->n_cell));
    }
}

/* ---- one frame ---- */

static void put_grid(FILE *f, const series *e)
{
    const sn_scene *s = &e->scene;
    size_t points = 3 * (size_t)s->n_point * sizeof(double), cells = (size_t)s->n_cell * sizeof(int32_t);
    fprintf(f, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<PointData Vectors=\"displacement\">\n",
            s->n_point, s->n_cell);
    put_array(f, "Float64", "displacement", 3, e->u, points);
    put_array(f, "Float64", e->modes ? "mode" : "velocity", 3, e->w, points);
    put_fields(f, e, 1);
    fputs("</PointData>\n<CellData Scalars=\"group\">\n", f);
    put_array(f, "Int32", "group", 1, s->group, cells);
    put_array(f, "Int32", "index", 1, s->index, cells);
    put_array(f, "String", "kind", 1, e->kinds, e->n_kinds);
    put_array(f, "String", "name", 1, e->names, e->n_names);
    if (s->thickness)
        put_array(f, "Float32", "thickness", 1, s->thickness, (size_t)s->n_cell * sizeof(float));
    put_fields(f, e, 0);
    fputs("</CellData>\n<Points>\n", f);
    put_array(f, "Float64", "Points", 3, e->x, points);
    fputs("</Points>\n<Cells>\n", f);
    put_array(f, "Int32", "connectivity", 1, s->corner, (size_t)s->n_corner * sizeof *s->corner);
    put_array(f, "Int32", "offsets", 1, s->end, cells);
    put_array(f, "UInt8", "types", 1, s->type, (size_t)s->n_cell);
    fputs("</Cells>\n</Piece>\n", f);
}

static const char *byte_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? "LittleEndian" : "BigEndian";
}

static sn_status write_frame(series *e, int frame, double t, sn_err *err)
{
    const char *input = sn_result_reader_path(e->r);
    snprintf(e->path, e->path_size, "%s/%06d.vtu", e->folder, frame);
    SN_TRY(sn_output_check(e->path, 1, &input, err));
    FILE *f = fopen(e->path, "w");
    if (!f) return cannot(err, e->path, "written");
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n<DataArray type=\"Float64\" "
            "Name=\"%s\" NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n</FieldData>\n",
            byte_order(), e->modes ? "frequency" : "TimeValue", t);
    put_grid(f, e);
    fputs("</UnstructuredGrid>\n</VTKFile>\n", f);
    int bad = fflush(f) != 0 || ferror(f);
    sn_status s = bad ? cannot(err, e->path, "written") : SN_OK;
    if (fclose(f) != 0 && s == SN_OK) s = cannot(err, e->path, "written");
    return s;
}

static sn_status write_frames(series *e, sn_err *err)
{
    const int n = sn_result_reader_frames(e->r);
    const size_t nq = (size_t)e->scene.nq, nv = (size_t)e->scene.nv;
    for (int k = 0; k < n; k++) {
        int i = k % e->block, count = n - k < e->block ? n - k : e->block;
        if (i == 0) {
            SN_TRY(sn_result_reader_get(e->r, e->column[0], k, count, e->q, err));
            SN_TRY(sn_result_reader_get(e->r, e->column[1], k, count, e->v, err));
        }
        sn_scene_place(&e->scene, e->q + (size_t)i * nq, e->v + (size_t)i * nv, e->x, e->u, e->w);
        for (int j = 0; j < e->scene.n_field; j++) {
            SN_TRY(sn_result_reader_get(e->r, e->scene.field[j].column, k, 1, e->y, err));
            sn_scene_field_place(&e->scene, &e->scene.field[j], e->y, e->at[j]);
        }
        SN_TRY(write_frame(e, k, e->t[k], err));
    }
    return SN_OK;
}

/* ---- the index ---- */

static sn_status write_index(const series *e, const sn_atomic *file, sn_err *err)
{
    int fd = dup(file->fd);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) {
        if (fd >= 0) close(fd);
        return cannot(err, file->path, "written");
    }
    fprintf(f, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"%s\">\n",
            byte_order());
    fputs("<Collection>\n", f);
    for (int k = 0; k < sn_result_reader_frames(e->r); k++) {
        fprintf(f, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"", e->modes ? k + 1.0 : e->t[k]);
        put_escaped(f, e->name);
        fprintf(f, "/%06d.vtu\"/>\n", k);
    }
    fputs("</Collection>\n</VTKFile>\n", f);
    int bad = fflush(f) != 0 || ferror(f);
    sn_status s = bad ? cannot(err, file->path, "written") : SN_OK;
    if (fclose(f) != 0 && s == SN_OK) s = cannot(err, file->path, "written");
    return s;
}

/* ---- all of it ---- */

/* Kinds and names of all cells, from "kind:name". */
static int split_things(series *e)
{
    const sn_scene *s = &e->scene;
    size_t room = 1;
    for (int i = 0; i < s->n_cell; i++) room += strlen(s->thing[i]) + 1;
    e->kinds = sn_arena_alloc(&e->arena, room, 1);
    e->names = sn_arena_alloc(&e->arena, room, 1);
    if (!e->kinds || !e->names) return 0;
    for (int i = 0; i < s->n_cell; i++) {
        size_t n = strcspn(s->thing[i], ":");
        const char *name = s->thing[i] + n + (s->thing[i][n] == ':');
        memcpy(e->kinds + e->n_kinds, s->thing[i], n);
        memcpy(e->names + e->n_names, name, strlen(name));
        e->n_kinds += n + 1, e->n_names += strlen(name) + 1;
    }
    return 1;
}

/* Room for the fields of one frame. */
static int make_field_room(series *e)
{
    const sn_scene *s = &e->scene;
    e->y = sn_arena_alloc(&e->arena, (size_t)s->max_field + 1, sizeof *e->y);
    e->at = sn_arena_alloc(&e->arena, (size_t)s->n_field + 1, sizeof *e->at);
    for (int k = 0; e->at && k < s->n_field; k++) {
        const sn_scene_field *f = &s->field[k];
        size_t n = (size_t)f->n * (size_t)(f->at_points ? s->n_point : s->n_cell);
        if (!(e->at[k] = sn_arena_alloc(&e->arena, n + 1, sizeof(float)))) return 0;
    }
    return e->y && e->at;
}

static sn_status make_room(series *e, const char *path, sn_err *err)
{
    enum { BLOCK_BYTES = 1 << 20, DIGITS = 24 };
    const int frames = sn_result_reader_frames(e->r);
    size_t row = ((size_t)e->scene.nq + (size_t)e->scene.nv + 1) * sizeof(double), n = strlen(path);
    size_t points = 3 * (size_t)e->scene.n_point;
    e->block = row < BLOCK_BYTES ? (int)(BLOCK_BYTES / row) : 1;
    if (e->block > frames) e->block = frames;
    e->q = sn_arena_alloc(&e->arena, (size_t)e->block * (size_t)e->scene.nq + 1, sizeof *e->q);
    e->v = sn_arena_alloc(&e->arena, (size_t)e->block * (size_t)e->scene.nv + 1, sizeof *e->v);
    e->x = sn_arena_alloc(&e->arena, points, sizeof *e->x);
    e->u = sn_arena_alloc(&e->arena, points, sizeof *e->u);
    e->w = sn_arena_alloc(&e->arena, points, sizeof *e->w);
    e->t = sn_arena_alloc(&e->arena, (size_t)frames, sizeof *e->t);
    e->folder = sn_arena_strndup(&e->arena, path, n - strlen(ending));
    e->path = sn_arena_alloc(&e->arena, e->path_size = n + DIGITS, 1);
    if (!e->q || !e->v || !e->x || !e->u || !e->w || !e->t || !e->folder || !e->path || !split_things(e) ||
        !make_field_room(e))
        return SN_OUT_OF_MEM(err);
    char *slash = strrchr(e->folder, '/');
    e->name = slash ? slash + 1 : e->folder;
    return SN_OK;
}

static sn_status export(series *e, const char *path, sn_err *err)
{
    SN_TRY(sn_scene_make(&e->scene, e->r, err));
    SN_TRY(make_room(e, path, err));
    for (int i = 0; i < sn_result_reader_columns(e->r); i++) {
        const char *name = sn_result_reader_column(e->r, i)->path;
        if (strcmp(name, "/states/q") == 0) e->column[0] = i;
        if (strcmp(name, "/states/v") == 0) e->column[1] = i;
    }
    e->modes = strcmp(sn_result_reader_frame_name(e->r, NULL), "/time") != 0;
    SN_TRY(sn_result_reader_get(e->r, -1, 0, sn_result_reader_frames(e->r), e->t, err));
    const char *input = sn_result_reader_path(e->r);
    sn_atomic file;
    SN_TRY(sn_output_check(path, 1, &input, err));
    SN_TRY(sn_atomic_begin(&file, path, err));
    sn_status s = SN_OK;
    if (mkdir(e->folder, 0777) != 0 && errno != EEXIST) s = cannot(err, e->folder, "made");
    if (s == SN_OK) unlink(file.path);
    if (s == SN_OK) s = write_frames(e, err);
    if (s == SN_OK) s = write_index(e, &file, err);
    if (s == SN_OK) s = sn_atomic_commit(&file, err);
    sn_atomic_end(&file);
    return s;
}

sn_status sn_result_export_vtk(sn_result_reader *r, const char *path, sn_err *err)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    if (!dot || dot == base || strcmp(dot, ending) != 0)
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path},
                       "the name of the index of VTK files must end with .pvd");
    if (sn_result_reader_frames(r) == 0)
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = sn_result_reader_path(r)},
                       "has no frames yet: there is nothing to export");
    series e = {.r = r};
    locale_t point = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(point);
    sn_status s = export(&e, path, err);
    uselocale(before);
    if (point) freelocale(point);
    sn_scene_free(&e.scene);
    sn_arena_free(&e.arena);
    return s;
}
