/* Fuzzing: any bytes are a marker file, C3D and TRC. */
#include "robust/fuzz.h"

#include "io/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"data.c3d", "data.trc"};
    for (int k = 0; k < 2; k++) {
        sn_arena arena = {0};
        sn_csv *csv;
        sn_err err;
        sn_err_clear(&err);
        sn_status s =
            sn_table_read(as_file(name[k], data, size), &(sn_patience){.stop = NULL}, &arena, &csv, &err);
        if ((s == SN_OK) != (csv != NULL)) abort();
        check_reports(s, &err);
        double sum = 0;
        for (size_t i = 0; csv && i < (size_t)csv->rows * (size_t)csv->cols; i++) sum += csv->data[i];
        for (int i = 0; csv && i < csv->cols; i++)
            if (!csv->names[i] || sn_csv_column(csv, csv->names[i]) != i || sum > 1e300) abort();
        sn_arena_free(&arena);
    }
    return 0;
}
