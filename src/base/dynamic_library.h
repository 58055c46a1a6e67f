/* Libraries that are loaded when first used: what few runs need must not cost every start. A loaded library
   stays until the program ends.

   None of them is made for threads: they keep state of their own between and within calls. So whoever calls
   one enters it first and leaves it afterwards, and only one thread of the process is in it at a time. Within
   libmatio HDF5 may be entered, otherwise nobody enters a second library from within one; no callback of a
   user is called from there. */
#ifndef SN_BASE_DYNAMIC_LIBRARY_H
#define SN_BASE_DYNAMIC_LIBRARY_H

#include "sinew/base.h"

#include <pthread.h>
#include <stdatomic.h>

/* A static object of whoever uses the library; the lists end with NULL. `table` has one pointer a symbol, in
   the same order: a struct of pointers to functions or data. A symbol "?name" may be absent, its pointer is
   NULL then. */
typedef struct sn_dynlib {
    const char *name, *package; /* for messages: the library and its Debian package */
    const char *const *files;   /* names or paths to try in turn */
    const char *const *symbols;
    void *table;
    pthread_mutex_t lock; /* PTHREAD_MUTEX_INITIALIZER; of loading and of use */
    atomic_int ready;
    int own; /* loaded by us: the program itself does not have it */
} sn_dynlib;

/* Fill the table unless it is filled; from any thread. SN_ERR_FILE when no file can be loaded or a symbol is
   missing; the next call tries again. */
sn_status sn_dynlib_load(sn_dynlib *library, sn_err *err);
/* Around all calls of the library that belong together. */
void sn_dynlib_enter(sn_dynlib *library);
void sn_dynlib_leave(sn_dynlib *library);

#endif
