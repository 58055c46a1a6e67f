/* Outputs and fields that shells have alike. From the eight strains in the material axes, (e11, e22, 2 e12),
   (k11, k22, 2 k12), (g13, g23), all else follows. */
#ifndef SN_ELEMENT_SHELL_OUTPUT_H
#define SN_ELEMENT_SHELL_OUTPUT_H

#include "element/shell_section.h"

enum { OUT_STRAIN, OUT_RESULTANT, OUT_STRESS, OUT_GAUGE, OUT_PLY };
enum { SHELL_LOCAL = 8, SHELL_MOST = 12 };

/* y = A x, or += */
static inline void times3(const dual *A, const dual *x, dual *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = add(y[i], add(add(mul(A[3 * i], x[0]), mul(A[3 * i + 1], x[1])), mul(A[3 * i + 2], x[2])));
}

/* Plane stress: sqrt(s11^2 - s11 s22 + s22^2 + 3 s12^2), 0 with no derivative where there is no stress */
static inline dual shell_mises(const dual *s)
{
    const dual q =
        add(sub(add(mul(s[0], s[0]), mul(s[1], s[1])), mul(s[0], s[1])), times(3, mul(s[2], s[2])));
    return q.x > 0 ? root(q) : (dual){0, 0};
}

/* A strain gauge is at a place of the element, at `side` times half the thickness, along `angle` from the
   first material axis. */
enum { GAUGE_PLACE, GAUGE_SIDE = 2, GAUGE_ANGLE, GAUGE_NUMBERS };

static inline dual asked_number(const sn_in *in, int index, int which)
{
    return (dual){in->asked[which], index == in->ns + in->nq + 3 + which};
}

/* e11 cos^2 + e22 sin^2 + 2 e12 cos sin of the strains at the gauge's height */
static inline dual shell_gauge(const sn_in *in, int index, const shell_section *p, const dual *x)
{
    const dual a = asked_number(in, index, GAUGE_ANGLE), c = cosine(a), s = sine(a),
               z = mul(asked_number(in, index, GAUGE_SIDE), p->layer[SHELL_TOP].z);
    dual e[3];
    for (int l = 0; l < 3; l++) e[l] = add(x[l], mul(z, x[3 + l]));
    return add(add(mul(e[0], mul(c, c)), mul(e[1], mul(s, s))), mul(e[2], mul(c, s)));
}

/* What an output is of: its group, of stresses of a ply which one, and the number that derivatives are by */
typedef struct shell_asked {
    int which, ply, index;
} shell_asked;

/* An output from the local strains x; how many numbers */
static inline int shell_output(const sn_in *in, int ns, const shell_section *p, const shell_asked *a,
                               const dual *x, dual *y)
{
    const int which = a->which;
    memset(y, 0, SHELL_MOST * sizeof *y);
    for (int i = 0; which == OUT_PLY && i < SHELL_SIDES; i++)
        shell_ply_stress(in, ns, a->index, a->ply, i, x, y + 4 * i);
    if (which == OUT_PLY) return SHELL_MOST;
    if (which == OUT_GAUGE) {
        y[0] = shell_gauge(in, a->index, p, x);
        return 1;
    }
    if (which == OUT_STRAIN) {
        memcpy(y, x, SHELL_LOCAL * sizeof *y);
        return SHELL_LOCAL;
    }
    if (which == OUT_RESULTANT) {
        times3(p->A, x, y), times3(p->B, x + 3, y);
        times3(p->B, x, y + 3), times3(p->D, x + 3, y + 3);
        for (int i = 0; i < 2; i++) y[6 + i] = add(mul(p->S[2 * i], x[6]), mul(p->S[2 * i + 1], x[7]));
        return SHELL_LOCAL;
    }
    for (int i = 0; i < SHELL_SIDES; i++, y += 4) {
        dual e[3];
        for (int l = 0; l < 3; l++) e[l] = add(x[l], mul(p->layer[i].z, x[3 + l]));
        times3(p->layer[i].Q, e, y);
        y[3] = shell_mises(y);
    }
    return SHELL_MOST;
}

/* The largest index of failure of the plies' sides, from local strains */
static inline double shell_worst(const sn_in *in, int ns, const dual *x)
{
    const shell_plies l = plies_of(in, ns, -1);
    double worst = 0;
    dual y[4];
    for (int i = 0; i < 2 * l.n; i++) {
        shell_ply_stress(in, ns, -1, i / 2, i % 2 ? SHELL_TOP : SHELL_BOTTOM, x, y);
        worst = fmax(worst, y[3].x);
    }
    return worst;
}

static const sn_output shell_outputs[] = {
    {"strain",
     "strains and curvatures of the middle surface, in the material axes (in the middle unless a corner is "
     "asked for)",
     8,
     {"e11", "e22", "g12", "k11", "k22", "k12", "g13", "g23"},
     {"", "", "", "1/m", "1/m", "1/m", "", ""}},
    {"resultant",
     "membrane forces, moments and transverse shear forces per unit length, in the material axes",
     8,
     {"N11", "N22", "N12", "M11", "M22", "M12", "Q1", "Q2"},
     {"N/m", "N/m", "N/m", "N", "N", "N", "N/m", "N/m"}},
    {"stress",
     "stresses and their equivalent (von Mises) at the bottom, in the middle and at the top, where the "
     "normal points to",
     12,
     {"s11_bottom", "s22_bottom", "s12_bottom", "mises_bottom", "s11_middle", "s22_middle", "s12_middle",
      "mises_middle", "s11_top", "s22_top", "s12_top", "mises_top"},
     {"Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa", "Pa"}},
    {"gauge", "strain at a point of the element, on one side, along a direction", 1, {"strain"}, {""}},
    {"plies.stress",
     "stresses along and across the fibres of a ply, at its bottom, middle and top, and Tsai and Hill's "
     "index "
     "there, 1 at failure (known strengths only)",
     12,
     {"s11_bottom", "s22_bottom", "s12_bottom", "hill_bottom", "s11_middle", "s22_middle", "s12_middle",
      "hill_middle", "s11_top", "s22_top", "s12_top", "hill_top"},
     {"Pa", "Pa", "Pa", "", "Pa", "Pa", "Pa", "", "Pa", "Pa", "Pa", ""}},
    {.name = NULL},
};

/* Resultants and the index of failure of the middle; von Mises stress, the largest of both sides and the
   middle, at the corners */
/* clang-format off */
#define SN_SHELL_FIELDS(corners)                                                                             \
    {"membrane", "N/m", "membrane forces, in the material axes", 1, 3, SN_FIELD_SIGNED, {"N11", "N22", "N12"}}, \
    {"moment", "N", "bending moments per unit length, in the material axes", 1, 3, SN_FIELD_SIGNED,                 \
     {"M11", "M22", "M12"}},                                                                                 \
    {"transverse", "N/m", "transverse shear forces, in the material axes", 1, 2, SN_FIELD_SIGNED, {"Q1", "Q2"}}, \
    {"failure", "1", "Tsai and Hill's index, the largest of all plies", 1, 1, 0, {0}},                       \
    {"mises", "Pa", "equivalent stress, the largest over the thickness", corners, 1, 0, {0}}
/* clang-format on */

#endif
