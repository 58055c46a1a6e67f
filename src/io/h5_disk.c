/* A file driver for HDF5 that writes to an open descriptor and keeps failures to itself. */
#include "io/h5_disk.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static sn_h5_disk *disk_of(H5FD_t *file) { return (sn_h5_disk *)(void *)file; }

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t max)
{
    (void)name;
    (void)max;
    sn_h5_disk *const *info = H5Pget_driver_info(access);
    if (!info || !(flags & H5F_ACC_TRUNC)) return NULL;
    sn_h5_disk *d = *info;
    if (ftruncate(d->fd, 0) != 0) d->error = errno;
    return &d->head;
}

static herr_t disk_close(H5FD_t *file)
{
    (void)file;
    return 0;
}

static herr_t disk_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA;
    return 0;
}

static haddr_t disk_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const sn_h5_disk *)(const void *)file)->eoa;
}

static herr_t disk_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t at)
{
    (void)type;
    disk_of(file)->eoa = at;
    return 0;
}

static haddr_t disk_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const sn_h5_disk *)(const void *)file)->eof;
}

/* What was never written reads as zeros. */
static herr_t disk_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *out)
{
    (void)type;
    (void)transfer;
    sn_h5_disk *d = disk_of(file);
    char *p = out;
    while (size > 0) {
        ssize_t n = pread(d->fd, p, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && !d->error) d->error = errno;
        if (n <= 0) break;
        p += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    memset(p, 0, size);
    return 0;
}

static herr_t disk_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                         const void *data)
{
    (void)type;
    (void)transfer;
    sn_h5_disk *d = disk_of(file);
    const char *p = data;
    if (at + size > d->eof) d->eof = at + size;
    while (size > 0 && !d->error) {
        ssize_t n = pwrite(d->fd, p, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            d->error = n < 0 ? errno : ENOSPC;
            break;
        }
        p += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static herr_t disk_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    (void)closing;
    sn_h5_disk *d = disk_of(file);
    if (!d->error && ftruncate(d->fd, (off_t)d->eoa) != 0) d->error = errno;
    d->eof = d->eoa;
    return 0;
}

herr_t sn_h5_disk_use(hid_t access, sn_h5_disk *disk, int fd)
{
    const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = H5_VFD_RESERVED + 1,
#endif
        .name = "sinew",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof disk,
        .open = disk_open,
        .close = disk_close,
        .query = disk_query,
        .get_eoa = disk_get_eoa,
        .set_eoa = disk_set_eoa,
        .get_eof = disk_get_eof,
        .read = disk_read,
        .write = disk_write,
        .truncate = disk_truncate,
        .fl_map = H5FD_FLMAP_DEFAULT,
    };
    *disk = (sn_h5_disk){.fd = fd};
    hid_t id = H5FDregister(&driver);
    herr_t rc = id < 0 ? -1 : H5Pset_driver(access, id, &disk);
    if (id >= 0) H5FDunregister(id); /* the access list holds it as long as needed */
    return rc;
}
