/* What a picture is coloured by and its arrows: what kinds of elements declare, their energy, reactions of
   the joints, applied loads; all at one recorded state. See docs/results.md. */
#ifndef SN_RECORD_FIELDS_H
#define SN_RECORD_FIELDS_H

#include "system/system.h"

/* A field of the result: what kinds declare alike, or one of those that every model has. */
typedef struct sn_field {
    const char *name, *unit, *doc;
    const char *of, *style; /* "elements" or "joints"; "signed", "plain", "force": see docs/results.md */
    int n;                  /* components */
    const char *const *component;
    int rows, width; /* objects that have it, and their numbers */
    int *row;        /* 2 each: number among the elements (or joints), points */
    double *value;
    double *next; /* where the next number goes, as the objects pass by */
} sn_field;

/* Of a kind of element that declares fields: which of the result's they are, and how many numbers each. */
typedef struct sn_field_plan {
    const sn_element_class *cls;
    int n, total; /* fields, numbers of them all */
    struct sn_field_part {
        int field, count, of_section;
    } * part;
} sn_field_plan;

typedef struct sn_fields {
    sn_field *field;
    int n;
    sn_work *w;
    sn_field_plan *plan;        /* ends with a NULL class */
    int *plan_of;               /* of each element: its plan, -1: declares nothing */
    const sn_section **section; /* of each element, NULL: not known or not asked for */
    double *y;                  /* the numbers of one element */
    int energy, reaction, load; /* which fields these are */
    int *pin;                   /* of each joint: which of its nodes the reaction is taken on */
    double *arm;                /* and its place from there, 3 */
    double *point;              /* of each element 3: where a load acts, from its node */
} sn_fields;

/* Lists and room in the arena, and a work of its own: end it in any case. */
sn_status sn_fields_begin(sn_fields *f, const sn_model *m, const sn_values *p, sn_arena *arena, sn_err *err);
void sn_fields_end(sn_fields *f);
/* All values at a state. What cannot be computed is NAN. */
void sn_fields_eval(sn_fields *f, const sn_frame *x);

#endif
