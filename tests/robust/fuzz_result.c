/* Fuzzing: any bytes are a result file. Whatever can be opened is exported and drawn. */
#include "robust/fuzz.h"

#include "io/result.h"
#include "io/scene.h"
#include "view/page.h"

/* libhdf5 1.10 itself loses memory where it refuses a file. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

static sn_status swallow(void *ctx, const void *bytes, size_t n, sn_err *err)
{
    (void)err;
    *(size_t *)ctx += n + (((const unsigned char *)bytes)[0] & 1);
    return SN_OK;
}

static void draw(sn_result_reader *r, sn_err *err)
{
    enum { MOST = 1 << 20 }; /* points: more is only slow */
    sn_scene s;
    sn_status status = sn_scene_make(&s, r, err);
    check_reports(status, err);
    if (status == SN_OK && s.n_point < MOST) {
        double *q = calloc((size_t)s.nq + (size_t)s.nv + 1, sizeof *q);
        double *x = calloc(9 * (size_t)s.n_point + 1, sizeof *x);
        size_t n = 3 * (size_t)s.n_point;
        if (!q || !x) abort();
        sn_scene_place(&s, q, q + s.nq, x, x + n, x + 2 * n);
        for (int k = 0; k < s.n_field; k++) {
            const sn_scene_field *f = &s.field[k];
            double *y = calloc((size_t)f->width + 1, sizeof *y);
            float *out =
                calloc((size_t)f->n * (size_t)(f->at_points ? s.n_point : s.n_cell) + 1, sizeof *out);
            if (!y || !out) abort();
            sn_scene_field_place(&s, f, y, out);
            free(y);
            free(out);
        }
        free(x);
        free(q);
    }
    sn_scene_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_result_reader *r;
    sn_err err;
    size_t n = 0;
    sn_err_clear(&err);
    sn_status s = sn_result_open(as_file("run.h5", data, size), &r, &err);
    if ((s == SN_OK) != (r != NULL)) abort();
    check_reports(s, &err);
    if (!r) return 0;
    const char *text = sn_result_reader_text(r, "/model/text");
    n += text ? strlen(text) : 0;
    check_reports(sn_result_export_csv(r, "/dev/null", 1, 1, &err), &err);
    check_reports(sn_view_served_page(&(sn_view_served){.in = r, .edition = 1}, swallow, &n, &err), &err);
    draw(r, &err);
    sn_result_reader_close(r);
    return 0;
}
