/* Inside of the compiler: entries -> quantities -> objects -> pattern. See compile.c for the order of the
 * passes. */
#ifndef SN_MODEL_COMPILE_H
#define SN_MODEL_COMPILE_H

#include "model/model.h"
#include "model/registry.h"

/* A text still to be parsed into the expression of a quantity. */
typedef struct sn_pending {
    int quantity;
    const char *text;
    sn_mark mark;
    int section, entry; /* whose; -1: the model's own (gravity, run) */
    const sn_scope *scope;
    int formula;         /* a default of the table: own slots, properties, @node are known */
    int varies;          /* t and signals are allowed */
    const int *property; /* of a formula: entries in place of the entry's own materials and so on; or NULL */
} sn_pending;

typedef struct sn_compiler {
    sn_model *m;
    const sn_loader *load;
    sn_arena *items; /* trees of all files and what they hold: gone after compiling */
    sn_err *err;
    sn_pending *pending;
    int n_pending, cap_pending;
    sn_map node_name; /* all nodes, mesh nodes too */
    sn_map edge;      /* of meshed surfaces: "corner corner parts", its first inner node */
    const sn_item *gravity, *run;
    const sn_scope *placed; /* all included files that are */
    int meshed;             /* elements in all meshes */
    unsigned char *member;  /* of each node: a member ends there */
    const char **key;       /* that the entry at hand may have */
    int n_key, cap_key;
    int incomplete;   /* a file could not be read: what it would have defined is not missed aloud */
    int depth, files; /* of includes: open, and read so far */
} sn_compiler;

/* Only running out of memory stops a pass; everything else is reported and the pass goes on. */
#define SN_MUST(call)                                                                                        \
    do {                                                                                                     \
        if ((call) == SN_ERR_MEMORY) return SN_ERR_MEMORY;                                                   \
    } while (0)

#define SN_TOO_MANY_NUMBERS                                                                                  \
    "the model has more than %d numbers, those of mesh nodes and of each piece of tapered beams counted"

/* slots.c */
sn_status sn_compile_slots(sn_compiler *c); /* quantities and options of all entries */
sn_status sn_compile_entry(sn_compiler *c, int section, int index); /* of one */
const sn_item *sn_slot_item(int section, const sn_entry *e,
                            const sn_slot *slot); /* what was written, or NULL */
/* Component i of a slot from what the user wrote for it, from the table's formula, or from its default. */
sn_status sn_slot_value(sn_compiler *c, int section, int index, const sn_slot *slot, const sn_item *k, int i,
                        int id);

int sn_choice(const char *choices, const char *text);   /* of "a|b|c", -1: none */
sn_status sn_key_add(sn_compiler *c, const char *name); /* to those in c->key */
/* Reports keys of a map, all but `but`, that are none of those in c->key. */
void sn_unknown_keys(sn_compiler *c, int section, const sn_entry *e, const sn_item *map, const sn_item *but);

/* items.c */
size_t
sn_slot_list(const sn_slot *s); /* length of the list's key in "plies.angle"; 0: a number of the entry */
unsigned sn_item_groups(const sn_slot *s); /* groups of properties that numbers of items need, as bits */
int sn_entry_has_items(const sn_compiler *c, const sn_entry *e); /* in a list of its own or of a property */
const char *sn_list_name(sn_compiler *c, const sn_entry *e);     /* key of its first list */
sn_status sn_list_keys(sn_compiler *c, const sn_slot *slots);    /* into c->key */
/* All numbers of the list that slot *k belongs to; *k moves behind it. */
sn_status sn_item_slots(sn_compiler *c, int section, int index, int *k);

/* file.c */
/* The path of a file that an entry names: from the folder of the model file. NULL: out of memory. */
const char *sn_file_path(sn_compiler *c, const sn_entry *e, const char *name);
sn_status sn_entry_block(sn_compiler *c, sn_entry *e); /* of an element: reads its file of constants */
/* Whether `reduce: {...}` may stand in place of the file; and the body that it makes. */
int sn_reduces_in_place(const sn_element_class *cls);
sn_status sn_entry_reduce(sn_compiler *c, sn_entry *e, const sn_item *recipe);

/* colour.c */
sn_status sn_entry_colour(sn_compiler *c, sn_entry *e); /* of an element */

/* place.c */
sn_status sn_place_matrix(sn_compiler *c, const char *prefix, const sn_mark *mark, int place);
int sn_slot_turns(sn_compiler *c, int section, const sn_entry *e, int k); /* with the placement of its file */
sn_status sn_place_slots(sn_compiler *c, int section, int index);
sn_status sn_place_check(sn_compiler *c);

/* entry.c */
sn_status sn_compile_sensor_joints(sn_compiler *c);
sn_status sn_compile_file(sn_compiler *c, const sn_item *root, const sn_scope *scope);
/* An entry that nobody wrote: a list of n texts behind the key of its kind, which is still to be given. */
sn_status sn_entry_make(sn_compiler *c, int section, const char *name, int n, const char *const *text,
                        const sn_mark *mark, int *index);
const sn_args *sn_entry_args(int section, const void *cls);
const sn_option *sn_entry_options(int section, const void *cls);
const char *sn_entry_kind(int section, const void *cls);
int sn_is_property(int section); /* materials, sections, shapes */

/* property.c */
int sn_property_group(const char *name);         /* of "shape.mass", or -1 */
unsigned sn_formula_groups(const char *formula); /* groups that "shape.mass" names, as bits; of NULL none */
/* Groups that an element with these slots takes, as bits; plain: those whose numbers may stand in its own
 * entry. */
unsigned sn_property_groups(const sn_slot *s, unsigned *plain);
/* Whether its formula needs a property by group ("shape.mass"): 0 no, 1 one that the entry gives, -1 one that
 * it does not. */
int sn_slot_property(const sn_slot *slot, const sn_item *entry);
/* The same of an entry: an element, or a property that has lists of items. */
unsigned sn_entry_groups(int section, const sn_entry *e, unsigned *plain);
sn_status sn_entry_properties(sn_compiler *c, int section, int index); /* finds what it names */

/* quantity.c */
/* name NULL: a slot of entry `owner` of `section` (SN_SEC_COUNT: of the mesh node `owner`). */
sn_status sn_quantity_add(sn_compiler *c, const char *name, const sn_slot *slot, const sn_mark *mark,
                          int *id);
sn_status sn_quantity_slot(sn_compiler *c, int section, int owner, const sn_slot *slot, const sn_mark *mark,
                           int *id);
sn_status sn_quantity_follow(sn_compiler *c, int id, int from); /* it is what quantity `from` is */
sn_status sn_quantity_later(sn_compiler *c, sn_pending text);
sn_status sn_compile_quantities(sn_compiler *c); /* parse, order, check dimensions */

/* taper.c */
int sn_taper_known(sn_compiler *c, int section, int entry); /* may its numbers depend on xi? */
/* Quantities of each piece of the entries whose numbers depend on xi; queue: all quantities and signals in
 * the order of evaluation. */
sn_status sn_compile_tapers(sn_compiler *c, const int *queue, int n);

/* bent.c */
/* Whether pieces of a meshed line have numbers of their own because it is bent in the reference, or its ends
   are off its nodes. */
int sn_bent(const sn_entry *e);
sn_status sn_bend(sn_compiler *c, sn_entry *e); /* these numbers, and the places of its mesh nodes */

/* address.c */
int sn_quantity_find(const sn_model *m, const char *name);                     /* by dotted name, or -1 */
int sn_slot_find(const sn_model *m, int section, int entry, const char *text); /* "at.x" of an entry, or -1 */

/* instead.c: what stands in place of an entry, or of a part of it, where something does */
sn_status sn_entry_instead(sn_compiler *c, int section, const char *name, const sn_item *item);

/* include.c */
sn_status sn_compile_include(sn_compiler *c, const sn_item *item, const sn_scope *scope);

/* names.c: what names may be, names of the first key */
int sn_name_valid(const char *name);
const char *sn_near_name(sn_compiler *c, int section, const sn_scope *scope,
                         const char *name); /* did you mean; or NULL */
int sn_arg_count(const sn_entry *e);
const sn_item *sn_arg_item(const sn_entry *e, int i);
const char *sn_scoped(sn_compiler *c, const sn_scope *scope,
                      const char *name); /* with prefix; NULL: out of memory */
int sn_entry_find(sn_compiler *c, int section, const sn_scope *scope, const char *name);
void sn_unknown_node(sn_compiler *c, const sn_scope *scope, const sn_item *item);
sn_status sn_unknown_name(sn_compiler *c, int section, const sn_scope *scope, const sn_item *item,
                          const char *what);

/* nodes.c */
sn_status sn_compile_node_kinds(sn_compiler *c);
sn_status sn_compile_nodes(sn_compiler *c); /* nodes of entries and of meshes */
int sn_node_named(sn_compiler *c, const sn_scope *scope, const char *name);
/* A node more: its class, name, first quantity, slot_n, opt and mark are given. */
sn_status sn_node_add(sn_compiler *c, sn_node n, int *index);
const sn_node_class *sn_frame_class(int dim);             /* the first that offers a frame; or NULL */
int sn_entry_needs_frame(int section, const sn_entry *e); /* a slot was given that says so */

/* attach.c */
sn_status
sn_compile_frames(sn_compiler *c); /* of nodes that have none; what was done before is not repeated */
/* Whether node i of an entry has to be the frame that is tied to it. */
int sn_wants_frame(int section, const sn_entry *e, int i, const sn_node *n);

/* inner.c */
sn_status sn_compile_inner_nodes(sn_compiler *c);
sn_status sn_compile_ties(sn_compiler *c);
/* Nodes that an element's entry brought along; returns how many. */
int sn_inner_nodes(sn_compiler *c, const sn_entry *e, int *node);

/* surface.c */
sn_status sn_compile_surfaces(sn_compiler *c); /* meshes of the section `meshes`, and elements on them */
/* The mesh that "wing.root" is of, and what follows its name; -1: it is of none. */
int sn_mesh_stem(sn_compiler *c, const sn_scope *scope, const char *name, const char **rest);
int sn_on_mesh(sn_compiler *c, const sn_entry *e); /* the mesh that an element is put on; -1: it is not */
/* Of a node of a mesh called "n12" or "n3_4"; *rest: what follows; -1: there is none. */
int sn_surface_named(const sn_surface *s, const char *text, const char **rest);

/* sets.c */
sn_status sn_compile_sets(sn_compiler *c); /* entries that are written with a set of nodes */

/* mesh.c */
sn_status sn_compile_meshes(sn_compiler *c); /* pieces and nodes of meshed elements */
/* Corner i, or the frame that is tied to it where the element asks for one; -1: not yet known. */
int sn_mesh_corner(sn_compiler *c, const sn_entry *e, int i);
int sn_mesh_node(const sn_entry *e, int i, int j);                       /* of a surface; -1: there is none */
void sn_mesh_piece(const sn_entry *e, int k, const int *end, int *node); /* nodes of piece k */
int sn_mesh_end(const sn_entry *e, int end); /* the piece at an end or corner, from 1 */
int sn_mesh_written(const sn_entry *e);      /* pieces as they are written, before a refinement */
/* Of a piece as it is written: the piece that has this end or corner of it; -1: none can be told. */
int sn_mesh_part(const sn_entry *e, int piece, int end);

/* view.c */
/* What of a node is seen: the view (0: all of it) and where it lies in the node's own q and v. */
typedef struct sn_seen {
    unsigned what;
    int q, v, nq, nv;
} sn_seen;
unsigned sn_class_offers(const sn_node_class *cls);
unsigned sn_args_ask(const sn_args *a, int i); /* of node i */
/* The richest view of those asked for (0: the whole node); returns 0 where the node offers none. */
int sn_node_seen(const sn_node *n, unsigned ask, sn_seen *out);
/* Sizes, blocks and gather maps of an object of a family on these nodes. */
sn_status sn_fill_nodes(sn_compiler *c, const sn_family *f, sn_object *o, const sn_args *args, int nn,
                        const int *node, const int *coord);

/* resolve.c: what entries name; what is wrong is reported */
/* Nodes of the first key and their coordinates (-1: none); how many, or -1. */
int sn_resolve_nodes(sn_compiler *c, int section, const sn_entry *e, int *node, int *coord);
/* Options that choose coordinates of the first node, as a bit mask. */
sn_status sn_choose_coords(sn_compiler *c, int section, const sn_entry *e, int node);
int sn_element_named(sn_compiler *c, const sn_entry *e, const sn_item *item); /* entry, or -1 */
int sn_is_load(sn_compiler *c, const sn_entry *e); /* put on an element, not on a node */
/* What a sensor measures: nodes (their number in *nn), or an element or joint entry (in *target; -1:
 * everything). */
sn_status sn_sensor_target(sn_compiler *c, const sn_entry *e, int *node, int *coord, int *nn, int *target);
sn_status sn_compile_names(sn_compiler *c); /* after errors: only checks what the objects name */

/* object.c */
sn_status sn_compile_objects(sn_compiler *c);
sn_status sn_compile_lines(sn_compiler *c); /* lines.c: joints along elements */
/* pattern.c */
sn_status sn_compile_pattern(sn_compiler *c);

#endif
