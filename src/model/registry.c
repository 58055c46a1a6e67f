/* Registries of kinds: those of the families' list.h, and behind them what plug-ins have added. A line
   SN_KIND(beam2d_cr) in element/list.h stands for the table sn_element_beam2d_cr; each list is read twice,
   once to declare the tables and once to collect them.

   The lists that everybody reads are never changed: adding makes new ones and puts them in place of the old
   by one pointer, so that readers need no lock. The old ones stay, somebody may be walking them. */
#include "model/registry.h"
#include "base/mem.h"
#include "model/scheme.h"

#include <stdatomic.h>
#include <string.h>

const char *const sn_family_name[SN_FAMILIES] = {"node",   "element",  "joint",     "signal",
                                                 "sensor", "property", "integrator"};

#define SN_KIND(kind) extern const sn_node_class sn_node_##kind;
#include "node/list.h"
#undef SN_KIND
#define SN_KIND(kind) extern const sn_element_class sn_element_##kind;
#include "element/list.h"
#undef SN_KIND
#define SN_KIND(kind) extern const sn_joint_class sn_joint_##kind;
#include "joint/list.h"
#undef SN_KIND
#define SN_KIND(kind) extern const sn_signal_class sn_signal_##kind;
#include "signal/list.h"
#undef SN_KIND
#define SN_KIND(kind) extern const sn_sensor_class sn_sensor_##kind;
#include "sensor/list.h"
#undef SN_KIND
#define SN_KIND(kind) extern const sn_property_class sn_property_##kind;
#include "property/list.h"
#undef SN_KIND
#define SN_KIND(kind) extern const sn_integrator_class sn_integrator_##kind;
#include "integrator/list.h"
#undef SN_KIND

static const void *const node_list[] = {
#define SN_KIND(kind) &sn_node_##kind,
#include "node/list.h"
#undef SN_KIND
    NULL};
static const void *const element_list[] = {
#define SN_KIND(kind) &sn_element_##kind,
#include "element/list.h"
#undef SN_KIND
    NULL};
static const void *const joint_list[] = {
#define SN_KIND(kind) &sn_joint_##kind,
#include "joint/list.h"
#undef SN_KIND
    NULL};
static const void *const signal_list[] = {
#define SN_KIND(kind) &sn_signal_##kind,
#include "signal/list.h"
#undef SN_KIND
    NULL};
static const void *const sensor_list[] = {
#define SN_KIND(kind) &sn_sensor_##kind,
#include "sensor/list.h"
#undef SN_KIND
    NULL};
static const void *const property_list[] = {
#define SN_KIND(kind) &sn_property_##kind,
#include "property/list.h"
#undef SN_KIND
    NULL};
static const void *const integrator_list[] = {
#define SN_KIND(kind) &sn_integrator_##kind,
#include "integrator/list.h"
#undef SN_KIND
    NULL};

typedef struct registry {
    const void *const *family[SN_FAMILIES];
    const struct registry *before; /* what it took the place of */
} registry;

static const registry built_in = {
    {node_list, element_list, joint_list, signal_list, sensor_list, property_list, integrator_list}, NULL};
static const registry *_Atomic current = &built_in;

const void *const *sn_family_all(int family)
{
    return atomic_load_explicit(&current, memory_order_acquire)->family[family];
}

const char *sn_class_name(const void *cls) { return *(const char *const *)cls; }

static const void *find(int family, const char *name)
{
    const void *const *kind = sn_family_all(family);
    while (*kind && strcmp(sn_class_name(*kind), name) != 0) kind++;
    return *kind;
}

#define SN_REGISTRY(family, number)                                                                          \
    const sn_##family##_class *const *sn_##family##_all(void)                                                \
    {                                                                                                        \
        return (const sn_##family##_class *const *)sn_family_all(number);                                    \
    }                                                                                                        \
    const sn_##family##_class *sn_##family##_find(const char *name) { return find(number, name); }
SN_REGISTRY(node, SN_FAMILY_NODE)
SN_REGISTRY(element, SN_FAMILY_ELEMENT)
SN_REGISTRY(joint, SN_FAMILY_JOINT)
SN_REGISTRY(signal, SN_FAMILY_SIGNAL)
SN_REGISTRY(sensor, SN_FAMILY_SENSOR)
SN_REGISTRY(property, SN_FAMILY_PROPERTY)
SN_REGISTRY(integrator, SN_FAMILY_INTEGRATOR)

static size_t count(const void *const *kind)
{
    size_t n = 0;
    while (kind && kind[n]) n++;
    return n;
}

sn_status sn_registry_append(const void *const *const more[SN_FAMILIES], sn_err *err)
{
    const registry *old = atomic_load_explicit(&current, memory_order_relaxed);
    size_t n = 0;
    for (int f = 0; f < SN_FAMILIES; f++) n += count(old->family[f]) + count(more[f]) + 1;
    registry *new = sn_alloc(1, sizeof *new + n * sizeof(void *));
    if (!new) return SN_OUT_OF_MEM(err);
    const void **at = (const void **)(void *)(new + 1);
    for (int f = 0; f < SN_FAMILIES; f++) {
        new->family[f] = at;
        for (size_t i = 0; i < count(old->family[f]); i++) *at++ = old->family[f][i];
        for (size_t i = 0; i < count(more[f]); i++) *at++ = more[f][i];
        *at++ = NULL;
    }
    new->before = old;
    atomic_store_explicit(&current, new, memory_order_release);
    return SN_OK;
}
