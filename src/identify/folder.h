/* The folder that results are written into. */
#ifndef SN_IDENTIFY_FOLDER_H
#define SN_IDENTIFY_FOLDER_H

#include "sinew/base.h"

/* Made where it is not there, and checked, before anything is computed: a search may take hours. */
sn_status sn_folder_make(const char *folder, sn_err *err);

#endif
