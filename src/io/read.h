/* Models from files with other meshes than are written in them. */
#ifndef SN_IO_READ_H
#define SN_IO_READ_H

#include "model/model.h"

/* As sn_model_read; what can be meshed gets so many times its divisions, each way, what is written without
   `elements` included. Names mean the same places as in the model as it is written. */
sn_status sn_model_read_refined(const char *path, int refined, sn_model **model, sn_err *err);

#endif
