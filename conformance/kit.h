/* Kit of sinew-conformance: puts any kind into random situations and differentiates its functions.

   A case is one kind with chosen node classes, options and random numbers. Its state lies in one array, of
   which a copy is moved: by one coordinate (along the retraction), one slot, one reference coordinate, or
   along a curve in time. A kind sees views of nodes (sn_offer), of all node kinds there are. Derivatives come
   from central differences extrapolated over halved steps (Ridders), each with its own estimate of error;
   where that does not settle (a kink, a jump) the number is left out, and too many left out is a failure.
   Numbers are of size one, so that an error shows in every entry; each array has its exact length, so that a
   sanitizer sees what is written beyond it. */
#ifndef SN_CONFORMANCE_KIT_H
#define SN_CONFORMANCE_KIT_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"
#include "model/compile.h"

enum {
    KIT_NODES = SN_MAX_NODES,
    KIT_TABLE = SN_MAX_SLOTS,
    KIT_N = 2048,
    KIT_LEVELS = 8,
    KIT_OWNED = 64,
    KIT_SAMPLES = 60,
    KIT_CHECKS = 24
};
#define KIT_TOL 1e-7

typedef struct kit_kind {
    const char *family, *name;
    const void *cls;
    sn_args args;
    const sn_slot *slots;
    const sn_option *options;
    sn_status (*layout)(sn_layout *l, sn_err *err);
    sn_status (*prepare)(const sn_in *in, double *c, sn_err *err);
    int slots_move;        /* slots have time derivatives (joints, signals) */
    int quiet;             /* print nothing: for kinds that are meant to fail */
    const void *block;     /* what it made of a file */
    const sn_inner *inner; /* nodes that it brings along */
    int tied;              /* the written ones are none of its own */
} kit_kind;

/* One of the checks of a kind: in how many cases it was made and in how many not, why; what it found. */
typedef struct kit_found {
    const char *name, *why;
    int made, not_made, compared, skipped, refused, unmoved, failed;
    double worst;
} kit_found;

/* What a kind's checks found. The last one takes what belongs to none. */
typedef struct kit_stat {
    kit_found check[KIT_CHECKS + 1];
    int n_check, now;
    int samples, failed, quiet;
    int most_nodes,
        combinations; /* checked with fewer nodes, or not in all combinations of kinds and options */
} kit_stat;

/* The table of a kind of a family with layout and prepare (elements, joints, signals, sensors). */
#define KIT_KIND(fam, c, moves)                                                                              \
    {                                                                                                        \
        .family = fam, .name = (c)->name, .cls = (c), .args = (c)->args, .slots = (c)->slots,                \
        .options = (c)->options, .layout = (c)->layout, .prepare = (c)->prepare, .slots_move = (moves)       \
    }

typedef struct kit_case {
    const kit_kind *kind;
    kit_stat *stat;
    uint64_t seed;
    int form, nn, defaults; /* SN_ARG_..., nodes, all options at their default */
    int written;            /* nodes without those that the kind brings along */
    int follow;             /* slots with a formula follow when others move */
    sn_node node[KIT_NODES];
    sn_seen seen[KIT_NODES]; /* what the kind sees of each node */
    unsigned view[KIT_NODES];
    int slot_n[KIT_TABLE], opt[KIT_TABLE], off[KIT_NODES + 1], offv[KIT_NODES + 1], coord[KIT_NODES];
    sn_layout l;
    sn_in in;
    double *base, *live; /* states, one behind the other: s sd sdd X q v a lam g t */
    double *made;        /* the state that the constants were made of */
    int is_made;
    int size;
    double *s, *sd, *sdd, *X, *q, *v, *a, *lam, *g, *t; /* in live */
    double *c, *nan;
    double *owned[KIT_OWNED];
    int n_owned, length[KIT_OWNED];
} kit_case;

typedef enum kit_var { KIT_NONE, KIT_Q, KIT_V, KIT_A, KIT_LAM, KIT_SLOT, KIT_X, KIT_G, KIT_TIME } kit_var;

/* Any function of a case. */
typedef sn_status kit_fn(kit_case *k, const void *ctx, double *y);

/* Its derivative by differences, the estimated error, the largest value met and the first step. */
typedef struct kit_num {
    double d[KIT_N], err[KIT_N], top, h;
    int n, good;
} kit_num;

/* xorshift64*, uniform in [lo, hi] */
static inline double kit_random(uint64_t *seed, double lo, double hi)
{
    uint64_t x = *seed;
    x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
    *seed = x;
    return lo + (hi - lo) * ((double)((x * 0x2545F4914F6CDD1DULL) >> 11) / 9007199254740992.0);
}

static inline int kit_choose(uint64_t *seed, int n) { return (int)kit_random(seed, 0, n * 0.999999); }

static inline uint64_t kit_seed(const char *name)
{
    uint64_t h = 1469598103934665603ULL;
    while (*name) h = (h ^ (unsigned char)*name++) * 1099511628211ULL;
    return h | 1;
}

/* Zeros, n of them, freed with the case; behind them a guard of -0.0, which whatever is
   written or added there changes. */
enum { KIT_GUARD = 4 };

static inline double *kit_array(kit_case *k, int n)
{
    n = n > 0 ? n : 0;
    double *p = calloc((size_t)n + KIT_GUARD, sizeof *p);
    if (!p || k->n_owned == KIT_OWNED) abort();
    for (int i = 0; i < KIT_GUARD; i++) p[n + i] = -0.0;
    k->length[k->n_owned] = n;
    return k->owned[k->n_owned++] = p;
}

static inline int kit_mark(const kit_case *k) { return k->n_owned; }

static inline void kit_print_case(const kit_case *k)
{
    printf(" (nodes");
    for (int i = 0; i < k->nn; i++) printf(" %s", k->node[i].cls->name);
    if (k->form == SN_ARG_COORD)
        for (int i = 0; i < k->nn; i++) printf(" .%d", k->coord[i]);
    printf("; options");
    for (int i = 0; k->kind->options && k->kind->options[i].name; i++)
        printf(" %s=%d", k->kind->options[i].name, k->opt[i]);
    printf(")\n");
}

/* Begins a check of a case; why_not: the reason for which it does not apply here, or NULL. Returns whether it
   does. Every check of a family is begun in every case, so that none is left out in silence. */
static inline int kit_begin(kit_case *k, const char *name, const char *why_not)
{
    kit_stat *s = k->stat;
    int i = 0;
    while (i < s->n_check && strcmp(s->check[i].name, name) != 0) i++;
    if (i == KIT_CHECKS) abort();
    if (i == s->n_check) s->check[s->n_check++].name = name;
    s->now = i;
    if (why_not) s->check[i].not_made++, s->check[i].why = why_not;
    if (!why_not) s->check[i].made++;
    return !why_not;
}

static inline kit_found *kit_now(kit_case *k) { return &k->stat->check[k->stat->now]; }

/* A failed check: the first few of a kind are printed. */
static inline void kit_fail(kit_case *k, const char *what, int row, int index, double got, double want)
{
    kit_now(k)->failed++;
    if (k->stat->failed++ >= 6 || k->stat->quiet) return;
    printf("FAIL %s %s: %s row %d index %d: %.12g, should be %.12g", k->kind->family, k->kind->name, what,
           row, index, got, want);
    kit_print_case(k);
}

static inline void kit_release(kit_case *k, int mark)
{
    while (k->n_owned > mark) {
        double *p = k->owned[--k->n_owned];
        int n = k->length[k->n_owned];
        for (int i = n; i < n + KIT_GUARD; i++)
            if (p[i] != 0 || !signbit(p[i])) kit_fail(k, "writes behind an array, at", i, n, p[i], -0.0);
        free(p);
    }
}

static inline void kit_note(kit_case *k, double rel)
{
    kit_now(k)->compared++;
    kit_now(k)->worst = fmax(kit_now(k)->worst, rel);
}

static inline double kit_top(const double *x, int n)
{
    double top = 0;
    for (int i = 0; i < n; i++) top = fmax(top, fabs(x[i]));
    return top;
}

/* Two arrays that must agree to tol of their largest number (at least `scale`). */
static inline int kit_same(kit_case *k, const char *what, int index, const double *got, const double *want,
                           int n, double scale, double tol)
{
    double top = fmax(fmax(kit_top(got, n), kit_top(want, n)), fmax(scale, 1e-30));
    for (int i = 0; i < n; i++) {
        double rel = fabs(got[i] - want[i]) / top;
        if (!(rel <= tol)) return kit_fail(k, what, i, index, got[i], want[i]), 0;
        kit_note(k, rel);
    }
    return 1;
}

/* got[i * stride] against the differences. Below 1e7 times the rounding error of a difference nothing is
 * resolved. */
static inline void kit_check(kit_case *k, const char *what, int index, const kit_num *num, int from, int n,
                             const double *got, int stride)
{
    double top = fmax(kit_top(num->d + from, n), fmax(1e-5 * num->top / num->h, 1e-30));
    for (int i = 0; i < n; i++) top = fmax(top, fabs(got[i * stride]));
    if (!num->good) kit_now(k)->refused += n;
    for (int i = 0; i < n && num->good; i++) {
        double d = num->d[from + i], rel = fabs(got[i * stride] - d) / top;
        if (isfinite(d) && num->err[from + i] > 0.1 * KIT_TOL * top) {
            kit_now(k)->skipped++;
        } else if (!(rel <= KIT_TOL)) {
            kit_fail(k, what, i, index, got[i * stride], d);
        } else {
            kit_note(k, rel);
        }
    }
}

/* A node kind whose entries decide about its size, with n numbers in each slot of free count. */
static inline const sn_node_class *kit_sized(const sn_node_class *c, int n)
{
    enum { SIZES = 256 };
    static struct {
        const sn_node_class *of;
        int n;
        sn_node_class cls;
        sn_slot slots[KIT_TABLE];
        const char *text[2][KIT_TABLE];
    } all[SIZES];
    int i = 0, slot_n[KIT_TABLE], opt[SN_MAX_OPTIONS] = {0};
    while (i < SIZES && all[i].of && (all[i].of != c || all[i].n != n)) i++;
    if (i == SIZES) abort();
    if (all[i].of) return &all[i].cls;
    for (int k = 0; c->slots[k].name; k++) {
        all[i].slots[k] = c->slots[k], all[i].slots[k + 1] = (sn_slot){.name = NULL};
        all[i].slots[k].n = slot_n[k] = c->slots[k].n ? c->slots[k].n : n;
    }
    for (int k = 0; c->options && c->options[k].name; k++) opt[k] = c->options[k].def;
    sn_node_layout l = {.slot_n = slot_n, .opt = opt};
    if (c->layout(&l, NULL) || l.n < 1 || l.n > KIT_TABLE) abort();
    for (int k = 0; k < l.n; k++) all[i].text[0][k] = c->coord[0], all[i].text[1][k] = c->unit[0];
    all[i].of = c, all[i].n = n, all[i].cls = *c;
    all[i].cls.nq = all[i].cls.nv = l.n, all[i].cls.slots = all[i].slots;
    all[i].cls.coord = all[i].text[0], all[i].cls.unit = all[i].text[1];
    return &all[i].cls;
}

/* All node classes; those with a size for each entry as they are with `conform_size` numbers in each open
 * slot. */
static inline const sn_node_class *const *kit_nodes(void)
{
    enum { NODES = 64 };
    static const sn_node_class *list[NODES + 1];
    const sn_node_class *const *all = sn_node_all();
    for (int i = 0; (list[i] = all[i]); i++) {
        if (i == NODES) abort(); /* none is left out in silence */
        if (all[i]->layout) list[i] = kit_sized(all[i], conform_size);
    }
    return list;
}

static inline sn_node_in kit_node_in(const sn_node_class *c, const double *s, int *slot_n, int *opt)
{
    sn_node_in in = {.s = s, .slot_n = slot_n, .opt = opt, .nq = c->nq, .nv = c->nv};
    for (int k = 0; c->slots[k].name; k++) in.ns += slot_n[k] = c->slots[k].n;
    for (int k = 0; c->options && c->options[k].name; k++) opt[k] = c->options[k].def;
    return in;
}

static inline void kit_start(const sn_node_class *c, const double *s, double *X, double *q, double *v)
{
    int slot_n[KIT_TABLE], opt[KIT_TABLE];
    const sn_node_in in = kit_node_in(c, s, slot_n, opt);
    c->start(&in, X, q, v);
}

static inline void kit_retract(const sn_node_class *c, int nq, const double *q, const double *d, double *q1)
{
    if (c && c->retract) {
        c->retract(q, d, q1);
    } else {
        for (int i = 0; i < nq; i++) q1[i] = q[i] + d[i];
    }
}

/* The class by which block i moves where it is not flat: a frame in space, whose coordinates behind the place
   are rotations about body axes. Of a node that has more than the frame it moves as a plain one. All other
   views are flat: NULL. */
static inline const sn_node_class *kit_curved(const kit_case *k, int i)
{
    const sn_node *n = &k->node[i];
    if (k->view[i] != SN_FRAME || n->cls->dim != 3) return NULL;
    return k->seen[i].nq == n->nq ? n->cls : sn_frame_class(3);
}

static inline int kit_turns(const kit_case *k, int i) { return k->view[i] == SN_FRAME; }

/* q <- retract(base q, d), d of all nodes. */
static inline void kit_move_q(kit_case *k, const double *d)
{
    const double *q = k->base + (k->q - k->live);
    for (int i = 0; i < k->nn; i++)
        kit_retract(kit_curved(k, i), k->seen[i].nq, q + k->off[i], d + k->offv[i], k->q + k->off[i]);
}

static inline sn_status kit_prepare(kit_case *k)
{
    k->in.t = *k->t;
    sn_in in = k->in; /* as it is in a model then: there is no state yet */
    in.q = in.v = in.a = in.lam = in.sd = in.sdd = NULL;
    sn_status s = k->kind->prepare ? k->kind->prepare(&in, k->c, NULL) : SN_OK;
    memcpy(k->made, k->live, (size_t)k->size * sizeof *k->live);
    k->is_made = s == SN_OK;
    return s;
}

/* Are the constants those of this state? They do not see q v a lam. */
static inline int kit_is_prepared(const kit_case *k)
{
    ptrdiff_t q = k->q - k->live, g = k->g - k->live;
    return k->is_made && !memcmp(k->made, k->live, (size_t)q * sizeof *k->live) &&
           !memcmp(k->made + g, k->live + g, (size_t)(k->size - g) * sizeof *k->live);
}

/* Names in formulas: own scalar slots (their number), reference coordinates "@2.x" (behind the slots). */
static inline int kit_lookup(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    const kit_case *k = ctx;
    int node = name[0] == '@' ? name[1] - '1' : -1;
    (void)where, (void)err;
    if (node >= 0 && node < k->nn && name[2] == '.') {
        const sn_node *n = &k->node[node];
        for (int l = 0; l < (kit_curved(k, node) ? n->cls->dim : k->seen[node].nv); l++)
            if (strcmp(n->coord[k->seen[node].v + l], name + 3) == 0) return k->in.ns + k->off[node] + l;
    }
    for (int i = 0, at = 0; k->kind->slots[i].name; at += k->slot_n[i++])
        if (k->slot_n[i] == 1 && strcmp(k->kind->slots[i].name, name) == 0) return at;
    return -1;
}

/* The formula's value for component j; what it had where the formula needs a material or a section. */
static inline double kit_formula(kit_case *k, const char *formula, int j, double otherwise)
{
    char text[512];
    double x[SN_MAX_VARIABLES];
    sn_arena arena = {0};
    sn_expr *e = NULL;
    while (j-- > 0 && strchr(formula, ';')) formula = strchr(formula, ';') + 1;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(formula, ";"), formula);
    /* z of a planar node is 0 */
    for (char *at = strchr(text, '@'); at; at = strchr(at + 1, '@'))
        if (at[3] == 'z' && at[1] - '1' < k->nn && k->node[at[1] - '1'].cls->dim == 2) memcpy(at, "0   ", 4);
    if (sn_expr_parse(&arena, text, &(sn_mark){0}, kit_lookup, k, &e, NULL) == SN_OK) {
        for (int i = 0; i < sn_expr_nvar(e); i++) {
            int id = sn_expr_var(e, i);
            x[i] = id < k->in.ns ? k->s[id] : k->X[id - k->in.ns];
        }
        otherwise = sn_expr_value(e, x);
    }
    sn_arena_free(&arena);
    return otherwise;
}

/* Slots with a formula get its value. */
static inline void kit_follow(kit_case *k)
{
    const sn_slot *slot = k->kind->slots;
    for (int i = 0, at = 0; slot && slot[i].name; at += k->slot_n[i++])
        for (int j = at; j < at + k->slot_n[i] && slot[i].formula; j++)
            k->s[j] = kit_formula(k, slot[i].formula, j - at, k->s[j]);
}

/* The state moved from its base by eps along variable j, with its constants. */
static inline sn_status kit_move(kit_case *k, kit_var var, int j, double eps)
{
    double d[KIT_N] = {0};
    memcpy(k->live, k->base, (size_t)k->size * sizeof *k->live);
    if (var == KIT_Q) d[j] = eps, kit_move_q(k, d);
    if (var == KIT_V) k->v[j] += eps;
    if (var == KIT_A) k->a[j] += eps;
    if (var == KIT_LAM) k->lam[j] += eps;
    if (var == KIT_SLOT) k->s[j] += eps;
    if (var == KIT_X) k->X[j] += eps;
    if (var == KIT_G) k->g[j] += eps;
    if (var == KIT_TIME) {
        for (int i = 0; i < k->in.nv; i++)
            d[i] = eps * k->v[i] + eps * eps / 2 * k->a[i], k->v[i] += eps * k->a[i];
        kit_move_q(k, d);
        for (int i = 0; k->kind->slots_move && i < k->in.ns; i++)
            k->s[i] += eps * k->sd[i] + eps * eps / 2 * k->sdd[i], k->sd[i] += eps * k->sdd[i];
        *k->t += eps;
    }
    if (k->follow) kit_follow(k);
    return kit_is_prepared(k) ? SN_OK : kit_prepare(k);
}

/* Whether the slots with a formula have its value at the base. */
static inline int kit_follows(kit_case *k)
{
    double apart = 0;
    kit_move(k, KIT_NONE, 0, 0);
    kit_follow(k);
    for (int i = 0; i < k->in.ns; i++) apart = fmax(apart, fabs(k->s[i] - k->base[i]));
    kit_move(k, KIT_NONE, 0, 0);
    return apart < 1e-12;
}

/* The entry of the table that holds slot number j. */
static inline const sn_slot *kit_slot(const kit_case *k, int j)
{
    int i = 0;
    while (j >= k->slot_n[i]) j -= k->slot_n[i++];
    return &k->kind->slots[i];
}

/* Reference coordinate j is a rotation, which never changes: the derivative by it is 0 by agreement. */
static inline int kit_unmoved(const kit_case *k, kit_var var, int j)
{
    int i = 0;
    if (var != KIT_X) return 0;
    while (j >= k->off[i + 1]) i++;
    return kit_curved(k, i) && j - k->off[i] >= k->node[i].cls->dim;
}

/* First step for a variable: a slot stays inside its range. 0: cannot be moved. */
static inline double kit_step(const kit_case *k, kit_var var, int j)
{
    if (var == KIT_V) return 0.05 * fmax(kit_top(k->base + (k->v - k->live), k->in.nv), 1e-3);
    if (var != KIT_SLOT) return 0.05;
    double x = k->base[j];
    const sn_slot *s = kit_slot(k, j);
    double h = x == 0 ? 0.05 : 0.05 * fmin(fabs(x), 1);
    if (!isfinite(x) || ((s->flags & SN_NEEDS_ROT) && x == 0)) return 0;
    return fmin(h, fmin(0.5 * (x - s->lo), 0.5 * (s->hi - x)));
}

/* Adds the differences at step h as row i of the tableau; keeps the entries of least error. */
static inline void kit_extrapolate(int i, double h, int n, double prev[][KIT_N], double row[][KIT_N],
                                   kit_num *num)
{
    for (int j = 1; j <= i; j++) {
        double factor = (double)(1 << 2 * j), noise = 4e-16 * num->top / h;
        for (int l = 0; l < n; l++) {
            row[j][l] = (factor * row[j - 1][l] - prev[j - 1][l]) / (factor - 1);
            double e = noise + fmax(fabs(row[j][l] - row[j - 1][l]), fabs(row[j][l] - prev[j - 1][l]));
            if (e <= num->err[l]) num->err[l] = e, num->d[l] = row[j][l];
        }
    }
    for (int j = 0; j <= i; j++) memcpy(prev[j], row[j], (size_t)n * sizeof(double));
}

/* Derivative of f by a variable; 0 when the variable cannot be moved. The state is at its base afterwards. */
static inline int kit_diff(kit_case *k, kit_var var, int j, kit_fn *f, const void *ctx, int n, kit_num *num)
{
    static double prev[KIT_LEVELS][KIT_N], row[KIT_LEVELS][KIT_N];
    double up[KIT_N] = {0}, down[KIT_N] = {0}, h = kit_step(k, var, j);
    *num = (kit_num){.n = n, .good = 1, .h = h};
    if (kit_unmoved(k, var, j)) return 1;
    for (int l = 0; l < n; l++) num->d[l] = NAN, num->err[l] = INFINITY;
    if (!(h > 0)) return kit_now(k)->unmoved++, 0;
    int i = 0;
    for (; i < KIT_LEVELS && num->good; i++, h /= 2) {
        num->good = kit_move(k, var, j, h) == SN_OK && f(k, ctx, up) == SN_OK &&
                    kit_move(k, var, j, -h) == SN_OK && f(k, ctx, down) == SN_OK;
        num->top = fmax(num->top, fmax(kit_top(up, n), kit_top(down, n)));
        for (int l = 0; l < n; l++) row[0][l] = (up[l] - down[l]) / (2 * h);
        kit_extrapolate(i, h, n, prev, row, num);
        if (i >= 3 && kit_top(num->err, n) <= 1e-11 * fmax(kit_top(num->d, n), num->top)) break;
    }
    /* where larger steps crossed a kink, two of them may agree by chance: the smallest must agree as well */
    for (int l = 0; l < n && i == KIT_LEVELS; l++)
        num->err[l] = fmax(num->err[l], fabs(num->d[l] - row[1][l]));
    kit_move(k, KIT_NONE, 0, 0);
    return 1;
}

/* The variable behind a parameter index: slots, reference coordinates, field. */
static inline kit_var kit_parameter(const kit_case *k, int index, int *j)
{
    *j = index < k->in.ns              ? index
         : index < k->in.ns + k->in.nq ? index - k->in.ns
                                       : index - k->in.ns - k->in.nq;
    return index < k->in.ns ? KIT_SLOT : index < k->in.ns + k->in.nq ? KIT_X : KIT_G;
}

#endif
