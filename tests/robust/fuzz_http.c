/* Fuzzing: any bytes are the head of a request to the server of a result. */
#include "robust/fuzz.h"

#include "base/mem.h"
#include "view/answer.h"

enum { PORT = 8080 };

static const char *make_result(void)
{
    static const double y[] = {1, 2, 3}, triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const sn_result_column column[] = {{"/sensors/tip", 2, NULL, NULL, NULL},
                                              {"/states/q", 3, NULL, NULL, NULL}};
    static const sn_result_array array[] = {{"/model/triangles/0", 1, 9, triangle, NULL, NULL, NULL, NULL},
                                            {"/model/mesh/0/nodes", 3, 3, triangle, NULL, NULL, NULL, NULL}};
    const sn_result_layout layout = {20, "/time", "s", 2, 0, 2, column, NULL, array, 0, 2};
    const char *path = as_file("run.h5", NULL, 0);
    sn_result *w;
    if (sn_result_create(path, &layout, &w, NULL)) abort();
    for (int i = 0; i < 20; i++)
        if (sn_result_frame(w, i, (const double *const[]){y, y}, NULL)) abort();
    if (sn_result_close(w, SN_RESULT_COMPLETE, NULL)) abort();
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sn_served served;
    sn_http_request r;
    sn_answer a;
    if (!served.path) served.path = make_result();
    if (!served.in && sn_served_open(&served, NULL)) abort();
    if (size > SN_HTTP_ROOM) size = SN_HTTP_ROOM;
    char *bytes = malloc(size ? size : 1); /* as long as it is: reading beyond it is seen */
    if (!bytes) abort();
    if (size) memcpy(bytes, data, size);
    int status = sn_http_read(bytes, size, PORT, &r);
    free(bytes);
    if (!status) return 0;
    if (sn_answer_make(&served, status, &r, &a, NULL)) abort();
    if (a.n < a.body || a.status < 200 || a.status > 505 || a.status == 500) abort();
    sn_free(a.bytes);
    return 0;
}
