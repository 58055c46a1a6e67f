/* What the tests of result files share: a directory of their own, one layout, and runs with known numbers. */
#ifndef SN_TEST_RESULT_KIT_H
#define SN_TEST_RESULT_KIT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/result.h"

typedef struct fixture {
    char dir[64], path[96], other[96];
    sn_err err;
    char message[1024];
} fixture;

static inline int begin(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    /* in memory where possible: syncing a disk takes most of the time otherwise */
    snprintf(f->dir, sizeof f->dir, "%s/sinew_result_XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(f->dir)) return -1;
    snprintf(f->path, sizeof f->path, "%s/run.h5", f->dir);
    snprintf(f->other, sizeof f->other, "%s/other", f->dir);
    *state = f;
    return 0;
}

/* Names in the directory; they are removed when `clear`. */
static inline int files_in(const char *dir, int clear)
{
    DIR *d = opendir(dir);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char name[400];
        if (e->d_name[0] == '.') continue;
        n++;
        snprintf(name, sizeof name, "%s/%s", dir, e->d_name);
        if (clear) unlink(name);
    }
    closedir(d);
    return n;
}

static inline int end(void **state)
{
    fixture *f = *state;
    files_in(f->dir, 1);
    rmdir(f->dir);
    free(f);
    return 0;
}

static inline const char *format_error(fixture *f)
{
    sn_report_format(&f->err.report[0], f->message, sizeof f->message);
    return f->message;
}

#define check_ok(f, call)                                                                                    \
    do {                                                                                                     \
        sn_err_clear(&(f)->err);                                                                             \
        if ((call) != SN_OK) fail_msg("%s", format_error(f));                                                \
    } while (0)

static inline void check_fails(fixture *f, sn_status got, sn_status expected, const char *part)
{
    assert_int_equal(got, expected);
    assert_int_equal(f->err.count, 1);
    if (!strstr(format_error(f), part)) fail_msg("'%s' lacks '%s'", f->message, part);
    sn_err_clear(&f->err);
}

/* The layout that most tests share: two sensors, states, an empty one, texts and arrays. */
static const char *const xy[] = {"x", "y"}, *const metre[] = {"m", "m"}, *const joule[] = {"J"},
                         *const kinetic[] = {""};
static const sn_result_column columns[] = {{"/sensors/tip", 2, xy, metre, "position"},
                                           {"/sensors/energy", 1, kinetic, joule, NULL},
                                           {"/states/q", 3, NULL, NULL, NULL},
                                           {"/states/lam", 0, NULL, NULL, NULL}};
static const sn_result_text texts[] = {{"@title", "Gr\xc3\xb6\xc3\x9f"},
                                       {"/model/text", "sinew: 1\ntitle: x\n"},
                                       {"@note", ""},
                                       {"@none", NULL}};
static const double reference[] = {0, 0, 1, 2, 3, 4};
static const int pairs[] = {0, 1};
static const sn_result_label place[] = {{"columns", 2, xy}, {"doc", -1, metre}, {NULL, 0, NULL}};
static const sn_result_array arrays[] = {{"/model/nodes/reference", 2, 3, reference, NULL, xy, "m", place},
                                         {"/model/lines", 1, 2, NULL, pairs, NULL, NULL, NULL},
                                         {"/model/nothing", 0, 2, NULL, pairs, NULL, NULL, NULL}};

static inline sn_result_layout layout_of(int n_frames)
{
    return (sn_result_layout){n_frames, "/time", "s", 4, 4, 3, columns, texts, arrays, 0, 0};
}

/* Number k of frame i: exact in double and different everywhere. */
static inline double value(int i, int k) { return 8.0 * i + k + 0.1; }

static inline sn_status write_frame(sn_result *w, sn_err *err)
{
    int i = sn_result_frames(w);
    double tip[2] = {value(i, 0), value(i, 1)}, energy = value(i, 2),
           q[3] = {value(i, 3), value(i, 4), value(i, 5)};
    return sn_result_frame(w, 0.25 * i, (const double *const[]){tip, &energy, q, NULL}, err);
}

/* A whole run in the given place: room, frames written, status at the end. */
static inline void write_run(fixture *f, const char *path, int room, int frames, int status)
{
    sn_result *w;
    sn_result_layout l = layout_of(room);
    check_ok(f, sn_result_create(path, &l, &w, &f->err));
    for (int i = 0; i < frames; i++) check_ok(f, write_frame(w, &f->err));
    assert_int_equal(sn_result_frames(w), frames);
    check_ok(f, sn_result_close(w, status, &f->err));
}

/* All frames of an open result have the right numbers. */
static inline void check_numbers(fixture *f, sn_result_reader *r)
{
    const int n = sn_result_reader_frames(r), first_number[] = {0, 2, 3};
    double *x = malloc((size_t)(n + 1) * 3 * sizeof *x);
    check_ok(f, sn_result_reader_get(r, -1, 0, n, x, &f->err));
    for (int i = 0; i < n; i++)
        if (x[i] != 0.25 * i) fail_msg("time %d of %d is %g", i, n, x[i]);
    for (int c = 0; c < 4; c++) {
        int width = sn_result_reader_column(r, c)->width;
        check_ok(f, sn_result_reader_get(r, c, 0, n, x, &f->err));
        for (int i = 0; i < n * width; i++)
            if (x[i] != value(i / width, first_number[c] + i % width))
                fail_msg("column %d, number %d of %d frames", c, i, n);
    }
    free(x);
}

static inline void check_run(fixture *f, const char *path, int frames, int status)
{
    sn_result_reader *r;
    check_ok(f, sn_result_open(path, &r, &f->err));
    assert_int_equal(sn_result_reader_frames(r), frames);
    assert_int_equal(sn_result_reader_status(r), status);
    assert_int_equal(sn_result_reader_columns(r), 4);
    check_numbers(f, r);
    sn_result_reader_close(r);
}

static inline long size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

static inline void set_limit(long bytes)
{
    struct rlimit r;
    getrlimit(RLIMIT_FSIZE, &r);
    r.rlim_cur = bytes < 0 ? r.rlim_max : (rlim_t)bytes;
    setrlimit(RLIMIT_FSIZE, &r);
}

/* A result with a shape that is an STL file, a mesh of one triangle and two modes, and fields: of two
   elements, and a force of one joint. */
static inline void write_fields(fixture *f, const char *path, int width)
{
    static const double y[] = {1, -2, 3, 4, 5}, tri[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, shape[17] = {0},
                        mesh[16] = {0}, modes[18] = {1, 2, 3, [17] = 4};
    static const int two[] = {4, 1, 7, 1}, one[] = {0, 1}, corner[] = {0, 1, 2};
    static const char *const number[] = {""}, *const fxfym[] = {"fx", "fy", "m"}, *const doc = "axial force",
                             *const style[] = {"signed", "force"}, *const of[] = {"elements", "joints"};
    static const sn_result_label axial[] = {{"components", 1, number},
                                            {"doc", -1, &doc},
                                            {"style", -1, style},
                                            {"of", -1, of},
                                            {NULL, 0, NULL}},
                                 force[] = {{"components", 3, fxfym},
                                            {"style", -1, style + 1},
                                            {"of", -1, of + 1},
                                            {NULL, 0, NULL}};
    const char *const name = "stl:body:part.stl";
    const sn_result_column c[] = {{"/fields/axial", width, NULL, NULL, "field"},
                                  {"/fields/reaction", 3, NULL, NULL, "field"}};
    const sn_result_array a[] = {{"/model/fields/axial", 2, 2, NULL, two, NULL, "N", axial},
                                 {"/model/fields/reaction", 1, 2, NULL, one, NULL, "N", force},
                                 {"/model/shapes", 1, 17, shape, NULL, &name, NULL, NULL},
                                 {"/model/meshes", 1, 16, mesh, NULL, NULL, NULL, NULL},
                                 {"/model/mesh/0/lines", 1, 2, NULL, corner, NULL, NULL, NULL},
                                 {"/model/mesh/0/triangles", 1, 3, NULL, corner, NULL, NULL, NULL},
                                 {"/model/triangles/0", 1, 9, tri, NULL, NULL, NULL, NULL},
                                 {"/model/mesh/0/nodes", 3, 3, tri, NULL, NULL, NULL, NULL},
                                 {"/model/mesh/0/modes", 2, 9, modes, NULL, NULL, NULL, NULL}};
    const sn_result_layout l = {2, "/time", "s", 2, 0, 9, c, NULL, a, 2, 3};
    sn_result *w;
    check_ok(f, sn_result_create(path, &l, &w, &f->err));
    for (int i = 0; i < 2; i++)
        check_ok(f, sn_result_frame(w, i, (const double *const[]){y + i, y + 2 - i}, &f->err));
    check_ok(f, sn_result_close(w, SN_RESULT_COMPLETE, &f->err));
}

#endif
