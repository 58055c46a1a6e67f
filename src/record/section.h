/* The cross section behind a piece of a beam. */
#ifndef SN_RECORD_SECTION_H
#define SN_RECORD_SECTION_H

#include "model/model.h"

/* outline SN_OUTLINE_NONE: it is not known, and neither is the rest. */
void sn_section_of(const sn_model *m, const sn_values *p, const sn_object *o, sn_section *out);

#endif
