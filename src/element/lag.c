/* lag: first-order lag tau z' + z = gain (input + w) of a state z; w is a second coordinate, if one is named.

   For actuators, filters and instruments with dynamics: z is the coordinate of a `state` node, massless. */
#include "sinew/class.h"

extern const sn_element_class sn_element_lag;

enum { TAU, GAIN, INPUT, NS };

/* The input and the second coordinate */
static inline double drive(const sn_in *in) { return in->s[INPUT] + (in->nn > 1 ? in->q[in->coord[1]] : 0); }

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const double *s = in->s;
    int nv = in->nv, z = in->coord[0];
    (void)M;
    r[z] += s[TAU] * in->v[z] + in->q[z] - s[GAIN] * drive(in);
    if (!K) return SN_OK;
    K[nv * z + z] += 1;
    if (in->nn > 1) K[nv * z + in->coord[1]] -= s[GAIN];
    if (C) C[nv * z + z] += s[TAU];
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    int z = in->coord[0];
    if (index == TAU) dr[z] += in->v[z];
    if (index == GAIN) dr[z] -= drive(in);
    if (index == INPUT) dr[z] -= in->s[GAIN];
    return SN_OK;
}

static const sn_slot slots[] = {
    {"tau", "s", "time constant", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"gain", "", "steady value for an input of 1", 1, 0, 1, -SN_INFINITE, SN_INFINITE, NULL},
    {"input", "", "the input that the state follows", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {0},
};

const sn_element_class sn_element_lag = {
    .name = "lag",
    .doc = "first-order lag: a state follows an input or another coordinate",
    .args = {.what = SN_ARG_COORD, .min = 1, .max = 2},
    .slots = slots,
    .flags = SN_USES_V,
    .eval = eval,
    .dparam = dparam,
};
