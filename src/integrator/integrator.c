/* The registry of integrators. */
#include "integrator/integrator.h"

#include <string.h>
#include <time.h>

#define SN_KIND(k) extern const sn_integrator_class sn_integrator_##k;
#include "integrator/list.h"
#undef SN_KIND

const sn_integrator_class *const *sn_integrator_all(void)
{
    static const sn_integrator_class *const all[] = {
#define SN_KIND(k) &sn_integrator_##k,
#include "integrator/list.h"
#undef SN_KIND
        NULL};
    return all;
}

const sn_integrator_class *sn_integrator_find(const char *scheme, const sn_scheme **s)
{
    for (const sn_integrator_class *const *k = sn_integrator_all(); scheme && *k; k++)
        for (*s = (*k)->schemes; (*s)->name; (*s)++)
            if (!strcmp((*s)->name, scheme)) return *k;
    return NULL;
}

const char *sn_scheme_name(int i, const char **doc)
{
    for (const sn_integrator_class *const *k = sn_integrator_all(); *k; k++)
        for (const sn_scheme *s = (*k)->schemes; s->name; s++)
            if (i-- == 0) {
                if (doc) *doc = s->doc;
                return s->name;
            }
    return NULL;
}

double sn_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
