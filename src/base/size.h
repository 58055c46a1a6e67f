/* Structures of options carry their size, as the program was compiled. */
#ifndef SN_BASE_SIZE_H
#define SN_BASE_SIZE_H

#include "sinew/base.h"

/* Whether options of type `name` have the size that the library knows; 0: they were never filled. */
sn_status sn_size_check(const char *name, size_t size, size_t known, sn_err *err);
#define SN_OPTIONS_CHECK(type, options, err) sn_size_check(#type, (options)->size, sizeof(type), err)

#endif
