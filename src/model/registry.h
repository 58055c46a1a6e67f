/* The registries of kinds are declared for everybody in sinew/class.h. */
#ifndef SN_MODEL_REGISTRY_H
#define SN_MODEL_REGISTRY_H

#include "sinew/class.h"

#endif
