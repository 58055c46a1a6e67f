/* Fuzzing: any bytes are a mesh of Gmsh. */
#include "robust/fuzz.h"

#include "io/msh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = as_file("mesh.msh", data, size);
    sn_arena arena = {0};
    sn_surface s;
    sn_err err;
    sn_err_clear(&err);
    sn_status status = sn_msh_read(path, &arena, &s, &err);
    for (int i = 0; !status && i < s.n_cell; i++)
        for (int k = 0; k < 4; k++)
            if (s.cell[i][k] >= s.n_node || s.cell[i][k] < (k == 3 ? -1 : 0)) abort();
    for (int i = 0; !status && i < s.n_set; i++) {
        const sn_mesh_set *set = &s.set[i];
        if (sn_surface_set(&s, set->name) != set) abort();
        for (int k = 0; k < set->n_node; k++)
            if (set->node[k] < 0 || set->node[k] >= s.n_node || (k && set->node[k] <= set->node[k - 1]))
                abort();
        for (int k = 0; k < set->n_cell; k++)
            if (set->cell[k] < 0 || set->cell[k] >= s.n_cell) abort();
    }
    for (int i = 0; !status && i < s.n_node; i++)
        if (sn_surface_find(&s, s.id[i]) != i) abort();
    check_reports(status, &err);
    sn_arena_free(&arena);
    return 0;
}
