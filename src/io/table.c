#include "io/table.h"
#include "model/model.h"

#include <math.h>
#include <string.h>
#include <strings.h>

sn_status sn_table_read(const char *path, const sn_patience *patience, sn_arena *arena, sn_csv **out,
                        sn_err *err)
{
    const char *dot = strrchr(path, '.');
    if (dot && !strcasecmp(dot, ".trc")) return sn_trc_read(path, arena, out, err);
    if (dot && !strcasecmp(dot, ".c3d")) return sn_c3d_read(path, arena, out, err);
    return sn_csv_read_patiently(path, patience, arena, out, err);
}

sn_status sn_table_new(sn_arena *arena, const char *path, int rows, int cols, sn_table *out, sn_err *err)
{
    size_t n = (size_t)cols + 1, cells = (size_t)rows * (size_t)cols;
    if (cols > SN_CSV_MAX_COLUMNS || cells > (size_t)SN_CSV_MAX_MB << 17)
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path}, "has %d rows of %d columns: too many",
                       rows, cols);
    double *origin = sn_arena_alloc(arena, n, sizeof *origin);
    *out = (sn_table){.arena = arena, .path = path};
    out->csv = sn_arena_alloc(arena, 1, sizeof *out->csv);
    out->data = sn_arena_alloc(arena, cells + 1, sizeof *out->data);
    out->names = sn_arena_alloc(arena, n, sizeof *out->names);
    out->units = sn_arena_alloc(arena, n, sizeof *out->units);
    if (!out->csv || !out->data || !out->names || !out->units || !origin) return SN_OUT_OF_MEM(err);
    for (size_t k = 0; k < n; k++) origin[k] = NAN;
    for (size_t k = 0; k < cells; k++) out->data[k] = NAN;
    *out->csv = (sn_csv){.rows = rows,
                         .cols = cols,
                         .names = out->names,
                         .data = out->data,
                         .origin = origin,
                         .units = out->units,
                         .sparse = 1};
    out->names[0] = "t", out->units[0] = "s";
    return SN_OK;
}

static int is_there(const sn_table *t, int col, const char *name)
{
    for (int k = 0; k < col; k++)
        if (!strcmp(t->names[k], name)) return 1;
    return 0;
}

sn_status sn_table_name(sn_table *t, int col, const char *name, size_t n, const char *ending, sn_err *err)
{
    char *text = sn_arena_printf(t->arena, "%.*s%s", (int)n, name, ending);
    for (int k = col; text && is_there(t, col, text); k++)
        text = sn_arena_printf(t->arena, "%.*s_%d%s", (int)n, name, k, ending);
    t->names[col] = text;
    return text ? SN_OK : SN_OUT_OF_MEM(err);
}

sn_status sn_table_marker(sn_table *t, int col, const char *name, size_t n, sn_err *err)
{
    static const char *const axis[] = {".x", ".y", ".z"};
    for (int k = 0; k < 3; k++) SN_TRY(sn_table_name(t, col + k, name, n, axis[k], err));
    return SN_OK;
}

double sn_table_unit(sn_arena *arena, const char *text, size_t n, const char **si)
{
    char unit[40], plain[40];
    double factor;
    sn_dim dim;
    *si = NULL;
    if (!n || n >= sizeof unit) return 1;
    memcpy(unit, text, n);
    unit[n] = 0;
    if (!strcasecmp(unit, "Nmm")) strcpy(unit, "N*mm"); /* as force plates write it */
    if (sn_unit_whole(unit, &factor, &dim) || !sn_unit_si(unit, plain, sizeof plain)) return 1;
    *si = sn_arena_strndup(arena, plain, strlen(plain));
    return *si ? factor : 1;
}
