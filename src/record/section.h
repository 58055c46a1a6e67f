/* The cross section behind a piece of a beam, as far as it is known. */
#ifndef SN_RECORD_SECTION_H
#define SN_RECORD_SECTION_H

#include "model/model.h"

typedef struct sn_section {
    const char *kind; /* "" without a section */
    int outline;      /* SN_OUTLINE_...; NONE: what follows is not known */
    double size[4];   /* outer height and width, those of the hole */
    double A, I_y, I_z;
} sn_section;

void sn_section_of(const sn_model *m, const sn_values *p, const sn_object *o, sn_section *out);

#endif
