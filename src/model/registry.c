/* Registries of kinds, made from the families' list.h. A line SN_KIND(beam2d_cr) in element/list.h stands for
   the table sn_element_beam2d_cr; each list is read twice, once to declare the tables and once to collect
   them. */
#include "model/registry.h"

#include "model/scheme.h"

#include <string.h>

#define SN_REGISTRY(family)                                                                                  \
    const sn_##family##_class *const *sn_##family##_all(void) { return family##_list; }                      \
    const sn_##family##_class *sn_##family##_find(const char *name)                                          \
    {                                                                                                        \
        const sn_##family##_class *const *kind = family##_list;                                              \
        while (*kind && strcmp((*kind)->name, name) != 0) kind++;                                            \
        return *kind;                                                                                        \
    }

#define SN_KIND(kind) extern const sn_node_class sn_node_##kind;
#include "node/list.h"
#undef SN_KIND
#define SN_KIND(kind) &sn_node_##kind,
static const sn_node_class *const node_list[] = {
#include "node/list.h"
    NULL};
#undef SN_KIND
SN_REGISTRY(node)

#define SN_KIND(kind) extern const sn_element_class sn_element_##kind;
#include "element/list.h"
#undef SN_KIND
#define SN_KIND(kind) &sn_element_##kind,
static const sn_element_class *const element_list[] = {
#include "element/list.h"
    NULL};
#undef SN_KIND
SN_REGISTRY(element)

#define SN_KIND(kind) extern const sn_joint_class sn_joint_##kind;
#include "joint/list.h"
#undef SN_KIND
#define SN_KIND(kind) &sn_joint_##kind,
static const sn_joint_class *const joint_list[] = {
#include "joint/list.h"
    NULL};
#undef SN_KIND
SN_REGISTRY(joint)

#define SN_KIND(kind) extern const sn_signal_class sn_signal_##kind;
#include "signal/list.h"
#undef SN_KIND
#define SN_KIND(kind) &sn_signal_##kind,
static const sn_signal_class *const signal_list[] = {
#include "signal/list.h"
    NULL};
#undef SN_KIND
SN_REGISTRY(signal)

#define SN_KIND(kind) extern const sn_sensor_class sn_sensor_##kind;
#include "sensor/list.h"
#undef SN_KIND
#define SN_KIND(kind) &sn_sensor_##kind,
static const sn_sensor_class *const sensor_list[] = {
#include "sensor/list.h"
    NULL};
#undef SN_KIND
SN_REGISTRY(sensor)

#define SN_KIND(kind) extern const sn_property_class sn_property_##kind;
#include "property/list.h"
#undef SN_KIND
#define SN_KIND(kind) &sn_property_##kind,
static const sn_property_class *const property_list[] = {
#include "property/list.h"
    NULL};
#undef SN_KIND
SN_REGISTRY(property)

/* ---- integrators, with room for some that are added ---- */

enum { INTEGRATORS = 32 };

#define SN_KIND(kind) extern const sn_integrator_class sn_integrator_##kind;
#include "integrator/list.h"
#undef SN_KIND
#define SN_KIND(kind) &sn_integrator_##kind,
static const sn_integrator_class *integrator_list[INTEGRATORS + 1] = {
#include "integrator/list.h"
};
#undef SN_KIND
SN_REGISTRY(integrator)

sn_status sn_integrator_add(const sn_integrator_class *k, sn_err *err)
{
    int n = 0;
    SN_TRY(sn_integrator_check(k, err));
    while (integrator_list[n]) n++;
    if (n == INTEGRATORS) return sn_fail(err, SN_ERR_INPUT, NULL, "%d integrators are too many", n + 1);
    integrator_list[n] = k;
    return SN_OK;
}
