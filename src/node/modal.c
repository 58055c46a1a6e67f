/* modal: n plain coordinates z1, z2 ... of second order that are not in space, as the amplitudes of a body's
   modes are. Slots at (n values at the start), velocity (n rates at the start, or none: 0). The motion starts
   at z = `at`; reference values mean nothing and are 0. */
#include "sinew/class.h"

extern const sn_node_class sn_node_modal;

static const sn_slot slots[] = {
    {"at", "", "values at the start, one for each coordinate", 0, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE,
     NULL},
    {"velocity", "1/s", "rates at the start, as many", 0, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
enum { AT, VELOCITY };
static const char *const coord[] = {"z"}, *const unit[] = {"1"};
static const sn_offer offers[] = {{SN_SCALARS, 0, 0}, {0}};

static sn_status layout(sn_node_layout *l, sn_err *err)
{
    l->n = l->slot_n[AT];
    if (l->slot_n[VELOCITY] && l->slot_n[VELOCITY] != l->n)
        return sn_fail(err, SN_ERR_INPUT, NULL, "'velocity' has %d numbers, but there are %d coordinates",
                       l->slot_n[VELOCITY], l->n);
    return SN_OK;
}

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    const double *velocity = in->slot_n[VELOCITY] ? in->s + in->nv : NULL;
    for (int k = 0; k < in->nv; k++) {
        X[k] = 0;
        q[k] = in->s[k];
        v[k] = velocity ? velocity[k] : 0;
    }
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    for (int k = 0; k < in->nv; k++) {
        dX[k] = 0;
        dq[k] = index == k;
        dv[k] = index == in->nv + k;
    }
}

const sn_node_class sn_node_modal = {
    .name = "modal",
    .doc = "second-order coordinates z1, z2 ... without a position",
    .slots = slots,
    .layout = layout,
    .order = 2,
    .offers = offers,
    .coord = coord,
    .unit = unit,
    .start = start,
    .dstart = dstart,
};
