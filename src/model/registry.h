/* The registries of kinds, as one array of tables for each family; sinew/class.h declares them family by
   family. Every table begins with its name. */
#ifndef SN_MODEL_REGISTRY_H
#define SN_MODEL_REGISTRY_H

#include "sinew/plugin.h"

enum {
    SN_FAMILY_NODE,
    SN_FAMILY_ELEMENT,
    SN_FAMILY_JOINT,
    SN_FAMILY_SIGNAL,
    SN_FAMILY_SENSOR,
    SN_FAMILY_PROPERTY,
    SN_FAMILY_INTEGRATOR,
    SN_FAMILIES
};
extern const char *const sn_family_name[SN_FAMILIES]; /* "node", ... */

/* The kinds of a family, ended by NULL. */
const void *const *sn_family_all(int family);
const char *sn_class_name(const void *cls);

/* Append kinds to all families at once, each list ended by NULL or NULL itself; the names are free. From one
   thread at a time. */
sn_status sn_registry_append(const void *const *const more[SN_FAMILIES], sn_err *err);

/* kind_check.c: report what a table lacks; `cls` is one of the family. Returns the number of reports. */
int sn_kind_check(int family, const void *cls, sn_err *err);

#endif
