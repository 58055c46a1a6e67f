/* chromium.h: pages run by Chromium without a window, for pictures. Functions say what is wrong and return an
   exit code. */
#ifndef SN_CLI_CHROMIUM_H
#define SN_CLI_CHROMIUM_H

#include "cli.h"

int cli_chromium_find(char *path, size_t size); /* CHROMIUM, or the first of its names on PATH */
/* The page at the url; its profile goes into the folder. What the page has made: free it. */
int cli_chromium_run(const char *program, const char *folder, const char *url, cli_watch *watch, char **data,
                     size_t *n);

/* A temporary folder, locked as long as this process lives; those that killed processes have left are
 * removed. */
int cli_folder_make(char *path, size_t size, int *lock);
void cli_folder_remove(const char *path, int lock); /* with all that is in it */

/* sinew export --png and --gif */
int cli_picture(const cli_job *job, const char *ending);

#endif
