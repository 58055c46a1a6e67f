#include "base/room.h"
#include "base/mem.h"

int sn_has_room(double bytes)
{
    const double blas = 144 << 20;
    void *p = sn_alloc((size_t)((bytes + blas) / 1024), 1024);
    sn_free(p);
    return p != NULL;
}
