/* A model of own members, beams, shells, rigid bodies, springs and rigid joints between them, as a
   finite-element body. */
#ifndef SN_REDUCE_FE_MODEL_H
#define SN_REDUCE_FE_MODEL_H

#include "model/model.h"
#include "reduce/reduce.h"

/* The matrices about the reference configuration, or (at_static) about the equilibrium without gravity. All
   of it in the arena; nodes of the body are those of the model but for the ground. Model and values must stay
   until the body is reduced: its stiffness under load comes from them. */
sn_status sn_fe_of_model(const sn_model *m, const sn_values *p, int at_static, sn_arena *arena,
                         sn_fe_body *out, sn_err *err);
/* The node of that name in the body; -1: there is none. */
int sn_fe_node(const sn_fe_body *fe, const char *name);

#endif
