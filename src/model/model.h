/* The model: constant after compiling, shared by threads. Everything that moves is in sn_state, everything
   that depends on the numbers of one parameter set in sn_values, scratch in sn_work.

   Quantities: every number of a model file is a quantity, either a leaf (a plain number, which may be varied)
   or an expression of other quantities, of signals and of t. The slots of one entry are consecutive
   quantities, so that a kind's in->s is a pointer into the array of quantity values. Objects: instances that
   the system layer walks (a beam meshed into ten is one entry and ten objects). Unknowns: z = (d, lam), nv +
   m of them; index nv + m is a bin for rows and columns of the ground. */
#ifndef SN_MODEL_MODEL_H
#define SN_MODEL_MODEL_H

#include "base/map.h"
#include "model/expr.h"
#include "model/item.h"
#include "model/surface.h"
#include "sinew/class.h"
#include "sinew/sinew.h"

enum {
    SN_SEC_PARAMETERS,
    SN_SEC_MATERIALS,
    SN_SEC_SECTIONS,
    SN_SEC_SHAPES,
    SN_SEC_MESHES,
    SN_SEC_NODES,
    SN_SEC_ELEMENTS,
    SN_SEC_JOINTS,
    SN_SEC_SIGNALS,
    SN_SEC_SENSORS,
    SN_SEC_COUNT
};
extern const char *const sn_section_name[SN_SEC_COUNT];
/* Groups of properties: materials, sections, shapes; group g is the section SN_SEC_MATERIALS + g, and
   elements name an entry of it by the key sn_property_key[g]. */
enum { SN_PROPERTIES = 3 };
extern const char *const sn_property_key[SN_PROPERTIES];

/* Variables of expressions: quantity ids, or these. */
enum { SN_VAR_SIGNAL = SN_MAX_NUMBERS, SN_VAR_TIME = 2 * SN_MAX_NUMBERS };

typedef struct sn_quantity {
    const char *name;    /* of those that are no slot: "gravity.y"; NULL: sn_quantity_name puts it together */
    const sn_slot *slot; /* range and unit, or NULL (parameters) */
    sn_expr *expr;       /* NULL: a leaf */
    double value;        /* of a leaf; NAN: not available */
    sn_dimension dim;
    sn_mark mark;
    int owner; /* entry of `section`; SN_SEC_COUNT: node of a mesh */
    signed char section;
    char varies, tapers;          /* depends on t; on xi, the place along a beam */
    unsigned char structural : 1; /* a parameter that decides how the model is built: structure.c */
    unsigned char written : 1;    /* of a slot: the entry has its key */
    unsigned char
        settled : 1; /* a default that is a node's place: which node does not depend on their order */
} sn_quantity;

/* A number of one piece of a tapered beam: it belongs to the quantity `of` of the entry, which stands for all
   pieces: what is set there from outside goes before the expressions of the pieces. */
typedef struct sn_piece_number {
    int of, xi; /* xi: the quantity that holds the piece's own xi; of = -1 for this one itself */
} sn_piece_number;

/* Where an entry was written: the file's prefix and placement, inside the file that includes it. */
typedef struct sn_scope {
    const struct sn_scope *parent;
    const char *prefix; /* "" for the main file */
    const char *folder; /* of the file, for relative names; "" or with a trailing slash */
    const sn_item *set; /* parameters overridden by the including file, read in the parent's scope */
    int place;  /* first of its quantities: x, y, angle, or in space x, y, z, three angles and R; or -1 */
    int dim;    /* of the placement: 2 or 3 */
    int turned; /* an angle was given, here or further out */
    const struct sn_scope *next; /* of all that are placed */
    const char *path;            /* of the file, or NULL */
} sn_scope;

/* One entry of a section. */
typedef struct sn_entry {
    const char *name; /* with prefix */
    const sn_item *item;
    const sn_item *arg; /* value of the kind's key */
    const sn_scope *scope;
    const void *cls; /* table of its kind; NULL for parameters */
    const sn_slot *slots;
    int *slot_n; /* numbers in each slot */
    unsigned long long
        alike; /* bit k: one number was given for all of slot k (SN_ALIKE), the others follow it */
    int *opt;
    int first, n;                /* quantities */
    int property[SN_PROPERTIES]; /* entries, or -1 */
    int pieces;                  /* objects of an element entry */
    int piece_first, piece_n; /* tapered: quantities of the first piece, and of each; piece_n 0: all share */
    int object;               /* first object */
    int mesh;                 /* first inner node of a mesh; -1 */
    int divided[2];           /* of a mesh: along its first edge, and of a quadrilateral along its second */
    int refined;              /* of a mesh: so many times the divisions that are written; 0, 1: as written */
    int colour;               /* 0xrrggbb that it is drawn in; -1: as pictures like */
    int *grid;                /* nodes of a meshed surface; NULL */
    sn_surface *surface;      /* of a mesh, and of an element on one; NULL */
    const sn_node_class *node_cls; /* of a mesh: the kind of its nodes */
    int *corner;            /* of an element on a mesh: nodes of its pieces, one after the other; NULL */
    const char *file;       /* that gave its numbers, or NULL */
    const void *block;      /* what its kind made of the file that it names, or NULL */
    int set_of;             /* one of a set: the entry that is written, whose numbers it has; -1 */
    int set_first, set_n;   /* written with a set of nodes: entries of the single ones; -1: a bad one */
    unsigned of_joint : 31; /* of a sensor: 1 + the joint whose nodes it has; 0 */
    unsigned bad : 1;       /* reported: later passes say nothing more about it */
} sn_entry;

typedef struct sn_node {
    const sn_node_class *cls;
    const char *name;
    int q, v, s; /* first configuration, tangent coordinate, slot quantity; v = nv for the ground */
    int nq, nv, ns;
    const int *slot_n, *opt;                /* actual count of each slot; options */
    const char *const *coord, *const *unit; /* of the nv coordinates */
    int ground;
    int frame; /* the frame that is tied to it, or -1 */
    sn_mark mark;
} sn_node;

/* Where positions, rotations (theta; or quaternion and rates) and vectors that turn with the body (a
   director, slopes) begin in q and v; -1: there are none. */
typedef struct sn_node_places {
    int x_q, x_v, R_q, R_v, d_q, d_v;
    int vectors; /* how many at d */
} sn_node_places;

typedef struct sn_object {
    const void *cls;
    const char *name;
    int entry, piece;
    int host;  /* a load spread over this element object; -1 */
    int inner; /* how many of its nodes, the last, its entry brought along */
    int nn, nq, nv, m, ns, nc, ny;
    int dim; /* of its nodes */
    int *node;
    const int *coord, *off, *offv;
    const unsigned *view;        /* of each node */
    const sn_node_places *place; /* of each node, in the object's own q and v */
    int *qi, *vi;                /* gather: nq, nv indices */
    int *zi;                     /* scatter: nv + m unknowns (bin: the ground) */
    int *nz;                     /* (nv + m)^2 places in Ax, row-major; bin: none */
    int run; /* in each column, places of so many rows at a time follow each other; or 1 */
    const int *opt, *slot_n;
    const void *block;           /* of its entry */
    int s, c, x;                 /* first slot quantity, constant, reference coordinate in sn_values */
    int eq;                      /* first multiplier (joints) */
    unsigned long long velocity; /* velocity-level equations, bit mask */
    int vector;                  /* the first dim equations are a vector along global axes */
    const char *const *component, *const *unit; /* of sensors; names of equations of joints */
    /* sensors */
    int target, output, end; /* element or joint object, output group, its end; -1 all */
    int turned;              /* first of its angles that are counted on past pi, in sn_state */
    int n_target;            /* joints of which it is the sum, from `target` on; 0: one */
    sn_mark mark;
} sn_object;

typedef struct sn_family {
    sn_object *object;
    int n;
} sn_family;

/* A file of constants and what a kind made of it. */
struct sn_file_read {
    const void *cls;
    const char *path;
    const void *data;
};

/* The `run` section. */
typedef struct sn_run_setting {
    const char *name;
    int id, given; /* quantity; 0: the file says nothing, the default of the scheme counts */
} sn_run_setting;
typedef struct sn_run_entry {
    int first, n;            /* quantities: those of sn_run_table in their order, then settings */
    sn_run_setting *setting; /* of all schemes: the numbers of one name are one */
    int n_setting;
    const char *scheme, *solver, *start, *redundant, *constraints, *fields;
    sn_mark mark, scheme_mark, solver_mark, start_mark, redundant_mark, constraints_mark, fields_mark;
} sn_run_entry;
enum {
    SN_RUN_END,
    SN_RUN_STEP,
    SN_RUN_OUTPUT,
    SN_RUN_TOLERANCE,
    SN_RUN_ITERATIONS,
    SN_RUN_ERROR,
    SN_RUN_MIN_STEP,
    SN_RUN_MAX_STEP,
    SN_RUN_BEGIN,
    SN_RUN_PENALTY,
    SN_RUN_COUNT
};
int sn_is_run_key(const char *key); /* of every run, whatever its scheme */

struct sn_model {
    sn_arena arena;
    const char *title, *file, *source;
    const char **read; /* paths of all files that were read for it */
    int n_read, cap_read;
    struct sn_file_read *block; /* files of constants */
    int n_block, cap_block;
    sn_map name[SN_SEC_COUNT];
    sn_entry *entry[SN_SEC_COUNT];
    int n_entry[SN_SEC_COUNT], cap_entry[SN_SEC_COUNT];
    sn_quantity *quantity;
    int n_quantity, cap_quantity;
    sn_map quantity_name; /* those with a name of their own */
    int gravity;          /* first of 3 quantities */
    int along;            /* quantity xi: the place along a beam, 0 to 1 */
    int first_piece;      /* quantities from here on are of single pieces of tapered beams: */
    sn_piece_number *piece_number;
    int n_piece_number, cap_piece_number;
    sn_run_entry run;
    int *order, n_order;     /* expressions to evaluate, in order */
    int *varying, n_varying; /* quantities (id) and signals (SN_VAR_SIGNAL + i) that depend on t, in order */
    sn_node *node;
    int n_node, cap_node;
    sn_family element, joint, sensor, signal;
    int dim;                /* 2: planar, 3: spatial */
    int refined;            /* its meshes have so many times the divisions that are written; 1: as written */
    int nq, nv, m, n, flat; /* n = nv + m; flat: no node with a retract of its own */
    int nX, nc;             /* sizes in sn_values */
    int max_q, max_v, max_m, max_y;
    int n_turning;            /* angles of sensors that are counted on past pi */
    int max_node;             /* most numbers of a node */
    int first_order;          /* some coordinate is of first order */
    unsigned char *order_of;  /* nv: 1 or 2 */
    unsigned char *jointed;   /* nv: some equation touches it */
    unsigned char *velocity;  /* m: equation at velocity level */
    int *node_of;             /* nv: node of each coordinate */
    int *Ap, *Ai, *diag, nnz; /* diag: place of each diagonal entry */
};

/* Measured values that a signal follows in place of its own numbers: a signal of a kind that files can fill,
   with numbers that are no quantities of the model. course.c */
typedef struct sn_course {
    const sn_signal_class *cls;
    sn_in in;
} sn_course;

struct sn_values {
    const sn_model *model;
    double *x;                /* quantities */
    unsigned char *fixed;     /* 1: set by the user, the expression is not used */
    double *X, *c;            /* reference coordinates and constants of the objects */
    double *q0, *v0;          /* start */
    double length;            /* size of the model */
    const sn_course **course; /* of each signal, borrowed; NULL: its own numbers */
    double *reference;        /* nq: scratch of an update */
};

/* What stands in place of what the files say: instead.c. */
typedef struct sn_instead {
    const char *section, *name; /* with the prefix of an included file */
    const char *key;            /* of the entry; "": its first; NULL: the whole entry is another */
    int component;              /* one number of the list behind the key, from 0; -1: all of it */
    int n;                      /* numbers of that list, where the file leaves it to its default */
    const sn_item *item;
    int used; /* out: such an entry was found */
} sn_instead;

typedef sn_status sn_reducer(const sn_reduce_options *recipe, sn_block *block, sn_err *err);

/* Reads a file into an item tree; reads a CSV file's columns, an STL file's body. Given by the io layer. */
typedef struct sn_loader {
    sn_status (*read)(const char *path, sn_arena *arena, sn_item **root, sn_err *err);
    /* two columns, in the arena; `where` the file is asked for */
    sn_status (*csv)(const char *path, const char *column[2], const sn_mark *where, sn_arena *arena,
                     int *rows, const double *x[2], sn_err *err);
    /* a mesh of a file, in the arena */
    sn_status (*msh)(const char *path, const sn_mark *where, sn_arena *arena, sn_surface *out, sn_err *err);
    /* volume, centre, inertia of a unit mass about it: 10 numbers of an STL file; NULL: it is only looked
       whether it can be read */
    sn_status (*stl)(const char *path, double *out, const sn_mark *where, sn_err *err);
    /* Makes a reduced body (model/reduced_body.h) of a recipe, into block->data; NULL: nobody can. Given from
       further above: it reads models itself. */
    sn_reducer *reduce;
    sn_instead *instead; /* n_instead of them */
    int n_instead;
} sn_loader;

enum { SN_MAX_REFINED = 256 }; /* times the divisions that are written */

/* The items' arena stays the caller's and is not needed any more afterwards. refined: what can be meshed has
   so many times the divisions that are written, each way; 1: as written. Names mean the same places whatever
   it is (mesh.c). */
sn_status sn_model_compile(const sn_item *root, const char *path, sn_arena *items, const sn_loader *load,
                           int refined, sn_model **out, sn_err *err);

/* Remember that a file was read; the path is copied. */
sn_status sn_model_has_read(sn_model *m, const char *path, sn_err *err);

/* The richest of the views in the set `what` that a node offers; NULL: none of them. */
const sn_offer *sn_node_view(const sn_node *n, unsigned what);
/* Where they are in the node's own q and v. */
/* Vectors behind the place of such a view */
int sn_vectors(unsigned what, int dim);
sn_node_places sn_node_place(const sn_node *n);

/* What its class's start and dstart see; x: quantities. */
static inline sn_node_in sn_node_input(const sn_node *n, const double *x)
{
    return (sn_node_in){
        .s = x + n->s, .slot_n = n->slot_n, .opt = n->opt, .ns = n->ns, .nq = n->nq, .nv = n->nv};
}

/* R, row-major, of all placements from a scope outwards. */
void sn_place_turn(const sn_model *m, const sn_scope *scope, const double *x, double *R);

/* The signal of an input; NULL: there is no such. */
const sn_object *sn_input_object(const sn_model *m, int input);

/* Of a number of a piece: the quantity of its entry that it belongs to; else -1. */
static inline int sn_quantity_of(const sn_model *m, int id)
{
    return id < m->first_piece ? -1 : m->piece_number[id - m->first_piece].of;
}

/* What decides how a model is built: a parameter that counts elements, or "bar.elements" itself. key: NULL
   for a parameter. */
typedef struct sn_structure {
    const char *section, *name, *key;
} sn_structure;
/* Nodes by the name that a file can use for them: of one ("a", "bar.n3", "plate.n0_2") or of a set
   ("plate.edge4"). list has room for all nodes of the model. Returns how many; 0: there are none of this
   name. */
int sn_model_nodes(const sn_model *m, const char *name, int *list);
int sn_structure_change(const sn_model *m, const char *name, sn_structure *out); /* 0: the name is none */
/* Refuses a quantity that decides how the model is built; `name` for the message, `where` or NULL. */
sn_status sn_structure_refuse(const sn_model *m, int id, const char *name, const sn_mark *where, sn_err *err);

/* "elements.bar1.EA"; out is used when the name must be put together. */
const char *sn_quantity_name(const sn_model *m, int id, char *out, size_t size);
/* The full name without its section, where that is found as well. */
const char *sn_quantity_short(const sn_model *m, int id, const char *full);
int sn_coord_is_angle(const sn_model *m, int i); /* its row is a moment then, else a force */
const char *sn_coord_name(const sn_model *m, int i, char *out, size_t size);    /* "node2.theta" */
const char *sn_equation_name(const sn_model *m, int i, char *out, size_t size); /* "pin.x" */
const char *sn_equation_unit(const sn_model *m, int i);                         /* "m", "rad", ... */

#endif
