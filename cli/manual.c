/* The documentation as pages: beside the installed command, or in the build folder of the project
 * (scripts/site). */
#define _GNU_SOURCE /* realpath */
#include "cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *cli_manual(char *path)
{
    static const char *const place[] = {SN_MANUAL, "../site/index.html"};
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0) return NULL;
    program[n] = 0;
    char *folder_end = strrchr(program, '/');
    if (!folder_end) return NULL;
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        char file[PATH_MAX + 64];
        snprintf(file, sizeof file, "%.*s/%s", (int)(folder_end - program), program, place[i]);
        if (realpath(file, path) && !access(path, R_OK)) return path;
    }
    return NULL;
}

void cli_manual_line(FILE *to)
{
    char path[PATH_MAX];
    if (cli_manual(path)) fprintf(to, "The documentation is %s; 'sinew help --open' opens it.\n", path);
}
