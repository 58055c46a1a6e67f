/* Models from files; bodies that are reduced in place are made meanwhile. Those with other meshes or entries
   than are written: */
#ifndef SN_REDUCE_READ_H
#define SN_REDUCE_READ_H

#include "io/read.h"

/* As sn_model_read; what can be meshed gets so many times its divisions, each way, what is written without
   `elements` included. Names mean the same places as in the model as it is written. */
sn_status sn_model_read_refined(const char *path, int refined, sn_model **model, sn_err *err);
sn_status sn_model_read_replaced(const char *path, int refined, int n, const sn_replacement *list,
                                 sn_model **model, sn_err *err);

/* A model as its file and settings "name=value" have it; see sn_model_read_set. */
sn_status sn_model_load_set(const sn_model_file *file, int n_set, const char *const *set, sn_model **model,
                            sn_err *err);

/* Which of the settings "name=value" decide how the model is built, as replacements; r has room for n_set,
   and their names belong to the model. Returns how many. */
int sn_structure_replaced(const sn_model *m, int n_set, const char *const *set, sn_replacement *r);

#endif
