/* The public way to models: the reader of io, with who makes reduced bodies in place. */
#include "reduce/read.h"

#include "reduce/api.h"

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

sn_status sn_model_read_text(const char *name, const char *text, size_t length, sn_model **model, sn_err *err)
{
    return sn_model_load_text(name, text, length, sn_reduce_block, model, err);
}
