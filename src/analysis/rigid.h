/* A model whose flexible members are taken as rigid: beams, cables, shells and flexible bodies (elements that
   can be meshed, or that consist of a frame and modes) make the nodes that they connect rigid parts; springs
   and bushings connect nothing. How such a mechanism can move says the rank of the Jacobian of its joints:
   counting them (Gruebler) says it only where no equation follows from others. */
#ifndef SN_ANALYSIS_RIGID_H
#define SN_ANALYSIS_RIGID_H

#include "analysis/analysis.h"

enum { SN_WAYS = 6 };

/* A part moves in n ways (3 in the plane, 6 in space; fewer where its nodes do not feel them: a point does
   not turn). Way k is a velocity of its place and a spin, along global axes: way[k], in the plane x, y, turn.
 */
typedef struct sn_rigid_part {
    int first, n;     /* its columns */
    int node, ground; /* its first node, whose place is its own; whether the ground is one of its nodes */
    int plain;        /* coordinates of a node that does not lie in space; else 0 */
    double place[3], way[SN_WAYS][SN_WAYS];
} sn_rigid_part;

typedef struct sn_rigid {
    sn_context *d;
    sn_rigid_part *part;
    int n_part, columns, dim, ways;
    int *of;     /* part of each node; -1: it lies nowhere in space (modes, states) and keeps still */
    double *q;   /* nq: the state's configuration, for moves */
    double *row; /* max_node x SN_WAYS: of one node */
} sn_rigid;

/* Whether the element makes its nodes one part. */
int sn_is_member(const sn_object *o);
/* Parts and their ways at the context's state. */
sn_status sn_rigid_open(sn_context *d, sn_rigid *r, sn_err *err);
void sn_rigid_close(sn_rigid *r);
/* The entry of the file behind an element, also where that stands for one at each node of a set. */
int sn_written_entry(const sn_model *m, const sn_object *o);
/* How coordinates q with these places move where their body's `place` moves in `way`; others of x stay. */
void sn_rigid_velocity(int dim, const sn_node_places *at, const double *q, const double *way,
                       const double *place, double *x);
/* The same of all coordinates of a node. */
void sn_rigid_node_velocity(const sn_rigid *r, int node, const double *way, const double *place, double *x);
/* Moves the parts of the context's state by y (columns), rigidly and by finite angles, from r->q and the ways
   there. */
void sn_rigid_move(sn_rigid *r, const double *y);

/* What is known of the mechanism. */
typedef struct sn_mobility {
    int judged;        /* 0: too large */
    int ways;          /* with its drives free */
    int driven;        /* of these, prescribed by drives */
    int redundant;     /* equations that follow from others while the members are rigid */
    int flexible;      /* there are flexible members */
    int singular;      /* ways that it has in this position only */
    int instantaneous; /* and it cannot go along any of its ways but for an instant */
    int dead_centre;   /* drives do not determine the motion here, but nearby */
    int idle;          /* drives that cannot move anything but by deformation */
} sn_mobility;

/* Tells through `line`: "mobile" names of what moves, "idle" drives that need deformation. */
typedef sn_status sn_tell(void *to, const char *what, const char *text);
sn_status sn_find_mobility(sn_context *d, sn_mobility *y, sn_tell *line, void *to, sn_err *err);
/* "weld" what shares a node, or is joined so that nothing moves. */
sn_status sn_find_welds(sn_context *d, sn_tell *line, void *to, sn_err *err);
/* "body" mass, centre, inertia of every entry that has mass, as sn_check_report.names says. */
sn_status sn_find_bodies(sn_context *d, sn_tell *line, void *to, sn_err *err);
/* "zero" what nothing was written of. */
sn_status sn_find_unwritten(sn_context *d, double mass, sn_tell *line, void *to, sn_err *err);

#endif
