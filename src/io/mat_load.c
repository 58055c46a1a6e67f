/* libmatio, loaded when first used. */
#include "io/mat_load.h"

#include "base/dynamic_library.h"

/* SN_MATIO_FILES: the names of the library that the build found */
#ifndef SN_MATIO_FILES
#define SN_MATIO_FILES "libmatio.so"
#endif

sn_mat_table sn_mat;

#undef Mat_GetLibraryVersion
#undef Mat_LogInitFunc
#undef Mat_CreateVer
#undef Mat_Close
#undef Mat_VarCreate
#undef Mat_VarCreateStruct
#undef Mat_VarAddStructField
#undef Mat_VarSetStructFieldByName
#undef Mat_VarFree
#undef Mat_VarWrite

static const char *const files[] = {SN_MATIO_FILES, "libmatio.so", NULL};
static const char *const symbols[] = {
#define SN_MAT(name) #name,
    SN_MAT_LIST(SN_MAT)
#undef SN_MAT
        NULL,
};
_Static_assert(sizeof sn_mat / sizeof(void *) == sizeof symbols / sizeof *symbols - 1,
               "one pointer a symbol");

static sn_dynlib library = {.name = "libmatio",
                            .package = "libmatio-dev",
                            .files = files,
                            .symbols = symbols,
                            .table = &sn_mat,
                            .lock = PTHREAD_MUTEX_INITIALIZER};

/* Newer versions hand over a message that is constant. */
static void be_quiet(int level, const char *message)
{
    (void)level;
    (void)message;
}

static void be_quiet_old(int level, char *message) { be_quiet(level, message); }

sn_status sn_mat_load(sn_err *err)
{
    int major = 0, minor = 0, release = 0;
    SN_TRY(sn_dynlib_load(&library, err));
    sn_dynlib_enter(&library);
    sn_mat.Mat_GetLibraryVersion(&major, &minor, &release);
    sn_dynlib_leave(&library);
    if (major != MATIO_MAJOR_VERSION || minor != MATIO_MINOR_VERSION)
        return sn_fail(err, SN_ERR_FILE, NULL, "libmatio %d.%d does not fit: sinew was built for %d.%d",
                       major, minor, MATIO_MAJOR_VERSION, MATIO_MINOR_VERSION);
    return SN_OK;
}

void sn_mat_enter(void)
{
    sn_dynlib_enter(&library);
    sn_mat.Mat_LogInitFunc("sinew",
                           _Generic(sn_mat.Mat_LogInitFunc, int (*)(const char *, void (*)(int, char *))
                                    : be_quiet_old, default
                                    : be_quiet));
}

void sn_mat_leave(void) { sn_dynlib_leave(&library); }
