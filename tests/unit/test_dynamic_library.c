/* Libraries loaded when first used: found by a later name, symbols that may or must not be missing, many
 * threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/dynamic_library.h"

typedef struct functions {
    double (*cosine)(double);
    void (*absent)(void);
} functions;

#define LIBRARY(file_list, symbol_list, functions)                                                           \
    {                                                                                                        \
        .name = "MATH", .package = "libmath-dev", .files = file_list, .symbols = symbol_list,                \
        .table = functions, .lock = PTHREAD_MUTEX_INITIALIZER                                                \
    }

static const char *const present[] = {"libsinew-is-not-there.so.0", "libm.so.6", "libm.so", NULL};
static const char *const nowhere[] = {"libsinew-is-not-there.so.0", "libsinew-nor-this.so", NULL};
static const char *const some[] = {"cos", "?sn_no_such_function", NULL};
static const char *const all[] = {"cos", "sn_no_such_function", NULL};

static void later_name(void **state)
{
    functions f = {NULL, abort};
    sn_dynlib library = LIBRARY(present, some, &f);
    sn_err err;
    (void)state;
    sn_err_clear(&err);
    assert_int_equal(sn_dynlib_load(&library, &err), SN_OK);
    assert_int_equal(err.count, 0);
    assert_true(f.cosine(0) == 1);
    assert_null(f.absent);
    /* once filled the table is left alone */
    f.cosine = NULL;
    assert_int_equal(sn_dynlib_load(&library, &err), SN_OK);
    assert_null(f.cosine);
}

static void no_library(void **state)
{
    functions f = {NULL, NULL};
    sn_dynlib library = LIBRARY(nowhere, some, &f);
    sn_err err;
    (void)state;
    sn_err_clear(&err);
    assert_int_equal(sn_dynlib_load(&library, &err), SN_ERR_FILE);
    assert_non_null(strstr(err.report[0].text, "MATH cannot be loaded (Debian: libmath-dev)"));
    assert_non_null(strstr(err.report[0].text, nowhere[0]));
    assert_int_equal(sn_dynlib_load(&library, NULL), SN_ERR_FILE);
    /* a failure is not for ever */
    library.files = present;
    assert_int_equal(sn_dynlib_load(&library, NULL), SN_OK);
    assert_true(f.cosine(0) == 1);
}

static void no_symbol(void **state)
{
    functions f = {NULL, NULL};
    sn_dynlib library = LIBRARY(present, all, &f);
    sn_err err;
    (void)state;
    sn_err_clear(&err);
    assert_int_equal(sn_dynlib_load(&library, &err), SN_ERR_FILE);
    assert_non_null(strstr(err.report[0].text, "MATH does not fit"));
    assert_non_null(strstr(err.report[0].text, "sn_no_such_function"));
    assert_int_equal(library.ready, 0);
}

static functions shared;
static sn_dynlib shared_library = LIBRARY(present, some, &shared);

static void *use(void *out)
{
    if (sn_dynlib_load(&shared_library, NULL) == SN_OK) *(double *)out = shared.cosine(0);
    return NULL;
}

static void threads(void **state)
{
    enum { N = 16 };
    pthread_t thread[N];
    double out[N] = {0};
    (void)state;
    for (int i = 0; i < N; i++) assert_int_equal(pthread_create(&thread[i], NULL, use, &out[i]), 0);
    for (int i = 0; i < N; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < N; i++) assert_true(out[i] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_name),
        cmocka_unit_test(no_library),
        cmocka_unit_test(no_symbol),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
