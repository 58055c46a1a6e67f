/* Fuzzing: any bytes are a data table. */
#include "robust/fuzz.h"

#include "io/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_arena arena = {0};
    sn_csv *csv;
    sn_err err;
    sn_err_clear(&err);
    sn_status s = sn_csv_read(as_file("data.csv", data, size), &arena, &csv, &err);
    if ((s == SN_OK) != (csv != NULL)) abort();
    check_reports(s, &err);
    double sum = 0;
    for (size_t i = 0; csv && i < (size_t)csv->rows * (size_t)csv->cols; i++) sum += csv->data[i];
    for (int i = 0; csv && csv->names && i < csv->cols; i++)
        if (sn_csv_column(csv, csv->names[i]) > i || (sum == 0 && !csv->names[i])) abort();
    sn_arena_free(&arena);
    return 0;
}
