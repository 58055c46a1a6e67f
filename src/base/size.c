#include "base/size.h"

sn_status sn_size_check(const char *name, size_t size, size_t known, sn_err *err)
{
    if (size == known) return SN_OK;
    if (!size)
        return sn_fail(err, SN_ERR_INPUT, NULL, "the options have no size: %s_default fills them", name);
    return sn_fail(
        err, SN_ERR_INPUT, NULL,
        "the program was compiled with other headers of sinew: its %s has %zu bytes, the library's has "
        "%zu; compile it again",
        name, size, known);
}
