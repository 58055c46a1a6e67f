/* Models from files, perhaps with other meshes or entries than are written in them. */
#ifndef SN_IO_READ_H
#define SN_IO_READ_H

#include "model/model.h"

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

/* A model file and how it is to be read. */
typedef struct sn_model_file {
    const char *path;
    int refined; /* what can be meshed has so many times its divisions, each way; 1: as written */
    int n_replacement;
    const sn_replacement *replacement;
    sn_reducer *reduce; /* makes bodies that are reduced in place; NULL: they are refused */
} sn_model_file;
sn_status sn_model_load(const sn_model_file *file, sn_model **model, sn_err *err);
sn_status sn_model_load_text(const char *name, const char *text, size_t length, sn_reducer *reduce,
                             sn_model **model, sn_err *err);

#endif
