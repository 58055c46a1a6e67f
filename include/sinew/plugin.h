/* sinew/plugin.h: kinds from outside. A plug-in is a set of tables (sinew/class.h, sinew/integrator.h) that a
   program adds by sn_plugin_add, or a shared library that exports one of them under the name `sinew_plugin`:

       #include <sinew/plugin.h>
       static const sn_element_class *const elements[] = {&shell, NULL};
       const sn_plugin sinew_plugin = {SN_PLUGIN_HEAD, .name = "shells", .elements = elements};

       cc -shared -fPIC $(pkg-config --cflags sinew) shells.c -o shells.so
       sinew --plugin ./shells.so run model.yaml

   The library is not linked with libsinew: it finds sn_fail and the others in the program that loads it. Its
   kinds are read, helped, checked, drawn and differentiated like those of sinew. See docs/plugins.md.

   Registration is for the whole process and for good, under a lock, all kinds of a plug-in or none. Add
   plug-ins before models are read: a model keeps the tables of its kinds, and what sn_element_all() and the
   like have returned stays as it was. */
#ifndef SINEW_PLUGIN_H
#define SINEW_PLUGIN_H

#include "sinew/class.h"
#include "sinew/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The meaning of the tables: changes with every change of class.h that a size does not show. */
#define SN_PLUGIN_VERSION 1

/* Structures that both sides must agree about. */
#define SN_PLUGIN_TYPES(X)                                                                                   \
    X(sn_plugin)                                                                                             \
    X(sn_err)                                                                                                \
    X(sn_slot)                                                                                               \
    X(sn_option)                                                                                             \
    X(sn_args)                                                                                               \
    X(sn_offer)                                                                                              \
    X(sn_in)                                                                                                 \
    X(sn_dout)                                                                                               \
    X(sn_layout)                                                                                             \
    X(sn_output)                                                                                             \
    X(sn_limit)                                                                                              \
    X(sn_file)                                                                                               \
    X(sn_block)                                                                                              \
    X(sn_load)                                                                                               \
    X(sn_geometry)                                                                                           \
    X(sn_drawn_sizes)                                                                                        \
    X(sn_section)                                                                                            \
    X(sn_field_decl)                                                                                         \
    X(sn_joint_out)                                                                                          \
    X(sn_node_in)                                                                                            \
    X(sn_node_layout)                                                                                        \
    X(sn_node_class)                                                                                         \
    X(sn_element_class)                                                                                      \
    X(sn_joint_class)                                                                                        \
    X(sn_signal_class)                                                                                       \
    X(sn_sensor_class)                                                                                       \
    X(sn_property_class)                                                                                     \
    X(sn_run_options)                                                                                        \
    X(sn_info)                                                                                               \
    X(sn_state)                                                                                              \
    X(sn_dstate)                                                                                             \
    X(sn_scheme)                                                                                             \
    X(sn_integration)                                                                                        \
    X(sn_local_error)                                                                                        \
    X(sn_system_view)                                                                                        \
    X(sn_coef)                                                                                               \
    X(sn_integrator_class)

#define SN_PLUGIN_ONE(type)  +1
#define SN_PLUGIN_SIZE(type) (unsigned)sizeof(type),
enum { SN_PLUGIN_SIZES = SN_PLUGIN_TYPES(SN_PLUGIN_ONE) };

/* How a plug-in begins: what it was compiled with. A library of another version, or with other sizes, is
   refused before anything else of it is looked at. */
#define SN_PLUGIN_HEAD                                                                                       \
    .version = SN_PLUGIN_VERSION, .n_size = SN_PLUGIN_SIZES, .size = {SN_PLUGIN_TYPES(SN_PLUGIN_SIZE)}

typedef struct sn_plugin {
    unsigned version, n_size, size[SN_PLUGIN_SIZES]; /* SN_PLUGIN_HEAD */
    const char *name;                                /* for messages */
    /* Its kinds by family, each list ended by NULL; NULL: none. They must stay where they are. */
    const sn_node_class *const *nodes;
    const sn_element_class *const *elements;
    const sn_joint_class *const *joints;
    const sn_signal_class *const *signals;
    const sn_sensor_class *const *sensors;
    const sn_property_class *const *properties;
    const sn_integrator_class *const *integrators;
} sn_plugin;

/* What a shared library exports. */
extern SN_API const sn_plugin sinew_plugin;

/* Add the kinds of a plug-in. Refused, with a report for each thing that is wrong: another version, a name
   that there is already, a table without a function that it needs (dparam ...) or with a bad slot. */
SN_API sn_status sn_plugin_add(const sn_plugin *plugin, sn_err *err);
/* The same for a shared library, which stays loaded. A model file can never ask for one. */
SN_API sn_status sn_plugin_load(const char *path, sn_err *err);

#ifdef __cplusplus
}
#endif
#endif
