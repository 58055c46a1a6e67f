/* Libraries that are loaded when first used, by dlopen. Nobody else gets to see their symbols. */
#include "base/dynamic_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The first file that can be loaded, or NULL; `why` keeps what hindered the first one, which is the one
 * meant. */
static void *open_first(const sn_dynlib *library, char *why, size_t size)
{
    why[0] = 0;
    for (int i = 0; library->files[i]; i++) {
        /* now: what the library lacks itself is an error here, not the end of the program later */
        void *handle = dlopen(library->files[i], RTLD_NOW | RTLD_LOCAL);
        if (handle) return handle;
        const char *said = dlerror();
        if (i == 0) snprintf(why, size, "%s", said ? said : library->files[i]);
    }
    return NULL;
}

/* Addresses of all symbols as the library itself sees them: what the program has under that name comes first.
   So a program that links the same library and got a copy of its data has the very data that the library
   uses. Returns the name of a missing symbol, or NULL. */
static const char *fill_table(const sn_dynlib *library, void *program, void *handle)
{
    for (size_t i = 0; library->symbols[i]; i++) {
        int optional = library->symbols[i][0] == '?';
        const char *name = library->symbols[i] + optional;
        void *address = program ? dlsym(program, name) : NULL;
        if (!address) address = dlsym(handle, name);
        if (!address && !optional) return name;
        memcpy((char *)library->table + i * sizeof address, &address, sizeof address);
    }
    return NULL;
}

static sn_status load(sn_dynlib *library, sn_err *err)
{
    char why[240];
    void *handle = open_first(library, why, sizeof why);
    if (!handle)
        return sn_fail(err, SN_ERR_FILE, NULL, "%s cannot be loaded (Debian: %s): %s", library->name,
                       library->package, why);
    void *program = dlopen(NULL, RTLD_LAZY);
    const char *missing = fill_table(library, program, handle);
    library->own = !program || !dlsym(program, library->symbols[0]);
    if (program) dlclose(program);
    if (!missing) return SN_OK;
    dlclose(handle);
    return sn_fail(err, SN_ERR_FILE, NULL, "%s does not fit (Debian: %s): it has no %s", library->name,
                   library->package, missing);
}

sn_status sn_dynlib_load(sn_dynlib *library, sn_err *err)
{
    if (atomic_load_explicit(&library->ready, memory_order_acquire)) return SN_OK;
    pthread_mutex_lock(&library->lock);
    sn_status s = library->ready ? SN_OK : load(library, err);
    if (s == SN_OK) atomic_store_explicit(&library->ready, 1, memory_order_release);
    pthread_mutex_unlock(&library->lock);
    return s;
}

void sn_dynlib_enter(sn_dynlib *library) { pthread_mutex_lock(&library->lock); }

void sn_dynlib_leave(sn_dynlib *library) { pthread_mutex_unlock(&library->lock); }
