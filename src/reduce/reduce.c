/* From a finite-element body to a reduced one. */
#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

/* Modes of one frequency, but for rounding, may be turned among themselves, and each may have either sign. So
   that they come out the same each time: the first coordinate that is (nearly) the largest of a group belongs
   to its first mode alone, with a positive sign, and so on. */
#define SAME 1e-6
#define TIE  1e-3

static double size_of(const sn_fe_body *fe)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < fe->n_node; i++)
            low = fmin(low, fe->X[3 * i + k]), high = fmax(high, fe->X[3 * i + k]);
        size = fmax(size, high - low);
    }
    return size > 0 ? size : 1;
}

/* Squares of a coordinate, summed over the modes from..to-1 */
static double share(const sn_fe_body *fe, const double *Phi, int i, int from, int to)
{
    double sum = 0;
    for (int k = from; k < to; k++) {
        const double x = Phi[(size_t)k * (size_t)fe->n + (size_t)i];
        sum += x * x;
    }
    return sum;
}

/* The first coordinate of nearly the largest size over the modes from..to-1: a displacement where there are
   any, else (twist) a rotation */
static int leader(const sn_fe_body *fe, double size, const double *Phi, int from, int to)
{
    double top[2] = {0, 0};
    for (int l = 0; l < 6 * fe->n_node; l++)
        if (fe->dof[l] >= 0) top[l % 6 > 2] = fmax(top[l % 6 > 2], share(fe, Phi, fe->dof[l], from, to));
    const int turns = top[0] < 1e-12 * size * size * top[1];
    for (int l = 0; l < 6 * fe->n_node; l++)
        if (fe->dof[l] >= 0 && (l % 6 > 2) == turns &&
            share(fe, Phi, fe->dof[l], from, to) >= (1 - TIE) * top[turns])
            return fe->dof[l];
    return 0;
}

/* Modes a and b become c a + s b and c b - s a */
static void rotate(size_t n, double c, double s, double *a, double *b)
{
    for (size_t j = 0; j < n; j++) {
        const double x = a[j], y = b[j];
        a[j] = c * x + s * y;
        b[j] = c * y - s * x;
    }
}

static void settle(const sn_basis *b, double *Phi)
{
    const sn_fe_body *fe = b->fe;
    const size_t n = (size_t)fe->n, z = (size_t)b->T.z;
    const double size = size_of(fe);
    for (int from = 0, to; from < b->nd; from = to) {
        for (to = from + 1; to < b->nd && b->w2[to] - b->w2[to - 1] <= SAME * b->w2[to]; to++) {}
        for (int k = from; k < to; k++) {
            double *x = Phi + (size_t)k * n, *xz = b->Z + (size_t)k * z;
            const int i = leader(fe, size, Phi, k, to);
            for (int l = k + 1; l < to; l++) {
                double *y = Phi + (size_t)l * n;
                const double r = hypot(x[i], y[i]), c = r > 0 ? x[i] / r : 1, s = r > 0 ? y[i] / r : 0;
                rotate(n, c, s, x, y);
                rotate(z, c, s, xz, b->Z + (size_t)l * z);
            }
            if (x[i] >= 0) continue;
            for (size_t j = 0; j < n; j++) x[j] = -x[j];
            for (size_t j = 0; j < z; j++) xz[j] = -xz[j];
        }
    }
}

typedef struct maker {
    const sn_fe_body *fe;
    const sn_fe_options *o;
    sn_block *block;
    sn_reduced_body *b;
    const double *Phi; /* n x nd */
    sn_err *err;
} maker;

static void *room(const maker *k, size_t n, size_t size) { return k->block->alloc(k->block, n + 1, size); }

static const char *copy(const maker *k, const char *text)
{
    char *to = room(k, strlen(text), 1);
    if (to) memcpy(to, text, strlen(text));
    return to;
}

static const char *const *copy_all(const maker *k, int n, const char *const *text)
{
    const char **to = room(k, (size_t)n, sizeof *to);
    for (int i = 0; to && i < n; i++)
        if (!(to[i] = copy(k, text[i]))) return NULL;
    return to;
}

/* Displacements (from 0) or rotations (3) of a node by the modes, 3 x nd */
static void motion_of(const maker *k, const int *dof, double *x)
{
    const size_t nd = (size_t)k->b->nd;
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < nd; i++)
            x[c * nd + i] = dof[c] < 0 ? 0 : k->Phi[i * (size_t)k->fe->n + (size_t)dof[c]];
}

static sn_status make_points(const maker *k, const sn_basis *basis)
{
    const size_t nd = (size_t)k->b->nd, n = (size_t)(k->o->n_interface + k->o->n_point);
    const char **name = room(k, n, sizeof *name);
    double *X = room(k, 3 * n, sizeof *X), *phi = room(k, 3 * n * nd, sizeof *phi),
           *theta = room(k, 3 * n * nd, sizeof *theta);
    if (!name || !X || !phi || !theta) return SN_OUT_OF_MEM(k->err);
    for (size_t i = 0; i < n; i++) {
        const sn_fe_point *p = &k->o->point[i];
        if (!(name[i] = copy(k, p->name))) return SN_OUT_OF_MEM(k->err);
        memcpy(X + 3 * i, p->X, sizeof p->X);
        if ((int)i >= k->o->n_interface) {
            motion_of(k, k->fe->dof + 6 * p->node[0], phi + 3 * nd * i);
            motion_of(k, k->fe->dof + 6 * p->node[0] + 3, theta + 3 * nd * i);
            continue;
        }
        for (size_t c = 0; c < 3; c++)
            for (size_t l = 0; l < nd; l++) {
                const double *z = basis->Z + l * (size_t)basis->T.z + 6 * i;
                phi[(3 * i + c) * nd + l] = z[c], theta[(3 * i + c) * nd + l] = z[3 + c];
            }
    }
    k->b->n_interface = k->o->n_interface, k->b->n_point = (int)n;
    k->b->point = name, k->b->X = X, k->b->phi = phi, k->b->theta = theta;
    return SN_OK;
}

/* Nodes that lines and triangles have, in the order of the body; without any all of them */
static sn_status make_drawing(const maker *k)
{
    const sn_fe_body *fe = k->fe;
    const size_t nd = (size_t)k->b->nd;
    int *number = sn_alloc((size_t)fe->n_node + 1, sizeof *number), n = 0,
        *line = room(k, 2 * (size_t)fe->n_line, sizeof *line),
        *triangle = room(k, 3 * (size_t)fe->n_triangle, sizeof *triangle);
    if (!number || !line || !triangle) {
        sn_free(number);
        return SN_OUT_OF_MEM(k->err);
    }
    for (int i = 0; i < 2 * fe->n_line; i++) number[fe->line[i]] = 1;
    for (int i = 0; i < 3 * fe->n_triangle; i++) number[fe->triangle[i]] = 1;
    for (int i = 0; i < fe->n_node; i++) number[i] = number[i] || !(fe->n_line + fe->n_triangle) ? n++ : -1;
    for (int i = 0; i < 2 * fe->n_line; i++) line[i] = number[fe->line[i]];
    for (int i = 0; i < 3 * fe->n_triangle; i++) triangle[i] = number[fe->triangle[i]];
    double *X = room(k, 3 * (size_t)n, sizeof *X), *phi = room(k, 3 * (size_t)n * nd, sizeof *phi);
    for (int i = 0; i < fe->n_node && X && phi; i++) {
        if (number[i] < 0) continue;
        memcpy(X + 3 * number[i], fe->X + 3 * i, 3 * sizeof *X);
        motion_of(k, fe->dof + 6 * i, phi + 3 * nd * (size_t)number[i]);
    }
    sn_free(number);
    if (!X || !phi) return SN_OUT_OF_MEM(k->err);
    k->b->n_mesh_node = n, k->b->n_line = fe->n_line, k->b->n_triangle = fe->n_triangle;
    k->b->mesh_X = X, k->b->mesh_phi = phi, k->b->line = line, k->b->triangle = triangle;
    return SN_OK;
}

static sn_status make_recovery(const maker *k)
{
    const sn_fe_body *fe = k->fe;
    sn_reduced_body *b = k->b;
    const size_t nd = (size_t)b->nd, rows = (size_t)fe->n_recovery * (size_t)fe->recovery_n;
    if (!rows) return SN_OK;
    double *y = room(k, rows * nd, sizeof *y);
    b->recovery = copy_all(k, fe->n_recovery, fe->recovery);
    b->recovery_component = copy_all(k, fe->recovery_n, fe->recovery_component);
    b->recovery_unit = copy_all(k, fe->recovery_n, fe->recovery_unit);
    if (!y || !b->recovery || !b->recovery_component || !b->recovery_unit) return SN_OUT_OF_MEM(k->err);
    for (size_t r = 0; r < rows; r++)
        for (int e = fe->recover.first[r]; e < fe->recover.first[r + 1]; e++)
            for (size_t i = 0; i < nd; i++)
                y[r * nd + i] += fe->recover.x[e] * k->Phi[i * (size_t)fe->n + (size_t)fe->recover.row[e]];
    b->n_recovery = fe->n_recovery, b->recovery_n = fe->recovery_n, b->recover = y;
    return SN_OK;
}

static sn_status make_body(const maker *k, const sn_basis *basis)
{
    sn_reduced_body *b = k->b;
    double *w2 = room(k, (size_t)b->nd, sizeof *w2);
    if (!w2 || !(b->recipe = copy(k, k->o->recipe ? k->o->recipe : ""))) return SN_OUT_OF_MEM(k->err);
    memcpy(w2, basis->w2, sizeof *w2 * (size_t)b->nd);
    b->w2 = w2;
    SN_TRY(make_points(k, basis));
    SN_TRY(sn_body_integrals(k->fe, k->Phi, k->block, b, k->err));
    SN_TRY(sn_body_damping(basis, k->Phi, k->block, b, k->err));
    SN_TRY(sn_body_axial(k->fe, k->o, k->Phi, k->block, b, k->err));
    SN_TRY(make_drawing(k));
    return make_recovery(k);
}

sn_status sn_reduce_body(const sn_fe_body *fe, const sn_fe_options *o, sn_block *block, sn_reduced_body **out,
                         sn_err *err)
{
    sn_arena arena = {0};
    sn_basis basis = {.fe = fe, .o = o, .arena = &arena};
    maker k = {.fe = fe, .o = o, .block = block, .err = err};
    sn_status s =
        (k.b = block->alloc(block, 1, sizeof *k.b)) ? sn_basis_make(&basis, err) : SN_OUT_OF_MEM(err);
    if (!s) s = sn_basis_orthogonalise(&basis, err);
    double *Phi = s ? NULL : sn_arena_alloc(&arena, (size_t)fe->n * (size_t)basis.nd + 1, sizeof *Phi);
    if (!s && !Phi) s = SN_OUT_OF_MEM(err);
    for (int i = 0; i < basis.nd && !s; i++)
        sn_ties_expand(&basis.T, basis.Z + (size_t)i * (size_t)basis.T.z, Phi + (size_t)i * (size_t)fe->n);
    if (!s) {
        settle(&basis, Phi);
        k.b->nd = basis.nd, k.Phi = Phi;
        s = make_body(&k, &basis);
    }
    sn_arena_free(&arena);
    if (!s) *out = block->data = k.b;
    return s;
}
