/* What a picture is coloured by and its arrows: section forces, stress, energy of the elements, reactions of
   the joints, applied loads; all at one recorded state. See docs/results.md. */
#ifndef SN_RECORD_FIELDS_H
#define SN_RECORD_FIELDS_H

#include "system/system.h"

typedef enum sn_field_kind {
    SN_FIELD_AXIAL,
    SN_FIELD_SHEAR,
    SN_FIELD_TORSION,
    SN_FIELD_BENDING,
    SN_FIELD_STRESS,
    SN_FIELD_ENERGY,
    SN_FIELD_REACTION,
    SN_FIELD_LOAD,
    SN_FIELDS
} sn_field_kind;

/* `per` numbers for each of n objects; row: their numbers among the elements (reactions: the joints). */
typedef struct sn_field {
    const char *name, *unit;
    int per, n;
    int *row;
    double *value;
} sn_field;

/* Components of an element's output force_local: where those of N, V, T, M begin, and how many there are. */
enum { SN_ROLE_N, SN_ROLE_V, SN_ROLE_T, SN_ROLE_M, SN_ROLES };
typedef struct sn_roles {
    signed char at[SN_ROLES], n[SN_ROLES];
    char some;  /* there are any */
    char round; /* the section is */
} sn_roles;

typedef struct sn_fields {
    sn_field field[SN_FIELDS];
    sn_work *w;
    int *output;     /* of each element: output group force_local, -1: none */
    double *factor;  /* of each element 3: 1/A, half height over I_z, half width over I_y; NAN: not known */
    sn_roles *roles; /* of each element */
    int *pin;        /* of each joint: which of its nodes the reaction is taken on */
    double *arm;     /* and its place from there, 3 */
    double *point;   /* of each element 3: where a load acts, from its node */
} sn_fields;

/* Lists and room in the arena, and a work of its own: end it in any case. */
sn_status sn_fields_begin(sn_fields *f, const sn_model *m, const sn_values *p, sn_arena *arena, sn_err *err);
void sn_fields_end(sn_fields *f);
/* All values at a state. What cannot be computed is NAN. */
void sn_fields_eval(sn_fields *f, const sn_frame *x);

#endif
