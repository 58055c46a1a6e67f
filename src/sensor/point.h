/* What the sensors of a node, or of a point fixed to it, share: names of their components, the offset of the
   point, blocks of derivatives. In space rotations vary by dR = R dth~ in body axes, so that d(R u) = -R u~
   dth.
 */
#ifndef SN_SENSOR_POINT_H
#define SN_SENSOR_POINT_H

#include "math/plane.h"
#include "math/rot3.h"
#include "sinew/class.h"

#include <string.h>

/* The slot of the offset: as many numbers as the model has dimensions, or none. */
#define SN_OFFSET_SLOT                                                                                       \
    {                                                                                                        \
        "offset", "m",                                                                                       \
            "measured point relative to the node, fixed in the body, in the axes of the reference "          \
            "configuration",                                                                                 \
            0, SN_ROTATES | SN_NEEDS_ROT, 0, -SN_INFINITE, SN_INFINITE, NULL                                 \
    }

/* Plain numbers have the names of the node's coordinates: all of them, or the chosen one. */
static inline sn_status sn_scalars_layout(sn_layout *l, int rate, sn_err *err)
{
    static const char *const unit[] = {"m", "rad", "1", NULL}, *const rates[][2] = {{"m/s", "m/s^2"},
                                                                                    {"rad/s", "rad/s^2"},
                                                                                    {"1/s", "1/s^2"},
                                                                                    {"", ""}};
    int chosen = l->coord[0];
    if (l->slot_n[0]) return sn_fail(err, SN_ERR_INPUT, NULL, "'offset' is for planar or spatial nodes");
    if (rate > 1 && l->order == 1)
        return sn_fail(err, SN_ERR_INPUT, NULL, "a first-order coordinate has no acceleration");
    l->ny = chosen < 0 ? l->nv : 1;
    SN_TRY(sn_layout_has_room(l, l->ny, err));
    for (int i = 0; i < l->ny; i++) {
        int u = 0, k = chosen < 0 ? i : chosen;
        while (unit[u] && strcmp(unit[u], l->coord_unit[k]) != 0) u++;
        l->component[i] = l->coord_name[k];
        l->unit[i] = rate ? rates[u][rate - 1] : l->coord_unit[k];
    }
    return SN_OK;
}

/* Components x y (z) and, where the node rotates, theta or rx ry rz, of the position or a rate of it. */
static inline sn_status sn_point_layout(sn_layout *l, int rate, sn_err *err)
{
    static const char *const length[] = {"m", "m/s", "m/s^2"}, *const angle[] = {"rad", "rad/s", "rad/s^2"};
    static const char *const plane[] = {"x", "y", "theta"}, *const space[] = {"x",  "y",  "z",
                                                                              "rx", "ry", "rz"};
    if (l->view[0] <= SN_SCALARS) return sn_scalars_layout(l, rate, err);
    if (l->slot_n[0] && (l->slot_n[0] != l->dim || !sn_is_frame(l->view, 0)))
        return sn_fail(err, SN_ERR_INPUT, NULL, "'offset' has %d numbers here, of a node with a rotation",
                       l->dim);
    l->ny = l->nv;
    for (int k = 0; k < l->ny && k < 6; k++) {
        l->component[k] = l->dim == 3 ? space[k] : plane[k];
        l->unit[k] = k < l->dim ? length[rate] : angle[rate];
    }
    return SN_OK;
}

/* The components that are plain coordinates, all but those of rotations: y of x, and D their derivatives by
 * it.
 */
static inline void sn_point_flat(const sn_in *in, const double *x, double *y, double *D)
{
    int chosen = in->coord[0], n = chosen >= 0 ? 1 : sn_is_frame(in->view, 0) ? in->dim : in->nv;
    for (int k = 0; k < n; k++) {
        int at = chosen >= 0 ? chosen : k;
        y[k] = x[at];
        if (D) D[k * in->nv + at] = 1;
    }
}

/* The offset of the measured point, or zeros. */
static inline const double *sn_point_offset(const sn_in *in)
{
    static const double none[3] = {0, 0, 0};
    return in->ns ? in->s : none;
}

/* += f R u~ */
static inline void sn_block3_turn(double *D, int n, int row, int col, double f, const double *R,
                                  const double *u)
{
    double S[9];
    sn_skew3(u, S);
    sn_matmul3(R, S, S);
    sn_block3(D, n, row, col, f, S);
}

#endif
