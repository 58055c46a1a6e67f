/* Matrices of the mass of geometrically exact beams, in the vectors that their field is made of: of both
   nodes the end's place, the slope (the length times the section's axis) and the arm from the axis to the
   mass centre. T = m/2 sum D_ab p_a'.p_b'. Cubic in places and slopes, linear in the arms; or places linear,
   or points. */
#ifndef SN_ELEMENT_BEAM_GE_FIELD_H
#define SN_ELEMENT_BEAM_GE_FIELD_H

enum { CONSISTENT, LINEAR, LUMPED };
enum { PLACE, SLOPE, ARM, VECTORS };

/* D: x1, t1, d1, x2, t2, d2 */
static const double mass_matrix[3][36] = {
    [CONSISTENT] = {156. / 420, 22. / 420, 7. / 20,  54. / 420,  -13. / 420, 3. / 20,  /**/
                    22. / 420,  4. / 420,  1. / 20,  13. / 420,  -3. / 420,  1. / 30,  /**/
                    7. / 20,    1. / 20,   1. / 3,   3. / 20,    -1. / 30,   1. / 6,   /**/
                    54. / 420,  13. / 420, 3. / 20,  156. / 420, -22. / 420, 7. / 20,  /**/
                    -13. / 420, -3. / 420, -1. / 30, -22. / 420, 4. / 420,   -1. / 20, /**/
                    3. / 20,    1. / 30,   1. / 6,   7. / 20,    -1. / 20,   1. / 3},
    [LINEAR] = {1. / 3, 0, 1. / 3, 1. / 6, 0, 1. / 6, 0, 0, 0, 0, 0, 0, 1. / 3, 0, 1. / 3, 1. / 6, 0, 1. / 6,
                1. / 6, 0, 1. / 6, 1. / 3, 0, 1. / 3, 0, 0, 0, 0, 0, 0, 1. / 6, 0, 1. / 6, 1. / 3, 0, 1. / 3},
    [LUMPED] = {.5, 0, .5, 0,  0, 0,  0, 0, 0, 0, 0, 0, .5, 0, .5, 0,  0, 0,
                0,  0, 0,  .5, 0, .5, 0, 0, 0, 0, 0, 0, 0,  0, 0,  .5, 0, .5},
};

#endif
