#include "identify/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

sn_status sn_folder_make(const char *folder, sn_err *err)
{
    sn_mark where = {.file = folder};
    struct stat st;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return sn_fail(err, SN_ERR_FILE, &where, "the folder cannot be made: %s", strerror(errno));
    if (stat(folder, &st) || !S_ISDIR(st.st_mode)) return sn_fail(err, SN_ERR_FILE, &where, "is no folder");
    if (access(folder, W_OK))
        return sn_fail(err, SN_ERR_FILE, &where, "nothing can be written here: %s", strerror(errno));
    return SN_OK;
}
