/* Model files and studies from YAML, through libfyaml: a tree of items with their places. */
#ifndef SN_IO_YAML_H
#define SN_IO_YAML_H

#include "model/item.h"

enum {
    SN_YAML_MAX_BYTES = 1 << 30, /* a larger file is refused with a clear error */
    SN_YAML_MAX_DEPTH = 64
};

/* Read a file (or a text with a name to show). The tree, its texts and the copy of the source live in the
 * arena. */
sn_status sn_yaml_read_file(const char *path, sn_arena *arena, sn_item **root, sn_err *err);
sn_status sn_yaml_read_text(const char *name, const char *text, size_t len, sn_arena *arena, sn_item **root,
                            sn_err *err);
/* The same of another kind of file, for messages: "a study" that begins with "study: 1". */
sn_status sn_yaml_read_kind(const char *kind, const char *begin, const char *path, sn_arena *arena,
                            sn_item **root, sn_err *err);

#endif
