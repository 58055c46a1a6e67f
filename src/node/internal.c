/* internal: n first-order coordinates z1, z2 ... that are not in space (internal variables), as the relaxing
   strains of a rubber bushing are. The motion starts at z = `at`; reference values mean nothing and are 0. */
#include "sinew/class.h"

extern const sn_node_class sn_node_internal;

static const sn_slot slots[] = {
    {"at", "", "values at the start, one for each coordinate", 0, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE,
     NULL},
    {.name = NULL},
};
static const char *const coord[] = {"z"}, *const unit[] = {"1"};
static const sn_offer offers[] = {{SN_SCALARS, 0, 0}, {0}};

static sn_status layout(sn_node_layout *l, sn_err *err)
{
    (void)err;
    l->n = l->slot_n[0];
    return SN_OK;
}

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    for (int k = 0; k < in->nv; k++) {
        X[k] = v[k] = 0;
        q[k] = in->s[k];
    }
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    for (int k = 0; k < in->nv; k++) {
        dX[k] = dv[k] = 0;
        dq[k] = index == k;
    }
}

const sn_node_class sn_node_internal = {
    .name = "internal",
    .doc = "first-order coordinates z1, z2 ... without a position",
    .slots = slots,
    .layout = layout,
    .order = 1,
    .offers = offers,
    .coord = coord,
    .unit = unit,
    .start = start,
    .dstart = dstart,
};
