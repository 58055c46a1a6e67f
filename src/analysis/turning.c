/* Whether points go round too fast for the steps of a run: see turning.h. */
#include "analysis/turning.h"

#include "math/rot3.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double reversal = 2.6;  /* rad: what goes back and forth does not go round */
static const double one_sense = 0.5; /* cos^2 between axes of neighbouring steps */
static const double matters = 0.01;  /* of the largest force */
static const double small = 1e-3;    /* radius, of the size of the model: a vibration */
enum { STEPS = 20 };

sn_status sn_turning_open(const sn_model *m, double limit, sn_turning *u, sn_err *err)
{
    *u = (sn_turning){.limit = limit, .cosine2 = cos(limit) * cos(limit)};
    if (!SN_NEW(u->round, m->n_node + 1) || !SN_NEW(u->mass, m->nv + 1) || !SN_NEW(u->matrix, m->nnz + 1)) {
        sn_turning_close(u);
        return SN_OUT_OF_MEM(err);
    }
    for (int i = 0; i < m->n_node; i++) u->round[i].place = sn_node_place(&m->node[i]).x_v;
    return SN_OK;
}

void sn_turning_close(sn_turning *u)
{
    sn_free(u->round), sn_free(u->mass), sn_free(u->matrix);
    u->round = NULL, u->mass = u->matrix = NULL;
}

/* One step more, of the velocity from v0 to v1 in n components: whether the point has been going round in
   steps of more than the limit (by the square of its cosine). */
static int goes_round(sn_round *r, int n, const double *v0, const double *v1, double cosine2)
{
    const double b[3] = {v1[0] - v0[0], v1[1] - v0[1], n == 3 ? v1[2] - v0[2] : 0};
    double bb = sn_dot3(b, b), ab = sn_dot3(r->change, b), most = r->square * bb, ab2 = ab * ab, axis[3];
    if (ab2 >= (ab > 0 ? cosine2 : reversal) * most) {
        r->steps = 0;
    } else {
        sn_cross3(r->change, b, axis);
        double along = sn_dot3(axis, r->axis), size = sn_dot3(axis, axis) * sn_dot3(r->axis, r->axis);
        if (!r->steps || along < 0 || along * along < one_sense * size) r->steps = 0, r->turned = 0;
        r->steps++;
        r->cosine = ab / sqrt(most);
        r->turned += sqrt(2 - 2 * r->cosine); /* the chord will do */
        memcpy(r->axis, axis, sizeof axis);
    }
    r->square = bb;
    memcpy(r->change, b, sizeof b);
    return r->steps >= STEPS && r->turned > 2 * pi;
}

static sn_status weigh(sn_turning *u, sn_context *d, const sn_state *x, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef with_M = {d->zero, d->zero, d->one, d->one, 1};
    double *S = d->w->Ax; /* the factors' own, which they may need again */
    d->w->Ax = u->matrix;
    sn_status status = sn_system_eval(d->w, x, &with_M, err);
    d->w->Ax = S;
    SN_TRY(status);
    for (int j = 0; j < m->nv; j++) u->mass[j] = u->matrix[m->diag[j]];
    u->weighed = 1;
    return SN_OK;
}

/* What of the angle counts; 0 where the force does not matter, or the circle is that of a vibration. */
static double counted(const sn_turning *u, const sn_context *d, int i, const sn_state *x, double h,
                      double angle)
{
    const sn_node *n = &d->m->node[i];
    const double *change = u->round[i].change, speed = sqrt(sn_dot3(change, change)) / angle;
    double mass = 0, turning = 0;
    int dim = n->cls->dim, place = n->v + u->round[i].place, end = n->v + n->nv;
    for (int k = place; k < place + dim; k++) mass += u->mass[k] / dim;
    for (int k = n->v; k < end; k++)
        if (k < place || k >= place + dim) turning += u->mass[k] * x->v[k] * x->v[k];
    double moving = mass * speed * speed;
    if (!(moving > 0) || mass * speed * angle / h < matters * d->w->force) return 0;
    if (speed * h / angle < small * d->p->length) return 0;
    return sqrt(moving / (moving + turning)) * angle;
}

/* The largest rotation of a node over the step; where no node has one: infinite. */
static double largest_rotation(const sn_model *m, const sn_state *x0, const sn_state *x1)
{
    double most = INFINITY, Q[9];
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        if (n->ground || !n->cls->turned) continue;
        n->cls->turned(x0->q + n->q, x1->q + n->q, Q);
        double cosine = n->cls->dim == 2 ? Q[0] : 0.5 * (Q[0] + Q[4] + Q[8] - 1);
        double angle = acos(fmax(-1, fmin(1, cosine)));
        most = isinf(most) ? angle : fmax(most, angle);
    }
    return most;
}

sn_status sn_turning_step(sn_turning *u, sn_context *d, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    const sn_model *m = d->m;
    const double h = x1->t - x0->t, part = x1->h / h; /* part < 1: a divided step */
    double rotation = -1;                             /* the largest, when asked for */
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        int place = n->v + u->round[i].place;
        if (n->ground || u->round[i].place < 0) continue;
        if (!goes_round(&u->round[i], n->cls->dim, x0->v + place, x1->v + place, u->cosine2)) continue;
        double angle = acos(u->round[i].cosine);
        if (!u->weighed) SN_TRY(weigh(u, d, x1, err));
        if (counted(u, d, i, x1, h, angle) * part <= u->limit) continue;
        /* what goes round takes some body along; in a vibration nothing turns by nearly as much */
        if (rotation < 0) rotation = largest_rotation(m, x0, x1);
        if (rotation < 0.5 * angle) continue;
        if (!u->found) u->t = x1->t;
        if (angle * part > u->angle) u->angle = angle * part, u->node = i;
        u->found = 1;
    }
    return SN_OK;
}

void sn_turning_tell(const sn_turning *u, const sn_context *d)
{
    if (!u->found) return;
    sn_context_message(
        d,
        "from t = %.4g on the steps are too large for how fast points go round ('%s' by up to %.3g degrees a "
        "step): this scheme bears %.2g, beyond that energy can grow without bound, and what follows is not "
        "to "
        "be trusted; take smaller steps or more numerical damping",
        u->t, d->m->node[u->node].name, u->angle * 180 / pi, u->limit * 180 / pi);
}
