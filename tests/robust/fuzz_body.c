/* Fuzzing: any bytes are a reduced body. */
#include "robust/fuzz.h"

#include "base/mem.h"
#include "model/reduced_body.h"

/* libhdf5 1.10 itself loses memory where it refuses a file. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

static void *take(sn_block *b, size_t n, size_t size) { return sn_arena_alloc(b->owner, n, size); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_arena arena = {0};
    sn_block block = {.alloc = take, .owner = &arena};
    sn_err err;
    sn_err_clear(&err);
    sn_status s = sn_reduced_body_read(as_file("body.h5", data, size), &block, &err);
    check_reports(s, &err);
    const sn_reduced_body *b = block.data;
    double sum = 0;
    for (int i = 0; b && i < b->nd * b->nd * 9; i++) sum += b->J2[i];
    for (int i = 0; b && i < b->n_point * 3 * b->nd; i++) sum += b->phi[i] + b->theta[i];
    for (int i = 0; b && i < 2 * b->n_line; i++) sum += b->mesh_X[3 * b->line[i]];
    for (int i = 0; b && i < b->n_recovery * b->recovery_n * b->nd; i++) sum += b->recover[i];
    if ((s == SN_OK) != (b != NULL) || sum != sum) abort();
    sn_arena_free(&arena);
    return 0;
}
