/* cylinder: solid, or hollow with an inner radius. With the unit axis u, ga = (r^2 + i^2)/2 along and
   gt = (r^2 + i^2)/4 + l^2/12 across it, J = gt 1 + (ga - gt) u u'. */
#include "property/shape.h"

extern const sn_property_class sn_property_shape_cylinder;

#define ACROSS  "((radius^2+inner^2)/4+length^2/12)"
#define MORE    "((radius^2+inner^2)/4-length^2/12)"
#define J(a, b) MORE "*axis." a "*axis." b "/max(axis_length^2,1e-300)"

static const sn_slot slots[] = {
    {"radius", "m", "outer radius", 1, SN_POSITIVE | SN_NEEDED, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"length", "m", "along the axis", 1, SN_POSITIVE | SN_NEEDED, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"inner", "m", "inner radius", 1, 0, 0, 0, SN_INFINITE, NULL},
    {"axis", "", "direction, of any length", 3, 0, 0, -SN_INFINITE, SN_INFINITE, "0;0;1"},
    SN_SHAPE_CENTRE,
    SN_SHAPE_DENSITY,
    SN_SHAPE_VOLUME("pi*(radius-inner)*(radius+inner)*length", 0),
    SN_SHAPE_GYRATION(ACROSS "+" J("x", "x") ";" ACROSS "+" J("y", "y") ";" ACROSS "+" J("z", "z"),
                      J("x", "y") ";" J("x", "z") ";" J("y", "z")),
    {"axis_length", "", "of `axis`, which must have a direction", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     "sqrt(axis.x^2+axis.y^2+axis.z^2)"},
    {.name = NULL},
};

enum { RADIUS, LENGTH, INNER, AXIS, CENTRE = AXIS + 3 };

/* Its own z is the axis; x and y are any two directions across it, x in the plane of the axis and that
   coordinate direction which is farthest from it. */
static void draw(const double *s, double *out)
{
    const double *a = s + AXIS;
    double *R = out + SN_DRAW_TURN, n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), u[3], v[3];
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(a[i]) < fabs(a[k])) k = i;
    for (int i = 0; i < 3; i++) u[i] = n > 0 ? a[i] / n : i == 2;
    double across = sqrt(1 - u[k] * u[k]);
    for (int i = 0; i < 3; i++) v[i] = ((i == k) - u[k] * u[i]) / across;
    for (int i = 0; i < 3; i++) {
        R[3 * i] = v[i];
        R[3 * i + 1] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
        R[3 * i + 2] = u[i];
        out[SN_DRAW_PLACE + i] = s[CENTRE + i];
        out[SN_DRAW_SIZE + i] = s[i];
    }
}

const sn_property_class sn_property_shape_cylinder = {
    .name = "cylinder",
    .doc = "cylinder, solid or hollow",
    .section = 2,
    .slots = slots,
    .draw = draw,
    .outline = SN_SOLID_CYLINDER,
};
