/* Inside of sn_values: evaluation, and the input of one object. */
#ifndef SN_MODEL_VALUES_H
#define SN_MODEL_VALUES_H

#include "model/model.h"

/* The values of an expression's variables (static ones only). */
void sn_values_gather(const sn_model *m, const sn_expr *e, const double *x, double *out);
/* All of an object's input that does not move: slots, constants, reference, options. */
void sn_object_in(const sn_model *m, const sn_values *p, const sn_object *o, sn_in *in);
/* The quantity set from outside that gives this one its value (itself, or for a number of a piece that of its
   entry), or -1: its own expression or number counts. */
int sn_values_fixed(const sn_values *p, int id);
/* sn_values_update without its ranges: numbers of no mechanical meaning (a negative stiffness) are evaluated
   all the same. They must be finite. */
sn_status sn_values_update_beyond(sn_values *p, sn_err *err);
/* All numbers as they are, nothing evaluated: of two values of one model; into new ones. */
void sn_values_assign(sn_values *to, const sn_values *from);
sn_status sn_values_clone(const sn_values *from, sn_values **out, sn_err *err);
/* A course through n points in time, in the arena; interpolation: a word of the kind's option, NULL: its
   default. */
sn_status sn_course_new(sn_arena *arena, int n, const double *t, const double *y, const char *interpolation,
                        const sn_course **out, sn_err *err);
/* The signal follows the course, which must live as long as these values and all copies of them. */
void sn_values_follow(sn_values *p, int signal, const sn_course *course);
int sn_quantity_find(const sn_model *m, const char *name);

#endif
