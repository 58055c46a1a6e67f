/* What the readers of a study share: numbers, keys, paths, and the experiments with their data. */
#ifndef SN_IDENTIFY_READ_H
#define SN_IDENTIFY_READ_H

#include "identify/study.h"
#include "io/yaml.h"
#include "sensitivity/gradient.h"

#include <stdio.h>

sn_status sn_read_number(sn_arena *arena, const sn_item *i, double *x, sn_err *err); /* "5 mm", in SI */
sn_status sn_read_text(sn_arena *arena, const char *text, double *x, sn_err *err);
/* All keys of a map are in the list (ended by NULL), or an error with a guess. */
sn_status sn_read_keys(const sn_item *map, const char *const *keys, const char *what, sn_err *err);
const char *sn_read_folder(sn_arena *arena, const char *path); /* "" or with a trailing slash */
const char *sn_read_path(sn_arena *arena, const char *folder, const char *name); /* relative to the folder */

/* Divides the experiments that are not held out into s->windows parts. */
sn_status sn_read_windows(sn_study *s, sn_err *err);
sn_status sn_read_experiments(sn_study *s, const sn_item *root, const char *data, sn_err *err);

#endif
