/* A plug-in for sinew: a node with any number of plain coordinates, and a chain of masses that lives on it.

     cc -O2 -shared -fPIC $(pkg-config --cflags sinew) lattice.c -o lattice.so
     sinew --plugin ./lattice.so run lattice.yaml
     sinew-conformance --plugin ./lattice.so lattice chain

   lattice: n coordinates u1 ... un of second order that lie nowhere in space, at rest at the start in the
   shape of a mode of the chain, u_i = amplitude sin(pi mode i/(n + 1)). The size comes from an option of the
   entry: see `layout`.

   chain: n equal masses between walls, with springs of force k x + b x^3 between neighbours (Fermi, Pasta,
   Ulam and Tsingou). Without b its frequencies are 2 sqrt(k/m) sin(pi j/(2 (n + 1))). */
#include <math.h>
#include <sinew/plugin.h>

/* ---- the node ---- */

static const double pi = 3.14159265358979323846;

static const sn_slot node_slots[] = {
    {"amplitude", "m", "of the shape at the start", 1, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
enum { COUNT, MODE };
static const sn_option node_options[] = {
    {"n", "#", "coordinates", 8}, {"mode", "#", "number of the shape", 1}, {.name = NULL}};
static const char *const node_coord[] = {"u"}, *const node_unit[] = {"m"}; /* u1, u2 ... */
static const sn_offer node_offers[] = {{SN_SCALARS, 0, 0}, {.what = 0}};

static sn_status node_layout(sn_node_layout *l, sn_err *err)
{
    if (l->opt[COUNT] < 1 || l->opt[COUNT] > 1000)
        return sn_fail(err, SN_ERR_INPUT, NULL, "'n' is a number from 1 to 1000");
    l->n = l->opt[COUNT];
    return SN_OK;
}

static double shape(const sn_node_in *in, int i) { return sin(pi * in->opt[MODE] * (i + 1) / (in->nv + 1)); }

static void node_start(const sn_node_in *in, double *X, double *q, double *v)
{
    for (int i = 0; i < in->nv; i++) X[i] = v[i] = 0, q[i] = in->s[0] * shape(in, i);
}

static void node_dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)index;
    for (int i = 0; i < in->nv; i++) dX[i] = dv[i] = 0, dq[i] = shape(in, i);
}

static const sn_node_class lattice = {
    .name = "lattice",
    .doc = "n displacements u1, u2 ... in the shape of a mode, not in space",
    .slots = node_slots,
    .options = node_options,
    .layout = node_layout,
    .order = 2,
    .offers = node_offers,
    .coord = node_coord,
    .unit = node_unit,
    .start = node_start,
    .dstart = node_dstart,
};

/* ---- the chain ---- */

enum { M, K, B };
static const sn_slot chain_slots[] = {
    {"m", "kg", "each mass", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"k", "N/m", "stiffness of the springs", 1, 0, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"b", "N/m^3", "cubic stiffness of the springs", 1, 0, 0, 0, SN_INFINITE, NULL},
    {.name = NULL},
};

/* Spring i lies between mass i - 1 and mass i; those outside are walls. */
static double stretch(const sn_in *in, int i) { return (i < in->nv ? in->q[i] : 0) - (i ? in->q[i - 1] : 0); }

static sn_status eval(const sn_in *in, double *r, double *Kq, double *C, double *Ma)
{
    const double *s = in->s;
    int n = in->nv;
    (void)C;
    for (int i = 0; i < n; i++) {
        r[i] += s[M] * in->a[i];
        if (Kq) Ma[i * n + i] += s[M];
    }
    for (int i = 0; i <= n; i++) {
        double x = stretch(in, i), f = s[K] * x + s[B] * x * x * x, k = s[K] + 3 * s[B] * x * x;
        if (i < n) r[i] += f;
        if (i > 0) r[i - 1] -= f;
        if (Kq && i < n) Kq[i * n + i] += k;
        if (Kq && i > 0) Kq[(i - 1) * n + i - 1] += k;
        if (Kq && i > 0 && i < n) Kq[i * n + i - 1] -= k, Kq[(i - 1) * n + i] -= k;
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    for (int i = 0; i < in->nv && index == M; i++) dr[i] += in->a[i];
    for (int i = 0; i <= in->nv && (index == K || index == B); i++) {
        double x = stretch(in, i), f = index == K ? x : x * x * x;
        if (i < in->nv) dr[i] += f;
        if (i > 0) dr[i - 1] -= f;
    }
    return SN_OK;
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    const double *s = in->s;
    int n = in->nv;
    e[0] = e[1] = 0;
    for (int i = 0; i < n; i++) {
        e[0] += s[M] / 2 * in->v[i] * in->v[i];
        if (de && de->v) de->v[i] += s[M] * in->v[i];
    }
    for (int i = 0; i <= n; i++) {
        double x = stretch(in, i), f = s[K] * x + s[B] * x * x * x;
        e[1] += s[K] / 2 * x * x + s[B] / 4 * x * x * x * x;
        if (de && de->q && i < n) de->q[n + i] += f;
        if (de && de->q && i > 0) de->q[n + i - 1] -= f;
    }
}

static void denergy(const sn_in *in, int index, double *de)
{
    de[0] = de[1] = 0;
    for (int i = 0; i < in->nv && index == M; i++) de[0] += in->v[i] * in->v[i] / 2;
    for (int i = 0; i <= in->nv; i++) {
        double x = stretch(in, i);
        if (index == K) de[1] += x * x / 2;
        if (index == B) de[1] += x * x * x * x / 4;
    }
}

static const sn_element_class chain = {
    .name = "chain",
    .doc = "equal masses with cubic springs between them and two walls; an example",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_SCALARS},
    .slots = chain_slots,
    .flags = SN_USES_A | SN_SYMMETRIC | SN_CONSERVATIVE,
    .eval = eval,
    .dparam = dparam,
    .energy = energy,
    .denergy = denergy,
};

static const sn_node_class *const nodes[] = {&lattice, NULL};
static const sn_element_class *const elements[] = {&chain, NULL};
const sn_plugin sinew_plugin = {SN_PLUGIN_HEAD, .name = "lattice", .nodes = nodes, .elements = elements};
