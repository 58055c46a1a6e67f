/* HDF5 helpers: the cause of a failure, strings, datasets that are what they should be. */
#include "base/h5.h"

#include "base/part.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

hid_t sn_h5_string_type(size_t length)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, length + 1);
    H5Tset_cset(t, H5T_CSET_UTF8);
    return t;
}

static size_t longest(int n, const char *const *text)
{
    size_t most = 0;
    for (int i = 0; i < n; i++) {
        size_t length = strlen(text[i]);
        if (length > most) most = length;
    }
    return most;
}

size_t sn_h5_text_bytes(int n, const char *const *text)
{
    return text && n > 0 ? (size_t)n * (longest(n, text) + 1) : 0;
}

sn_status sn_h5_put_texts(hid_t owner, const char *name, int n, const char *const *text, const char *file,
                          sn_err *err)
{
    const size_t count = n < 0 ? 1 : (size_t)n, size = longest((int)count, text) + 1;
    char *flat = sn_alloc(count, size);
    if (!flat) return SN_OUT_OF_MEM(err);
    for (size_t i = 0; i < count; i++) memcpy(flat + i * size, text[i], strlen(text[i]));
    hsize_t dim = count;
    hid_t type = sn_h5_string_type(size - 1);
    hid_t space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dim, NULL);
    hid_t attr = H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    sn_status s = SN_OK;
    if (attr < 0 || H5Awrite(attr, type, flat) < 0)
        s = sn_h5_fail(err, file, "attribute '%s' cannot be written", name);
    sn_h5_drop(attr);
    sn_h5_drop(space);
    sn_h5_drop(type);
    sn_free(flat);
    return s;
}

/* The version of HDF5's superblock, the beginning of a file; -1: not HDF5. */
static int superblock(int fd)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[9];
    return pread(fd, head, sizeof head, 0) == sizeof head && !memcmp(head, signature, sizeof signature)
               ? head[8]
               : -1;
}

/* What the system can tell: missing, no permission, a directory, empty; and the form of the file. */
static sn_status check_file(sn_h5_file *file, const char *path, const char *what, int oldest, sn_err *err)
{
    const sn_mark mark = {.file = file->name};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code = errno,
        known = fd >= 0 && fstat(fd, &st) == 0, version = known && S_ISREG(st.st_mode) ? superblock(fd) : -1;
    if (fd >= 0) close(fd);
    if (!known) return sn_fail(err, SN_ERR_FILE, &mark, "cannot be read: %s", strerror(code));
    if (S_ISDIR(st.st_mode)) return sn_fail(err, SN_ERR_FILE, &mark, "is a directory, not %s", what);
    if (!S_ISREG(st.st_mode)) return sn_fail(err, SN_ERR_FILE, &mark, "is not a plain file");
    if (st.st_size == 0) return sn_fail(err, SN_ERR_FILE, &mark, "is empty");
    if (version < 0) return sn_fail(err, SN_ERR_FILE, &mark, "is not %s (not HDF5)", what);
    if (version < oldest)
        return sn_fail(err, SN_ERR_FILE, &mark,
                       "is an HDF5 file of the old format without checksums, which is not read");
    file->bytes = st.st_size;
    return SN_OK;
}

static sn_status open_file(sn_h5_file *file, const char *path, const char *what, int oldest, sn_err *err)
{
    file->id = -1;
    SN_TRY(check_file(file, path, what, oldest, err));
    hid_t access = sn_h5_access();
    file->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    sn_status s = SN_OK;
    if (file->id < 0) {
        char why[160];
        sn_h5_cause(why, sizeof why);
        s = strncmp(why, "truncated file", 14) == 0
                ? sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = file->name},
                          "is truncated: its end is missing")
                : sn_h5_fail(err, file->name, "damaged: cannot be opened");
    }
    sn_h5_drop(access);
    return s;
}

sn_status sn_h5_open(sn_h5_file *file, const char *path, const char *what, sn_err *err)
{
    return open_file(file, path, what, 2, err);
}

sn_status sn_h5_open_any(sn_h5_file *file, const char *path, const char *what, sn_err *err)
{
    return open_file(file, path, what, 0, err);
}

size_t sn_h5_name(const char *text)
{
    size_t n;
    return sn_part_of(text, &n) == SN_PART_H5 ? n : 0;
}

int sn_h5_get_int(const sn_h5_file *file, const char *name)
{
    int value = 0;
    hid_t attr = H5Aopen(file->id, name, H5P_DEFAULT);
    if (attr < 0) return 0;
    hid_t space = H5Aget_space(attr), type = H5Aget_type(attr);
    if (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attr, H5T_NATIVE_INT, &value) < 0)
        value = 0;
    sn_h5_drop(type);
    sn_h5_drop(space);
    sn_h5_drop(attr);
    return value;
}

static sn_status damaged(const sn_h5_file *file, const char *name, const char *what, sn_err *err)
{
    return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = file->name}, "damaged: '%s' %s", name, what);
}

sn_status sn_h5_find(const sn_h5_file *file, const char *path, int *exists, sn_err *err)
{
    *exists = 0;
    if (path[0] != '/' || !path[1]) return damaged(file, path, "is not a path", err);
    char *part = sn_strdup(path);
    if (!part) return SN_OUT_OF_MEM(err);
    sn_status s = SN_OK;
    for (char *p = strchr(part + 1, '/');; p = strchr(p + 1, '/')) {
        sn_h5_link_info link;
        if (p) *p = 0;
        *exists = H5Lexists(file->id, part, H5P_DEFAULT) > 0;
        if (*exists && (sn_h5_get_link(file->id, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD))
            s = damaged(file, part, "is a link to somewhere else", err);
        if (!p || !*exists || s != SN_OK) break;
        *p = '/';
    }
    sn_free(part);
    return s;
}

/* Bytes of count elements; -1 where they are more than the file has. */
static int64_t bytes_of(const sn_h5_file *file, hid_t space, hid_t type)
{
    hssize_t count = H5Sget_simple_extent_npoints(space);
    size_t size = H5Tget_size(type);
    if (count < 0 || size == 0 || count > file->bytes / (int64_t)size) return -1;
    return (int64_t)count * (int64_t)size;
}

/* The numbers lie in this file, in one piece. The layout is asked before anything else: HDF5 looks for parts
   of a dataset in other files as soon as its size is asked for. */
static sn_status check_storage(const sn_h5_file *file, const char *path, hid_t set, sn_err *err)
{
    hid_t list = H5Dget_create_plist(set);
    H5D_layout_t layout = H5Pget_layout(list);
    int outside = H5Pget_external_count(list) != 0;
    sn_h5_drop(list);
    if (outside) return damaged(file, path, "has its numbers in another file", err);
    if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT)
        return damaged(file, path, "is stored in pieces, compressed or in another file", err);
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    H5T_class_t class = H5Tget_class(type);
    int64_t bytes = bytes_of(file, space, type);
    int plain =
        class == H5T_INTEGER || class == H5T_FLOAT || (class == H5T_STRING && H5Tis_variable_str(type) == 0);
    sn_h5_drop(space);
    sn_h5_drop(type);
    if (!plain) return damaged(file, path, "is neither numbers nor text of fixed length", err);
    if (bytes < 0) return damaged(file, path, "claims to be larger than the file", err);
    if (layout == H5D_COMPACT || bytes == 0) return SN_OK;
    haddr_t at = H5Dget_offset(set);
    if (at == HADDR_UNDEF || at > (haddr_t)(file->bytes - bytes))
        return damaged(file, path, "lies outside of the file", err);
    return SN_OK;
}

sn_status sn_h5_open_set(const sn_h5_file *file, const char *path, hid_t *set, sn_err *err)
{
    int exists;
    *set = -1;
    SN_TRY(sn_h5_find(file, path, &exists, err));
    if (!exists) return SN_OK;
    hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);
    if (id < 0) return sn_h5_fail(err, file->name, "damaged: '%s' is not a dataset", path);
    sn_status s = check_storage(file, path, id, err);
    if (s == SN_OK)
        *set = id;
    else
        sn_h5_drop(id);
    return s;
}

/* Copy count strings of `size` bytes. */
static sn_status take_texts(const char *flat, int count, size_t size, sn_arena *arena,
                            const char *const **out, sn_err *err)
{
    const char **text = sn_arena_alloc(arena, (size_t)count, sizeof *text);
    int good = text != NULL;
    for (int i = 0; i < count && good; i++) {
        const char *t = flat + (size_t)i * size;
        text[i] = sn_arena_strndup(arena, t, strnlen(t, size));
        good = text[i] != NULL;
    }
    if (!good) return SN_OUT_OF_MEM(err);
    *out = text;
    return SN_OK;
}

/* An attribute, or (set) a dataset; the name is for messages. */
typedef struct holder {
    hid_t id;
    int set;
    const char *name;
} holder;

static sn_status read_texts(const sn_h5_file *file, holder of, sn_arena *arena, int *n,
                            const char *const **out, sn_err *err)
{
    const int set = of.set;
    const hid_t id = of.id;
    hid_t type = set ? H5Dget_type(id) : H5Aget_type(id), space = set ? H5Dget_space(id) : H5Aget_space(id);
    int64_t bytes = bytes_of(file, space, type);
    size_t size = H5Tget_size(type);
    int is_text = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    char *flat = NULL;
    sn_status s = SN_OK;
    if (!is_text)
        s = damaged(file, of.name, "is not text of fixed length", err);
    else if (bytes < 0 || bytes / (int64_t)size > INT_MAX)
        s = damaged(file, of.name, "claims to be larger than the file", err);
    else if (!(flat = sn_alloc((size_t)bytes + 1, 1)))
        s = SN_OUT_OF_MEM(err);
    else if ((set ? H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat) : H5Aread(id, type, flat)) < 0)
        s = sn_h5_fail(err, file->name, "damaged: '%s' cannot be read", of.name);
    if (s == SN_OK) s = take_texts(flat, (int)(bytes / (int64_t)size), size, arena, out, err);
    if (s == SN_OK) *n = (int)(bytes / (int64_t)size);
    sn_h5_drop(space);
    sn_h5_drop(type);
    sn_free(flat);
    return s;
}

sn_status sn_h5_get_texts(const sn_h5_file *file, hid_t owner, const char *name, sn_arena *arena, int *n,
                          const char *const **out, sn_err *err)
{
    *n = 0;
    *out = NULL;
    hid_t id = H5Aopen(owner, name, H5P_DEFAULT);
    if (id < 0) return SN_OK;
    sn_status s = read_texts(file, (holder){id, 0, name}, arena, n, out, err);
    sn_h5_drop(id);
    return s;
}

sn_status sn_h5_get_set_texts(const sn_h5_file *file, const char *path, sn_arena *arena, int *n,
                              const char *const **out, sn_err *err)
{
    hid_t id;
    *n = 0;
    *out = NULL;
    SN_TRY(sn_h5_open_set(file, path, &id, err));
    if (id < 0) return SN_OK;
    sn_status s = read_texts(file, (holder){id, 1, path}, arena, n, out, err);
    sn_h5_drop(id);
    return s;
}
