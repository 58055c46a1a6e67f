/* Derivatives of sensors.

   Every sensor is a sum over objects, one or many: each gives a block of derivatives by its own coordinates
   (by q, v, a in the tangent of its nodes, by its multipliers), and a column for each of its numbers that a
   parameter moves. Blocks are handed on at once: times the derivatives of the state, or transposed.

   Momenta are p = M v: the residual at rest with v for the acceleration, less that without; so their
   derivatives are those of the residual. The violation of a constraint is 0 for all parameters. */
#include "math/rot3.h"
#include "system/dstate.h"

#include <string.h>

/* Where a block goes. */
typedef struct way {
    sn_work *w;
    const sn_state *x;
    const sn_parameter_chain *c;
    const sn_dstate *d; /* forward */
    double *dy;
    sn_dstate *b; /* transposed */
    const double *y;
    double *g;
    double *D[4]; /* scratch: blocks by q, v, a, lam */
    double *col;  /* scratch: a column */
    int rows;     /* of blocks and columns */
} way;

static void gather(const way *s, const sn_object *o) { sn_work_gather(s->w, o, s->x->q, s->x->v, s->x->a); }

static void clear_block(const way *s, const sn_object *o)
{
    for (int k = 0; k < 3; k++) memset(s->D[k], 0, sizeof(double) * (size_t)(s->rows * (o->nv + 1)));
    memset(s->D[3], 0, sizeof(double) * (size_t)(s->rows * (o->m + 1)));
}

/* Derivatives of a sensor's rows by some numbers of the state: index (NULL: from `first` on) says which. */
typedef struct derivatives {
    int rows, cols;
    const double *D;
    const int *index;
    int first;
} derivatives;

/* dy += D d, d with all numbers of the state, some columns each */
static void times(const derivatives b, int columns, const double *d, double *dy)
{
    for (int r = 0; r < b.rows; r++)
        for (int j = 0; j < b.cols; j++) {
            double f = b.D[r * b.cols + j];
            const double *from = d + (size_t)(b.index ? b.index[j] : b.first + j) * (size_t)columns;
            for (int k = 0; f != 0 && k < columns; k++)
                dy[(size_t)r * (size_t)columns + (size_t)k] += f * from[k];
        }
}

/* to += D'y */
static void transposed(const derivatives b, const double *y, double *to)
{
    for (int r = 0; r < b.rows; r++)
        for (int j = 0; j < b.cols; j++) to[b.index ? b.index[j] : b.first + j] += b.D[r * b.cols + j] * y[r];
}

/* The block in s->D of object o, rows of the sensor. */
static void hand_on(const way *s, const sn_object *o, int rows)
{
    const sn_dstate *x = s->d ? s->d : s->b;
    double *const part[4] = {x->q, x->v, x->a, x->lam};
    for (int k = 0; k < (o->m ? 4 : 3); k++) {
        const derivatives b = {rows, k < 3 ? o->nv : o->m, s->D[k], k < 3 ? o->vi : NULL, o->eq};
        if (s->d)
            times(b, s->d->columns, part[k], s->dy);
        else
            transposed(b, s->y, part[k]);
    }
}

/* The column in s->col of one number. */
static void hand_on_number(const way *s, const sn_moved_number *t, int rows)
{
    double sum = 0;
    for (int r = 0; r < rows; r++) {
        double f = s->col[r];
        if (s->y) sum += f * s->y[r];
        for (int k = 0; s->d && f != 0 && k < t->d->n; k++)
            s->dy[(size_t)r * (size_t)s->d->columns + (size_t)t->d->which[k]] += f * t->d->w[k];
    }
    for (int k = 0; s->y && k < t->d->n; k++) s->g[t->d->which[k]] += sum * t->d->w[k];
}

#define NUMBERS(s, family, i, t)                                                                             \
    for (const sn_moved_number *t = (s)->c->list[family] + (s)->c->first[family][i],                         \
                               *end_ = (s)->c->list[family] + (s)->c->first[family][(i) + 1];                \
         t < end_; t++)

static sn_status from_nodes(const way *s, int i)
{
    const sn_object *o = &s->w->m->sensor.object[i];
    const sn_sensor_class *cls = o->cls;
    sn_dout d = {s->D[0], s->D[1], s->D[2], s->D[3]};
    gather(s, o);
    clear_block(s, o);
    SN_TRY(cls->eval(&s->w->sensor[i], s->w->y, &d));
    hand_on(s, o, o->ny);
    NUMBERS(s, SN_MOVED_SENSOR, i, t)
    {
        memset(s->col, 0, sizeof(double) * (size_t)s->rows);
        if (cls->dparam) SN_TRY(cls->dparam(&s->w->sensor[i], t->index, s->col));
        hand_on_number(s, t, o->ny);
    }
    return SN_OK;
}

static sn_status from_element(const way *s, int i)
{
    const sn_object *sensor = &s->w->m->sensor.object[i];
    const sn_object *o = &s->w->m->element.object[sensor->target];
    const sn_element_class *cls = o->cls;
    sn_dout d = {s->D[0], s->D[1], s->D[2], s->D[3]};
    sn_in asking = s->w->element[sensor->target], *in = &asking;
    asking.asked = s->w->sensor[i].s;
    gather(s, o);
    clear_block(s, o);
    SN_TRY(cls->output(in, sensor->output, sensor->end, s->w->y, &d));
    hand_on(s, o, sensor->ny);
    NUMBERS(s, SN_MOVED_ELEMENT, sensor->target, t)
    {
        memset(s->col, 0, sizeof(double) * (size_t)s->rows);
        SN_TRY(cls->doutput(in, sensor->output, sensor->end, t->index, s->col));
        hand_on_number(s, t, sensor->ny);
    }
    NUMBERS(s, SN_MOVED_SENSOR, i, t)
    {
        memset(s->col, 0, sizeof(double) * (size_t)s->rows);
        SN_TRY(cls->doutput(in, sensor->output, sensor->end, o->ns + o->nq + 3 + t->index, s->col));
        hand_on_number(s, t, sensor->ny);
    }
    return SN_OK;
}

static void add_total(double *e, int nv)
{
    for (int j = 0; j < nv; j++) e[2 * nv + j] = e[j] + e[nv + j];
}

static void energy(const way *s, int i)
{
    const sn_object *o = &s->w->m->element.object[i];
    const sn_element_class *cls = o->cls;
    const sn_in *in = &s->w->element[i];
    sn_dout d = {s->D[0], s->D[1], s->D[2], s->D[3]};
    double e[2] = {0, 0};
    gather(s, o);
    clear_block(s, o);
    cls->energy(in, e, &d);
    for (int k = 0; k < 3; k++) add_total(s->D[k], o->nv);
    hand_on(s, o, 3);
    NUMBERS(s, SN_MOVED_ELEMENT, i, t)
    {
        memset(s->col, 0, sizeof(double) * (size_t)s->rows);
        cls->denergy(in, t->index, s->col);
        s->col[2] = s->col[0] + s->col[1];
        hand_on_number(s, t, 3);
    }
}

/* Part of block k in the rows of the momentum: those of p and those of q at fixed p; rows x nv each. */
static void block_part(const sn_object *o, int k, const double *q, const double *p, double *by_p,
                       double *by_q)
{
    const int nv = o->nv, dim = o->dim;
    double S[9];
    sn_moment z;
    for (int i = 0; o->place[k].x_v >= 0 && i < dim; i++) by_p[i * nv + o->place[k].x_v + i] = 1;
    for (int part = 0; sn_moment_part(o, k, part, q, &z); part++) {
        for (int r = 0; r < z.rows; r++)
            for (int c = 0; c < z.cols; c++) by_p[(dim + r) * nv + z.v + c] = z.A[z.cols * r + c];
        /* d x p turns with d, R p with dth: d(R p) = R (dth x p) */
        if (dim == 3) {
            sn_skew3(p + z.v, S);
            if (z.turn) sn_matmul3(z.A, S, S);
            sn_block3(by_q, nv, 3, z.v, -1, S);
        } else if (!z.turn) {
            by_q[2 * nv + z.v] = p[z.v + 1], by_q[2 * nv + z.v + 1] = -p[z.v];
        }
    }
}

/* Residual and tangents at rest, with v for the acceleration or without any. */
static sn_status at_rest(const way *s, int i, int with, double *r, double *K, double *M)
{
    const sn_object *o = &s->w->m->element.object[i];
    sn_work *w = s->w;
    size_t nv = (size_t)o->nv;
    sn_in in = w->element[i];
    const sn_element_class *cls = o->cls;
    double *v = s->D[2], *a = v + nv, *C = cls->flags & SN_USES_V ? w->C : NULL;
    memset(v, 0, 2 * nv * sizeof *v);
    if (with) memcpy(a, w->v, nv * sizeof *a);
    in.v = v, in.a = a;
    memset(r, 0, nv * sizeof *r);
    memset(K, 0, nv * nv * sizeof *K), memset(M, 0, nv * nv * sizeof *M);
    if (C) memset(C, 0, nv * nv * sizeof *C);
    return cls->eval(&in, r, K, C, M);
}

/* dr by a number at rest, likewise; scratch: 2 nv numbers */
static sn_status dparam_at_rest(const way *s, int i, int index, double *scratch, double *dp)
{
    const sn_object *o = &s->w->m->element.object[i];
    sn_in in = s->w->element[i];
    double *zero = scratch, *dr = scratch + o->nv;
    memset(scratch, 0, 2 * sizeof *zero * (size_t)o->nv);
    in.v = zero, in.a = s->w->v;
    memset(dp, 0, sizeof *dp * (size_t)o->nv);
    SN_TRY(((const sn_element_class *)o->cls)->dparam(&in, index, dp));
    in.a = zero;
    SN_TRY(((const sn_element_class *)o->cls)->dparam(&in, index, dr));
    for (int j = 0; j < o->nv; j++) dp[j] -= dr[j];
    return SN_OK;
}

static sn_status momentum(const way *s, int i, int rows)
{
    const sn_model *m = s->w->m;
    const sn_object *o = &m->element.object[i];
    const sn_element_class *cls = o->cls;
    sn_work *w = s->w;
    int nv = o->nv;
    /* SN_MOMENTUM_SCRATCH numbers a coordinate: momenta, those without v, their change, 6 rows, 2 more */
    double *p = s->c->momentum, *p0 = p + nv, *dp = p0 + nv, *by_p = dp + nv, *more = by_p + 6 * nv,
           *by_q = s->D[0];
    if (!(cls->flags & SN_USES_A)) return SN_OK;
    memset(by_p, 0, sizeof *by_p * 6 * (size_t)nv);
    gather(s, o);
    /* p = M v = r(q, 0, v) - r(q, 0, 0), its derivatives by q in w->K and by v in w->M */
    SN_TRY(at_rest(s, i, 0, p0, s->D[1], w->M));
    SN_TRY(at_rest(s, i, 1, p, w->K, w->M));
    for (int j = 0; j < nv; j++) p[j] -= p0[j];
    for (int j = 0; j < nv * nv; j++) w->K[j] -= s->D[1][j];
    clear_block(s, o);
    /* y = A p: dy = dA p + A dp */
    for (int k = 0; k < o->nn; k++) block_part(o, k, w->q, p, by_p, by_q);
    for (int r = 0; r < rows; r++)
        for (int l = 0; l < nv; l++)
            for (int j = 0; by_p[r * nv + l] != 0 && j < nv; j++) {
                s->D[0][r * nv + j] += by_p[r * nv + l] * w->K[l * nv + j];
                s->D[1][r * nv + j] += by_p[r * nv + l] * w->M[l * nv + j];
            }
    hand_on(s, o, rows);
    NUMBERS(s, SN_MOVED_ELEMENT, i, t)
    {
        SN_TRY(dparam_at_rest(s, i, t->index, more, dp));
        memset(s->col, 0, sizeof(double) * (size_t)s->rows);
        for (int r = 0; r < rows; r++)
            for (int l = 0; l < nv; l++) s->col[r] += by_p[r * nv + l] * dp[l];
        hand_on_number(s, t, rows);
    }
    return SN_OK;
}

/* Three rows of a block from `row` on, turned by R (or R'). */
static void turn_rows(const double *R, int back, int row, int cols, double *D)
{
    for (int j = 0; j < cols; j++) {
        double u[3] = {D[row * cols + j], D[(row + 1) * cols + j], D[(row + 2) * cols + j]};
        back ? sn_tmul3(R, u, u) : sn_mul3(R, u, u);
        for (int k = 0; k < 3; k++) D[(row + k) * cols + j] = u[k];
    }
}

/* What turning a node's force and moment into other axes does to the block; y: before turning. */
static void turn_block(const way *s, const sn_object *o, const sn_object *sensor, double *y)
{
    const sn_node_places *place = &o->place[sensor->end];
    const double *q = s->w->q;
    int base = o->offv[sensor->end], nv = o->nv, axes = sensor->output, at = place->R_v;
    double R[9], S[9];
    if (at < 0 || axes == SN_AXES_NODE) return;
    if (o->dim == 2) {
        if (axes != SN_AXES_BODY) return;
        const double th = q[place->R_q], c = cos(th), n = sin(th), Z[9] = {c, -n, 0, n, c, 0, 0, 0, 1};
        memcpy(R, Z, sizeof R);
    } else {
        sn_quat_matrix(q + place->R_q, R);
    }
    int row = (axes == SN_AXES_GLOBAL ? at : place->x_v) - base, back = axes == SN_AXES_BODY;
    for (int k = 0; k < 4; k++) turn_rows(R, back, row, k < 3 ? nv : o->m, s->D[k]);
    back ? sn_tmul3(R, y + row, y + row) : sn_mul3(R, y + row, y + row);
    if (o->dim == 2) {
        s->D[0][row * nv + at] += y[row + 1];
        s->D[0][(row + 1) * nv + at] -= y[row];
    } else if (back) { /* d(R'f) = (R'f) x dth */
        sn_skew3(y + row, S);
        sn_block3(s->D[0], nv, row, at, 1, S);
    } else { /* d(R m) = R (dth x m) = -(R m~) dth, and R m~ = (R m)~ R */
        sn_skew3(y + row, S);
        sn_matmul3(S, R, S);
        sn_block3(s->D[0], nv, row, at, -1, S);
    }
}

static sn_status reaction(const way *s, const sn_object *sensor, int joint)
{
    sn_work *w = s->w;
    const sn_object *o = &w->m->joint.object[joint];
    const sn_joint_class *cls = o->cls;
    sn_in *in = &w->joint[joint];
    int nv = o->nv, at = o->offv[sensor->end];
    sn_joint_out out = {w->r, w->phi, w->B, w->G, w->K, w->C, w->L};
    size_t block = sizeof(double) * (size_t)nv;
    gather(s, o);
    in->lam = s->x->lam + o->eq;
    memset(w->r, 0, block), memset(w->K, 0, block * (size_t)nv), memset(w->C, 0, block * (size_t)nv);
    memset(w->B, 0, block * (size_t)o->m), memset(w->G, 0, block * (size_t)o->m);
    memset(w->L, 0, block * (size_t)o->m);
    SN_TRY(cls->eval(in, &out));
    clear_block(s, o);
    double *y = s->col + s->rows;
    memset(y, 0, sizeof *y * (size_t)s->rows);
    for (int r = 0; r < sensor->ny; r++) {
        y[r] = -w->r[at + r];
        for (int j = 0; j < nv; j++) {
            s->D[0][r * nv + j] = -w->K[(at + r) * nv + j];
            if (cls->flags & SN_USES_V) s->D[1][r * nv + j] = -w->C[(at + r) * nv + j];
        }
        for (int k = 0; k < o->m; k++) {
            const double *b = (o->velocity >> k) & 1 ? w->G : w->B;
            s->D[3][r * o->m + k] =
                cls->flags & SN_REACTION_DIFFERS ? -w->L[(at + r) * o->m + k] : -b[k * nv + at + r];
        }
    }
    turn_block(s, o, sensor, y);
    hand_on(s, o, sensor->ny);
    NUMBERS(s, SN_MOVED_JOINT, joint, t)
    {
        memset(w->r, 0, block), memset(w->phi, 0, sizeof(double) * (size_t)o->m);
        SN_TRY(cls->dparam(in, t->index, w->r, w->phi));
        memset(s->col, 0, sizeof(double) * (size_t)s->rows);
        for (int r = 0; r < sensor->ny; r++) s->col[r] = -w->r[at + r];
        sn_turn_reaction(o, sensor->end, w->q, sensor->output, s->col);
        hand_on_number(s, t, sensor->ny);
    }
    return SN_OK;
}

static void multiplier(const way *s, const sn_object *o)
{
    clear_block(s, o);
    s->D[3][0] = -1;
    hand_on(s, o, 1);
}

static sn_status one(const way *s, int i)
{
    const sn_model *m = s->w->m;
    const sn_object *o = &m->sensor.object[i];
    sn_source source = ((const sn_sensor_class *)o->cls)->source;
    switch (source) {
    case SN_FROM_NODES:
        return from_nodes(s, i);
    case SN_FROM_ELEMENT:
        return from_element(s, i);
    case SN_FROM_REACTION:
        for (int k = 0; k < (o->n_target ? o->n_target : 1); k++) SN_TRY(reaction(s, o, o->target + k));
        return SN_OK;
    case SN_FROM_MULTIPLIER:
        multiplier(s, &m->joint.object[o->target]);
        return SN_OK;
    case SN_FROM_ENERGY:
    case SN_FROM_MOMENTUM:
        for (int e = 0; e < m->element.n; e++) {
            const sn_object *t = &m->element.object[e];
            if (t->host >= 0 || !((const sn_element_class *)t->cls)->energy) continue;
            if (o->target >= 0 && t->entry != o->target) continue;
            if (source == SN_FROM_ENERGY)
                energy(s, e);
            else
                SN_TRY(momentum(s, e, m->dim == 3 ? 6 : 3));
        }
        return SN_OK;
    default:
        return SN_OK;
    }
}

/* Whether sensor i is asked for: by its flag, transposed by what is felt of it. */
static int counts(const way *s, const unsigned char *wanted, int i)
{
    int any = 0;
    if (!s->y) return !wanted || wanted[i];
    for (int k = 0; k < s->w->m->sensor.object[i].ny; k++) any |= s->y[k] != 0;
    return any;
}

static sn_status all(way *s, const unsigned char *wanted, sn_err *err)
{
    const sn_model *m = s->w->m;
    for (int k = 0; k < 4; k++) s->D[k] = s->c->block[k];
    s->col = s->c->column;
    s->rows = s->c->rows;
    for (int i = 0; i < m->sensor.n; i++) {
        const sn_object *o = &m->sensor.object[i];
        if (counts(s, wanted, i) && one(s, i))
            return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "sensor '%s' cannot be differentiated at t = %g",
                           o->name, s->x->t);
        if (s->d) s->dy += (size_t)o->ny * (size_t)s->d->columns;
        if (s->y) s->y += o->ny;
    }
    return SN_OK;
}

sn_status sn_system_dsensors(sn_work *w, const sn_state *x, const sn_parameter_chain *c, const sn_dstate *d,
                             const unsigned char *wanted, double *dy, sn_err *err)
{
    way s = {.w = w, .x = x, .c = c, .d = d, .dy = dy};
    memset(dy, 0, sizeof *dy * (size_t)sn_channel_count(w->m) * (size_t)d->columns);
    return all(&s, wanted, err);
}

sn_status sn_system_dsensors_transposed(sn_work *w, const sn_state *x, const sn_parameter_chain *c,
                                        const double *y, sn_dstate *b, double *g, sn_err *err)
{
    way s = {.w = w, .x = x, .c = c, .b = b, .y = y, .g = g};
    return all(&s, NULL, err);
}
