/* Makes the cases of a kind: admissible node classes, choices of the options, random numbers in the slots'
 * ranges. */
#ifndef SN_TEST_KIT_CASE_H
#define SN_TEST_KIT_CASE_H

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
            if (slots[i].n == 0 && !risen) s[j] = (j ? s[j - 1] : -0.2) + kit_random(seed, 0.3, 0.8);
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
            int dim = k->node[i]->dim < k->node[j]->dim ? k->node[i]->dim : k->node[j]->dim;
            double d2 = dim ? 0 : 1;
            for (int l = 0; l < dim; l++) d2 += pow(q[k->off[i] + l] - q[k->off[j] + l], 2);
            if (d2 < 0.36) return 0;
        }
    return 1;
}

/* Reference from the nodes' own slots, configuration anywhere: several turns (rotations in space in some
   cases tiny, where their formulas are series), half a length up to lengths away. */
static inline void kit_draw_nodes(kit_case *k)
{
    double s[KIT_N], q0[KIT_N], v0[KIT_N], d[KIT_N], tiny = kit_choose(&k->seed, 4) ? 1 : 1e-3;
    do {
        for (int i = 0; i < k->nn; i++) {
            int n[KIT_TABLE];
            const sn_node_class *c = k->node[i];
            for (int l = 0; c->slots[l].name; l++) n[l] = c->slots[l].n;
            kit_draw_slots(&k->seed, c->slots, n, 0, s);
            for (int l = 0; l < n[0]; l++) s[l] = kit_random(&k->seed, -1.5, 1.5);
            kit_start(c, s, k->X + k->off[i], q0 + k->off[i], v0 + k->offv[i]);
        }
    } while (!kit_apart(k, k->X));
    memcpy(k->base + (k->q - k->live), q0, (size_t)k->in.nq * sizeof *q0);
    do {
        for (int i = 0; i < k->nn; i++)
            for (int l = 0; l < k->node[i]->nv; l++) {
                int turns = strcmp(k->node[i]->unit[l], "rad") == 0;
                double reach = !turns ? 1.5 : k->node[i]->retract ? 12 * tiny : 12;
                d[k->offv[i] + l] = kit_random(&k->seed, -reach, reach);
            }
        kit_move_q(k, d);
    } while (!kit_apart(k, k->q));
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
    for (int i = 0; i < k->nn; i++) rot = rot && kit_turns(k->node[i]);
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
    return kit_prepare(k);
}

/* Lays the case out, lists of free length having n numbers, and points `in` at its arrays. */
static inline sn_status kit_open(kit_case *k, int n)
{
    int ns = 0;
    for (int i = 0; k->kind->slots && k->kind->slots[i].name; i++)
        ns += k->slot_n[i] = k->kind->slots[i].n ? k->kind->slots[i].n : n;
    for (int i = 0; i < k->nn; i++) {
        k->off[i + 1] = k->off[i] + k->node[i]->nq, k->offv[i + 1] = k->offv[i] + k->node[i]->nv;
        k->coord[i] = k->form == SN_ARG_COORD ? k->offv[i] + kit_choose(&k->seed, k->node[i]->nv) : -1;
    }
    int nq = k->off[k->nn], nv = k->offv[k->nn], dim = 0;
    for (int i = 0; i < k->nn; i++) dim = k->node[i]->dim > dim ? k->node[i]->dim : dim;
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
                       .coord_name = k->nn ? k->node[0]->coord : NULL,
                       .coord_unit = k->nn ? k->node[0]->unit : NULL,
                       .opt = k->opt,
                       .slot_n = k->slot_n};
    for (int i = 0; i < k->nn; i++)
        if (k->node[i]->order == 1) k->l.order = 1;
    if (k->kind->layout) SN_TRY(k->kind->layout(&k->l, NULL));
    int m = k->l.m;
    k->size = 3 * ns + 2 * nq + 2 * nv + m + 4;
    if (k->size > KIT_N) abort();
    k->base = kit_array(k, k->size), k->live = kit_array(k, k->size);
    k->s = k->live, k->sd = k->s + ns, k->sdd = k->sd + ns, k->X = k->sdd + ns, k->q = k->X + nq,
    k->v = k->q + nq;
    k->a = k->v + nv, k->lam = k->a + nv, k->g = k->lam + m, k->t = k->g + 3;
    k->c = kit_array(k, k->l.nc), k->nan = kit_array(k, nv);
    for (int i = 0; i < nv; i++) k->nan[i] = NAN;
    k->in = (sn_in){.s = k->s,
                    .sd = k->sd,
                    .sdd = k->sdd,
                    .c = k->c,
                    .X = k->X,
                    .q = k->q,
                    .v = k->v,
                    .a = k->a,
                    .lam = k->lam,
                    .g = k->g,
                    .opt = k->opt,
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
            int nv = k->nn ? k->node[0]->nv : 0;
            k->opt[i] = c == 0 || nv == 0 ? o->def : 1 + kit_choose(&k->seed, (1 << nv) - 1);
        }
        k->defaults = k->defaults && k->opt[i] == o->def;
    }
    return which ? -1 : 0;
}

/* Combination number `which` of the admissible classes for nn nodes; -1 beyond the last. */
static inline int kit_set_nodes(kit_case *k, int which)
{
    const sn_node_class *fit[64];
    const sn_args *args = &k->kind->args;
    int n = 0;
    for (const sn_node_class *const *c = kit_nodes(); *c && n < 64; c++)
        if ((args->dim == 0 || args->dim == (*c)->dim) &&
            (k->form == SN_ARG_COORD ? !(*c)->retract : kit_view(*c, args->ask | args->ask_first) != 0))
            fit[n++] = *c;
    if (n == 0 && k->nn) return -1;
    for (int i = 0; i < k->nn; i++) {
        unsigned ask = i == 0 && args->ask_first ? args->ask_first : args->ask;
        k->node[i] = fit[which % n], which /= n;
        k->view[i] = k->form == SN_ARG_COORD ? 0 : kit_view(k->node[i], ask);
    }
    return which ? -1 : 0;
}

/* Nodes of one model, of the plane or of space, that offer what is asked for. */
static inline int kit_nodes_fit(const kit_case *k)
{
    int dims = 0;
    for (int i = 0; i < k->nn; i++) {
        dims |= 1 << k->node[i]->dim;
        if (k->form != SN_ARG_COORD && !k->view[i]) return 0;
    }
    return (dims & 12) != 12;
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

/* All forms, numbers of nodes, classes and options once (at most 256 combinations of classes and 64 of
 * options).
 */
static inline void kit_round(const kit_kind *kind, kit_stat *stat, uint64_t *seed, kit_checks *checks)
{
    static const int form[] = {SN_ARG_NODE, SN_ARG_COORD, SN_ARG_NONE};
    int what = (int)kind->args.what, places = what & (SN_ARG_NODE | SN_ARG_COORD);
    if (!places) what = SN_ARG_NONE;
    for (int f = 0; f < 3; f++) {
        if (!(what & form[f])) continue;
        int lo = form[f] == SN_ARG_NONE ? 0 : kind->args.min,
            hi = form[f] == SN_ARG_NONE ? 0 : kind->args.max;
        if (hi < lo || hi > lo + 2) hi = lo + 2;
        for (int nn = lo; nn <= hi && nn <= KIT_NODES; nn++)
            for (int i = 0; i < 256; i++)
                for (int j = 0; j < 64; j++) {
                    kit_case k = {.kind = kind, .stat = stat, .form = form[f], .nn = nn, .seed = *seed};
                    if (kit_set_nodes(&k, i) || !kit_nodes_fit(&k) || kit_set_options(&k, j)) break;
                    kit_try(&k, checks);
                    *seed = k.seed;
                }
    }
}

/* Checks a kind in all its cases, several times over, and prints its line. Returns the number of failures. */
static inline int kit_run(const kit_kind *kind, kit_checks *checks)
{
    kit_stat stat = {.quiet = kind->quiet};
    uint64_t seed = kit_seed(kind->name);
    for (int round = 0; round < 2 || stat.samples < KIT_SAMPLES; round++) {
        kit_round(kind, &stat, &seed, checks);
        if (stat.samples == 0 || stat.failed > 100) break;
    }
    if (kind->quiet) return stat.failed;
    if (stat.samples == 0) {
        printf("FAIL %s %s: takes none of the cases\n", kind->family, kind->name);
        stat.failed++;
    }
    if (stat.skipped > (stat.compared + stat.skipped) / 10) {
        printf("FAIL %s %s: %d of %d derivatives are not smooth\n", kind->family, kind->name, stat.skipped,
               stat.skipped + stat.compared);
        stat.failed++;
    }
    printf("%-8s %-16s %3d cases %7d numbers %5d skipped  worst %.1e %s\n", kind->family, kind->name,
           stat.samples, stat.compared, stat.skipped, stat.worst, stat.where);
    return stat.failed;
}

#endif
