/* Marker files: written here from the definitions of the formats, read by the library. C3D in all orders of
   bytes, integers and floats, analog channels, more frames than 16 bits hold; TRC with missing markers; files
   that are cut off or damaged at many places. */
#include "identify_kit.h"

#include "base/mem.h"
#include "io/table.h"

enum { INTEL = 84, DEC, MIPS, ROOM = 1 << 21 };

/* ---- a writer of C3D ---- */

typedef struct c3d {
    int order, floats;
    unsigned char *b;
    size_t n;
} c3d;

static void put16(c3d *f, size_t at, int x)
{
    unsigned u = (unsigned)x & 0xffff;
    f->b[at + (f->order == MIPS)] = (unsigned char)(u & 255),
                           f->b[at + (f->order != MIPS)] = (unsigned char)(u >> 8);
}

static void put_real(c3d *f, size_t at, double x)
{
    float y = (float)(f->order == DEC ? 4 * x : x);
    uint32_t u;
    memcpy(&u, &y, 4);
    unsigned char big[4] = {(unsigned char)(u >> 24), (unsigned char)(u >> 16), (unsigned char)(u >> 8),
                            (unsigned char)u};
    static const int place[3][4] = {{3, 2, 1, 0}, {1, 0, 3, 2}, {0, 1, 2, 3}};
    for (int k = 0; k < 4; k++) f->b[at + (size_t)place[f->order - INTEL][k]] = big[k];
}

static void put_sample(c3d *f, double x)
{
    if (f->floats)
        put_real(f, f->n, x), f->n += 4;
    else
        put16(f, f->n, (int)lround(x)), f->n += 2;
}

static void group(c3d *f, int id, const char *name)
{
    size_t n = strlen(name);
    f->b[f->n++] = (unsigned char)n, f->b[f->n++] = (unsigned char)-id;
    memcpy(f->b + f->n, name, n), f->n += n;
    put16(f, f->n, 3), f->n += 2;
    f->b[f->n++] = 0;
}

/* A parameter's head; its data of `bytes` bytes follow, then an empty description. */
static void parameter(c3d *f, int id, const char *name, int length, int dims, const int *dim, size_t bytes)
{
    size_t n = strlen(name);
    f->b[f->n++] = (unsigned char)n, f->b[f->n++] = (unsigned char)id;
    memcpy(f->b + f->n, name, n), f->n += n;
    put16(f, f->n, (int)(2 + 2 + (size_t)dims + bytes + 1)), f->n += 2;
    f->b[f->n++] = (unsigned char)length, f->b[f->n++] = (unsigned char)dims;
    for (int k = 0; k < dims; k++) f->b[f->n++] = (unsigned char)dim[k];
}

static void texts(c3d *f, int id, const char *name, const char *const *text, int count, int width)
{
    const int dim[2] = {width, count};
    parameter(f, id, name, -1, 2, dim, (size_t)(width * count));
    for (int k = 0; k < count; k++, f->n += (size_t)width) {
        memset(f->b + f->n, ' ', (size_t)width);
        memcpy(f->b + f->n, text[k], strlen(text[k]));
    }
    f->n++;
}

static void reals(c3d *f, int id, const char *name, const double *x, int n)
{
    parameter(f, id, name, 4, n > 1, &n, (size_t)(4 * n));
    for (int k = 0; k < n; k++, f->n += 4) put_real(f, f->n, x[k]);
    f->n++;
}

/* The head and the parameters of a file with these frames; where its data begin. */
static void begin(c3d *f, int points, int analog, int per, long frames, double scale)
{
    static const char *const label[] = {"LASI", "RASI", "", "RASI"}, *const channel[] = {"Fx", "EMG"},
                             *const unit[] = {"N", "thing"};
    const double rate = 100, general = 0.5, scales[2] = {2, 4}, offsets[2] = {10, 0}, many = (double)frames;
    memset(f->b, 0, 8 * 512);
    f->b[0] = 2, f->b[1] = 0x50;
    put16(f, 2, points), put16(f, 4, analog * per), put16(f, 6, 1),
        put16(f, 8, (int)(frames < 65535 ? frames : 65535));
    put_real(f, 12, f->floats ? -scale : scale);
    put16(f, 16, 8), put16(f, 18, per), put_real(f, 20, rate);
    f->b[512 + 2] = 6, f->b[512 + 3] = (unsigned char)f->order;
    f->n = 512 + 4;
    group(f, 1, "POINT"), group(f, 2, "ANALOG");
    texts(f, 1, "LABELS", label, points < 4 ? points : 4, 6);
    texts(f, 1, "UNITS", (const char *const[]){"mm"}, 1, 4);
    reals(f, 1, "RATE", &rate, 1);
    if (frames > 65535) reals(f, 1, "LONG_FRAMES", &many, 1);
    if (analog) {
        texts(f, 2, "LABELS", channel, analog, 4), texts(f, 2, "UNITS", unit, analog, 6);
        reals(f, 2, "GEN_SCALE", &general, 1), reals(f, 2, "SCALE", scales, 2),
            reals(f, 2, "OFFSET", offsets, 2);
    }
    assert_true(f->n < 7 * 512);
    f->n = 7 * 512;
}

static void save(const char *name, const unsigned char *b, size_t n)
{
    FILE *f = fopen(kit_path(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b, 1, n, f), n);
    fclose(f);
}

static double cell(const sn_csv *t, const char *name, int row)
{
    int c = sn_csv_column(t, name);
    if (c < 0) fail_msg("there is no column %s", name);
    return t->data[(size_t)c * (size_t)t->rows + (size_t)row];
}

static sn_csv *table(const char *name, sn_arena *a)
{
    sn_csv *t;
    sn_err err;
    sn_err_clear(&err);
    kit_tell(&err, sn_table_read(kit_path(name), &(sn_patience){.stop = NULL}, a, &t, &err));
    return t;
}

static void test_c3d(void **state)
{
    (void)state;
    c3d f = {.b = malloc(ROOM)};
    assert_non_null(f.b);
    for (int k = 0; k < 6; k++) {
        sn_arena a = {0};
        f.order = INTEL + k % 3, f.floats = k / 3;
        double scale = 0.5; /* of integers: half millimetres */
        begin(&f, 4, 2, 2, 3, scale);
        for (int frame = 0; frame < 3; frame++) {
            for (int p = 0; p < 4; p++) {
                for (int i = 0; i < 3; i++)
                    put_sample(&f, (100.0 * p + 10 * frame + i - 50) / (f.floats ? 1 : scale));
                put_sample(&f, p == 1 && frame == 1 ? -1 : 5);
            }
            for (int s = 0; s < 2; s++)
                for (int c = 0; c < 2; c++) put_sample(&f, 1000 * c + 100 * frame + 10 * s);
        }
        save("m.c3d", f.b, f.n);
        sn_csv *t = table("m.c3d", &a);
        assert_int_equal(t->rows, 6);
        assert_int_equal(t->cols, 1 + 12 + 2);
        kit_is("time", cell(t, "t", 3), 3 / 200.0, 1e-12);
        kit_is("LASI.y", cell(t, "LASI.y", 4), (20 + 1 - 50) * 1e-3, 1e-9);
        kit_is("RASI.z", cell(t, "RASI.z", 0), (100 + 2 - 50) * 1e-3, 1e-9);
        assert_true(isnan(cell(t, "RASI.z", 2)) && isnan(cell(t, "LASI.y", 1)));
        kit_is("without a name", cell(t, "point3.x", 0), (200 - 50) * 1e-3, 1e-9);
        kit_is("the same name again", cell(t, "RASI_10.x", 0), (300 - 50) * 1e-3, 1e-9);
        kit_is("force", cell(t, "Fx", 5), (200 + 10 - 10) * 0.5 * 2, 1e-9);
        kit_is("another", cell(t, "EMG", 4), (1000 + 200) * 0.5 * 4, 1e-9);
        assert_string_equal(t->units[1], "m");
        assert_string_equal(t->units[13], "N");
        assert_null(t->units[14]);
        sn_arena_free(&a);
    }
    free(f.b);
}

static void test_long(void **state)
{
    (void)state;
    enum { FRAMES = 70000 };
    sn_arena a = {0};
    c3d f = {.order = INTEL, .b = malloc(ROOM)};
    assert_non_null(f.b);
    begin(&f, 1, 0, 0, FRAMES, 1);
    for (int frame = 0; frame < FRAMES; frame++)
        for (int i = 0; i < 4; i++) put_sample(&f, i == 0 ? frame % 1000 : i == 3 ? 1 : 0);
    save("long.c3d", f.b, f.n);
    sn_csv *t = table("long.c3d", &a);
    assert_int_equal(t->rows, FRAMES);
    kit_is("the last", cell(t, "LASI.x", FRAMES - 1), 0.999, 1e-12);
    sn_arena_free(&a);
    free(f.b);
}

/* Cut off at many lengths and with bytes of the head changed: an answer, or an error, and nothing else.
 */
static void test_damaged(void **state)
{
    (void)state;
    c3d f = {.order = INTEL, .b = malloc(ROOM)};
    assert_non_null(f.b);
    begin(&f, 2, 2, 2, 2, 1);
    for (int i = 0; i < 2 * (8 + 4); i++) put_sample(&f, i);
    int refused = 0;
    for (size_t n = 0; n < f.n + 1200; n += 7) {
        sn_arena a = {0};
        sn_csv *t;
        sn_err err;
        sn_err_clear(&err);
        unsigned char kept = n >= f.n ? f.b[n - f.n] : 0;
        if (n >= f.n) f.b[n - f.n] = (unsigned char)(kept + 1 + n % 250);
        save("cut.c3d", f.b, n < f.n ? n : f.n);
        if (n >= f.n) f.b[n - f.n] = kept;
        sn_status s = sn_c3d_read(kit_path("cut.c3d"), &a, &t, &err);
        assert_true((s == SN_OK) == (t != NULL));
        refused += s != SN_OK;
        sn_arena_free(&a);
    }
    assert_true(refused >= (int)f.n / 7); /* nothing that is cut off is taken for whole */
    free(f.b);
}

/* ---- TRC ---- */

#define HEAD                                                                                                 \
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\n" \
    "100\t100\t3\t2\tmm\t100\nFrame#\tTime\tLASI\t\t\tRASI\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"

static void test_trc(void **state)
{
    (void)state;
    sn_arena a = {0};
    kit_put("w.TRC", HEAD "1\t0.00\t1\t2\t3\t4\t5\t6\n2\t0.01\t\t\t\t10\t20\t30\n3\t0.02\t7\t8\t9\r\n");
    sn_csv *t = table("w.TRC", &a);
    assert_int_equal(t->rows, 3);
    assert_int_equal(t->cols, 7);
    kit_is("time", cell(t, "t", 1), 0.01, 1e-15);
    kit_is("RASI.y", cell(t, "RASI.y", 1), 0.02, 1e-15);
    kit_is("LASI.z", cell(t, "LASI.z", 2), 0.009, 1e-15);
    assert_true(isnan(cell(t, "LASI.x", 1)) && isnan(cell(t, "RASI.z", 2)));
    sn_arena_free(&a);
    static const char *const wrong[][2] = {
        {"", "does not begin with PathFileType"},
        {"t,x\n0,1\n", "does not begin with PathFileType"},
        {"PathFileType\t4\n", "no second line"},
        {HEAD, "it has no frames"},
        {HEAD "1\t0\t1\tx\t3\n", "'x' is not a number"},
        {HEAD "1\t0\t1\t2\t3\t4\t5\t6\t7\n", "behind the last marker"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sn_err err;
        sn_csv *none;
        sn_err_clear(&err);
        kit_put("wrong.trc", wrong[i][0]);
        assert_true(sn_table_read(kit_path("wrong.trc"), &(sn_patience){.stop = NULL}, &a, &none, &err) !=
                    SN_OK);
        if (!strstr(err.report[0].text, wrong[i][1]))
            fail_msg("'%s' does not say '%s'", err.report[0].text, wrong[i][1]);
        sn_arena_free(&a);
    }
}

/* As data of a study: markers by columns, in metres; a stated unit is not applied twice. */
static void test_study(void **state)
{
    (void)state;
    sn_study *s;
    sn_err err;
    sn_err_clear(&err);
    kit_put("w.trc", HEAD "1\t0.00\t1200\t2\t3\t4\t5\t6\n2\t0.01\t\t\t\t10\t20\t30\n3\t0."
                          "02\t1190\t8\t9\t1\t1\t1\n4\t0.03\t1180\t8\t9\t1\t1\t1\n");
    kit_put("study.yaml",
            "study: 1\nmodel: spring.yaml\ndata: w.trc\ncolumns: {at.x: LASI.x}\nunknowns: {k: 60}\n");
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err));
    assert_int_equal(s->experiment[0].n, 3); /* one frame without it */
    kit_is("position", s->experiment[0].y[1], 1.19, 1e-12);
    sn_study_free(s);
    kit_put("study.yaml", "study: 1\nmodel: spring.yaml\ndata: w.trc\ncolumns: {at.x: {column: LASI.x, unit: "
                          "mm}}\nunknowns: {k: 60}\n");
    assert_int_equal(sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err), SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "the file states the unit"));
    sn_err_clear(&err);
    kit_put("study.yaml", "study: 1\nmodel: spring.yaml\ndata: w.trc\nunknowns: {k: 60}\n");
    assert_int_equal(sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err), SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "none of the file's columns is a channel"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c3d), cmocka_unit_test(test_long),  cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_trc), cmocka_unit_test(test_study),
    };
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
