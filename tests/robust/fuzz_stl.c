/* Fuzzing: any bytes are an STL file. */
#include "robust/fuzz.h"

#include "base/mem.h"
#include "io/stl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = as_file("body.stl", data, size);
    double body[10], *x;
    int n;
    sn_err err;
    sn_err_clear(&err);
    check_reports(sn_stl_read(path, body, &err), &err);
    sn_status s = sn_stl_triangles(path, &x, &n, &err);
    check_reports(s, &err);
    double sum = 0;
    for (size_t i = 0; i < 9 * (size_t)n; i++) sum += x[i];
    if (n < 0 || (s != SN_OK && x) || (n == 0 && sum != 0)) abort();
    sn_free(x);
    return 0;
}
