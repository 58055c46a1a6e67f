/* Fuzzing (libFuzzer): any bytes are a model text. The reader must answer with a tree or with reports, and
   leave nothing behind. Seeds in tests/robust/corpus. Build with clang -fsanitize=fuzzer,address,undefined.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What every tree promises: counts agree, texts are there, places lie in the source. The depth is bounded. */
static void check_tree(const sn_item *item, int depth)
{
    int n = 0;
    if (!item->text || item->mark.line < 1 || item->mark.col < 1 || depth > SN_YAML_MAX_DEPTH) abort();
    if (item->key_mark.line < 1 || item->key_mark.col < 1 || !item->mark.source) abort();
    for (const sn_item *c = item->child; c; c = c->next, n++) {
        if ((item->type == SN_ITEM_MAP) != (c->key != NULL)) abort();
        check_tree(c, depth + 1);
    }
    if (n != item->n) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_arena arena = {0};
    sn_item *root = NULL;
    sn_err err;
    char line[2048];
    sn_err_clear(&err);
    sn_status status = sn_yaml_read_text("fuzz.yaml", (const char *)data, size, &arena, &root, &err);
    if ((status == SN_OK) != (root != NULL) || (status == SN_OK) != (err.count == 0)) abort();
    if (status == SN_ERR_BUG) abort();
    if (root) check_tree(root, 0);
    for (int i = 0; i < err.count && i < SN_ERR_MAX; i++) sn_report_format(&err.report[i], line, sizeof line);
    sn_arena_free(&arena);
    return 0;
}
