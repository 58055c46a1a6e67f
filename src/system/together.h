/* Elements evaluated by several threads. */
#ifndef SN_SYSTEM_TOGETHER_H
#define SN_SYSTEM_TOGETHER_H

#include "system/system.h"

static inline unsigned sn_element_flags(const sn_object *o)
{
    return o->host >= 0 ? 0 : ((const sn_element_class *)o->cls)->flags; /* loads along elements have none */
}
/* One element at the state, by the scratch of w alone: w->r and, with coef, w->K (by the increment), C, M. 0:
   it cannot be evaluated. */
int sn_system_element(sn_work *w, const sn_state *x, int e, const sn_coef *coef);

void sn_together_free(sn_together *t);
/* All elements, as sn_system_eval adds them to f, Ax, Cx, Mx. The first that cannot be evaluated, or -1. */
int sn_together_elements(sn_work *w, const sn_state *x, const sn_coef *coef);

#endif
