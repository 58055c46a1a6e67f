/* Result files in other formats, by their names. */
#include "analysis/analysis.h"
#include "io/result.h"

sn_status sn_result_csv(const char *path, const char *csv, int all, int units, sn_err *err)
{
    sn_result_reader *r;
    SN_TRY(sn_result_open(path, &r, err));
    sn_status s = sn_result_export_csv(r, csv, all, units, err);
    sn_result_reader_close(r);
    return s;
}

static sn_status with_reader(const char *path, const char *out,
                             sn_status (*export)(sn_result_reader *r, const char *path, sn_err *err),
                             sn_err *err)
{
    sn_result_reader *r;
    SN_TRY(sn_result_open(path, &r, err));
    sn_status s = export(r, out, err);
    sn_result_reader_close(r);
    return s;
}

sn_status sn_result_vtk(const char *path, const char *pvd, sn_err *err)
{
    return with_reader(path, pvd, sn_result_export_vtk, err);
}

sn_status sn_result_mat(const char *path, const char *mat, sn_err *err)
{
    return with_reader(path, mat, sn_result_export_mat, err);
}
