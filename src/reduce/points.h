/* Interfaces and other points of a body by what a person writes: "left, right", "hub = 1 + 2 + 7-12". */
#ifndef SN_REDUCE_POINTS_H
#define SN_REDUCE_POINTS_H

#include "reduce/fe_files.h"

/* Adds the points of a text to the list (in the arena; *n: how many there are, of room for SN_MOST_POINTS).
   mesh: sets and numbers of nodes, or NULL: names are those of nodes. place: n_place texts "left=0,0,0". */
enum { SN_MOST_POINTS = 1000 };
typedef struct sn_point_list {
    const sn_fe_body *fe;
    const sn_fe_mesh *mesh;
    int n_place;
    const char *const *place;
    sn_arena *arena;
    int n;
    sn_fe_point *point;
} sn_point_list;

sn_status sn_points_read(sn_point_list *l, const char *text, sn_err *err);
/* Whether each place that is given belongs to a point. */
sn_status sn_points_placed(const sn_point_list *l, sn_err *err);

#endif
