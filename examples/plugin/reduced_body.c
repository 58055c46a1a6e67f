/* A plug-in for sinew: a flexible planar body whose mass and stiffness come from a file.

     cc -O2 -shared -fPIC $(pkg-config --cflags sinew) reduced_body.c -o reduced_body.so
     sinew --plugin ./reduced_body.so run reduced_body.yaml
     sinew-conformance --plugin ./reduced_body.so --file reduced_body=cantilever.txt --size 2 reduced_body

   The body moves with a frame (x, R(theta)) and deforms by n shapes with the amplitudes z of a `modal` node.
   With its first moment u = u0 + S z, mass m, inertia J about the frame, moments h and mass M of the shapes,
   stiffness K (v the frame's velocity, w its rate, R' = dR/dtheta):

       T = m v.v/2 + J w^2/2 + z'.M z'/2 + v.(R S z' + w R' u) + w h.z',    V = K z.z/2 - g.(m x + R u)

   Linear momentum is exact; that inertia changes with the deformation (w^2 z) is left out, as for stiff
   bodies. The numbers of the file are constants; factors of mass and stiffness, and the damping, are slots,
   to be varied and identified.

   The file: n; m J; u0 (2); S (2 rows of n); h (n); M (n rows of n); K (n rows of n); in SI units, separated
   by blanks. */
#include <math.h>
#include <sinew/plugin.h>
#include <stdio.h>

/* ---- the file ---- */

enum { MOST = 60 };
typedef struct body {
    int n;
    double m, J, u0[2], *S, *h, *M, *K;
} body;

static int numbers(FILE *f, int n, double *x)
{
    for (int i = 0; i < n; i++)
        if (fscanf(f, "%lf", &x[i]) != 1) return 0;
    return 1;
}

static sn_status read_body(const char *path, sn_block *block, sn_err *err)
{
    body *b = block->alloc(block, 1, sizeof *b);
    FILE *f = b ? fopen(path, "r") : NULL;
    if (!b) return SN_ERR_MEMORY;
    if (!f) return sn_fail(err, SN_ERR_FILE, NULL, "cannot be opened");
    sn_status s = SN_OK;
    double head[4];
    if (fscanf(f, "%d", &b->n) != 1 || b->n < 1 || b->n > MOST)
        s = sn_fail(err, SN_ERR_INPUT, NULL, "does not begin with a number of shapes from 1 to %d", MOST);
    int n = b->n;
    if (!s && !(b->S = block->alloc(block, (size_t)(3 * n + 2 * n * n), sizeof *b->S))) s = SN_ERR_MEMORY;
    if (!s && (!numbers(f, 4, head) || !numbers(f, 3 * n + 2 * n * n, b->S)))
        s = sn_fail(err, SN_ERR_INPUT, NULL, "has fewer than %d numbers behind the first",
                    4 + 3 * n + 2 * n * n);
    fclose(f);
    if (s) return s;
    b->m = head[0], b->J = head[1], b->u0[0] = head[2], b->u0[1] = head[3];
    b->h = b->S + 2 * n, b->M = b->h + n, b->K = b->M + n * n;
    block->data = b;
    return SN_OK;
}

static const sn_file file = {"file", "mass and stiffness of the body: see the plug-in", read_body};

/* ---- the body ---- */

enum { MASS, STIFFNESS, DAMPING, AXIS };
static const sn_slot slots[] = {
    {"mass", "1", "factor of all masses of the file", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},
    {"stiffness", "1", "factor of the stiffness of the file", 1, 0, 1, 0, SN_INFINITE, NULL},
    {"damping", "s", "times the stiffness: damping of the shapes", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"axis", "1", "direction of the body's x in the reference", 2, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE,
     "1;0"},
    {.name = NULL},
};

enum { X, TH = 2, Z }; /* coordinates: x y theta z1 z2 ... */

static sn_status layout(sn_layout *l, sn_err *err)
{
    const body *b = l->block;
    if (l->dim != 2) return sn_fail(err, SN_ERR_INPUT, NULL, "its first node is a planar frame");
    if (l->nv - Z != b->n)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "its second node has %d coordinates, but the file has %d shapes", l->nv - Z, b->n);
    return SN_OK;
}

/* y = A x: rows of n */
static void times(const double *A, int rows, int n, const double *x, double *y)
{
    for (int i = 0; i < rows; i++)
        for (int j = y[i] = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
}

/* What eval and energies need: R, R' as columns of 2, first moment and its rates, turned. */
typedef struct moments {
    double c, s, w, u[2], du[2];
    double Ru[2], Qu[2], Rdu[2], Qdu[2]; /* Q = R' */
} moments;

static void turn(const moments *k, const double *u, double *Ru, double *Qu)
{
    Ru[0] = k->c * u[0] - k->s * u[1], Ru[1] = k->s * u[0] + k->c * u[1];
    Qu[0] = -Ru[1], Qu[1] = Ru[0];
}

/* The body's axes are turned from the frame's, which are the global ones of the reference, by the slot
   `axis`: so that it turns with the placement of an included file. */
static void find_moments(const sn_in *in, moments *k)
{
    const body *b = in->block;
    const double *e = in->s + AXIS, c = cos(in->q[TH]), s = sin(in->q[TH]), l = hypot(e[0], e[1]);
    k->c = (c * e[0] - s * e[1]) / l, k->s = (s * e[0] + c * e[1]) / l, k->w = in->v[TH];
    times(b->S, 2, b->n, in->q + Z, k->u), times(b->S, 2, b->n, in->v + Z, k->du);
    for (int i = 0; i < 2; i++) k->u[i] += b->u0[i];
    turn(k, k->u, k->Ru, k->Qu), turn(k, k->du, k->Rdu, k->Qdu);
}

/* Column j of R S and of R' S */
static void column(const body *b, const moments *k, int j, double *RS, double *QS)
{
    const double S[2] = {b->S[j], b->S[b->n + j]};
    turn(k, S, RS, QS);
}

/* The inertia forces of the file's body, for a mass factor of 1, in the field g. */
static void inertia(const sn_in *in, const moments *k, const double *g, double *r)
{
    const body *b = in->block;
    const double *a = in->a, f[2] = {a[0] - g[0], a[1] - g[1]};
    double ddu[2], Rddu[2], Qddu[2], Mz[MOST];
    times(b->S, 2, b->n, a + Z, ddu), turn(k, ddu, Rddu, Qddu), times(b->M, b->n, b->n, a + Z, Mz);
    for (int i = 0; i < 2; i++)
        r[i] = b->m * f[i] + Rddu[i] + 2 * k->w * k->Qdu[i] + a[TH] * k->Qu[i] - k->w * k->w * k->Ru[i];
    r[TH] = b->J * a[TH] + f[0] * k->Qu[0] + f[1] * k->Qu[1];
    for (int j = 0; j < b->n; j++) {
        double RS[2], QS[2];
        column(b, k, j, RS, QS);
        r[TH] += b->h[j] * a[Z + j];
        r[Z + j] = Mz[j] + RS[0] * f[0] + RS[1] * f[1] + b->h[j] * a[TH];
    }
}

/* d[...] of the forces for a mass factor of 1 by the angle of the frame, or, what is the same, of the axis.
 */
static void by_angle(const sn_in *in, const moments *k, double *d)
{
    const body *b = in->block;
    const double *a = in->a, f[2] = {a[0] - in->g[0], a[1] - in->g[1]}, w = k->w;
    double ddu[2], Rddu[2], Qddu[2];
    times(b->S, 2, b->n, a + Z, ddu), turn(k, ddu, Rddu, Qddu);
    for (int i = 0; i < 2; i++) d[i] = Qddu[i] - 2 * w * k->Rdu[i] - a[TH] * k->Ru[i] - w * w * k->Qu[i];
    d[TH] = -(f[0] * k->Ru[0] + f[1] * k->Ru[1]);
    for (int j = 0; j < b->n; j++) {
        double RS[2], QS[2];
        column(b, k, j, RS, QS);
        d[Z + j] = f[0] * QS[0] + f[1] * QS[1];
    }
}

/* Change of the axis' angle by its component i. */
static double axis_by(const sn_in *in, int i)
{
    const double *e = in->s + AXIS, ll = e[0] * e[0] + e[1] * e[1];
    return i ? e[0] / ll : -e[1] / ll;
}

static void add_matrices(const sn_in *in, const moments *k, double *K, double *C, double *M)
{
    const body *b = in->block;
    const double *s = in->s, *a = in->a, f[2] = {a[0] - in->g[0], a[1] - in->g[1]}, w = k->w, m = s[MASS];
    int n = in->nv;
    double angle[Z + MOST];
    by_angle(in, k, angle);
    for (int i = 0; i < n; i++) K[i * n + TH] += m * angle[i];
    for (int i = 0; i < 2; i++) {
        C[i * n + TH] += m * (2 * k->Qdu[i] - 2 * w * k->Ru[i]);
        M[i * n + i] += m * b->m;
        M[i * n + TH] += m * k->Qu[i], M[TH * n + i] += m * k->Qu[i];
    }
    M[TH * n + TH] += m * b->J;
    for (int j = 0; j < b->n; j++) {
        double RS[2], QS[2];
        int z = Z + j;
        column(b, k, j, RS, QS);
        for (int i = 0; i < 2; i++) {
            K[i * n + z] += m * (a[TH] * QS[i] - w * w * RS[i]);
            C[i * n + z] += m * 2 * w * QS[i];
            M[i * n + z] += m * RS[i], M[z * n + i] += m * RS[i];
        }
        K[TH * n + z] += m * (f[0] * QS[0] + f[1] * QS[1]);
        M[TH * n + z] += m * b->h[j], M[z * n + TH] += m * b->h[j];
        for (int i = 0; i < b->n; i++) {
            K[z * n + Z + i] += s[STIFFNESS] * b->K[j * b->n + i];
            C[z * n + Z + i] += s[DAMPING] * s[STIFFNESS] * b->K[j * b->n + i];
            M[z * n + Z + i] += m * b->M[j * b->n + i];
        }
    }
}

static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    (void)c;
    if (hypot(in->s[AXIS], in->s[AXIS + 1]) > 0) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, NULL, "'axis' has no direction: it is (0, 0)");
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    const body *b = in->block;
    const double *s = in->s;
    double f[Z + MOST], Kz[MOST], Kv[MOST];
    moments k;
    find_moments(in, &k);
    inertia(in, &k, in->g, f);
    times(b->K, b->n, b->n, in->q + Z, Kz), times(b->K, b->n, b->n, in->v + Z, Kv);
    for (int i = 0; i < in->nv; i++) r[i] += s[MASS] * f[i];
    for (int j = 0; j < b->n; j++) r[Z + j] += s[STIFFNESS] * (Kz[j] + s[DAMPING] * Kv[j]);
    if (K) add_matrices(in, &k, K, C, M);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dr)
{
    const body *b = in->block;
    const double *s = in->s;
    double f[Z + MOST], Kz[MOST], Kv[MOST];
    int field = index - in->ns - in->nq;
    moments k;
    find_moments(in, &k);
    times(b->K, b->n, b->n, in->q + Z, Kz), times(b->K, b->n, b->n, in->v + Z, Kv);
    inertia(in, &k, in->g, f);
    for (int i = 0; index == MASS && i < in->nv; i++) dr[i] += f[i];
    if (index == AXIS || index == AXIS + 1) {
        by_angle(in, &k, f);
        for (int i = 0; i < in->nv; i++) dr[i] += s[MASS] * axis_by(in, index - AXIS) * f[i];
    }
    for (int j = 0; index == STIFFNESS && j < b->n; j++) dr[Z + j] += Kz[j] + s[DAMPING] * Kv[j];
    for (int j = 0; index == DAMPING && j < b->n; j++) dr[Z + j] += s[STIFFNESS] * Kv[j];
    if (field < 0 || field > 1) return SN_OK;
    dr[field] -= s[MASS] * b->m;
    dr[TH] -= s[MASS] * k.Qu[field];
    for (int j = 0; j < b->n; j++) {
        double RS[2], QS[2];
        column(b, &k, j, RS, QS);
        dr[Z + j] -= s[MASS] * RS[field];
    }
    return SN_OK;
}

/* T and V for factors of 1: e[0], of the field e[1], of the stiffness e[2] */
static void parts(const sn_in *in, const moments *k, double *e)
{
    const body *b = in->block;
    const double *v = in->v, *z = in->q + Z, *dz = v + Z;
    double Mv[MOST], Kz[MOST];
    times(b->M, b->n, b->n, dz, Mv), times(b->K, b->n, b->n, z, Kz);
    e[0] = b->m * (v[0] * v[0] + v[1] * v[1]) / 2 + b->J * k->w * k->w / 2;
    e[1] = e[2] = 0;
    for (int i = 0; i < 2; i++) {
        e[0] += v[i] * (k->Rdu[i] + k->w * k->Qu[i]);
        e[1] -= in->g[i] * (b->m * in->q[i] + k->Ru[i]);
    }
    for (int j = 0; j < b->n; j++)
        e[0] += dz[j] * Mv[j] / 2 + k->w * b->h[j] * dz[j], e[2] += z[j] * Kz[j] / 2;
}

static void gradients(const sn_in *in, const moments *k, sn_dout *de)
{
    const body *b = in->block;
    const double *s = in->s, *v = in->v, *g = in->g, w = k->w, m = s[MASS];
    double Mv[MOST], Kz[MOST], *Tq = de->q, *Vq = de->q + in->nv, *Tv = de->v;
    times(b->M, b->n, b->n, v + Z, Mv), times(b->K, b->n, b->n, in->q + Z, Kz);
    for (int i = 0; i < 2; i++) {
        if (Tv) Tv[i] = m * (b->m * v[i] + k->Rdu[i] + w * k->Qu[i]), Tv[TH] += m * v[i] * k->Qu[i];
        if (Tq)
            Tq[TH] += m * v[i] * (k->Qdu[i] - w * k->Ru[i]), Vq[i] = -m * b->m * g[i],
                                                             Vq[TH] -= m * g[i] * k->Qu[i];
    }
    if (Tv) Tv[TH] += m * b->J * w;
    for (int j = 0; j < b->n; j++) {
        double RS[2], QS[2];
        column(b, k, j, RS, QS);
        if (Tv) Tv[TH] += m * b->h[j] * v[Z + j];
        if (Tv) Tv[Z + j] = m * (Mv[j] + v[0] * RS[0] + v[1] * RS[1] + w * b->h[j]);
        if (Tq) Tq[Z + j] = m * w * (v[0] * QS[0] + v[1] * QS[1]);
        if (Tq) Vq[Z + j] = s[STIFFNESS] * Kz[j] - m * (g[0] * RS[0] + g[1] * RS[1]);
    }
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    double p[3];
    moments k;
    find_moments(in, &k);
    parts(in, &k, p);
    e[0] = in->s[MASS] * p[0], e[1] = in->s[MASS] * p[1] + in->s[STIFFNESS] * p[2];
    if (de) gradients(in, &k, de);
}

static void denergy(const sn_in *in, int index, double *de)
{
    const body *b = in->block;
    int field = index - in->ns - in->nq;
    double p[3];
    moments k;
    find_moments(in, &k);
    parts(in, &k, p);
    de[0] = index == MASS ? p[0] : 0;
    de[1] = index == MASS ? p[1] : index == STIFFNESS ? p[2] : 0;
    for (int i = 0; i < 2 && (index == AXIS || index == AXIS + 1); i++) {
        double f = in->s[MASS] * axis_by(in, index - AXIS);
        de[0] += f * in->v[i] * (k.Qdu[i] - k.w * k.Ru[i]);
        de[1] -= f * in->g[i] * k.Qu[i];
    }
    if (field == 0 || field == 1) de[1] = -in->s[MASS] * (b->m * in->q[field] + k.Ru[field]);
}

static const sn_geometry geometry = {.shape = SN_SHAPE_POINT, .symbol = "mass"};

static const sn_element_class reduced_body = {
    .name = "reduced_body",
    .doc = "flexible planar body with mass and stiffness from a file; an example",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .ask = SN_SCALARS, .ask_first = SN_FRAME},
    .slots = slots,
    .file = &file,
    .flags = SN_USES_V | SN_USES_A | SN_SYMMETRIC | SN_CONSERVATIVE,
    .layout = layout,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .energy = energy,
    .denergy = denergy,
    .geometry = &geometry,
};

static const sn_element_class *const elements[] = {&reduced_body, NULL};
const sn_plugin sinew_plugin = {SN_PLUGIN_HEAD, .name = "reduced_body", .elements = elements};
