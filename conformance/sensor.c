/* A sensor kind: derivatives by q, v, a and its numbers against differences, and what its table says of it.
 */
#include "conformance.h"

#include "kit_case.h"

static sn_status measure(kit_case *k, const void *ctx, double *y)
{
    (void)ctx;
    return ((const sn_sensor_class *)k->kind->cls)->eval(&k->in, y, NULL);
}

/* What the table says the components are: the value without an offset, and with one the derivatives by places
   (and all of those of an angle). y and its derivatives d by q, v, a. */
static void check_measured(kit_case *k, const double *y, double *const *d)
{
    const sn_sensor_class *c = k->kind->cls;
    int nv = k->in.nv, dim = k->in.dim, flat = kit_curved(k, 0) ? kit_curved(k, 0)->turn : nv;
    const double *const value[] = {k->in.q, k->in.v, k->in.a};
    if (k->nn != 1 || c->rate < 0 || c->rate > 2) kit_fail(k, "measures", 0, 0, k->nn, 1);
    for (int i = 0; i < k->l.ny; i++) {
        int at = k->form == SN_ARG_COORD ? k->coord[0] : c->measures == SN_MEASURES_ROTATIONS ? dim + i : i;
        if (at >= flat) continue;
        double want = value[c->rate][at] - (c->measures == SN_MEASURES_DISPLACEMENTS ? k->in.X[at] : 0);
        if (k->in.ns == 0 || at >= dim) kit_same(k, "measured coordinate", i, y + i, &want, 1, 0, 1e-14);
        for (int j = 0; j < (dim && at < dim ? dim : nv); j++)
            if (d[c->rate][i * nv + j] != (j == at))
                kit_fail(k, "measured", i, j, d[c->rate][i * nv + j], j == at);
    }
}

static void sensor_case(kit_case *k)
{
    static const kit_var var[] = {KIT_Q, KIT_V, KIT_A};
    static const char *const name[] = {"y by q", "y by v", "y by a"};
    const sn_sensor_class *c = k->kind->cls;
    int ny = k->l.ny, nv = k->in.nv, j;
    double *y = kit_array(k, ny), *plain = kit_array(k, ny), *d[3];
    kit_num num;
    for (int l = 0; l < 3; l++) d[l] = kit_array(k, ny * nv);
    kit_begin(k, "names of the components", NULL);
    if (ny < 1 || ny > SN_MAX_COMPONENTS) kit_fail(k, "number of components", 0, 0, ny, 1);
    for (int i = 0; i < ny; kit_note(k, 0), i++)
        if (!k->l.component[i] || !k->l.unit[i]) kit_fail(k, "name of a component", i, 0, 0, 1);
    kit_begin(k, "y by q, v, a", NULL);
    if (measure(k, NULL, plain)) {
        kit_now(k)->refused++;
        return;
    }
    c->eval(&k->in, y, &(sn_dout){.q = d[0], .v = d[1], .a = d[2]});
    kit_same(k, "y with derivatives", 0, y, plain, ny, 0, 1e-14);
    for (int l = 0; l < 3; l++)
        for (j = 0; j < nv; j++) {
            kit_diff(k, var[l], j, measure, NULL, ny, &num);
            kit_check(k, name[l], j, &num, 0, ny, d[l] + j, nv);
        }
    if (kit_begin(k, "what it says that it measures",
                  c->measures ? NULL : "it says nothing (SN_MEASURES_OTHER)"))
        check_measured(k, y, d);
    kit_begin(k, "dparam", NULL);
    for (int index = 0; index < k->in.ns + k->in.nq + 3; index++) {
        kit_var v = kit_parameter(k, index, &j);
        if (!kit_diff(k, v, j, measure, NULL, ny, &num)) continue;
        c->dparam(&k->in, index, y);
        kit_check(k, "dparam", index, &num, 0, ny, y, 1);
    }
}

/* Some element offers the output of that name. */
static int offered(const char *output)
{
    for (const sn_element_class *const *c = sn_element_all(); *c; c++)
        for (int i = 0; (*c)->outputs && (*c)->outputs[i].name; i++)
            if (strcmp((*c)->outputs[i].name, output) == 0) return 1;
    return 0;
}

static int missing(const sn_sensor_class *c, const char *output, int quiet)
{
    if (offered(output)) return 0;
    if (!quiet) printf("FAIL sensor %s: no element offers '%s'\n", c->name, output);
    return 1;
}

int conform_sensor(const sn_sensor_class *c, int quiet)
{
    kit_kind kind = KIT_KIND("sensor", c, 0);
    kind.quiet = quiet;
    if (c->source == SN_FROM_NODES) return kit_run(&kind, sensor_case);
    if (!quiet)
        printf("sensor %s\n    %-34s does not apply: the numbers come from elsewhere\n", c->name,
               "derivatives of its own");
    if (c->source != SN_FROM_ELEMENT) return 0;
    int bad = missing(c, c->output, quiet) + (c->output_local ? missing(c, c->output_local, quiet) : 0);
    if (!quiet && !bad) printf("    %-34s some element offers it\n", "the output that it reads");
    return bad;
}
