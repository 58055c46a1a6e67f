/* sinew/class.h: the tables that make a kind. A kind is one file with one const table, and one line in its
   family's list.h.

   The reader, the checker, `sinew help`, the documentation and the conformance test read these tables; nobody
   else names a kind. Numerical functions are pure: they see sn_in, write their outputs, allocate nothing and
   keep nothing. Letters (docs/notation.md): q configuration, v velocity, a acceleration, lam multipliers, phi
   constraints, r residual, K C M = dr/dq dr/dv dr/da. A matrix is a row-major array. "+=" means that the
   caller has zeroed the array before. */
#ifndef SINEW_CLASS_H
#define SINEW_CLASS_H

#include "sinew/base.h"
#include "sinew/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_REQUIRED ((double)__builtin_nan("")) /* a slot without a default */
#define SN_INFINITE ((double)__builtin_inf())

/* Numbers the user sets and identification may vary. A table of slots ends with an entry whose name is NULL.

   A slot called "plies.angle" (n = 0) is the number `angle` of each item of a list `plies: [{angle: ...},
   ...]`. Slots of one list follow each other and have as many numbers each as there are items. Their formulas
   see materials and so on that an item names before those of the entry. What an element does not have of a
   list it has from the section (material, shape) with a list of the same name. */
typedef struct sn_slot {
    const char *name, *unit, *doc;
    int n;              /* how many numbers; 0: the entry decides (tables, series, items of a list) */
    unsigned flags;     /* SN_VARIES ... */
    double def, lo, hi; /* default (SN_REQUIRED: must be given), admissible range, bounds included */
    const char
        *formula; /* default as an expression, or NULL: of own slots given by the user, of material and
                     section properties ("E*A"), of a shape ("shape.mass"), of own nodes' reference
                     positions ("@2.x"; "@j.x": of the node of two that a joint
                     sits on, see docs/model-file.md); for n > 1 one for each component, separated by ';' */
} sn_slot;

enum {
    SN_VARIES = 1,    /* may be a signal or an expression of t */
    SN_ROTATES = 2,   /* a direction: turns with the placement of an included mechanism */
    SN_POSITIVE = 4,  /* must be > 0 */
    SN_NEEDS_ROT = 8, /* when given, the nodes must have rotations */
    SN_PLACED = 16,   /* a position: turns and moves with the placement of an included mechanism */
    SN_TENSOR = 32,   /* three numbers xx, yy, zz, the next slot has xy, xz, yz: a symmetric tensor that turns
                         with the placement */
    SN_NEEDED = 64,   /* of a property: must be given or follow, also where no element asks for it */
    SN_FRICTION = 128, /* of a joint: part of its friction only, its constraint does not know it */
    SN_ON_NODE1 = 256, /* the point where the object is fastened to its first node (or a body has its centre):
                         from the node, in its axes; with SN_PLACED a place in the reference configuration */
    SN_ON_NODE2 = 512, /* the same of its second node; both: one place, a point of each */
    SN_WINDS = 1024, /* of a joint: an angle of which its first equation knows the sine of turn - angle; it is
                       led there from the angle that the positions have */
    SN_LEVERAGE = 2048, /* of a joint's friction: the length without which its coefficient has no effect */
    SN_ALIKE = 4096,    /* of several numbers: one stands for all of them */
    SN_RISES = 8192,    /* a list in which each number is greater than the one before: the kind looks */
    SN_DISSIPATES =
        16384, /* of an element: a damping without the second in its unit; 0: nothing is lost by it */
    SN_OF_REFERENCE = 32768,   /* of an element: says where it lies in the reference configuration; nodes that
                                  it brings along do not follow it, though they have a number of this name */
    SN_POINTS = 65536,         /* of a mesh: written as a list of points, [[x, y], ...] */
    SN_WITHOUT_ITEMS = 131072, /* an entry with a list of items does not have it: not available (NaN) */
    SN_WITH_UNIT = 262144,     /* of items: a plain number other than 0 is refused, it needs its unit */
    SN_OF_MASS = 524288 /* of an element, with the default 0: its mass; what moves, and statics under gravity,
                           ask for it where it is neither written nor follows */
};

/* Choices that are not numbers. The value in sn_in.opt is the index of the choice.
   choices: "no|yes" (also false/true), "a|b|c"; "#": an integer; "@coords": a list of coordinate names of the
   first node, as a bit mask over its tangent coordinates (default -1: all; SN_CHOSEN); "@place": of a
   sensor, the name of one of an element's places (sn_output_places); "@item": of a sensor, the number of an
   item of an element's list, from 1. Ends with a NULL name.
 */
typedef struct sn_option {
    const char *name, *choices, *doc;
    int def;
} sn_option;

/* What a node offers and others ask for: a kind sees each of its nodes as one of these views, in its
   coordinates. Each but the first begins with the place: x, y in the plane, x, y, z in space. */
enum {
    SN_SCALARS = 1,  /* plain numbers that lie nowhere in space: all those of the node from there on */
    SN_POSITION = 2, /* a place */
    SN_DIRECTOR = 4, /* a place and a vector d of any length: x, y, z, dx, dy, dz (plane: x, y, dx, dy) */
    SN_SLOPES = 8,   /* a place and three vectors (plane: two), its derivatives by the material coordinates */
    SN_SURFACE = 32, /* a place on a surface r(x, y) and three vectors, r_x, r_y and r_xy; in space */
    SN_FRAME = 16    /* a place and axes: x, y, theta; or x, y, z, quaternion (q) and x, y, z global, rates in
                        body axes (v) */
};
typedef struct sn_offer {
    unsigned what;
    int q, v; /* where the view begins among the node's own q and v */
} sn_offer;

/* Whether an option "@coords" names coordinate k: of those from SN_MAX_CHOSEN on all or none. */
#define SN_CHOSEN(mask, k) ((k) < SN_MAX_CHOSEN ? (mask) >> (k)&1 : (mask) < 0)

/* What the first key of an entry takes. */
enum {
    SN_ARG_NODE = 1,    /* names of nodes */
    SN_ARG_COORD = 2,   /* coordinates of nodes: n3.theta (with SN_ARG_NODE: either) */
    SN_ARG_ELEMENT = 4, /* name of an element */
    SN_ARG_JOINT = 8,   /* name of a joint; with SN_ARG_NODE, of sensors: it stands for its nodes, and numbers
                           that the joint has too (`axis`) are by default the joint's */
    SN_ARG_NONE = 16,   /* nothing (null or 'all') */
    SN_ARG_SLOT = 32,   /* the value of the first slot */
    SN_ARG_FILE = 64    /* the name of a CSV file whose columns fill the slots (signals) */
};
typedef struct sn_args {
    unsigned what;
    int min, max; /* how many names */
    int dim;      /* 2: planar nodes, 3: spatial ones, 0: any */
    /* SN_ARG_NODE: the views that the kind understands, of which it is given the richest that a node offers
       (the highest); ask_first: those of the first node, 0: as ask. SN_ARG_COORD: 0, it is given whole nodes.
     */
    unsigned ask, ask_first;
} sn_args;

/* What a kind's function sees. Arrays are local: the blocks of the own nodes, one after the other, each in
   the coordinates of its view. */
typedef struct sn_in {
    const double *s, *sd, *sdd; /* slots, flattened in the order of the table; their time derivatives (joints
                                   and signals only) */
    const double *c;            /* constants made by prepare */
    const void *block;          /* what `file` made of the entry's file; NULL without one */
    const double *X;            /* reference configuration of the own nodes */
    const double *q, *v, *a;    /* v, a valid where the flags ask for them */
    const double *lam;          /* own multipliers (joints) */
    const double *g;            /* acceleration field, 3 components */
    double t;                   /* signals only */
    const double *asked;        /* of output: the slots of the sensor that asks; else NULL */
    const int *opt;             /* options, in the order of the table */
    const int *slot_n;          /* actual count of each slot of the table */
    const int *off, *offv;      /* nn + 1 offsets of the nodes' blocks in q and X, and in v and a */
    const unsigned *view;       /* nn: what each block is, SN_POSITION ...; 0: a whole node */
    const int
        *coord; /* for SN_ARG_COORD: index of each coordinate in v (and in q: flat nodes only); else -1 */
    int nn, nq, nv, ns, nc, m;
    int dim;      /* of the own nodes: 2 plane, 3 space, 0 neither */
    int material; /* of elements: K shall have no geometric part, see sn_run_options.tangent_only; who has
                     none may ignore it */
} sn_in;
/* Index of a derivative in dparam: [0, ns) slots, then the nq numbers of X, then the 3 components of g; in
   doutput then the numbers of `asked`. */

/* Whether block i is a place with axes. */
static inline int sn_is_frame(const unsigned *view, int i) { return view[i] == SN_FRAME; }

/* First derivatives of outputs: ny rows each of nv (lam: of m), zeroed by the caller. */
typedef struct sn_dout {
    double *q, *v, *a, *lam;
} sn_dout;

/* What is known when an object is laid out, and what the kind answers. */
typedef struct sn_layout {
    int nn, nq, nv, ns;
    int dim;   /* of the own nodes: 2 plane, 3 space, 0 neither; of the model for sensors of something else */
    int order; /* of the own nodes' coordinates: 2; 1 where some are of first order */
    const int *off, *offv, *opt;
    const unsigned *view;                              /* as in sn_in */
    const int *coord;                                  /* as in sn_in */
    const char *const *coord_name, *const *coord_unit; /* of the first node's coordinates */
    const int *slot_n;                                 /* actual count of each slot of the table */
    const void *block;                                 /* as in sn_in */
    int nc;                                            /* out: constants (default 0) */
    int m;                                             /* out, joints: equations */
    unsigned long long velocity; /* out, joints: bit i set: equation i is at velocity level */
    int vector;                  /* out, joints: the first dim equations are a vector's components
                                    along global axes */
    int ny;                      /* out, sensors: components */
    /* out, sensors: their names; joints: names of the equations. A kind with as many as its nodes have
       coordinates asks sn_layout_has_room before it writes them. */
    const char *component[SN_MAX_COMPONENTS], *unit[SN_MAX_COMPONENTS];
} sn_layout;

/* SN_OK where n components or equations have room; else a report. */
SN_API sn_status sn_layout_has_room(const sn_layout *l, int n, sn_err *err);

/* What is known when a node is laid out that has a size of its own for each entry, and what the kind answers.
 */
typedef struct sn_node_layout {
    const int *slot_n, *opt;
    int n; /* out: coordinates, in q and in v */
} sn_node_layout;

/* What a node's start sees. */
typedef struct sn_node_in {
    const double *s;         /* slots, flattened */
    const int *slot_n, *opt; /* actual count of each slot; options */
    int ns, nq, nv;
} sn_node_in;

typedef struct sn_node_class {
    const char *name, *doc;
    const sn_slot *slots;     /* the first is the position, taken by the kind's key */
    const sn_option *options; /* or NULL */
    /* Or NULL: the size is nq, nv. Else these are 0, and the node is flat. */
    sn_status (*layout)(sn_node_layout *l, sn_err *err);
    int nq, nv;
    int dim;                /* 2 or 3 (0: not in space) */
    int order;              /* 2; 1 for first-order coordinates */
    const sn_offer *offers; /* its views, ended by what = 0; who lies in space offers SN_POSITION at least */
    /* Of the nv coordinates: x y theta; m m rad. With layout one of each: z stands for z1, z2 ... */
    const char *const *coord, *const *unit;
    void (*start)(const sn_node_in *in, double *X, double *q, double *v); /* reference and start from slots */
    void (*dstart)(const sn_node_in *in, int index, double *dX, double *dq,
                   double *dv); /* their derivatives by slot `index` (dX of nq; dq, dv of nv) */
    /* Of a node that is not flat (curved), of SN_MAX_CURVED coordinates at most; all of them or none: */
    void (*retract)(const double *q, const double *d, double *q1); /* NULL: q + d */
    void (*difference)(const double *q, const double *q1,
                       double *d);                          /* its inverse, the shortest; NULL: q1 - q */
    void (*tangent)(const double *d, double *E, double *T); /* NULL: both the identity */
    void (*dtangent)(const double *d, const double *w,
                     double *D); /* D: derivative of T(d) w by d; with tangent */
    int turn; /* first coordinate that `tangent` mixes: those before it are flat, and the same in q and v */
    /* the rotation from q0 to q1 along global axes, dim x dim; NULL: has none */
    void (*turned)(const double *q0, const double *q1, double *Q);
    /* Of a node in space that offers no frame, or NULL: the joint kind on [this node, a frame] that ties a
       frame to it, all of the frame's coordinates. Where something needs a frame at NODE, it gets a massless
       one, NODE.frame, tied by NODE.attach. */
    const char *frame_joint;
} sn_node_class;

/* Groups of numbers that a sensor may ask of an element; ends with a NULL name. A group called "plies.stress"
   is known for each item of the list `plies` (of an empty list for one): `end` of output is then the place
   and nn + 1 times the item's number, from 0. Where the sensor that reads a group of this name has slots, the
   group depends on them: in->asked. */
typedef struct sn_output {
    const char *name, *doc;
    int n;
    const char *component[SN_MAX_COMPONENTS], *unit[SN_MAX_COMPONENTS];
} sn_output;

/* What an element's formulas describe ends somewhere: an angle (rad) that must stay below `most`, where the
   forces would jump. `what` goes before the angle, `remedy` says what to do. Where `fades` is set it is any
   number, beyond which the formulas are no longer good, and nothing jumps: that is told once. */
typedef struct sn_limit {
    const char *what, *remedy;
    double angle, most;
    int fades;
} sn_limit;
#define SN_LIMIT_NEAR 0.9 /* from this share of the limit on it is told */

enum {
    SN_USES_V = 1,        /* r depends on v: v is gathered, C is assembled */
    SN_USES_A = 2,        /* r depends on a: a is gathered, M is assembled */
    SN_SYMMETRIC = 4,     /* K of the static residual (v = a = 0) is symmetric */
    SN_CONSERVATIVE = 16, /* static residual is the gradient of the potential energy (slots constant) */
    SN_TURNS = 128,       /* its stiffness turns with the rotations of its nodes */
    SN_SETS_TANGENT = 256 /* eval writes all of K, C, M in place of adding to them */
};

/* What an object looks like, between its first nodes in their order, corners counterclockwise (a solid: four
   nodes, or eight, those of the bottom first). Pictures, pages and exports know this and no kinds. */
typedef enum sn_shape {
    SN_SHAPE_NONE,
    SN_SHAPE_POINT,
    SN_SHAPE_LINE,
    SN_SHAPE_TRIANGLE,
    SN_SHAPE_QUADRILATERAL,
    SN_SHAPE_SOLID
} sn_shape;
static inline int sn_shape_corners(sn_shape s) /* 0: its nodes tell */
{
    return s == SN_SHAPE_SOLID ? 0 : (int)s;
}
enum {
    SN_STRAIGHT, /* linear between the places of the nodes */
    SN_CUBIC     /* of a line: cubic, bent by the rotations of its nodes from the reference configuration */
};

/* Sizes for drawing; 0: not known. Where a line begins and a body has its centre is told by the slots with
   SN_ON_NODE1, SN_ON_NODE2. */
typedef struct sn_drawn_sizes {
    double height, width; /* of a line: along its local y and z, of a rectangle as stiff as the section */
    double across[3];     /* of a line: a vector in its local x-y plane; 0: across it, in the plane */
    double thickness;     /* of a surface */
    double radius;        /* of a point: of gyration */
} sn_drawn_sizes;

/* Of a line that need not be straight between its ends in the reference: where the nodes of its mesh lie, and
   a vector that is another in each piece. It counts where the slot `bends` is written. */
typedef struct sn_line_axis {
    const char *const *slots;   /* what it depends on beside the places of its ends; ends with NULL */
    const char *bends, *turned; /* of these; `turned`, a vector in the middle, turns along, or is NULL */
    const char *wrong;          /* why there is no such axis, where `at` says so */
    /* x: the ends' reference places and the slots, one after the other. y: the place at xi (0 .. 1) and the
       turned vector there; dy (or NULL): their derivative by x[index]. */
    sn_status (*at)(const double *x, int index, double xi, double *y, double *dy);
} sn_line_axis;
enum { SN_AXIS_MOST = 6 }; /* numbers of y */

typedef struct sn_geometry {
    sn_shape shape;
    int interpolation;  /* SN_STRAIGHT, SN_CUBIC */
    const char *symbol; /* the picture it is drawn as, or NULL: "spring", "hinge" ... (docs/results.md); one
                           that a reader does not know is drawn by the shape */
    int meshes;         /* of elements: 1: `elements: n` divides it, `elements: [n, m]` a quadrilateral */
    /* From the slots and their counts, z is zero before; or NULL */
    void (*sizes)(const double *s, const int *slot_n, sn_drawn_sizes *z);
} sn_geometry;

/* A mesh that an element is drawn as. It moves with the object's first node and is deformed by the numbers d
   of its second: mesh node i is at x + R (place + turn (X_i + sum_j phi_ij d_j)), x and R the first node's
   place and rotation. Arrays are of the kind's block, or constant. */
typedef struct sn_drawn_mesh {
    int n_node, n_mode;
    const double *X, *phi; /* n_node x 3; n_node x 3 x n_mode, or NULL: it keeps its form */
    int n_line, n_triangle;
    const int *line, *triangle; /* pairs and triples of mesh nodes. Lines between corners of triangles are
                                   their edges in the picture, others stand for themselves */
    double place[3], turn[9];   /* of the mesh's axes in those of the node */
} sn_drawn_mesh;

/* The cross section of a line, as far as it is known. */
enum { SN_OUTLINE_NONE, SN_OUTLINE_RECTANGLE, SN_OUTLINE_ROUND, SN_OUTLINE_I }; /* NONE: not known */
typedef struct sn_section {
    int outline;
    double size[4];     /* outer height and width, those of the hole */
    double A, I_y, I_z; /* area, second moments */
} sn_section;

/* Numbers of an element that pictures show; ends with a NULL name. What kinds declare alike (name, unit,
   components) is one field of a result. */
typedef struct sn_field_decl {
    const char *name, *unit, *doc;
    int points; /* 1: one for the element; else one for each of its corners, in the order of its nodes */
    int n;      /* components */
    unsigned flags;
    const char *component[SN_MAX_FIELD_COMPONENTS]; /* their names, where there are several */
} sn_field_decl;
enum {
    SN_FIELD_SIGNED = 1,    /* both signs have a meaning; else it is never negative */
    SN_FIELD_OF_SECTION = 2 /* only of elements whose section is known */
};

/* A load: it can be put on another element with SN_ARG_ELEMENT, and pictures show it as an arrow. */
typedef struct sn_load {
    int slot; /* first of the slots that are w; SN_LOAD_OF_NODES: its own eval sees the nodes of each piece */
    int option; /* which option is `turning`, from 1; 0: none, it does not turn */
} sn_load;
enum { SN_LOAD_OF_NODES = -1 };

/* A file of constants that an entry names by a key of its own: a mesh, the matrices of a reduced body. It is
   read once for all entries of the kind that name it, however often a parameter changes; numbers that are to
   be varied stay slots. */
typedef struct sn_block {
    void *data; /* out: what the functions see as in->block */
    /* Zeroed memory that lives as long as the model; NULL: there is none. */
    void *(*alloc)(struct sn_block *block, size_t n, size_t size);
    void *owner; /* of the memory: not for kinds */
} sn_block;
typedef struct sn_file {
    const char *key, *doc;
    /* Reads the file into block->data. What is wrong is told without the path: SN_ERR_FILE where it cannot be
       read, SN_ERR_INPUT where it says something else than expected, SN_ERR_MEMORY. */
    sn_status (*read)(const char *path, sn_block *block, sn_err *err);
} sn_file;

/* A node that an entry brings along, NAME.suffix, behind those it is written with; NULL suffix: the end. Its
   numbers follow slots of the entry: the first slot the one called `at` (NULL: zeros), others those of the
   same name and count; else they have their defaults. */
typedef struct sn_inner {
    const char *suffix, *kind, *at;
    /* Of a node kind whose entries decide: how many coordinates; 0: with this entry there is no such node.
       Sees slot_n, opt, block. NULL: it is always there, with the size of its kind, or one coordinate. */
    int (*count)(const sn_layout *l);
} sn_inner;

/* Of an element that consists of its inner nodes alone: each written node is tied to a point of it by a joint
   NAME.NODE on [inner nodes ..., written node]. The joint sees the element's block, its first option is the
   point, and those of its slots that the element has as well are the element's. */
typedef struct sn_tied_points {
    const char *joint,
        *key; /* kind; the key that names points in the order of the nodes, else the first are taken */
    int (*count)(const void *block); /* points */
    const char *(*name)(const void *block, int i);
} sn_tied_points;

/* Places of an element's block, by name, at which one of its output groups is known: a sensor with an option
   "@place" asks for them, `end` of output is then the place, from 1. The components are the block's. */
typedef struct sn_output_places {
    int output; /* which group */
    int (*count)(const void *block);
    const char *(*name)(const void *block, int i);
    int (*components)(const void *block, const char *const **name, const char *const **unit); /* how many */
} sn_output_places;

typedef struct sn_element_class {
    const char *name, *doc;
    sn_args args;
    const sn_slot *slots;
    const sn_option *options;       /* or NULL */
    const sn_output *outputs;       /* or NULL */
    const sn_output_places *places; /* or NULL */
    const sn_file *file;            /* or NULL */
    const sn_inner *inner;          /* nodes that its entries bring along; or NULL */
    const sn_tied_points *tie;      /* its written nodes are tied to it, and none of the object's; or NULL */
    unsigned flags;
    sn_status (*layout)(sn_layout *l, sn_err *err);                /* or NULL: no constants */
    sn_status (*prepare)(const sn_in *in, double *c, sn_err *err); /* constants, from s, X, opt; or NULL */
    /* r += residual; where K is not NULL also K += dr/dq, C += dr/dv, M += dr/da (C, M NULL without the flag;
       `=` in place of `+=` with SN_SETS_TANGENT). */
    sn_status (*eval)(const sn_in *in, double *r, double *K, double *C, double *M);
    /* dr += derivative of r by own slot, reference coordinate or field component `index`, through prepare. */
    sn_status (*dparam)(const sn_in *in, int index, double *dr);
    /* Output group `which` at end 1 or 2, of more than two nodes at node 1 ... nn or, end 0, in the middle; d
       may be NULL. y is written, not added. */
    sn_status (*output)(const sn_in *in, int which, int end, double *y, sn_dout *d);
    sn_status (*doutput)(const sn_in *in, int which, int end, int index, double *dy); /* dy written */
    /* NULL: it has none; of a kind with inertia (SN_USES_A) the model's energy and momentum are then refused.
       e[0] kinetic, e[1] potential (elastic + field). de (or NULL): de->q of 2 rows of nv, de->v likewise.
     */
    void (*energy)(const sn_in *in, double *e, sn_dout *de);
    void (*denergy)(const sn_in *in, int index, double *de); /* derivative of both */
    /* r -= generalized forces of a load w (force per unit length, 3 numbers: fx, fy, moment in the plane)
       spread over the element; turning: w is in the element's axes. K likewise or NULL. NULL: carries no
       load. */
    sn_status (*distribute)(const sn_in *in, const double *w, int turning, double *r, double *K);
    sn_status (*ddistribute)(const sn_in *in, const double *w, int turning, int index, double *dr);
    const sn_load *load;         /* of a load; else NULL */
    const sn_geometry *geometry; /* what it looks like; NULL: it has no shape of its own */
    const sn_line_axis *axis;    /* of a line that is meshed; NULL: its mesh is straight */
    /* Or NULL: a mesh that it is drawn as instead, from slots and block; m is zero before, and turn the
       identity. Where m keeps no nodes there is none, and the geometry is drawn. */
    void (*mesh)(const double *s, const void *block, sn_drawn_mesh *m);
    /* Numbers that pictures show; NULL: none. `field` writes all of them, one after the other, each points x
       n. The section is that of the object as far as it is known, else NULL: what is `of section` is not
       asked for then, and any number will do. */
    const sn_field_decl *fields;
    sn_status (*field)(const sn_in *in, const sn_section *section, double *y);
    /* Where the element is near its limit or past it: 1, and *l; else 0. Sees s, c, q, v. Turns that the
       nodes have made count (theta of the plane, the sign of a quaternion), so that past the limit it still
       says so. Asked at accepted states: cheap when far. NULL: there is no limit. */
    int (*limit)(const sn_in *in, sn_limit *l);
    /* Forces between two states, for schemes that keep energy and momentum: r += the static residual from in0
       to in1, taken at beta of the way (0 .. 1); where they are not NULL also K0 += dr/dq0, K1 += dr/dq1
       (both or none). The two inputs differ in q alone; v and a are not seen. Of one state twice r is the
       static residual (that of eval with v = a = 0) for every beta, and K0 + K1 its K. With beta = 1/2, of
       SN_CONSERVATIVE kinds, r.d = V(q1) - V(q0), V the potential of `energy` and q1 = retract(q0, d) the
       shortest way: r acts on the increment d (a rotation vector is the same in the axes of both ends).
       dpair: dr += derivative of r by number `index`, which both inputs see, through prepare. NULL: both or
       none; no scheme of today asks. */
    sn_status (*pair)(const sn_in *in0, const sn_in *in1, double beta, double *r, double *K0, double *K1);
    sn_status (*dpair)(const sn_in *in0, const sn_in *in1, double beta, int index, double *dr);
    /* Of a spatial kind with inertia, or NULL: its mass as particles, from which reduced bodies get their
       integrals. Of particle k in the configuration in->q: its mass (negative where an inertia has no mass of
       its own), its place x (3) and N (3 x nv): its velocity is N v, in global axes. The sum of m N'N is M of
       eval, and in the reference configuration a rigid motion of the nodes moves x with them. Sees s, c, q;
       0: there are no more. */
    int (*particle)(const sn_in *in, int k, double *m, double *x, double *N);
    /* Or NULL, of a kind that differentiates in several directions at less cost than by one number after the
       other: dr (n rows of nv) += sum of ds times the derivatives of r by the numbers of the first `together`
       slots and, behind them, the 3 of the field (ds: n rows of together + 3). A row does not depend on which
       others there are. */
    int together;
    sn_status (*dtogether)(const sn_in *in, int n, const double *ds, double *dr);
} sn_element_class;

/* The shape of what `elements` divides; SN_SHAPE_NONE: nothing. */
static inline sn_shape sn_element_mesh(const sn_element_class *c)
{
    return c->geometry && c->geometry->meshes ? c->geometry->shape : SN_SHAPE_NONE;
}

/* Outputs of a joint. r: nv, += B'lam (or G'lam). phi: m. B: m x nv, dphi/dq; for velocity-level rows
   dpsi/dq, and G: dpsi/dv. K += d(B'lam)/dq, C += dr/dv (nv x nv). L: nv x m, dr/dlam, only for kinds with
   SN_REACTION_DIFFERS (friction). B, G, K, C are all NULL when only the residual is wanted. */
typedef struct sn_joint_out {
    double *r, *phi, *B, *G, *K, *C, *L;
} sn_joint_out;

enum { SN_REACTION_DIFFERS = 32, SN_VELOCITY_LEVEL = 64 };

typedef struct sn_joint_class {
    const char *name, *doc;
    sn_args args;
    const sn_slot *slots;
    const sn_option *options;
    unsigned flags; /* SN_USES_V where phi or r depends on v */
    /* Or NULL. 0: with these slots eval needs neither v nor L in spite of SN_USES_V, SN_REACTION_DIFFERS (L
     * is NULL, C not used); dparam does. Looks only at slots that do not vary. */
    int (*has_friction)(const double *s);
    sn_status (*layout)(sn_layout *l, sn_err *err);
    sn_status (*prepare)(const sn_in *in, double *c, sn_err *err);
    /* Or NULL: whether what it joins lies in the reference configuration where it says, and if not, how far
       off. Asked behind prepare for every set of parameters of a model. */
    sn_status (*fits)(const sn_in *in, sn_err *err);
    sn_status (*eval)(const sn_in *in, sn_joint_out *out);
    /* phi_t: partial time derivative through varying slots (position rows; 0 for velocity rows).
       gamma: second time derivative of phi less B a (velocity rows: first time derivative of psi less G a).
     */
    sn_status (*rate)(const sn_in *in, double *phi_t, double *gamma);
    /* dr += d(B'lam)/dp, dphi += dphi/dp, index as for elements (no field). */
    sn_status (*dparam)(const sn_in *in, int index, double *dr, double *dphi);
    /* Of a joint on one node: the slot whose number coordinate k of the node is held at; -1: it is not. NULL:
     * the joint holds no coordinates. */
    int (*holds)(const int *opt, int dim, int k);
    const sn_geometry *geometry; /* what it looks like, or NULL */
} sn_joint_class;

typedef struct sn_signal_class {
    const char *name, *doc;
    sn_args args; /* SN_ARG_SLOT, perhaps SN_ARG_FILE */
    const sn_slot *slots;
    const sn_option *options;
    sn_status (*layout)(sn_layout *l, sn_err *err);
    sn_status (*prepare)(const sn_in *in, double *c, sn_err *err);
    void (*eval)(const sn_in *in, double *y); /* value and its first and second time derivative at in->t */
    void (*dparam)(const sn_in *in, int index, double *dy); /* their derivatives by slot `index` */
    /* NULL, or for kinds with many slots of which few matter at a time: those that eval depends on at in->t,
       ascending, at most SN_MAX_SUPPORT; returns how many, or -1 where it may be all, which only options
       decide
     */
    int (*support)(const sn_in *in, int *slot);
    /* > 0: an input, which a program may give while it simulates: so many first slots, each one number, are
       the coefficients of 1, x, x^2 ..., x = t less the slot behind them */
    int given;
} sn_signal_class;

/* Where a sensor's numbers come from. */
typedef enum sn_source {
    SN_FROM_NODES,      /* its own eval */
    SN_FROM_ELEMENT,    /* output group `output` of an element; where option 0 is `axes` its choice i > 0 asks
                           for group output_local */
    SN_FROM_REACTION,   /* force of a joint on one of its nodes */
    SN_FROM_ENERGY,     /* kinetic, potential, total of an element or of everything */
    SN_FROM_MOMENTUM,   /* linear and angular momentum of an element or of everything */
    SN_FROM_MULTIPLIER, /* of a joint with one equation: what it does along it, -lam */
    SN_FROM_VIOLATION   /* constraint violation of a joint or of everything */
} sn_source;

/* What the components of a sensor of one node (without an offset) are, one after the other. Rotations of
   space are no coordinates. */
typedef enum sn_measures {
    SN_MEASURES_OTHER,
    SN_MEASURES_COORDINATES,   /* the node's coordinates: places, then the angle of the plane */
    SN_MEASURES_DISPLACEMENTS, /* the same, less those of the reference configuration */
    SN_MEASURES_ROTATIONS      /* the coordinates behind the places */
} sn_measures;

typedef struct sn_sensor_class {
    const char *name, *doc;
    sn_args args;
    const sn_slot *slots;
    const sn_option *options;
    sn_source source;
    const char *output, *output_local;
    sn_status (*layout)(sn_layout *l, sn_err *err); /* components (SN_FROM_NODES) */
    sn_status (*prepare)(const sn_in *in, double *c, sn_err *err);
    sn_status (*eval)(const sn_in *in, double *y, sn_dout *d);   /* y written; d or NULL */
    sn_status (*dparam)(const sn_in *in, int index, double *dy); /* dy written */
    sn_measures measures;
    int rate; /* of what it measures: 0 itself, 1 its velocity, 2 its acceleration */
    unsigned
        turns; /* of nodes; bit k: component k is an angle, which is counted on past pi from state to state */
} sn_sensor_class;

enum { SN_SOLID_NONE, SN_SOLID_BOX, SN_SOLID_CYLINDER, SN_SOLID_SPHERE, SN_SOLID_TRIANGLES };

/* Named sets of numbers without mechanics: materials, sections and shapes. Other numbers follow from the
   slots by formulas; formulas of elements name them as "E" or, with the group, as "shape.mass". */
/* A line of a surface: a list of points, of `dim` coordinates each, in a slot of free length; or of three
   coordinates from one corner to another by the points of the slot. What a line is between its points is told
   by the kind's first option: straight, a spline, or an arc through three. */
typedef struct sn_mesh_line {
    const char *slot; /* NULL: the end */
    int along, back;  /* 0: followed along u, 1: along w; back: against it */
    int dim;
    int from, to; /* corners, from 1: three numbers each of the slot `corners`; 0: its own points are all */
} sn_mesh_line;
enum { SN_LINE_STRAIGHT, SN_LINE_SPLINE, SN_LINE_ARC };
enum { SN_MESH_LINES = 4 };

/* A surface by formulas: the place of the point (u, w), both from 0 to 1, in the mesh's own axes, by its own
   slots and the points of lines there ("line.x"). Normals point along (d/du) x (d/dw). */
typedef struct sn_mesh_form {
    const char *place[3];
    sn_mesh_line line[SN_MESH_LINES + 1];
    const char *closes; /* the slot without which u = 1 is u = 0 again; NULL: never */
} sn_mesh_form;

typedef struct sn_property_class {
    const char *name, *doc;
    int section;          /* 0: for `materials`, 1: for `sections`, 2: for `shapes`, 3: for `meshes` */
    int file;             /* 1: the kind's key takes the name of a file: of an STL file, which gives the first
                             slot; of a mesh */
    const sn_slot *slots; /* given, or by formula; a slot without either is simply not available */
    /* Shapes: from the slots, where it lies from the node (3), the turn of its own axes (9, row-major) and up
       to three sizes, 15 numbers for drawing; in the axes of the body. Sections: outer height and width, and
       those of the hole (an I: of what is missing at both sides together). NULL: it is not drawn. */
    void (*draw)(const double *s, double *out);
    int outline;              /* of sections: SN_OUTLINE_..., of shapes: SN_SOLID_... */
    const sn_mesh_form *form; /* of meshes that are no file */
    const sn_option *options; /* of shapes and meshes, or NULL */
} sn_property_class;

/* ---- registries: every kind in the order of its family's list.h, ended by NULL; and the search by keyword
 * ---- */
#define SN_REGISTRY(family)                                                                                  \
    SN_API const sn_##family##_class *const *sn_##family##_all(void);                                        \
    SN_API const sn_##family##_class *sn_##family##_find(const char *name);
SN_REGISTRY(node)
SN_REGISTRY(element)
SN_REGISTRY(joint)
SN_REGISTRY(signal)
SN_REGISTRY(sensor)
SN_REGISTRY(property)
#undef SN_REGISTRY

SN_API const sn_slot *sn_run_table(void);                   /* numbers of the `run` section */
SN_API const char *sn_scheme_name(int i, const char **doc); /* time integration schemes; NULL at the end */
SN_API const sn_slot *sn_scheme_slots(int i);               /* numbers of scheme i in `run`; or NULL */
SN_API const char *sn_solver_name(int i, const char **doc); /* linear solvers; NULL at the end */

#ifdef __cplusplus
}
#endif
#endif
