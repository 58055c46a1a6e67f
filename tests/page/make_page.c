/* make_page FILE.json FILE.html TITLE [FILE.html]: the report page of a study, for the tests in the browser;
   the last file has script elements with the mechanisms. */
#include "identify/page.h"

#include <stdio.h>
#include <stdlib.h>

static char *whole(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f) exit(2);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*n + 1);
    *n = text ? fread(text, 1, *n, f) : 0;
    fclose(f);
    return text;
}

static sn_status motion(sn_html *h, void *ctx, sn_err *err)
{
    size_t n;
    char *text = whole(ctx, &n);
    sn_status s = sn_html_put(h, text, n, err);
    free(text);
    return s;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5) return 2;
    size_t n;
    char *json = whole(argv[1], &n);
    sn_err err;
    sn_err_clear(&err);
    sn_status s = sn_page_write(argv[2], argv[3], json, n, argc > 4 ? motion : NULL, argv[4], &err);
    if (s != SN_OK) fprintf(stderr, "%s\n", err.report[0].text);
    free(json);
    return sn_status_exit(s);
}
