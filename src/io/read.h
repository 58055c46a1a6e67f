/* Models from files with other meshes than are written in them. */
#ifndef SN_IO_READ_H
#define SN_IO_READ_H

#include "model/model.h"

/* As sn_model_read; what can be meshed gets so many times its divisions, each way, what is written without
   `elements` included. Names mean the same places as in the model as it is written. */
sn_status sn_model_read_refined(const char *path, int refined, sn_model **model, sn_err *err);

/* What stands in place of something that the file, or one that it includes, says: the section, the name with
   the prefix of an include, and perhaps a key of the entry ("": its first, which names its kind), and one
   number of the list behind that. What is meant is YAML. */
typedef struct sn_replacement {
    const char *section, *name, *key; /* key: NULL: the whole entry */
    int component;                    /* from 0; -1: all that stands behind the key */
    int n;                            /* numbers behind the key, where the file does not write it */
    int added;                        /* an entry more, of the main file */
    const char *text;
    const sn_mark *where; /* for errors */
} sn_replacement;
sn_status sn_model_read_replaced(const char *path, int refined, int n, const sn_replacement *list,
                                 sn_model **model, sn_err *err);

#endif
