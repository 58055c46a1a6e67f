/* A finite-element body that deforms little in its own axes, reduced to modes: what body kinds see as their
   block. A particle of the reference place X (body axes) is displaced by u = sum_i phi_i(X) d_i and lies at x
   = x0 + A (X + u); a material point has turned by A (I + theta~), theta = sum_i theta_i d_i. Integrals are
   over the mass, a matrix is row-major, a vector times a vector' has the first as rows. */
#ifndef SN_MODEL_REDUCED_BODY_H
#define SN_MODEL_REDUCED_BODY_H

#include "sinew/class.h"

typedef struct sn_reduced_body {
    int nd;           /* modes, orthonormal with the mass: */
    const double *w2; /* nd: modal stiffnesses, squared angular frequencies; modal masses are 1 */

    /* nd x nd, symmetric: forces on the modes by their rates, of dampers within the body. NULL: there are
     * none */
    const double *damping;

    /* Points by name: interfaces first, then others that can be tied or sensed. */
    int n_interface, n_point;
    const char *const *point;
    const double *X, *phi, *theta; /* n_point x 3; n_point x 3 x nd each */

    double mass, first[3], second[9]; /* of 1, X, X X' */
    const double *S, *XP;             /* nd x 3: of phi_i; nd x 9: of X phi_i' */
    /* nd x nd x 9: of phi_i phi_j'. NULL: not known, since the mass matrix is not M_s (x) I3 and nothing
       tells where the particles are. */
    const double *PP;

    /* Invariants of a floating frame: inertia J = J0 + sum J1_i d_i + sum J2_ij d_i d_j, angular momentum of
       the modes' velocities sum_i (h0_i + sum_j H_ji d_j) d_i'. */
    double J0[9];
    const double *J1, *J2; /* nd x 9, nd x nd x 9 */
    const double *h0, *H;  /* nd x 3, nd x nd x 3 */

    /* nd: axial.d is how far the line between the first two interfaces is stretched, over its shortening when
       it buckles (which is linear, so that -axial.d is the load over the buckling load). NULL: not known. */
    const double *axial;

    /* For pictures. */
    int n_mesh_node, n_line, n_triangle;
    const double *mesh_X, *mesh_phi; /* n_mesh_node x 3; x 3 x nd */
    const int *line, *triangle;      /* pairs, triples of mesh nodes */

    /* Stresses and stress resultants at named places: y = recover d, recovery_n numbers at each. */
    int n_recovery, recovery_n;
    const char *const *recovery, *const *recovery_component, *const *recovery_unit;
    const double *recover; /* n_recovery x recovery_n x nd */

    const char *recipe; /* how it was made, for people */
} sn_reduced_body;

enum { SN_REDUCED_BODY_VERSION = 1 }; /* of the file's format */

/* Of a file into block->data, for sn_file.read. */
sn_status sn_reduced_body_read(const char *path, sn_block *block, sn_err *err);
/* J0 from `second`, and where PP is known J1, J2, h0, H from XP and PP. */
sn_status sn_reduced_body_invariants(sn_reduced_body *b, sn_block *block, sn_err *err);
/* What it is drawn as, in the axes of its file. */
static inline void sn_reduced_body_mesh(const sn_reduced_body *b, sn_drawn_mesh *m)
{
    m->n_node = b->n_mesh_node, m->n_mode = b->nd;
    m->X = b->mesh_X, m->phi = b->mesh_phi;
    m->n_line = b->n_line, m->line = b->line;
    m->n_triangle = b->n_triangle, m->triangle = b->triangle;
}

#endif
