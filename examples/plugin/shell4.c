/* A plug-in for sinew: a shell of four corners and the node that it needs, a place with a director.

     cc -O2 -shared -fPIC $(pkg-config --cflags sinew) shell4.c -o shell4.so
     sinew --plugin ./shell4.so run shell4.yaml
     sinew-conformance --plugin ./shell4.so director3d shell4

   director3d: a place x and a vector d of any length, both plain coordinates: no rotation is parametrised.

   shell4: the body x(e1, e2, e3) = sum_i N_i(e1, e2) (x_i + e3 h/2 d_i) between four such nodes, of thickness
   h where |d| is 1, of an isotropic material linear in Green's strain (St. Venant and Kirchhoff). With the
   base vectors x,i of the body and X,i of the reference, metric g_ij = x,i.x,j and G_ij = X,i.X,j,

       E_ij = (g_ij - G_ij)/2,   W = lambda/2 (G^ij E_ij)^2 + mu G^ik G^jl E_ij E_kl,   S^ij = dW/dE_ij

   which is exact for rotations of any size. Inertia is consistent, and constant: the places are linear in the
   coordinates. Integrals by 2 x 2 x 2 points of Gauss.

   It is made to be read, not to be used: four corners with full integration lock in bending where they are
   thin (shear) and where nu is not 0 (thickness). */
#include <math.h>
#include <sinew/plugin.h>
#include <string.h>

/* ---- the node ---- */

static const sn_slot node_slots[] = {
    {"at", "m", "place", 3, SN_PLACED, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"director", "1", "vector across the shell", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, "0;0;1"},
    {"velocity", "m/s", "of the place at the start", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
static const char *const node_coord[] = {"x", "y", "z", "dx", "dy", "dz"}, *const node_unit[] = {
                                                                               "m", "m", "m", "1", "1", "1"};
static const sn_offer node_offers[] = {{SN_POSITION, 0, 0}, {SN_DIRECTOR, 0, 0}, {.what = 0}};

static void node_start(const sn_node_in *in, double *X, double *q, double *v)
{
    for (int k = 0; k < 6; k++) X[k] = q[k] = in->s[k], v[k] = k < 3 ? in->s[6 + k] : 0;
}

static void node_dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    for (int k = 0; k < 6; k++) dX[k] = dq[k] = index == k, dv[k] = k < 3 && index == 6 + k;
}

static const sn_node_class director3d = {
    .name = "director3d",
    .doc = "a spatial place with a director, for shells",
    .slots = node_slots,
    .nq = 6,
    .nv = 6,
    .dim = 3,
    .order = 2,
    .offers = node_offers,
    .coord = node_coord,
    .unit = node_unit,
    .start = node_start,
    .dstart = node_dstart,
};

/* ---- the shell ---- */

enum { E, NU, RHO, H, NS };                           /* slots */
enum { CORNERS = 4, VECTORS = 8, N = 24, GAUSS = 8 }; /* vectors: x_1, d_1, x_2, d_2, ...: 24 coordinates */

static const sn_slot shell_slots[] = {
    {"E", "Pa", "Young's modulus", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"nu", "1", "Poisson's ratio", 1, 0, 0, -0.9, 0.49, NULL},
    {"rho", "kg/m^3", "density", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"thickness", "m", "where the director has length 1", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {.name = NULL},
};

/* A point of the body: shape functions of the eight vectors and their derivatives, base vectors, reference
 * metric. */
typedef struct point {
    double A[VECTORS], dA[VECTORS][3]; /* dA[a][i] = A_a,i */
    double x[3][3], X[3][3];           /* x[i]: base vector x,i */
    double G[3][3], volume;            /* contravariant G^ij, sqrt(det G_ij) times the weight (1) */
    double e[3][3];                    /* E_ij */
} point;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Shape functions at e: of a place N_i, of a director N_i e3 h/2. */
static void shapes(const double *e, double h, point *p)
{
    static const double corner[CORNERS][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < CORNERS; i++) {
        double a = 1 + corner[i][0] * e[0], b = 1 + corner[i][1] * e[1], z = e[2] * h / 2;
        double n = a * b / 4, n1 = corner[i][0] * b / 4, n2 = corner[i][1] * a / 4;
        const double place[4] = {n, n1, n2, 0}, director[4] = {n * z, n1 * z, n2 * z, n * h / 2};
        p->A[2 * i] = place[0], p->A[2 * i + 1] = director[0];
        memcpy(p->dA[2 * i], place + 1, sizeof p->dA[0]);
        memcpy(p->dA[2 * i + 1], director + 1, sizeof p->dA[0]);
    }
}

/* b[i] = sum_a A_a,i y_a */
static void base(double dA[VECTORS][3], const double *y, double b[3][3])
{
    memset(b, 0, 9 * sizeof(double));
    for (int a = 0; a < VECTORS; a++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) b[i][k] += dA[a][i] * y[3 * a + k];
}

static double det(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Point e of the body at the configuration q. */
static void at_point(const sn_in *in, const double *e, const double *q, point *p)
{
    double g[3][3], d;
    shapes(e, in->s[H], p);
    base(p->dA, q, p->x);
    base(p->dA, in->X, p->X);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            g[i][j] = dot(p->X[i], p->X[j]);
            p->e[i][j] = (dot(p->x[i], p->x[j]) - g[i][j]) / 2;
        }
    d = det(g);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, k = (j + 1) % 3, l = (j + 2) % 3;
            p->G[i][j] = (g[a][k] * g[b][l] - g[a][l] * g[b][k]) / d;
        }
    p->volume = sqrt(d);
}

static void gauss(const sn_in *in, const double *q, int n, point *p)
{
    const double x = 0.57735026918962576451; /* 1/sqrt(3) */
    const double e[3] = {n & 1 ? x : -x, n & 2 ? x : -x, n & 4 ? x : -x};
    at_point(in, e, q, p);
}

/* Lame's constants, and their derivatives by E (which = E) or nu. */
static void lame(const double *s, int which, double *l, double *m)
{
    double nu = s[NU], a = (1 + nu) * (1 - 2 * nu), da = -1 - 4 * nu, b = 2 * (1 + nu), y = s[E];
    *l = nu / a, *m = 1 / b;
    if (which == NU) *l = y * (a - nu * da) / (a * a), *m = -2 * y / (b * b);
    if (which == NS) *l *= y, *m *= y;
}

/* P = G E G */
static void raise(double G[3][3], double e[3][3], double P[3][3])
{
    double T[3][3] = {{0}};
    memset(P, 0, 9 * sizeof(double));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) T[i][j] += G[i][k] * e[k][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) P[i][j] += T[i][k] * G[k][j];
}

static double contract(double a[3][3], double b[3][3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += dot(a[i], b[i]);
    return sum;
}

/* S = lambda tr(G E) G + 2 mu G E G; returns W */
static double stress(point *p, double l, double m, double S[3][3])
{
    double trace = contract(p->G, p->e), P[3][3];
    raise(p->G, p->e, P);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) S[i][j] = l * trace * p->G[i][j] + 2 * m * P[i][j];
    return contract(S, p->e) / 2;
}

/* r_a += f A_a,i S^ij b_j */
static void add_force(double dA[VECTORS][3], double S[3][3], double b[3][3], double f, double *r)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double t = f * (S[i][0] * b[0][k] + S[i][1] * b[1][k] + S[i][2] * b[2][k]);
            for (int a = 0; a < VECTORS; a++) r[3 * a + k] += dA[a][i] * t;
        }
}

/* The derivative of S by coordinate (b, l): dE_ij = (A_b,i x_j,l + A_b,j x_i,l)/2 */
static void stress_by(point *p, double l, double m, int b, int k, double D[3][3])
{
    double dE[3][3], P[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) dE[i][j] = (p->dA[b][i] * p->x[j][k] + p->dA[b][j] * p->x[i][k]) / 2;
    double trace = contract(p->G, dE);
    raise(p->G, dE, P);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) D[i][j] = l * trace * p->G[i][j] + 2 * m * P[i][j];
}

static void add_stiffness(point *p, double l, double m, double S[3][3], double *K)
{
    for (int b = 0; b < VECTORS; b++) {
        for (int k = 0; k < 3; k++) {
            double D[3][3], column[N] = {0};
            stress_by(p, l, m, b, k, D);
            add_force(p->dA, D, p->x, p->volume, column);
            for (int i = 0; i < N; i++) K[i * N + 3 * b + k] += column[i];
        }
        for (int a = 0; a < VECTORS; a++) {
            double t = 0;
            for (int i = 0; i < 3; i++) t += p->dA[a][i] * dot(S[i], p->dA[b]);
            for (int k = 0; k < 3; k++) K[(3 * a + k) * N + 3 * b + k] += p->volume * t;
        }
    }
}

/* sum_a A_a y_a - what */
static void along(const double *A, const double *y, const double *what, double *u)
{
    for (int k = 0; k < 3; k++) {
        u[k] = what ? -what[k] : 0;
        for (int a = 0; a < VECTORS; a++) u[k] += A[a] * y[3 * a + k];
    }
}

/* There is no q yet: the reference is looked at. */
static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    (void)c;
    for (int n = 0; n < GAUSS; n++) {
        point p;
        gauss(in, in->X, n, &p);
        double size = sqrt(dot(p.X[0], p.X[0]) * dot(p.X[1], p.X[1]) * dot(p.X[2], p.X[2]));
        if (!(det(p.X) > 1e-2 * size))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "the corners do not go round the directors counterclockwise, or lie too badly");
    }
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    double l, m, S[3][3], u[3];
    (void)C;
    lame(in->s, NS, &l, &m);
    for (int n = 0; n < GAUSS; n++) {
        point p;
        gauss(in, in->q, n, &p);
        stress(&p, l, m, S);
        add_force(p.dA, S, p.x, p.volume, r);
        along(p.A, in->a, in->g, u);
        double f = in->s[RHO] * p.volume;
        for (int a = 0; a < VECTORS; a++)
            for (int k = 0; k < 3; k++) r[3 * a + k] += f * p.A[a] * u[k];
        if (!K) continue;
        add_stiffness(&p, l, m, S, K);
        for (int a = 0; a < VECTORS; a++)
            for (int b = 0; b < VECTORS; b++)
                for (int k = 0; k < 3; k++) M[(3 * a + k) * N + 3 * b + k] += f * p.A[a] * p.A[b];
    }
    return SN_OK;
}

/* How a point changes with a number of the reference or with the thickness: G^ij, volume, E_ij, and
   (thickness) the shape functions of the directors and the base vectors. */
typedef struct change {
    double G[3][3], volume, e[3][3];
    double A[VECTORS], dA[VECTORS][3], x[3][3];
} change;

static void vary(const sn_in *in, int index, point *p, change *d)
{
    double X[3][3] = {{0}}, g[3][3], P[3][3];
    memset(d, 0, sizeof *d);
    if (index == H) {
        for (int a = 1; a < VECTORS; a += 2) {
            d->A[a] = p->A[a] / in->s[H];
            for (int i = 0; i < 3; i++) d->dA[a][i] = p->dA[a][i] / in->s[H];
        }
        base(d->dA, in->q, d->x);
        base(d->dA, in->X, X);
    } else {
        for (int i = 0; i < 3; i++) X[i][(index - NS) % 3] = p->dA[(index - NS) / 3][i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            g[i][j] = dot(X[i], p->X[j]) + dot(p->X[i], X[j]);
            d->e[i][j] = (dot(d->x[i], p->x[j]) + dot(p->x[i], d->x[j]) - g[i][j]) / 2;
        }
    raise(p->G, g, P); /* d(G^-1) = -G^-1 dG G^-1 */
    for (int i = 0; i < 9; i++) d->G[i / 3][i % 3] = -P[i / 3][i % 3];
    d->volume = p->volume * contract(p->G, g) / 2;
}

/* dS = lambda (dtr G + tr dG) + 2 mu (dG E G + G dE G + G E dG); returns dW = S:dE + W by the metric */
static double dstress(point *p, change *d, double l, double m, double S[3][3], double dS[3][3])
{
    double trace = contract(p->G, p->e), dtrace = contract(d->G, p->e) + contract(p->G, d->e), P[3][3],
           GE[3][3];
    raise(p->G, d->e, P);
    memset(GE, 0, sizeof GE);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) GE[i][j] += p->G[i][k] * p->e[k][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double t = P[i][j];
            for (int k = 0; k < 3; k++) t += GE[i][k] * d->G[k][j] + GE[j][k] * d->G[k][i];
            dS[i][j] = l * (dtrace * p->G[i][j] + trace * d->G[i][j]) + 2 * m * t;
        }
    return (contract(dS, p->e) + contract(S, d->e)) / 2;
}

/* What a number changes at a point, for forces and energies: stress, volume times density, shapes. */
static sn_status dparam(const sn_in *in, int index, double *dr)
{
    double l, m, S[3][3], dS[3][3], u[3], du[3];
    for (int n = 0; n < GAUSS; n++) {
        point p;
        change d = {.volume = 0};
        gauss(in, in->q, n, &p);
        lame(in->s, index == E || index == NU ? index : NS, &l, &m);
        stress(&p, l, m, S);
        along(p.A, in->a, in->g, u);
        if (index == E || index == NU) {
            add_force(p.dA, S, p.x, p.volume, dr);
            continue;
        }
        if (index >= NS + N) { /* the field */
            for (int a = 0; a < VECTORS; a++) dr[3 * a + index - NS - N] -= in->s[RHO] * p.volume * p.A[a];
            continue;
        }
        double f = in->s[RHO] * p.volume, df = p.volume;
        if (index != RHO) {
            vary(in, index, &p, &d);
            dstress(&p, &d, l, m, S, dS);
            add_force(p.dA, dS, p.x, p.volume, dr);
            add_force(p.dA, S, p.x, d.volume, dr);
            add_force(d.dA, S, p.x, p.volume, dr);
            add_force(p.dA, S, d.x, p.volume, dr);
            df = in->s[RHO] * d.volume;
        }
        along(d.A, in->a, NULL, du);
        for (int a = 0; a < VECTORS; a++)
            for (int k = 0; k < 3; k++)
                dr[3 * a + k] += df * p.A[a] * u[k] + f * (d.A[a] * u[k] + p.A[a] * du[k]);
    }
    return SN_OK;
}

static void energy(const sn_in *in, double *e, sn_dout *de)
{
    double l, m, S[3][3], u[3], w[3];
    e[0] = e[1] = 0;
    lame(in->s, NS, &l, &m);
    for (int n = 0; n < GAUSS; n++) {
        point p;
        gauss(in, in->q, n, &p);
        double f = in->s[RHO] * p.volume;
        e[1] += p.volume * stress(&p, l, m, S);
        along(p.A, in->q, NULL, u), along(p.A, in->v, NULL, w);
        e[0] += f / 2 * dot(w, w);
        e[1] -= f * dot(in->g, u);
        if (de && de->q) add_force(p.dA, S, p.x, p.volume, de->q + N);
        for (int a = 0; de && a < VECTORS; a++)
            for (int k = 0; k < 3; k++) {
                if (de->q) de->q[N + 3 * a + k] -= f * p.A[a] * in->g[k];
                if (de->v) de->v[3 * a + k] += f * p.A[a] * w[k];
            }
    }
}

static void denergy(const sn_in *in, int index, double *de)
{
    double l, m, S[3][3], dS[3][3], u[3], w[3], du[3], dw[3];
    de[0] = de[1] = 0;
    for (int n = 0; n < GAUSS; n++) {
        point p;
        change d = {.volume = 0};
        gauss(in, in->q, n, &p);
        lame(in->s, index == E || index == NU ? index : NS, &l, &m);
        double W = stress(&p, l, m, S), f = in->s[RHO] * p.volume, df = p.volume;
        along(p.A, in->q, NULL, u), along(p.A, in->v, NULL, w);
        if (index == E || index == NU) {
            de[1] += p.volume * W;
            continue;
        }
        if (index >= NS + N) {
            de[1] -= f * u[index - NS - N];
            continue;
        }
        if (index != RHO) {
            vary(in, index, &p, &d);
            de[1] += d.volume * W + p.volume * dstress(&p, &d, l, m, S, dS);
            df = in->s[RHO] * d.volume;
        }
        along(d.A, in->q, NULL, du), along(d.A, in->v, NULL, dw);
        de[0] += df / 2 * dot(w, w) + f * dot(w, dw);
        de[1] -= df * dot(in->g, u) + f * dot(in->g, du);
    }
}

/* ---- what pictures show ---- */

static void sizes(const double *s, const int *slot_n, sn_drawn_sizes *z)
{
    (void)slot_n;
    z->thickness = s[H];
}
static const sn_geometry geometry = {.shape = SN_SHAPE_QUADRILATERAL, .meshes = 1, .sizes = sizes};
static const sn_field_decl fields[] = {
    {.name = "mises", .unit = "Pa", .doc = "equivalent stress of the middle surface", .points = 1, .n = 1},
    {.name = "stretch",
     .unit = "1",
     .doc = "of the thickness: length of the director",
     .points = CORNERS,
     .n = 1},
    {.name = NULL},
};

/* Mises of Cauchy's stress S^ij x,i (x) x,j / J at the middle; lengths of the directors. */
static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    double l, m, S[3][3], T[3][3] = {{0}}, square = 0;
    point p;
    (void)section;
    lame(in->s, NS, &l, &m);
    at_point(in, (double[]){0, 0, 0}, in->q, &p);
    stress(&p, l, m, S);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            T[j / 3][j % 3] += S[i / 3][i % 3] * p.x[i / 3][j / 3] * p.x[i % 3][j % 3];
    double J = det(p.x) / det(p.X), mean = (T[0][0] + T[1][1] + T[2][2]) / 3;
    for (int i = 0; i < 9; i++) square += pow(T[i / 3][i % 3] - (i % 4 == 0 ? mean : 0), 2);
    y[0] = sqrt(1.5 * square) / fabs(J);
    for (int i = 0; i < CORNERS; i++) y[1 + i] = sqrt(dot(in->q + 6 * i + 3, in->q + 6 * i + 3));
    return SN_OK;
}

static const sn_element_class shell4 = {
    .name = "shell4",
    .doc = "shell of four corners with directors, for large motions; an example",
    .args = {.what = SN_ARG_NODE, .min = CORNERS, .max = CORNERS, .dim = 3, .ask = SN_DIRECTOR},
    .slots = shell_slots,
    .flags = SN_USES_A | SN_SYMMETRIC | SN_CONSERVATIVE,
    .prepare = prepare,
    .eval = eval,
    .dparam = dparam,
    .energy = energy,
    .denergy = denergy,
    .geometry = &geometry,
    .fields = fields,
    .field = field,
};

static const sn_node_class *const nodes[] = {&director3d, NULL};
static const sn_element_class *const elements[] = {&shell4, NULL};
const sn_plugin sinew_plugin = {SN_PLUGIN_HEAD, .name = "shell4", .nodes = nodes, .elements = elements};
