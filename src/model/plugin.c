/* Plug-ins: tables of kinds from outside, checked and put into the registries. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "model/compile.h"

/* What the other side was compiled with is what we were compiled with. Nothing else is read before. */
static sn_status check_head(const sn_plugin *p, sn_err *err)
{
    static const char *const type[] = {
#define NAME(type) #type,
        SN_PLUGIN_TYPES(NAME)
#undef NAME
    };
    static const unsigned size[] = {SN_PLUGIN_TYPES(SN_PLUGIN_SIZE)};
    if (p->version != SN_PLUGIN_VERSION || p->n_size != SN_PLUGIN_SIZES)
        return sn_fail(
            err, SN_ERR_INPUT, NULL,
            "the plug-in was compiled with other headers of sinew: its tables are of version %u with "
            "%u sizes, this is version %d with %d; compile it again",
            p->version, p->n_size, SN_PLUGIN_VERSION, SN_PLUGIN_SIZES);
    for (int i = 0; i < SN_PLUGIN_SIZES; i++)
        if (p->size[i] != size[i])
            return sn_fail(
                err, SN_ERR_INPUT, NULL,
                "the plug-in was compiled with other headers of sinew: its %s has %u bytes, here it "
                "has %u; compile it again",
                type[i], p->size[i], size[i]);
    if (!p->name || !p->name[0]) return sn_fail(err, SN_ERR_INPUT, NULL, "the plug-in has no name");
    return SN_OK;
}

/* Properties of one name may be in each of their groups. */
static int same_group(int family, const void *a, const void *b)
{
    return family != SN_FAMILY_PROPERTY ||
           ((const sn_property_class *)a)->section == ((const sn_property_class *)b)->section;
}

static int taken(int family, const void *cls, const void *const *among, const void *const *end)
{
    for (; among != end && *among; among++)
        if (same_group(family, cls, *among) && !strcmp(sn_class_name(cls), sn_class_name(*among))) return 1;
    return 0;
}

/* Schemes are words of model files: each is there once. */
static const char *scheme_taken(const sn_integrator_class *k, const void *const *among,
                                const void *const *end)
{
    for (; among != end && *among; among++)
        for (const sn_scheme *a = ((const sn_integrator_class *)*among)->schemes; a->name; a++)
            for (const sn_scheme *s = k->schemes; s->name; s++)
                if (!strcmp(a->name, s->name)) return s->name;
    return NULL;
}

static int check_schemes(const void *const *list, const void *const *k, sn_err *err)
{
    const char *name = scheme_taken(*k, sn_family_all(SN_FAMILY_INTEGRATOR), NULL);
    if (!name) name = scheme_taken(*k, list, k);
    if (name)
        sn_fail(err, SN_ERR_INPUT, NULL, "integrator '%s': there is already a scheme '%s'", sn_class_name(*k),
                name);
    return name != NULL;
}

static sn_status check_kinds(const void *const *const more[SN_FAMILIES], sn_err *err)
{
    int bad = 0, n = 0;
    for (int f = 0; f < SN_FAMILIES; f++)
        for (const void *const *k = more[f]; k && *k; k++, n++) {
            int wrong = sn_kind_check(f, *k, err);
            if (!wrong && f == SN_FAMILY_INTEGRATOR) wrong = check_schemes(more[f], k, err);
            bad += wrong;
            if (wrong || !(taken(f, *k, sn_family_all(f), NULL) || taken(f, *k, more[f], k))) continue;
            sn_fail(err, SN_ERR_INPUT, NULL, "%s '%s': there is already a kind of this name",
                    sn_family_name[f], sn_class_name(*k));
            bad++;
        }
    if (!n) return sn_fail(err, SN_ERR_INPUT, NULL, "it has no kinds");
    return bad ? SN_ERR_INPUT : SN_OK;
}

sn_status sn_plugin_add(const sn_plugin *p, sn_err *err)
{
    static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
    int from = sn_err_count(err);
    if (!p) return sn_fail(err, SN_ERR_INPUT, NULL, "there is no plug-in");
    SN_TRY(check_head(p, err));
    const void *const *const more[SN_FAMILIES] = {
        (const void *const *)p->nodes,      (const void *const *)p->elements,
        (const void *const *)p->joints,     (const void *const *)p->signals,
        (const void *const *)p->sensors,    (const void *const *)p->properties,
        (const void *const *)p->integrators};
    pthread_mutex_lock(&adding);
    sn_status s = check_kinds(more, err);
    if (!s) s = sn_registry_append(more, err);
    pthread_mutex_unlock(&adding);
    if (s) sn_err_prefix(err, from, "plug-in '%s'", p->name);
    return s;
}

sn_status sn_plugin_load(const char *path, sn_err *err)
{
    char here[4096];
    int from = sn_err_count(err);
    /* a file, never a name that the loader would search for */
    int n = snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (n >= (int)sizeof here) return sn_fail(err, SN_ERR_FILE, NULL, "%.80s...: the path is too long", path);
    /* now: what the library lacks itself is an error here, not the end of the program later */
    void *handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        return sn_fail(err, SN_ERR_FILE, NULL, "the plug-in cannot be loaded: %s", why ? why : path);
    }
    const sn_plugin *p = dlsym(handle, "sinew_plugin");
    sn_status s = p ? sn_plugin_add(p, err)
                    : sn_fail(err, SN_ERR_INPUT, NULL,
                              "this library is no plug-in of sinew: it exports no 'sinew_plugin'");
    if (s) {
        dlclose(handle);
        sn_err_prefix(err, from, "%s", path);
    }
    return s;
}
