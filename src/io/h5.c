/* HDF5 helpers: the cause of a failure, string attributes. */
#include "io/h5.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct cause {
    char *out;
    size_t size;
} cause;

/* Keep the first report of the walk. That of a system call has its reason in: error message = 'reason'. */
static herr_t keep_first(unsigned n, const H5E_error2_t *e, void *user)
{
    const cause *c = user;
    if (n != 0 || !e->desc) return 0;
    static const char mark[] = "error message = '";
    const char *reason = strstr(e->desc, mark), *end = reason ? strchr(reason + strlen(mark), '\'') : NULL;
    if (end)
        snprintf(c->out, c->size, "%.*s", (int)(end - reason - (long)strlen(mark)), reason + strlen(mark));
    else
        snprintf(c->out, c->size, "%s", e->desc);
    return 0;
}

void sn_h5_cause(char *out, size_t size)
{
    cause c = {out, size};
    out[0] = 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &c);
    for (char *p = out; *p; p++)
        if ((unsigned char)*p < 32) *p = ' ';
}

sn_status sn_h5_fail(sn_err *err, const char *file, const char *format, ...)
{
    char why[160], what[240];
    sn_h5_cause(why, sizeof why);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (why[0]) return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = file}, "%s (%s)", what, why);
    return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = file}, "%s", what);
}

void sn_h5_drop(hid_t id)
{
    if (id > 0) H5Idec_ref(id);
}

hid_t sn_h5_access(void)
{
    hid_t a = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(a, H5F_CLOSE_STRONG);
    H5Pset_libver_bounds(a, H5F_LIBVER_V18, H5F_LIBVER_V18);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(a, 0, 1);
#endif
    return a;
}

hid_t sn_h5_string_type(void)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, H5T_VARIABLE);
    H5Tset_cset(t, H5T_CSET_UTF8);
    return t;
}

sn_status sn_h5_put_texts(hid_t owner, const char *name, int n, const char *const *text, const char *file,
                          sn_err *err)
{
    hsize_t dim = n < 0 ? 1 : (hsize_t)n;
    hid_t type = sn_h5_string_type(), space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dim, NULL);
    hid_t attr = H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    sn_status s = SN_OK;
    if (attr < 0 || H5Awrite(attr, type, text) < 0)
        s = sn_h5_fail(err, file, "attribute '%s' cannot be written", name);
    sn_h5_drop(attr);
    sn_h5_drop(space);
    sn_h5_drop(type);
    return s;
}

/* Copy what HDF5 read (a NULL stands for "") and give its memory back. */
static sn_status take_texts(char **raw, int n, sn_arena *arena, const char *const **out, sn_err *err)
{
    const char **text = sn_arena_alloc(arena, (size_t)n, sizeof *text);
    int good = text != NULL;
    for (int i = 0; i < n && good; i++) {
        const char *t = raw[i] ? raw[i] : "";
        text[i] = sn_arena_strndup(arena, t, strlen(t));
        good = text[i] != NULL;
    }
    if (!good) return SN_OUT_OF_MEM(err);
    *out = text;
    return SN_OK;
}

static sn_status read_texts(hid_t id, int set, hid_t space, sn_arena *arena, int *n, const char *const **out,
                            const char *name, const char *file, sn_err *err)
{
    hid_t kind = set ? H5Dget_type(id) : H5Aget_type(id);
    int is_text = kind >= 0 && H5Tis_variable_str(kind) > 0;
    hssize_t count = H5Sget_simple_extent_npoints(space);
    sn_h5_drop(kind);
    if (!is_text || count < 0 || count > INT_MAX)
        return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = file}, "damaged: '%s' is not text", name);
    char **raw = sn_alloc((size_t)count, sizeof *raw);
    if (!raw) return SN_OUT_OF_MEM(err);
    hid_t type = sn_h5_string_type();
    sn_status s;
    if ((set ? H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) : H5Aread(id, type, raw)) < 0)
        s = sn_h5_fail(err, file, "damaged: '%s' cannot be read", name);
    else
        s = take_texts(raw, (int)count, arena, out, err);
    if (s == SN_OK) *n = (int)count;
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw);
    sn_h5_drop(type);
    sn_free(raw);
    return s;
}

sn_status sn_h5_get_texts(hid_t owner, const char *name, int set, sn_arena *arena, int *n,
                          const char *const **out, const char *file, sn_err *err)
{
    *n = 0;
    *out = NULL;
    hid_t id = set ? H5Dopen2(owner, name, H5P_DEFAULT) : H5Aopen(owner, name, H5P_DEFAULT);
    if (id < 0) return SN_OK;
    hid_t space = set ? H5Dget_space(id) : H5Aget_space(id);
    sn_status s = read_texts(id, set, space, arena, n, out, name, file, err);
    sn_h5_drop(space);
    sn_h5_drop(id);
    return s;
}
