#include "base/part.h"

#include <string.h>
#include <strings.h>

static const struct ending {
    const char *text;
    sn_part part;
} endings[] = {
    {".h5", SN_PART_H5},    {".hdf5", SN_PART_H5},  {".h5ad", SN_PART_H5},
    {".op4", SN_PART_OP4},  {".pch", SN_PART_BULK}, {".bdf", SN_PART_BULK},
    {".dat", SN_PART_BULK}, {".nas", SN_PART_BULK}, {".dmig", SN_PART_BULK},
};

sn_part sn_part_of(const char *text, size_t *length)
{
    for (const char *end = text + strcspn(text, ":");; end += 1 + strcspn(end + 1, ":")) {
        const size_t n = (size_t)(end - text);
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            const size_t k = strlen(endings[i].text);
            if (n <= k || strncasecmp(end - k, endings[i].text, k) != 0) continue;
            *length = n;
            return endings[i].part;
        }
        if (!*end) break;
    }
    *length = strlen(text);
    return SN_PART_NONE;
}
