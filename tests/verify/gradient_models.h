/* Models that contain every kind of the registries (test_gradient_kinds checks that they do), for tests of
   derivatives by every number. */
#ifndef SN_TESTS_VERIFY_GRADIENT_MODELS_H
#define SN_TESTS_VERIFY_GRADIENT_MODELS_H

#include "verify/gradient.h"

typedef struct model {
    const char *file;
    int each; /* differences for one number of this many */
    const char *skip[16];
} model;

/* Skipped: numbers that may not be moved. The place of a joint on a node without rotation moves with its node
   only, a mass point has no products of inertia, a spring no lever there; a fixed planar node no z, one
   of space no theta; shear stiffness 0 stands for infinity; a body that turns away leaves its tied nodes
   behind; a normal or an axis of a shell that is 0 stands for that of its surface.
 */
static const model models[] = {
    {"bodies2d", 5, {"elements.s3.point2", "elements.s4.point1", "elements.lag2.point2", NULL}},
    {"linkage2d", 5, {"joints.hinge.z", "joints.hinge.theta", NULL}},
    {"beams2d", 5, {"joints.wall.z", NULL}},
    {"contact2d", 4, {"elements.mc.inertia", "elements.mc.com", NULL}},
    {"bodies3d",
     6,
     {"elements.mc.products", "elements.mc.com", "elements.s3.point2", "elements.s4.point1",
      "elements.f3.point", NULL}},
    {"bushings", 4, {NULL}},
    {"rubber", 5, {NULL}},
    {"flexible",
     6,
     {"nodes.a.at", "nodes.b.at", "nodes.c.at", "nodes.d.at", "elements.one.at", "elements.two.at",
      "elements.one.rotation", "elements.one.x_axis", "elements.one.y_axis", "elements.two.rotation",
      "elements.two.x_axis", "elements.two.y_axis", "joints.one.", "joints.two.", NULL}},
    {"joints3d",
     10,
     {"joints.ball.at", "joints.hold.theta", "elements.mp.products", "elements.mp.com", NULL}},
    {"guides3d", 10, {"joints.plane.at", "elements.mp.products", "elements.mp.com", NULL}},
    {"drives3d", 10, {NULL}},
    {"beams3d", 12, {"joints.wall.theta", "elements.six.kGA", NULL}},
    {"slopes2d",
     4,
     {"joints.clamp.z", "elements.bead.inertia", "elements.bead.com", "elements.ball.", "elements.sp.point",
      NULL}},
    {"slopes3d", 4, {"joints.clamp.theta", "elements.bead.products", "elements.bead.com", NULL}},
    {"exact_beams2d", 8, {"joints.wall.z", "elements.three.kGA", "elements.three.stiffness", NULL}},
    {"exact_beams3d", 12, {"joints.wall.theta", "elements.three.kGA", "elements.three.stiffness", NULL}},
    {"slopes_plate",
     20,
     {"joints.clamp.theta", "joints.wall.theta", "elements.body.products", "elements.body.com",
      "elements.weight.products", "elements.weight.com", NULL}},
    {"contact3d", 4, {NULL}},
    {"shells",
     12,
     {"joints.wall.theta", "elements.one.normal", "elements.two.normal2", "elements.two.normal4",
      "elements.two.axis", NULL}},
    {"drums",
     30,
     {"elements.drum.normal", "elements.hat.normal", "elements.cap.normal", "elements.ring.normal",
      "elements.vase.normal", "elements.ring.axis", "elements.vase.axis", "joints.floor", NULL}},
    {"sheets",
     30,
     {"elements.roof.normal", "elements.sail.normal", "elements.quad.normal", "elements.tri.normal1",
      "elements.tri.normal3", "elements.quad.axis", "elements.tri.axis", "elements.lid.normal",
      "elements.lid.axis", NULL}},
    {"shapes3d", 8, {"elements.ball.products", "shapes.ball.gyration_products", NULL}},
};
enum { MODELS = sizeof models / sizeof *models };

static grad *open_model(const model *m)
{
    char path[256];
    snprintf(path, sizeof path, "tests/verify/data/gradient/%s.yaml", m->file);
    return grad_file(path);
}

#endif
