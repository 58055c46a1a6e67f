/* A body from files in other units, such as mm and t (forces in N, stresses in MPa), into SI. With lengths in
   l and masses in m a displacement is l u, a rotation itself: an energy m l^2 u'K u/2 gives entries m l^r
   with r rotations among row and column. */
#include "model/unit.h"
#include "reduce/units.h"

#include <string.h>

static sn_status one(const char *text, size_t n, sn_dim want, const char *what, double *factor, sn_err *err)
{
    char unit[32] = "";
    sn_dim dim = {0, 0, 0};
    while (n && text[0] == ' ') text++, n--;
    while (n && text[n - 1] == ' ') n--;
    if (n < sizeof unit) memcpy(unit, text, n);
    if (!unit[0] || sn_unit_whole(unit, factor, &dim) || !sn_dim_equal(dim, want))
        return sn_fail(err, SN_ERR_INPUT, NULL, "units '%.*s': %s is expected, as in 'mm, t'",
                       (int)(n < 60 ? n : 60), text, what);
    return SN_OK;
}

sn_status sn_fe_units(const char *text, double *length, double *mass, sn_err *err)
{
    *length = *mass = 1;
    if (!text) return SN_OK;
    const char *comma = strchr(text, ',');
    if (!comma)
        return sn_fail(err, SN_ERR_INPUT, NULL, "units '%s': a length and a mass are expected, as in 'mm, t'",
                       text);
    SN_TRY(one(text, (size_t)(comma - text), (sn_dim){1, 0, 0}, "a length", length, err));
    return one(comma + 1, strlen(comma + 1), (sn_dim){0, 1, 0}, "a mass", mass, err);
}

/* f, and l once more for each rotation: turns is NULL for rows that are no coordinates */
static void scale(sn_sparse *A, double f, double l, const unsigned char *rows, const unsigned char *columns)
{
    double *entry = (double *)A->x; /* the body's own, still in the making */
    for (int j = 0; j < A->cols; j++)
        for (int e = A->first[j]; e < A->first[j + 1]; e++) {
            double x = f;
            if (rows && rows[A->row[e]]) x *= l;
            if (columns && columns[j]) x *= l;
            entry[e] *= x;
        }
}

sn_status sn_fe_scale(sn_fe_body *fe, sn_fe_mesh *mesh, double length, double mass, sn_err *err)
{
    if (length == 1 && mass == 1) return SN_OK;
    unsigned char *turns = sn_alloc((size_t)fe->n + 1, 1);
    if (!turns) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < 6 * fe->n_node; i++)
        if (fe->dof[i] >= 0) turns[fe->dof[i]] = i % 6 > 2;
    for (int i = 0; i < 3 * mesh->n_node; i++) mesh->X[i] *= length;
    scale(&fe->M, mass, length, turns, turns);
    scale(&fe->K, mass, length, turns, turns);
    /* rows of coordinates, columns of what is recovered, in whatever unit */
    if (fe->n_recovery) scale(&fe->recover, 1 / length, length, turns, NULL);
    sn_free(turns);
    return SN_OK;
}
