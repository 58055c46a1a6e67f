/* Outputs that would replace an input. */
#include "sinew/sinew.h"

#include <sys/stat.h>

sn_status sn_output_check(const char *out, int n, const char *const *input, sn_err *err)
{
    struct stat a, b;
    if (!out || stat(out, &a) != 0 || !S_ISREG(a.st_mode)) return SN_OK;
    for (int i = 0; i < n; i++)
        if (stat(input[i], &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
            return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = out},
                           "the output would replace its own input '%s': choose another name", input[i]);
    return SN_OK;
}
