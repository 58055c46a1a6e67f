/* The cross section behind a piece of a beam. */
#ifndef SN_RECORD_SECTION_H
#define SN_RECORD_SECTION_H

#include "model/model.h"

/* Where the numbers of the slot of that name begin among those of the entry, and how many there are; -1:
   there is none. */
int sn_entry_slot(const sn_entry *e, const char *name, int *n);

/* outline SN_OUTLINE_NONE: it is not known, and neither is the rest. */
void sn_section_of(const sn_model *m, const sn_values *p, const sn_object *o, sn_section *out);

#endif
