/* make_page FILE.json FILE.html TITLE: the report page of a study, for the tests in the browser. */
#include "identify/page.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    FILE *f = fopen(argv[1], "rb");
    if (!f) return 2;
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    char *json = malloc(n + 1);
    n = json ? fread(json, 1, n, f) : 0;
    fclose(f);
    sn_err err;
    sn_err_clear(&err);
    sn_status s = sn_page_write(argv[2], argv[3], json, n, &err);
    if (s != SN_OK) fprintf(stderr, "%s\n", err.report[0].text);
    free(json);
    return sn_status_exit(s);
}
