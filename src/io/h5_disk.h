/* A file driver for HDF5 that writes to an open descriptor and keeps failures to itself. HDF5 1.10 does not
   survive a failed write (it may loop or crash when the program ends), so it never hears of one: it goes on
   in good faith, and whoever made the file looks at `error` afterwards and throws it away. */
#ifndef SN_IO_H5_DISK_H
#define SN_IO_H5_DISK_H

#include "base/mem.h"
#include "base/h5_load.h"

typedef struct sn_h5_disk {
    H5FD_t head; /* HDF5's own part, first */
    int fd;      /* not closed by the driver */
    int error;   /* errno of the first failed call, 0: none */
    haddr_t eoa, eof;
} sn_h5_disk;

/* Let files opened with this access list go to `disk`, which must outlive them. Negative on failure. */
herr_t sn_h5_disk_use(hid_t access, sn_h5_disk *disk, int fd);

#endif
