/* Outputs and fields of shell4_mitc, its mass as particles. Only shell4_mitc.c includes this file.

   At a place (r, s) of the element the strains in the material axes, (e11, e22, 2 e12), (k11, k22, 2 k12),
   (g13, g23), are rows times the strains (m, b, g) of the element; all else follows from these eight. */
#ifndef SN_ELEMENT_SHELL4_MITC_OUTPUT_H
#define SN_ELEMENT_SHELL4_MITC_OUTPUT_H

#include "element/particle.h"
#include "element/shell4_mitc_arms.h"
#include "element/shell4_mitc_vary.h"
#include "element/shell_output.h"

enum { LOCAL = SHELL_LOCAL, MOST = SHELL_MOST };

/* The eight local strains as rows on (m, b, g) */
static inline void local_rows(const surface *g, dual r, dual s, dual (*x)[16])
{
    point p;
    dual B[3][6], M[3][4], G[2][4], row[6];
    surface_at(g, r, s, &p);
    strain_rows(&p, B);
    shear_rows(&p, G);
    enhanced_rows(g, &p, M);
    memset(x, 0, LOCAL * sizeof *x);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) {
            row[j] = B[i][j];
            for (int k = 0; k < 4; k++) {
                row[j] = sub(row[j], mul(M[i][k], g->Hinv_L[k][j]));
                x[i][6 + j] = sub(x[i][6 + j], mul(M[i][k], g->Hinv_L[k][6 + j]));
            }
            x[3 + i][6 + j] = B[i][j];
        }
        through_plus(g, 1, row);
        memcpy(x[i], row, sizeof row);
    }
    for (int i = 0; i < 2; i++) memcpy(x[6 + i] + 12, G[i], sizeof G[i]);
    for (int i = 0; i < LOCAL; i++)
        for (int j = 0; j < 16; j++) x[i][j] = times(1.0 / 16, x[i][j]);
}

/* The place of an output: the middle (0) or a node, of a strain gauge where it says */
static inline void place_of(const sn_in *in, int which, int end, int index, dual *r, dual *s)
{
    *r = constant(end ? xi_of[end - 1] : 0), *s = constant(end ? eta_of[end - 1] : 0);
    if (which == OUT_GAUGE)
        *r = asked_number(in, index, GAUGE_PLACE), *s = asked_number(in, index, GAUGE_PLACE + 1);
}

/* What an output is made of, and its derivative by number `index` */
typedef struct local_state {
    shell_section p;
    surface g;
    constants c, dc;
    varied k;
    dual rows[LOCAL][16], x[LOCAL];
} local_state;

static inline sn_status local_strains(const sn_in *in, int which, int end, int index, local_state *w)
{
    dual r, s;
    place_of(in, which, end, index, &r, &s);
    SN_TRY(make_constants(in, index, &w->c, &w->dc, &w->g, NULL));
    SN_TRY(shell_section_of(in, NS, index, &w->p, NULL));
    w->k.c = &w->c, w->k.dc = &w->dc;
    varied_modes(in, &w->k);
    varied_strains(&w->k);
    local_rows(&w->g, r, s, w->rows);
    for (int i = 0; i < LOCAL; i++) {
        w->x[i] = (dual){0, 0};
        for (int j = 0; j < 16; j++) w->x[i] = add(w->x[i], mul(w->rows[i][j], w->k.e[j]));
    }
    return SN_OK;
}

/* The derivative of row.e by the coordinates of the nodes: forces of the stresses `row` */
static inline void row_by_q(const sn_in *in, const constants *c, const dual *row, double *dq)
{
    double s[STRAINS] = {0};
    motion k;
    weights G;
    quad X[3], D[3], m[3] = {{0}};
    for (int i = 0; i < 6; i++) s[MEM + i] = row[i].x, s[BEND + i] = row[6 + i].x;
    for (int i = 0; i < 4; i++) s[SHEAR + i] = row[12 + i].x;
    move(in, c, &k);
    weigh(&k, s, &G);
    mode_forces(&k, &G, X, D);
    for (int l = 0; l < 3; l++) X[l] = nodes(X[l]), D[l] = nodes(D[l]);
    add_moment(&k, c->D, D, m);
    if (c->arms != 0) add_moment(&k, c->o, X, m);
    scatter(X, m, dq);
}

static sn_status output(const sn_in *in, int which, int end, double *y, sn_dout *d)
{
    const shell_asked a = {which, end / 5, -1};
    local_state w;
    dual z[MOST];
    double by[LOCAL][NV] = {{0}};
    if (end > 4 && which != OUT_PLY) return SN_ERR_INPUT;
    SN_TRY(local_strains(in, which, end % 5, -1, &w));
    const int n = shell_output(in, NS, &w.p, &a, w.x, z);
    for (int i = 0; i < n; i++) y[i] = z[i].x;
    if (!d || !d->q) return SN_OK;
    for (int j = 0; j < LOCAL; j++) row_by_q(in, &w.c, w.rows[j], by[j]);
    for (int j = 0; j < LOCAL; j++) {
        for (int l = 0; l < LOCAL; l++) w.x[l].d = j == l;
        shell_output(in, NS, &w.p, &a, w.x, z);
        for (int i = 0; i < n; i++)
            for (int l = 0; l < NV; l++) d->q[NV * i + l] += z[i].d * by[j][l];
    }
    return SN_OK;
}

static sn_status doutput(const sn_in *in, int which, int end, int index, double *dy)
{
    const shell_asked a = {which, end / 5, index};
    local_state w;
    dual z[MOST];
    if (end > 4 && which != OUT_PLY) return SN_ERR_INPUT;
    SN_TRY(local_strains(in, which, end % 5, index, &w));
    const int n = shell_output(in, NS, &w.p, &a, w.x, z);
    for (int i = 0; i < n; i++) dy[i] = z[i].d;
    return SN_OK;
}

static const sn_field_decl fields[] = {SN_SHELL_FIELDS(4), {.name = NULL}};

static sn_status field(const sn_in *in, const sn_section *section, double *y)
{
    local_state w;
    dual z[MOST];
    const shell_asked resultant = {OUT_RESULTANT, 0, -1}, stress = {OUT_STRESS, 0, -1};
    (void)section;
    SN_TRY(local_strains(in, OUT_RESULTANT, 0, -1, &w));
    shell_output(in, NS, &w.p, &resultant, w.x, z);
    for (int i = 0; i < LOCAL; i++) y[i] = z[i].x;
    y[LOCAL] = shell_worst(in, NS, w.x);
    for (int end = 1; end <= 4; end++) {
        SN_TRY(local_strains(in, OUT_STRESS, end, -1, &w));
        shell_output(in, NS, &w.p, &stress, w.x, z);
        y[LOCAL + end] = fmax(z[3].x, fmax(z[7].x, z[11].x));
    }
    return SN_OK;
}

/* Mass at the Gauss points, and a body without mass for each director. */
static int particle(const sn_in *in, int k, double *m, double *x, double *N)
{
    const constants *c = (const constants *)in->c;
    const double a = 0.57735026918962576451;
    double R[9], J[9], y[3], z[3], M[3 * NV];
    for (int l = 0; l < 3; l++) x[l] = 0;
    memset(N, 0, 3 * NV * sizeof *N);
    if (k >= 4) {
        const int i = (k - 4) / SN_BODY_PARTICLES;
        const double zero[3] = {0, 0, 0};
        if (i >= 4) return 0;
        for (int l = 0; l < 9; l++)
            J[l] = c->j[i] * ((l % 4 == 0) - slender * c->D[l / 3][i] * c->D[l % 3][i]);
        *m = sn_body_particle((k - 4) % SN_BODY_PARTICLES, 0, J, zero, y);
        sn_quat_matrix(in->q + 7 * i + 3, R);
        sn_mul3(R, y, z);
        for (int l = 0; l < 3; l++) x[l] = in->q[7 * i + l] + z[l];
        sn_body_particle_map(R, y, NV, N + 6 * i);
        return 1;
    }
    *m = c->mass[k];
    for (int i = 0; i < 4; i++) {
        const double h = 0.25 * (1 + a * xi_of[k] * xi_of[i]) * (1 + a * eta_of[k] * eta_of[i]);
        sn_quat_matrix(in->q + 7 * i + 3, R);
        for (int l = 0; l < 3; l++) y[l] = c->o[l][i];
        sn_mul3(R, y, z);
        memset(M, 0, sizeof M);
        sn_body_particle_map(R, y, NV, M);
        for (int l = 0; l < 3; l++) {
            x[l] += h * (in->q[7 * i + l] + z[l]);
            for (int j = 0; j < 6; j++) N[NV * l + 6 * i + j] = h * M[NV * l + j];
        }
    }
    return 1;
}

#endif
