/* Nodes whose rotations the factors follow (carriers), and the vectors among the unknowns that turn with
 * them. */
#include "integrator/corotated_factors.h"

#include "math/rot3.h"

typedef struct carrier {
    const sn_node_class *cls;
    int q; /* its configuration */
} carrier;

typedef struct vector {
    int at, on, dim; /* first of its unknowns, carrier */
} vector;

struct sn_corotated {
    const sn_work *w;
    int n, n_vector, turned;
    carrier *carrier;
    vector *vector;
    double *q, *Q; /* configuration of the factors; `size` numbers for each carrier */
    int size;
};

void sn_corotated_free(sn_corotated *r)
{
    if (!r) return;
    sn_free(r->carrier), sn_free(r->vector), sn_free(r->q), sn_free(r->Q);
    sn_free(r);
}

int sn_corotated_carriers(const sn_corotated *r) { return r->n; }

/* The nodes of elements that turn: the number of each among the carriers, else -1 */
static void find_carriers(sn_corotated *r, int *number)
{
    const sn_model *m = r->w->m;
    for (int i = 0; i < m->n_node; i++) number[i] = -1;
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        if (!(((const sn_element_class *)o->cls)->flags & SN_TURNS)) continue;
        for (int k = 0; k < o->nn; k++) {
            const sn_node *n = &m->node[o->node[k]];
            if (n->ground || !n->cls->turned || number[o->node[k]] >= 0) continue;
            number[o->node[k]] = r->n;
            r->vector[r->n_vector++] = (vector){n->v + sn_node_view(n, SN_POSITION)->v, r->n, n->cls->dim};
            r->carrier[r->n++] = (carrier){n->cls, n->q};
        }
    }
}

/* Equations are turned only as whole vectors */
static int whole(const sn_work *w, const sn_object *o)
{
    for (int k = 0; o->vector && k < o->dim; k++)
        if (w->dropped[o->eq + k]) return 0;
    return o->vector;
}

static void find_equations(sn_corotated *r, const int *number)
{
    const sn_model *m = r->w->m;
    for (int e = 0; e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        int on = -1;
        for (int k = 0; k < o->nn && on < 0; k++) on = number[o->node[k]];
        if (on >= 0 && o->dim == r->carrier[on].cls->dim && whole(r->w, o))
            r->vector[r->n_vector++] = (vector){m->nv + o->eq, on, o->dim};
    }
}

sn_status sn_corotated_new(const sn_work *w, sn_corotated **out, sn_err *err)
{
    const sn_model *m = w->m;
    sn_corotated *r;
    int *number = NULL;
    *out = NULL;
    if (!SN_NEW(r, 1)) return SN_OUT_OF_MEM(err);
    r->w = w;
    r->size = m->dim * m->dim;
    if (!SN_NEW(number, m->n_node + 1) || !SN_NEW(r->carrier, m->n_node + 1) ||
        !SN_NEW(r->vector, m->n_node + m->joint.n + 1) || !SN_NEW(r->q, m->nq + 1)) {
        sn_free(number);
        sn_corotated_free(r);
        return SN_OUT_OF_MEM(err);
    }
    find_carriers(r, number);
    find_equations(r, number);
    sn_free(number);
    if (!SN_NEW(r->Q, (size_t)r->size * (size_t)r->n + 1)) {
        sn_corotated_free(r);
        return SN_OUT_OF_MEM(err);
    }
    *out = r;
    return SN_OK;
}

void sn_corotated_start(sn_corotated *r, const double *q)
{
    memcpy(r->q, q, sizeof *q * (size_t)r->w->m->nq);
    r->turned = 0;
}

void sn_corotated_turn(sn_corotated *r, const double *q)
{
    for (int i = 0; i < r->n; i++) {
        const carrier *c = &r->carrier[i];
        c->cls->turned(r->q + c->q, q + c->q, r->Q + (size_t)r->size * (size_t)i);
    }
    r->turned = 1;
}

/* b <- Q b, or Q'b */
static void turn(const sn_corotated *r, int back, double *b)
{
    for (int i = 0; i < r->n_vector; i++) {
        const vector *v = &r->vector[i];
        const double *Q = r->Q + (size_t)r->size * (size_t)v->on;
        double *x = b + v->at;
        if (v->dim == 3) {
            if (back)
                sn_tmul3(Q, x, x);
            else
                sn_mul3(Q, x, x);
        } else {
            double y = Q[0] * x[0] + Q[back ? 2 : 1] * x[1];
            x[1] = Q[back ? 1 : 2] * x[0] + Q[3] * x[1];
            x[0] = y;
        }
    }
}

sn_status sn_corotated_solve(const sn_corotated *r, sn_linsol *ls, double *b)
{
    if (r->turned) turn(r, 1, b);
    SN_TRY(sn_linsol_solve(ls, 0, 1, b));
    if (r->turned) turn(r, 0, b);
    return SN_OK;
}
