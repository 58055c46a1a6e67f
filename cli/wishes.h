/* wishes.h: what a page of a result is to begin with, as its address says it behind the # (docs/viewer.md).
   The same options of `sinew view` and `sinew export` become the same wishes. */
#ifndef SN_CLI_WISHES_H
#define SN_CLI_WISHES_H

#include "cli.h"

typedef struct cli_address {
    char text[4096];
    size_t n;
    int full;
} cli_address;

void cli_address_put(cli_address *a, const char *text);
/* Letters that mean something in addresses become %XX, but for those of `also`. */
void cli_address_put_safe(cli_address *a, const char *text, const char *also);
/* All wishes of the job, each as "&key=value"; an exit code. */
int cli_address_put_wishes(cli_address *a, const cli_job *job, const char *command);

/* Opens a file or an address in the browser of this machine; an exit code. */
int cli_browser_open(const char *what, const char *command);

#define CLI_OPTIONS_SCENE(of)                                                                                \
    {"time", 0, "T", 0, offsetof(cli_job, time), of "when, in seconds (default: the first frame)"},          \
        {"mode", 0, "N", 0, offsetof(cli_job, mode), of "of modes: which (default: 1)"},                     \
        {"view",                                                                                             \
         0,                                                                                                  \
         "NAME",                                                                                             \
         0,                                                                                                  \
         offsetof(cli_job, view),                                                                            \
         of "from front, back, left, right, top or oblique (or 1 to 6)"},                                    \
        {"trace", 0, "NODE", 1, offsetof(cli_job, trace), of "the path of a node; again for others"},        \
        {"colour",                                                                                           \
         0,                                                                                                  \
         "FIELD",                                                                                            \
         0,                                                                                                  \
         offsetof(cli_job, colour),                                                                          \
         of "by axial, shear, torsion, bending, stress, energy or deformation, with a legend"},              \
    {                                                                                                        \
        "arrows", 0, "GROUP", 1, offsetof(cli_job, arrows), of "load or reaction; again for both"            \
    }

#endif
