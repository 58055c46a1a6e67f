/* HDF5, loaded when first used. */
#include "base/h5_load.h"

#include "base/dynamic_library.h"

/* SN_HDF5_FILES: the names of the library that the build found */
#ifndef SN_HDF5_FILES
#define SN_HDF5_FILES "libhdf5_serial.so"
#endif

sn_h5_table sn_h5;

static const char *const files[] = {SN_HDF5_FILES, "libhdf5_serial.so", "libhdf5.so", NULL};
static const char *const symbols[] = {
#define SN_H5(name) #name,
#include "base/h5_list.h"
#undef SN_H5
    NULL,
};
_Static_assert(sizeof sn_h5 / sizeof(void *) == sizeof symbols / sizeof *symbols - 1, "one pointer a symbol");

static sn_dynlib library = {.name = "HDF5",
                            .package = "libhdf5-dev",
                            .files = files,
                            .symbols = symbols,
                            .table = &sn_h5,
                            .lock = PTHREAD_MUTEX_INITIALIZER};

sn_status sn_h5_load(sn_err *err)
{
    unsigned major = 0, minor = 0, release = 0;
    SN_TRY(sn_dynlib_load(&library, err));
    sn_dynlib_enter(&library);
    /* Our files are closed when we are done. HDF5's own end of the program would only complain ("infinite
       loop closing library") about what it lost itself over a damaged file. A program that links it has a
       say. */
    if (library.own) H5dont_atexit();
    int known = H5get_libversion(&major, &minor, &release) >= 0;
    sn_dynlib_leave(&library);
    if (!known || major != H5_VERS_MAJOR || minor != H5_VERS_MINOR)
        return sn_fail(err, SN_ERR_FILE, NULL, "HDF5 %u.%u does not fit: sinew was built for HDF5 %d.%d",
                       major, minor, H5_VERS_MAJOR, H5_VERS_MINOR);
    return SN_OK;
}

sn_h5_noise sn_h5_enter(void)
{
    sn_h5_noise n = {NULL, NULL};
    sn_dynlib_enter(&library);
    H5Eget_auto2(H5E_DEFAULT, &n.print, &n.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return n;
}

void sn_h5_leave(sn_h5_noise noise)
{
    H5Eset_auto2(H5E_DEFAULT, noise.print, noise.data);
    sn_dynlib_leave(&library);
}
