/* The public way to models: the reader of io, with who makes reduced bodies in place. */
#include "reduce/read.h"

#include "reduce/api.h"

#include <string.h>

sn_status sn_model_read(const char *path, sn_model **model, sn_err *err)
{
    return sn_model_read_refined(path, 1, model, err);
}

sn_status sn_model_read_refined(const char *path, int refined, sn_model **model, sn_err *err)
{
    return sn_model_read_replaced(path, refined, 0, NULL, model, err);
}

sn_status sn_model_read_replaced(const char *path, int refined, int n, const sn_replacement *list,
                                 sn_model **model, sn_err *err)
{
    const sn_model_file file = {path, refined, n, list, sn_reduce_block};
    return sn_model_load(&file, model, err);
}

int sn_structure_replaced(const sn_model *m, int n_set, const char *const *set, sn_replacement *r)
{
    char name[SN_MAX_NAME + 32];
    int n = 0;
    for (int i = 0; i < n_set; i++) {
        const char *equal = strchr(set[i], '=');
        size_t length = equal ? (size_t)(equal - set[i]) : 0;
        sn_structure at;
        if (!length || length >= sizeof name) continue;
        memcpy(name, set[i], length), name[length] = 0;
        if (!sn_structure_change(m, name, &at)) continue;
        r[n++] = (sn_replacement){
            .section = at.section, .name = at.name, .key = at.key, .component = -1, .text = equal + 1};
    }
    return n;
}

sn_status sn_model_load_set(const sn_model_file *file, int n_set, const char *const *set, sn_model **model,
                            sn_err *err)
{
    sn_model *plain;
    sn_replacement *r;
    *model = NULL;
    SN_TRY(sn_model_load(file, &plain, err));
    if (!SN_NEW(r, n_set + 1)) {
        sn_model_free(plain);
        return SN_OUT_OF_MEM(err);
    }
    sn_model_file changed = *file;
    changed.replacement = r;
    changed.n_replacement = sn_structure_replaced(plain, n_set, set, r);
    sn_status s = SN_OK;
    if (changed.n_replacement) {
        s = sn_model_load(&changed, model, err);
        sn_model_free(plain); /* it has the names */
    } else
        *model = plain;
    sn_free(r);
    return s;
}

sn_status sn_model_read_set(const char *path, int n_set, const char *const *set, sn_model **model,
                            sn_err *err)
{
    const sn_model_file file = {.path = path, .refined = 1, .reduce = sn_reduce_block};
    return sn_model_load_set(&file, n_set, set, model, err);
}

int sn_model_is_structural(const sn_model *m, const char *name)
{
    sn_structure at;
    return sn_structure_change(m, name, &at);
}

sn_status sn_model_read_text(const char *name, const char *text, size_t length, sn_model **model, sn_err *err)
{
    return sn_model_load_text(name, text, length, sn_reduce_block, model, err);
}
