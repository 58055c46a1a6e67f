/* What the server of a result answers: the page, and numbers of it in pieces.

     GET /                                              the page; the result is opened anew
     GET /data?edition=&column=&first=&count=&step=     frames first, first + step ...
     GET /span?edition=&column=&first=&count=&bins=     smallest and largest of each component in each bin
     GET /range?edition=&column=                        of a field: numbers as sn_view_range has them
     GET /triangles?edition=&shape=                     of a shape from an STL file, 9 numbers each
     GET /mesh?edition=&mesh=&part=                     of a mesh: nodes (0), modes (1), lines (2), triangles
                                                        (3)

   Data come row by row, the last frame for what lies beyond it, with &single=1 in single precision, as
   triangles and meshes are. Bin b has the frames first + b count/bins up to the next bin's first. Column -1
   is the frames' coordinate. Numbers are little-endian. A piece of more than one frame has at most
   SN_ANSWER_BYTES. The edition changes when another file lies under the result's name: pages of the one
   before are told so (410).
 */
#ifndef SN_VIEW_ANSWER_H
#define SN_VIEW_ANSWER_H

#include "io/result.h"
#include "view/http.h"

enum { SN_ANSWER_BYTES = 4 << 20 };

typedef struct sn_answer {
    int status;
    const char *type;     /* of the body */
    unsigned char *bytes; /* head and body, owned by who asked */
    int n, room;
    int body; /* where it starts */
} sn_answer;

typedef struct sn_served {
    const char *path, *begin; /* begin: how its page begins, or NULL */
    sn_result_reader *in;     /* NULL: it could not be opened the last time */
    int edition;
    uint64_t device, inode; /* of the file of this edition */
} sn_served;

/* Open the result, or open it anew: what it has by now. */
sn_status sn_served_open(sn_served *s, sn_err *err);
void sn_served_close(sn_served *s);

/* The answer to a request (200) or the refusal of one; only memory can be missing. */
sn_status sn_answer_make(sn_served *s, int status, const sn_http_request *r, sn_answer *out, sn_err *err);

#endif
