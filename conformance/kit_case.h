/* Makes the cases of a kind: admissible node classes, choices of the options, random numbers in the slots'
 * ranges. */
#ifndef SN_CONFORMANCE_KIT_CASE_H
#define SN_CONFORMANCE_KIT_CASE_H

#include "kit.h"

/* Near the default, or of size one; inside the range. */
static inline double kit_draw(uint64_t *seed, const sn_slot *s, int plain)
{
    double x, unit = kit_random(seed, 0.5, 1.6);
    if (s->formula)
        x = unit;
    else if (isnan(s->def))
        x = s->lo < 0 && kit_random(seed, 0, 1) < 0.5 ? -unit : unit;
    else if (isinf(s->def) || (plain && s->def == 0))
        return s->def;
    else
        x = s->def != 0 ? s->def * unit : s->lo < 0 ? kit_random(seed, -1, 1) : unit;
    if (x > s->lo && x < s->hi) return x;
    if (isfinite(s->lo) && isfinite(s->hi))
        return kit_random(seed, 0.9 * s->lo + 0.1 * s->hi, 0.1 * s->lo + 0.9 * s->hi);
    return isfinite(s->lo) ? s->lo + unit : s->hi - unit;
}

/* Slots of a table; lists of free length rise, as the times of a table must, for the first of them. */
static inline void kit_draw_slots(uint64_t *seed, const sn_slot *slots, const int *n, int plain, double *s)
{
    int risen = 0;
    for (int i = 0; slots && slots[i].name; i++) {
        for (int j = 0; j < n[i]; j++) {
            s[j] = kit_draw(seed, &slots[i], plain);
            if (slots[i].n == 0 && (!risen || slots[i].flags & SN_RISES))
                s[j] = (j ? s[j - 1] : -0.2) + kit_random(seed, 0.3, 0.8);
        }
        if (slots[i].n == 0) risen = 1;
        s += n[i];
    }
}

/* Nodes that lie apart, by at least 0.6, in the coordinates of their positions. */
static inline int kit_apart(const kit_case *k, const double *q)
{
    for (int i = 0; i < k->nn; i++)
        for (int j = 0; j < i; j++) {
            int a = k->node[i].cls->dim, b = k->node[j].cls->dim, dim = a < b ? a : b;
            double d2 = dim ? 0 : 1;
            for (int l = 0; l < dim; l++) d2 += pow(q[k->off[i] + l] - q[k->off[j] + l], 2);
            if (d2 < 0.36) return 0;
        }
    return 1;
}

/* A node's slots of random numbers, the place anywhere near, and what its start makes of them. */
static inline void kit_draw_start(kit_case *k, int i, double *X, double *q, double *v)
{
    const sn_node_class *c = k->node[i].cls;
    double s[KIT_N];
    int n[KIT_TABLE] = {0};
    for (int l = 0; c->slots[l].name; l++) n[l] = c->slots[l].n;
    kit_draw_slots(&k->seed, c->slots, n, 0, s);
    for (int l = 0; l < n[0]; l++) s[l] = kit_random(&k->seed, -1.5, 1.5);
    kit_start(c, s, X, q, v);
}

/* Reference from the nodes' own slots, configuration anywhere: several turns (rotations in space in some
   cases tiny, where their formulas are series), half a length up to lengths away. */
static inline void kit_draw_nodes(kit_case *k)
{
    double X[KIT_N], q[KIT_N], v[KIT_N], d[KIT_N], tiny = kit_choose(&k->seed, 4) ? 1 : 1e-3;
    double *base = k->base + (k->q - k->live), reach = k->nn > 4 ? 0.5 * k->nn : 1.5;
    do {
        for (int i = 0; i < k->nn; i++) {
            size_t size = (size_t)k->seen[i].nq * sizeof(double);
            kit_draw_start(k, i, X, q, v);
            memcpy(k->X + k->off[i], X + k->seen[i].q, size);
            for (int l = 0; l < k->node[i].cls->dim && k->nn > 4; l++)
                k->X[k->off[i] + l] = kit_random(&k->seed, -reach, reach);
            memcpy(base + k->off[i], q + k->seen[i].q, size);
        }
    } while (!kit_apart(k, k->X));
    do {
        for (int i = 0; i < k->nn; i++)
            for (int l = 0; l < k->seen[i].nv; l++) {
                int turns = strcmp(k->node[i].unit[k->seen[i].v + l], "rad") == 0;
                double far = !turns ? reach : kit_curved(k, i) ? 12 * tiny : 12;
                d[k->offv[i] + l] = kit_random(&k->seed, -far, far);
            }
        kit_move_q(k, d);
    } while (!kit_apart(k, k->q));
}

/* A slot that the kind refuses to see elsewhere (z of a planar node) does not move in time. */
static inline void kit_hold_slots(kit_case *k)
{
    double *base = k->base;
    for (int j = 0; k->kind->slots_move && j < k->in.ns; j++) {
        if (base[k->sd - k->live + j] == 0 && base[k->sdd - k->live + j] == 0) continue;
        if (kit_move(k, KIT_SLOT, j, 1e-3) == SN_OK) continue;
        base[k->sd - k->live + j] = base[k->sdd - k->live + j] = 0;
    }
    kit_move(k, KIT_NONE, 0, 0);
}

/* All random numbers of a case; SN_OK when the kind accepts them. */
static inline sn_status kit_draw_case(kit_case *k)
{
    const sn_slot *slot = k->kind->slots;
    int plain = kit_choose(&k->seed, 4) == 0, rot = 1;
    double slow = pow(10, -kit_choose(&k->seed, 3));
    kit_draw_nodes(k);
    kit_draw_slots(&k->seed, slot, k->slot_n, plain, k->s);
    if (plain) kit_follow(k);
    for (int i = 0; i < k->nn; i++) rot = rot && kit_turns(k, i);
    for (int i = 0, at = 0; slot && slot[i].name; at += k->slot_n[i++])
        for (int j = at; j < at + k->slot_n[i]; j++) {
            if ((slot[i].flags & SN_NEEDS_ROT) && !rot) k->s[j] = 0;
            int moves = k->kind->slots_move && (slot[i].flags & SN_VARIES);
            k->sd[j] = !k->kind->slots_move ? NAN : moves ? kit_random(&k->seed, -1, 1) : 0;
            k->sdd[j] = !k->kind->slots_move ? NAN : moves ? kit_random(&k->seed, -1, 1) : 0;
        }
    for (int i = 0; i < k->in.nv; i++) {
        k->v[i] = slow * kit_random(&k->seed, -1.5, 1.5);
        k->a[i] = kit_random(&k->seed, -2, 2);
    }
    for (int i = 0; i < k->in.m; i++) k->lam[i] = kit_random(&k->seed, -2, 2);
    for (int i = 0; i < 3; i++) k->g[i] = kit_random(&k->seed, -2, 2);
    *k->t = kit_random(&k->seed, -0.3, 3);
    memcpy(k->base, k->live, (size_t)k->size * sizeof *k->live);
    kit_hold_slots(k);
    return kit_prepare(k);
}

static inline sn_node kit_node(const sn_node_class *c)
{
    return (sn_node){.cls = c, .nq = c->nq, .nv = c->nv, .coord = c->coord, .unit = c->unit};
}

/* Behind the written nodes those that the kind brings along. */
static inline void kit_add_inner(kit_case *k)
{
    const sn_layout l = {.slot_n = k->slot_n, .opt = k->opt, .block = k->kind->block};
    k->nn = k->written;
    for (const sn_inner *in = k->kind->inner; in && in->suffix; in++) {
        const sn_node_class *c = sn_node_find(in->kind);
        int size = in->count ? in->count(&l) : 1;
        if (!c) abort();
        if (size < 1) continue;
        k->node[k->nn] = kit_node(c->layout ? kit_sized(c, size) : c);
        sn_node_seen(&k->node[k->nn], ~0u, &k->seen[k->nn]);
        k->view[k->nn] = k->seen[k->nn].what;
        k->nn++;
    }
}

/* Lays the case out, lists of free length having n numbers, and points `in` at its arrays. */
static inline sn_status kit_open(kit_case *k, int n)
{
    int ns = 0;
    for (int i = 0; k->kind->slots && k->kind->slots[i].name; i++)
        ns += k->slot_n[i] = k->kind->slots[i].n ? k->kind->slots[i].n : n;
    kit_add_inner(k);
    for (int i = 0; i < k->nn; i++) {
        k->off[i + 1] = k->off[i] + k->seen[i].nq, k->offv[i + 1] = k->offv[i] + k->seen[i].nv;
        k->coord[i] = k->form == SN_ARG_COORD ? k->offv[i] + kit_choose(&k->seed, k->seen[i].nv) : -1;
    }
    int nq = k->off[k->nn], nv = k->offv[k->nn], dim = 0;
    for (int i = 0; i < k->nn; i++) dim = k->node[i].cls->dim > dim ? k->node[i].cls->dim : dim;
    k->l = (sn_layout){.nn = k->nn,
                       .nq = nq,
                       .nv = nv,
                       .ns = ns,
                       .dim = dim,
                       .order = 2,
                       .off = k->off,
                       .offv = k->offv,
                       .view = k->view,
                       .coord = k->coord,
                       .coord_name = k->nn ? k->node[0].coord + k->seen[0].v : NULL,
                       .coord_unit = k->nn ? k->node[0].unit + k->seen[0].v : NULL,
                       .opt = k->opt,
                       .slot_n = k->slot_n,
                       .block = k->kind->block};
    for (int i = 0; i < k->nn; i++)
        if (k->node[i].cls->order == 1) k->l.order = 1;
    if (k->kind->layout) SN_TRY(k->kind->layout(&k->l, NULL));
    if (k->l.m < 0 || k->l.ny < 0 || k->l.nc < 0) return SN_ERR_INPUT;
    int m = k->l.m;
    k->size = 3 * ns + 2 * nq + 2 * nv + m + 4;
    if (k->size > KIT_N || nv > KIT_N / 2) return SN_ERR_MEMORY;
    k->base = kit_array(k, k->size), k->live = kit_array(k, k->size), k->made = kit_array(k, k->size);
    k->s = k->live, k->sd = k->s + ns, k->sdd = k->sd + ns, k->X = k->sdd + ns, k->q = k->X + nq,
    k->v = k->q + nq;
    k->a = k->v + nv, k->lam = k->a + nv, k->g = k->lam + m, k->t = k->g + 3;
    k->c = kit_array(k, k->l.nc), k->nan = kit_array(k, nv);
    for (int i = 0; i < nv; i++) k->nan[i] = NAN;
    k->in = (sn_in){.s = k->s,
                    .sd = k->sd,
                    .sdd = k->sdd,
                    .c = k->c,
                    .block = k->kind->block,
                    .X = k->X,
                    .q = k->q,
                    .v = k->v,
                    .a = k->a,
                    .lam = k->lam,
                    .g = k->g,
                    .opt = k->opt,
                    .slot_n = k->slot_n,
                    .off = k->off,
                    .offv = k->offv,
                    .view = k->view,
                    .coord = k->coord,
                    .nn = k->nn,
                    .nq = nq,
                    .nv = nv,
                    .ns = ns,
                    .nc = k->l.nc,
                    .m = m,
                    .dim = dim};
    return SN_OK;
}

/* How many choices an option has: integers their default, coordinates all or some. */
static inline int kit_choices(const sn_option *o)
{
    int n = 1;
    if (o->choices[0] == '#') return 1;
    if (!strcmp(o->choices, "@place") || !strcmp(o->choices, "@item")) return 1;
    if (o->choices[0] == '@') return 2;
    for (const char *p = o->choices; *p; p++) n += *p == '|';
    return n;
}

/* Combination number `which` of the options; -1 beyond the last. */
static inline int kit_set_options(kit_case *k, int which)
{
    k->defaults = 1;
    for (int i = 0; k->kind->options && k->kind->options[i].name; i++) {
        const sn_option *o = &k->kind->options[i];
        int n = kit_choices(o), c = which % n;
        which /= n;
        k->opt[i] = o->choices[0] == '#' ? o->def : c;
        if (o->choices[0] == '@') {
            int nv = k->nn ? k->seen[0].nv : 0;
            k->opt[i] = c == 0 || nv == 0
                            ? o->def
                            : 1 + kit_choose(&k->seed, (1 << (nv < SN_MAX_CHOSEN ? nv : 10)) - 1);
        }
        k->defaults = k->defaults && k->opt[i] == o->def;
    }
    return which ? -1 : 0;
}

/* Whether a node kind offers what is asked for in block i, of the dimension. */
static inline int kit_suits(const kit_case *k, int i, const sn_node *n, sn_seen *seen)
{
    const sn_args *args = &k->kind->args;
    if (args->dim && args->dim != n->cls->dim) return 0;
    if (k->form != SN_ARG_COORD) return sn_node_seen(n, sn_args_ask(args, i), seen);
    return !n->cls->retract && sn_node_seen(n, 0, seen);
}

enum { KIT_CLASSES = 64, KIT_ALL = 256, KIT_SOME = 64, KIT_DRAWS = 2000 };

/* Whether the kind's layout takes these nodes, with slots of two numbers where it decides and plain options.
 */
static inline int kit_takes_nodes(const kit_case *k)
{
    int off[KIT_NODES + 1] = {0}, offv[KIT_NODES + 1] = {0}, coord[KIT_NODES], slot_n[KIT_TABLE] = {0},
                        opt[SN_MAX_OPTIONS] = {0}, dim = 0, order = 2, ns = 0;
    for (int i = 0; i < k->nn; i++) {
        off[i + 1] = off[i] + k->seen[i].nq, offv[i + 1] = offv[i] + k->seen[i].nv;
        coord[i] = -1;
        dim = k->node[i].cls->dim > dim ? k->node[i].cls->dim : dim;
        if (k->node[i].cls->order == 1) order = 1;
    }
    for (int i = 0; k->kind->slots && k->kind->slots[i].name; i++)
        ns += slot_n[i] = k->kind->slots[i].n ? k->kind->slots[i].n : 2;
    sn_layout l = {.nn = k->nn,
                   .nq = off[k->nn],
                   .nv = offv[k->nn],
                   .ns = ns,
                   .dim = dim,
                   .order = order,
                   .off = off,
                   .offv = offv,
                   .view = k->view,
                   .coord = coord,
                   .coord_name = k->nn ? k->node[0].coord : NULL,
                   .coord_unit = k->nn ? k->node[0].unit : NULL,
                   .opt = opt,
                   .slot_n = slot_n,
                   .block = k->kind->block};
    return !k->kind->layout || k->kind->layout(&l, NULL) == SN_OK;
}

/* Combination number `which` of the node kinds that suit; 1: not of one model, -1: beyond the last. Where
   they are more than KIT_ALL some of them: one kind for all nodes, then chosen at random. */
static inline int kit_set_nodes(kit_case *k, int which)
{
    const sn_node_class *const *all = kit_nodes(), *fit[KIT_NODES][KIT_CLASSES];
    int n[KIT_NODES] = {0}, total = 1, dims = 0, number = which;
    for (int i = 0; i < k->nn; i++) {
        for (int c = 0; all[c] && n[i] < KIT_CLASSES; c++) {
            sn_node node = kit_node(all[c]);
            if (kit_suits(k, i, &node, &k->seen[i])) fit[i][n[i]++] = all[c];
        }
        total = total > KIT_ALL ? total : total * n[i];
    }
    if (which >= (total > KIT_ALL ? KIT_SOME : total)) return -1;
    if (total > KIT_ALL) k->stat->combinations = 1;
    /* among many that few of which are taken, one of these is looked for */
    for (int draw = 0; draw < (total > KIT_ALL ? KIT_DRAWS : 1); draw++) {
        for (int i = 0, rest = number; i < k->nn; i++) {
            int c = total <= KIT_ALL        ? rest % n[i]
                    : !draw && which < n[0] ? which % n[i]
                                            : kit_choose(&k->seed, n[i]);
            rest /= n[i];
            k->node[i] = kit_node(fit[i][c]);
            kit_suits(k, i, &k->node[i], &k->seen[i]);
            k->view[i] = k->seen[i].what;
            dims = (i ? dims : 0) | 1 << k->node[i].cls->dim;
        }
        if (k->form != SN_ARG_NODE || ((dims & 12) != 12 && kit_takes_nodes(k))) break;
    }
    return (dims & 12) == 12;
}

/* Why there is nothing to compare there, or NULL. */
static inline const char *kit_not_constant(kit_case *k)
{
    unsigned varies = 0;
    for (int j = 0; j < k->in.ns; j++) varies |= kit_slot(k, j)->flags & SN_VARIES;
    return k->in.nc == 0 ? "it has no constants" : varies ? NULL : "none of its slots may vary";
}

/* Slots that vary in time must not be hidden in the constants, which are made once. */
static inline void kit_check_constants(kit_case *k)
{
    int nc = k->in.nc;
    double *c = kit_array(k, nc);
    memcpy(c, k->c, (size_t)nc * sizeof *c);
    for (int j = 0; j < k->in.ns; j++) {
        double h = kit_step(k, KIT_SLOT, j);
        if ((kit_slot(k, j)->flags & SN_VARIES) && h > 0 && kit_move(k, KIT_SLOT, j, h) == SN_OK)
            kit_same(k, "constants of a varying slot", j, k->c, c, nc, 0, 0);
    }
    kit_move(k, KIT_NONE, 0, 0);
}

typedef void kit_checks(kit_case *k);

/* One case of a kind, if it takes it: drawn anew until its numbers are accepted, then checked. */
static inline void kit_try(kit_case *k, kit_checks *checks)
{
    int good = 0, open = 0, n = kit_choose(&k->seed, 7);
    /* lists of free length: the first count that is accepted */
    for (int i = 0; i < 7 && !open; i++, n = (n + 1) % 7) open = kit_open(k, n) == SN_OK;
    if (open) {
        for (int i = 0; i < 20 && !good; i++) good = kit_draw_case(k) == SN_OK;
        if (good) k->stat->samples++, checks(k);
    }
    kit_release(k, 0);
}

enum { KIT_OPTIONS = 64 };

/* All options of one choice of nodes, at most KIT_OPTIONS combinations; 0: there is no such choice. */
static inline int kit_options(const kit_kind *kind, kit_stat *stat, uint64_t *seed, kit_checks *checks,
                              int form, int nn, int which)
{
    for (int j = 0; j <= KIT_OPTIONS; j++) {
        kit_case k = {.kind = kind, .stat = stat, .form = form, .nn = nn, .written = nn, .seed = *seed};
        int unfit = kit_set_nodes(&k, which);
        *seed = k.seed;
        if (unfit) return unfit > 0;
        if (kit_set_options(&k, j)) return 1;
        if (j == KIT_OPTIONS) stat->combinations = 1;
        if (j < KIT_OPTIONS) kit_try(&k, checks);
        *seed = k.seed;
    }
    return 1;
}

/* All forms and numbers of nodes (three numbers of them), kinds of nodes and options once. */
static inline void kit_round(const kit_kind *kind, kit_stat *stat, uint64_t *seed, kit_checks *checks)
{
    static const int form[] = {SN_ARG_NODE, SN_ARG_COORD, SN_ARG_NONE};
    int what = (int)kind->args.what, places = what & (SN_ARG_NODE | SN_ARG_COORD);
    if (!places) what = SN_ARG_NONE;
    for (int f = 0; f < 3; f++) {
        if (!(what & form[f])) continue;
        int lo = form[f] == SN_ARG_NONE ? 0 : kind->args.min,
            hi = form[f] == SN_ARG_NONE ? 0 : kind->args.max;
        if (kind->tied) lo = hi = 0;
        if (hi > lo + 2) stat->most_nodes = hi = lo + 2;
        for (int nn = lo; nn <= hi; nn++)
            for (int i = 0; kit_options(kind, stat, seed, checks, form[f], nn, i);) i++;
    }
}

static inline void kit_print_found(const kit_found *c)
{
    printf("    %-34s ", c->name);
    if (!c->made) {
        printf("does not apply: %s\n", c->why);
        return;
    }
    printf("%4d cases %8d numbers, worst %.1e", c->made, c->compared, c->worst);
    if (c->skipped) printf(", %d not smooth", c->skipped);
    if (c->refused) printf(", %d where moved numbers were refused", c->refused);
    if (c->unmoved) printf(", %d numbers at a bound or infinite", c->unmoved);
    if (c->not_made) printf("; not in %d cases: %s", c->not_made, c->why);
    printf("%s\n", c->failed ? "  FAILED" : "");
}

static inline void kit_print(const kit_kind *kind, const kit_stat *stat)
{
    printf("%s %s: %d cases\n", kind->family, kind->name, stat->samples);
    for (int i = 0; i < stat->n_check; i++) kit_print_found(&stat->check[i]);
    if (stat->most_nodes)
        printf("    with at most %d of its up to %d nodes\n", stat->most_nodes, kind->args.max);
    if (stat->combinations) printf("    in some combinations of node kinds and options, not in all\n");
    for (const sn_option *o = kind->options; o && o->name; o++)
        if (o->choices[0] == '#') printf("    option '%s' at its default, %d, only\n", o->name, o->def);
}

/* Checks a kind in all its cases, several times over, and prints what was checked and what was not. Returns
   the number of failures. */
static inline int kit_run(const kit_kind *kind, kit_checks *checks)
{
    kit_stat stat = {.quiet = kind->quiet};
    uint64_t seed = kit_seed(kind->name);
    int compared = 0, skipped = 0;
    for (int round = 0; round < 2 || stat.samples < KIT_SAMPLES; round++) {
        kit_round(kind, &stat, &seed, checks);
        if (stat.samples == 0 || stat.failed > 100) break;
    }
    for (int i = 0; i < stat.n_check; i++)
        compared += stat.check[i].compared, skipped += stat.check[i].skipped;
    if (!stat.quiet) kit_print(kind, &stat);
    for (int i = 0; i < stat.n_check; i++)
        if (stat.check[i].made && !stat.check[i].compared) {
            if (!stat.quiet)
                printf("FAIL %s %s: %s: nothing was compared%s\n", kind->family, kind->name,
                       stat.check[i].name, stat.check[i].refused ? ": all was refused" : "");
            stat.failed++;
        }
    if (stat.samples == 0) {
        if (!stat.quiet)
            printf(
                "FAIL %s %s: takes none of the cases: no node kind suits, or its layout or prepare refuses "
                "all random "
                "numbers\n",
                kind->family, kind->name);
        stat.failed++;
    }
    if (skipped > (compared + skipped) / 10) {
        if (!stat.quiet)
            printf("FAIL %s %s: %d of %d derivatives are not smooth\n", kind->family, kind->name, skipped,
                   skipped + compared);
        stat.failed++;
    }
    return stat.failed;
}

#endif
