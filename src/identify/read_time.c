/* The times of an experiment: a column in any unit, counted from zero, from a moment, or from its first row.

   Times since 1970 or year 0 have ten digits before those that matter: what they count from is subtracted
   before units are applied. */
#include "identify/read.h"
#include "io/iso_time.h"

#include <math.h>
#include <string.h>

/* How the numbers of a column become seconds. */
typedef struct conversion {
    double factor; /* s of its unit */
    double epoch;  /* 1970-01-01 in its unit, where it is absolute */
    int absolute;
    const sn_item *zero;
} conversion;

static const double day = 86400, datenum_1970 = 719529;

static sn_status read_unit(const sn_csv *csv, int column, const sn_item *unit, conversion *c, sn_err *err)
{
    sn_dim have, second;
    double one;
    if (!unit) return SN_OK;
    if (!isnan(csv->origin[column]))
        return sn_fail(err, SN_ERR_INPUT, &unit->mark,
                       "the column holds dates and times: these have no unit");
    if (!strcmp(unit->text, "datenum")) { /* days since year 0, as MATLAB counts them */
        c->factor = day, c->epoch = datenum_1970, c->absolute = 1;
        return SN_OK;
    }
    if (sn_unit_whole(unit->text, &c->factor, &have) || sn_unit_whole("s", &one, &second) ||
        !sn_dim_equal(have, second))
        return sn_fail(err, SN_ERR_INPUT, &unit->mark,
                       "'%s' is no unit of time: s, ms, us, min, h, or datenum", unit->text);
    return SN_OK;
}

/* A moment as the column would write it: in its own unit; of dates s from their origin. */
static sn_status read_zero(sn_study *s, const sn_csv *csv, int column, const conversion *c, double *zero,
                           sn_err *err)
{
    long long seconds;
    double fraction;
    const char *text = c->zero->text;
    int dates = !isnan(csv->origin[column]);
    if (sn_iso_time(text, text + strlen(text), &seconds, &fraction)) {
        *zero = dates ? (double)(seconds - (long long)csv->origin[column]) + fraction
                      : ((double)seconds + fraction) / c->factor + c->epoch;
        return SN_OK;
    }
    if (dates)
        return sn_fail(err, SN_ERR_INPUT, &c->zero->mark, "'%s' is no date and time: 2024-05-01T12:00:00Z",
                       text);
    SN_TRY(sn_read_number(&s->arena, c->zero, zero, err));
    /* plain: as in the column; with a unit: a time */
    sn_dimension none = {.known = 1};
    sn_err ignored;
    double plain;
    sn_err_clear(&ignored);
    if (sn_read_quantity(&s->arena, c->zero, &none, &plain, &ignored)) *zero /= c->factor;
    return SN_OK;
}

sn_status sn_read_time(sn_study *s, const sn_csv *csv, const sn_item *time, const sn_item *file,
                       sn_times *out, sn_err *err)
{
    const int map = time && time->type == SN_ITEM_MAP;
    if (map) SN_TRY(sn_read_keys(time, sn_keys_time, "time", err));
    const sn_item *name = map ? sn_item_get(time, "column") : time,
                  *absolute = map ? sn_item_get(time, "absolute") : NULL;
    conversion c = {.factor = 1, .zero = map ? sn_item_get(time, "zero") : NULL};
    double zero = 0;
    out->column = sn_csv_column(csv, name ? name->text : "t");
    if (out->column < 0)
        return sn_fail(err, SN_ERR_INPUT, name ? &name->mark : &file->mark,
                       "'%s' has no column '%s' of times", out->file, name ? name->text : "t");
    const double *x = csv->data + (size_t)out->column * (size_t)csv->rows;
    if (map) SN_TRY(read_unit(csv, out->column, sn_item_get(time, "unit"), &c, err));
    int yes = absolute && (!strcmp(absolute->text, "yes") || !strcmp(absolute->text, "true"));
    if (absolute && !yes && strcmp(absolute->text, "no") != 0 && strcmp(absolute->text, "false") != 0)
        return sn_fail(err, SN_ERR_INPUT, &absolute->mark, "absolute is 'yes' or 'no', not '%s'",
                       absolute->text);
    c.absolute |= yes || !isnan(csv->origin[out->column]);
    if (c.zero)
        SN_TRY(read_zero(s, csv, out->column, &c, &zero, err));
    else if (c.absolute)
        zero = x[0], out->from_first = 1;
    out->t = sn_arena_alloc(&s->arena, (size_t)csv->rows, sizeof *out->t);
    if (!out->t) return SN_OUT_OF_MEM(err);
    for (int r = 0; r < csv->rows; r++) out->t[r] = (x[r] - zero) * c.factor;
    return SN_OK;
}
