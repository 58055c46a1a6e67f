/* Many right-hand sides at once, columns side by side in rows, by factors in panels: four columns in a
   register, up to five registers. Whatever a column has beside it, its operations and their order are the
   same. */
#include "linsol/lu_block.h"
#include "math/simd.h"

/* Unknowns of n outer columns one behind the other: where they are, or copied together. */
static INLINE const sn_quad *outer(const sn_lu *lu, const size_t w, int run, int n, const int *cols)
{
    const sn_quad *y = (const sn_quad *)lu->y;
    sn_quad *z = (sn_quad *)lu->b.z;
    if (run >= 0) return y + w * (size_t)run;
    for (int c = 0; c < n; c++)
        for (size_t k = 0; k < w; k++) z[w * (size_t)c + k] = y[w * (size_t)cols[c] + k];
    return z;
}

/* s <- s - sum f_c z_c */
static INLINE void take(const size_t w, int n, const double *f, const sn_quad *z, sn_quad *s)
{
    for (int c = 0; c < n; c++, z += w)
        for (size_t k = 0; k < w; k++) s[k] -= f[c] * z[k];
}

/* Columns of the right-hand sides: `w` quads, the last one (or each) of so many lanes; rows are ld long. */
typedef struct strip {
    int lanes;
    size_t ld;
    double *b;
} strip;

static INLINE void forward(sn_lu *lu, const sn_lu_block *t, const size z, const size_t w, strip v)
{
    const double *row = lu->b.panel + t->at;
    const sn_quad *x = outer(lu, w, t->run_l, z.nl, lu->b.cols + t->cols);
    const int *from = lu->row + t->first;
    sn_quad *own = (sn_quad *)lu->y + w * (size_t)t->first, s[5];
    EACH_ROW(z.n, k, {
        const double *b = v.b + (size_t)from[k] * v.ld;
        for (size_t c = 0; c < w; c++) sn_quad_get(v.lanes, b + 4 * c, &s[c]);
        take(w, z.nl, row, x, s);
        take(w, k, row + z.nl, own, s);
        for (size_t c = 0; c < w; c++) own[w * (size_t)k + c] = s[c];
        row += t->ld;
    });
}

static INLINE void backward(sn_lu *lu, const sn_lu_block *t, const size z, const size_t w, strip v)
{
    const double *row = lu->b.panel + t->at + z.n * t->ld + z.nl, *di = lu->di + t->first;
    const sn_quad *x = outer(lu, w, t->run_u, z.nu, lu->b.cols + t->cols + z.nl);
    const int *to = lu->col + t->first;
    sn_quad *own = (sn_quad *)lu->y + w * (size_t)t->first, s[5];
    EACH_ROW_BACK(z.n, k, {
        double *b = v.b + (size_t)to[k] * v.ld;
        row -= t->ld;
        for (size_t c = 0; c < w; c++) s[c] = own[w * (size_t)k + c] * di[k];
        take(w, z.nu, row + z.n, x, s);
        take(w, z.n - 1 - k, row + k + 1, own + w * (size_t)(k + 1), s);
        for (size_t c = 0; c < w; c++) own[w * (size_t)k + c] = s[c], sn_quad_put(v.lanes, &s[c], b + 4 * c);
    });
}

static INLINE void solve(sn_lu *lu, const size_t w, strip v)
{
    for (int i = 0; i < lu->b.n; i++) {
        const sn_lu_block *t = &lu->b.block[i];
        if (t->chain)
            forward(lu, t, CHAIN_SIZE, w, v);
        else
            forward(lu, t, size_of(t), w, v);
    }
    for (int i = lu->b.n - 1; i >= 0; i--) {
        const sn_lu_block *t = &lu->b.block[i];
        if (t->chain)
            backward(lu, t, CHAIN_SIZE, w, v);
        else
            backward(lu, t, size_of(t), w, v);
    }
}

static SN_SIMD void solve_rows(sn_lu *lu, int nrhs, double *b)
{
    size_t n = (size_t)nrhs, c = 0;
    for (; c + 20 <= n; c += 20) solve(lu, 5, (strip){4, n, b + c});
    for (; c + 8 <= n; c += 8) solve(lu, 2, (strip){4, n, b + c});
    for (; c < n; c += 4) solve(lu, 1, (strip){n - c < 4 ? (int)(n - c) : 4, n, b + c});
}

void sn_lu_block_solve_rows(sn_lu *lu, int nrhs, double *b) { solve_rows(lu, nrhs, b); }
