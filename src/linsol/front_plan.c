/* The order of elimination for multifrontal factors.

   Unknowns that see the same others (the coordinates of a node) are one group. An unknown with a weak
   diagonal (a multiplier) joins the group of the one that it is tied to most, so that both are at hand when a
   pivot of two rows is needed. Groups are ordered by AMD; the tree, the counts and the fronts follow as for
   Cholesky factors (Davis, Direct Methods for Sparse Linear Systems, ch. 4), and fronts that share most of
   their rows are joined. */
#include "linsol/front.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

enum { GROUP_MOST = 64 };

/* The graph of the groups. */
typedef struct quotient {
    int n, *of, *at, *member; /* of: group of each variable; members of group g from at[g] on */
    int *Gp, *Gi;
    int *order, *place;          /* groups in the order of elimination, and back */
    int *parent, *count, *first; /* by place; first: of each front */
    int fronts, *zeros;          /* zeros: those that joining fronts has brought */
    int *mark;
} quotient;

static void free_quotient(quotient *q)
{
    sn_free(q->of), sn_free(q->at), sn_free(q->member), sn_free(q->Gp), sn_free(q->Gi), sn_free(q->order);
    sn_free(q->place), sn_free(q->parent), sn_free(q->count), sn_free(q->first), sn_free(q->zeros);
    sn_free(q->mark);
}

void sn_front_plan_free(sn_front_plan *p)
{
    sn_free(p->Rp), sn_free(p->Rj), sn_free(p->Rsrc), sn_free(p->position), sn_free(p->variable);
    sn_free(p->first), sn_free(p->parent), sn_free(p->oldest), sn_free(p->child_at), sn_free(p->child);
    sn_free(p->border_at), sn_free(p->border), sn_free(p->cost);
    *p = (sn_front_plan){.n = 0};
}

static sn_status list_rows(sn_front_plan *p)
{
    int n = p->n;
    const int *Ap = p->Ap, *Ai = p->Ai;
    if (!SN_NEW(p->Rp, n + 2) || !SN_NEW(p->Rj, Ap[n]) || !SN_NEW(p->Rsrc, Ap[n])) return SN_ERR_MEMORY;
    for (int k = 0; k < Ap[n]; k++) p->Rp[Ai[k] + 2]++;
    for (int i = 0; i < n; i++) p->Rp[i + 2] += p->Rp[i + 1];
    for (int j = 0; j < n; j++)
        for (int k = Ap[j]; k < Ap[j + 1]; k++) {
            int at = p->Rp[Ai[k] + 1]++;
            p->Rj[at] = j, p->Rsrc[at] = k;
        }
    p->symmetric =
        !memcmp(p->Rp, Ap, sizeof *Ap * (size_t)(n + 1)) && !memcmp(p->Rj, Ai, sizeof *Ai * (size_t)Ap[n]);
    return SN_OK;
}

static uint64_t mix(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 29);
}

static int root(int *up, int i)
{
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

static void unite(int *up, int *members, int i, int j)
{
    i = root(up, i), j = root(up, j);
    if (i == j || members[i] + members[j] > GROUP_MOST) return;
    up[i > j ? i : j] = i > j ? j : i;
    members[i > j ? j : i] = members[i] + members[j];
}

/* Unknowns with the same neighbours, themselves among them. */
static sn_status unite_alike(const sn_front_plan *p, int *up, int *members)
{
    uint64_t *sees;
    if (!SN_NEW(sees, p->n)) return SN_ERR_MEMORY;
    for (int j = 0; j < p->n; j++) {
        sees[j] = 3 * mix((uint64_t)j);
        for (int k = p->Ap[j]; k < p->Ap[j + 1]; k++)
            if (p->Ai[k] != j) sees[j] += mix((uint64_t)p->Ai[k]);
        for (int k = p->Rp[j]; k < p->Rp[j + 1]; k++)
            if (p->Rj[k] != j) sees[j] += 2 * mix((uint64_t)p->Rj[k]);
    }
    for (int j = 0; j < p->n; j++)
        for (int k = p->Ap[j]; k < p->Ap[j + 1]; k++)
            if (p->Ai[k] > j && sees[p->Ai[k]] == sees[j]) unite(up, members, p->Ai[k], j);
    sn_free(sees);
    return SN_OK;
}

/* Unknowns with a weak diagonal and what they are tied to. */
static sn_status unite_pairs(const sn_front_plan *p, const double *size, int *up, int *members)
{
    const double weak = 1e-3;
    unsigned char *is_weak, *taken = NULL;
    if (!SN_NEW(is_weak, p->n) || !SN_NEW(taken, p->n)) {
        sn_free(is_weak);
        return SN_ERR_MEMORY;
    }
    for (int j = 0; j < p->n; j++) {
        double own = 0;
        for (int k = p->Ap[j]; k < p->Ap[j + 1]; k++)
            if (p->Ai[k] == j) own = size[k];
        is_weak[j] = own < weak;
    }
    for (int j = 0; j < p->n; j++) {
        int best = -1;
        double most = 0;
        for (int k = p->Ap[j]; is_weak[j] && k < p->Ap[j + 1]; k++)
            if (!is_weak[p->Ai[k]] && !taken[p->Ai[k]] && size[k] > most) best = p->Ai[k], most = size[k];
        if (best >= 0) taken[best] = 1, unite(up, members, best, j);
    }
    sn_free(is_weak), sn_free(taken);
    return SN_OK;
}

static sn_status make_groups(const sn_front_plan *p, const double *size, quotient *q)
{
    int n = p->n, *up = NULL, *members = NULL;
    sn_status s = SN_NEW(q->of, n) && SN_NEW(q->at, n + 2) && SN_NEW(q->member, n) && SN_NEW(up, n) &&
                          SN_NEW(members, n)
                      ? SN_OK
                      : SN_ERR_MEMORY;
    for (int i = 0; !s && i < n; i++) up[i] = i, members[i] = 1;
    if (!s) s = unite_alike(p, up, members);
    if (!s) s = unite_pairs(p, size, up, members);
    for (int i = 0; !s && i < n; i++) q->of[i] = root(up, i) == i ? q->n++ : q->of[root(up, i)];
    for (int i = 0; !s && i < n; i++) q->at[q->of[i] + 2]++;
    for (int g = 0; !s && g < q->n; g++) q->at[g + 2] += q->at[g + 1];
    for (int i = 0; !s && i < n; i++) q->member[q->at[q->of[i] + 1]++] = i;
    sn_free(up), sn_free(members);
    return s;
}

/* The neighbours of group g, each once, into list; returns how many. */
static int neighbours(const sn_front_plan *p, quotient *q, int g, int *list)
{
    int count = 0;
    q->mark[g] = g;
    for (int e = q->at[g]; e < q->at[g + 1]; e++) {
        int j = q->member[e];
        for (int k = p->Ap[j]; k < p->Ap[j + 1]; k++) {
            int h = q->of[p->Ai[k]];
            if (q->mark[h] != g) q->mark[h] = g, list[count++] = h;
        }
        for (int k = p->Rp[j]; !p->symmetric && k < p->Rp[j + 1]; k++) {
            int h = q->of[p->Rj[k]];
            if (q->mark[h] != g) q->mark[h] = g, list[count++] = h;
        }
    }
    return count;
}

static sn_status make_graph(const sn_front_plan *p, quotient *q)
{
    int *list, room = 0;
    if (!SN_NEW(list, q->n) || !SN_NEW(q->Gp, q->n + 1) || !SN_NEW(q->mark, q->n + 1)) {
        sn_free(list);
        return SN_ERR_MEMORY;
    }
    sn_status s = SN_OK;
    for (int g = 0; g < q->n; g++) q->mark[g] = -1;
    for (int g = 0; !s && g < q->n; g++) {
        int count = neighbours(p, q, g, list);
        s = sn_grow(&q->Gi, &room, q->Gp[g] + count + 1, sizeof *q->Gi);
        if (!s && count) memcpy(q->Gi + q->Gp[g], list, sizeof *list * (size_t)count);
        q->Gp[g + 1] = q->Gp[g] + count;
    }
    sn_free(list);
    return s;
}

static int weight(const quotient *q, int place)
{
    int g = q->order[place];
    return q->at[g + 1] - q->at[g];
}

/* Parents in the elimination tree (Liu); `up` is scratch. */
static void find_parents(quotient *q, int *up)
{
    for (int k = 0; k < q->n; k++) {
        const int g = q->order[k];
        q->parent[k] = up[k] = -1;
        for (int e = q->Gp[g]; e < q->Gp[g + 1]; e++)
            for (int i = q->place[q->Gi[e]], next; i >= 0 && i < k; i = next) {
                next = up[i], up[i] = k;
                if (next < 0) q->parent[i] = k;
            }
    }
}

/* The order again, children directly before their parents. */
static sn_status postorder(quotient *q)
{
    int n = q->n, *head, *next = NULL, *stack = NULL, *order = NULL, count = 0;
    sn_status s = SN_NEW(head, n + 1) && SN_NEW(next, n + 1) && SN_NEW(stack, n + 1) && SN_NEW(order, n + 1)
                      ? SN_OK
                      : SN_ERR_MEMORY;
    for (int k = 0; !s && k <= n; k++) head[k] = -1;
    for (int k = n - 1; !s && k >= 0; k--) {
        int p = q->parent[k] < 0 ? n : q->parent[k];
        next[k] = head[p], head[p] = k;
    }
    for (int k = s ? -1 : head[n]; k >= 0; k = next[k])
        for (int depth = 0, at = (stack[0] = k); depth >= 0;) {
            at = stack[depth];
            if (head[at] >= 0)
                stack[++depth] = head[at], head[at] = next[head[at]];
            else
                order[count++] = q->order[at], depth--;
        }
    for (int k = 0; !s && k < n; k++) q->order[k] = order[k], q->place[order[k]] = k;
    sn_free(head), sn_free(next), sn_free(stack), sn_free(order);
    return s;
}

/* Rows of each column of the factors, counted in unknowns. */
static void count_rows(quotient *q)
{
    for (int k = 0; k < q->n; k++) q->mark[k] = -1;
    for (int k = 0; k < q->n; k++) {
        const int g = q->order[k];
        q->mark[k] = k;
        q->count[k] += weight(q, k);
        for (int e = q->Gp[g]; e < q->Gp[g + 1]; e++)
            for (int i = q->place[q->Gi[e]]; i < k && q->mark[i] != k; i = q->parent[i])
                q->mark[i] = k, q->count[i] += weight(q, k);
    }
}

static sn_status order_groups(quotient *q)
{
    int n = q->n, *up = NULL;
    double info[AMD_INFO];
    if (!SN_NEW(q->order, n + 1) || !SN_NEW(q->place, n + 1) || !SN_NEW(q->parent, n + 1) ||
        !SN_NEW(q->count, n + 1) || !SN_NEW(up, n + 1))
        return SN_ERR_MEMORY;
    int none[1] = {0};
    sn_status s =
        amd_order(n, q->Gp, q->Gi ? q->Gi : none, q->order, NULL, info) < AMD_OK ? SN_ERR_MEMORY : SN_OK;
    for (int k = 0; !s && k < n; k++) q->place[q->order[k]] = k;
    if (!s) find_parents(q, up);
    if (!s) s = postorder(q);
    if (!s) find_parents(q, up), count_rows(q);
    sn_free(up);
    return s;
}

/* Whether fronts of so many columns may be joined where a share of zeros comes along. */
static int worth_joining(double columns, double zeros, double numbers)
{
    if (columns <= 16) return 1;
    if (columns <= 48) return zeros < 0.3 * numbers;
    return zeros < (columns <= 96 ? 0.12 : 0.05) * numbers;
}

/* Groups in a chain of the tree with the same rows are one front; so are a front and its last child where
   that costs little. */
static sn_status make_fronts(quotient *q)
{
    int n = q->n, *width, *head, *of = NULL;
    double *zeros = NULL;
    sn_status s = SN_ERR_MEMORY;
    if (!SN_NEW(q->first, n + 2) || !SN_NEW(width, n + 1)) return SN_ERR_MEMORY;
    if (!SN_NEW(head, n + 1) || !SN_NEW(of, n + 1) || !SN_NEW(zeros, n + 1)) goto done;
    s = SN_OK;
    for (int k = 0; k < n; k++) {
        if (k == 0 || q->parent[k - 1] != k || q->count[k - 1] - weight(q, k - 1) != q->count[k])
            q->first[q->fronts++] = k;
        of[k] = q->fronts - 1;
        width[q->fronts - 1] += weight(q, k);
    }
    q->first[q->fronts] = n;
    /* head: the front that front f is part of now, by its last one */
    for (int f = 0; f < q->fronts; f++) head[f] = f;
    int next = q->fronts - 1; /* the front that begins behind f */
    for (int f = q->fronts - 2; f >= 0; next = f--) {
        int up = q->parent[q->first[f + 1] - 1], p = up < 0 ? -1 : head[of[up]];
        if (p < 0 || head[next] != p) continue;
        double a = width[f], rows = q->count[q->first[f]];
        double b = width[p], below = q->count[q->first[next]];
        double more = zeros[f] + zeros[p] + a * (below - (rows - a)), all = a + b;
        if (!worth_joining(all, more, all * (all + 1) / 2 + all * (below - b))) continue;
        head[f] = p, width[p] += width[f], zeros[p] = more;
        q->count[q->first[f]] = (int)(a + below);
    }
    int count = 0;
    for (int f = 0; f < q->fronts; f++)
        if (f == 0 || head[f] != head[f - 1]) q->first[count++] = q->first[f];
    q->first[count] = n;
    q->fronts = count;
done:
    sn_free(width), sn_free(head), sn_free(of), sn_free(zeros);
    return s;
}

/* Positions of the variables: within a group those with a strong diagonal come first, as they do in models.
 */
static void place_variables(const quotient *q, sn_front_plan *p)
{
    int at = 0, f = 0;
    for (int k = 0; k < q->n; k++) {
        if (f < q->fronts && q->first[f] == k) p->first[f++] = at;
        for (int e = q->at[q->order[k]]; e < q->at[q->order[k] + 1]; e++) {
            p->variable[at] = q->member[e];
            p->position[q->member[e]] = at++;
        }
    }
    p->first[q->fronts] = at;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The groups on the border of front f, from its columns and its children, into list. */
static int border_groups(const quotient *q, const sn_front_plan *p, int f, int **borders, int *list)
{
    int count = 0, end = q->first[f + 1];
    for (int k = q->first[f]; k < end; k++)
        for (int e = q->Gp[q->order[k]]; e < q->Gp[q->order[k] + 1]; e++) {
            int i = q->place[q->Gi[e]];
            if (i >= end && q->mark[i] != f) q->mark[i] = f, list[count++] = i;
        }
    for (int c = p->child_at[f]; c < p->child_at[f + 1]; c++)
        for (const int *b = borders[p->child[c]]; *b >= 0; b++)
            if (*b >= end && q->mark[*b] != f) q->mark[*b] = f, list[count++] = *b;
    qsort(list, (size_t)count, sizeof *list, ascending);
    return count;
}

static sn_status make_tree(const quotient *q, sn_front_plan *p)
{
    int *of;
    if (!SN_NEW(of, q->n + 1)) return SN_ERR_MEMORY;
    for (int f = 0; f < p->fronts; f++)
        for (int k = q->first[f]; k < q->first[f + 1]; k++) of[k] = f;
    for (int f = 0; f < p->fronts; f++) {
        int up = q->parent[q->first[f + 1] - 1];
        p->parent[f] = up < 0 ? -1 : of[up];
        if (up >= 0) p->child_at[p->parent[f] + 2]++;
        p->oldest[f] = f;
    }
    for (int f = 0; f < p->fronts; f++) p->child_at[f + 2] += p->child_at[f + 1];
    for (int f = 0; f < p->fronts; f++) {
        int up = p->parent[f];
        if (up < 0) continue;
        p->child[p->child_at[up + 1]++] = f;
        if (p->oldest[f] < p->oldest[up]) p->oldest[up] = p->oldest[f];
    }
    sn_free(of);
    return SN_OK;
}

/* Flops and numbers of a front with a columns and b rows in all. */
static void add_cost(sn_front_plan *p, int f, double a, double b)
{
    p->cost[f] = 2 * a * (b * b - a * b + a * a / 3);
    p->flops += p->cost[f];
    p->nonzeros += a * (2 * b - a);
}

static sn_status make_borders(quotient *q, sn_front_plan *p)
{
    int **borders, *list = NULL, room = 0;
    size_t all = 0;
    sn_status s = SN_NEW(borders, p->fronts + 1) && SN_NEW(list, q->n + 1) ? SN_OK : SN_ERR_MEMORY;
    for (int k = 0; k < q->n; k++) q->mark[k] = -1;
    for (int f = 0; !s && f < p->fronts; f++) {
        int count = border_groups(q, p, f, borders, list), numbers = 0;
        if (!SN_NEW(borders[f], count + 1)) s = SN_ERR_MEMORY;
        if (s) break;
        memcpy(borders[f], list, sizeof *list * (size_t)count);
        borders[f][count] = -1;
        for (int i = 0; i < count; i++) numbers += weight(q, list[i]);
        s = all + (size_t)numbers < INT32_MAX
                ? sn_grow(&p->border, &room, (int)all + numbers + 1, sizeof *p->border)
                : SN_ERR_MEMORY;
        p->border_at[f] = all;
        for (int i = 0; !s && i < count; i++)
            for (int e = q->at[q->order[list[i]]]; e < q->at[q->order[list[i]] + 1]; e++)
                p->border[all++] = p->position[q->member[e]];
        add_cost(p, f, p->first[f + 1] - p->first[f], p->first[f + 1] - p->first[f] + numbers);
    }
    p->border_at[p->fronts] = all;
    for (int f = 0; borders && f < p->fronts; f++) sn_free(borders[f]);
    sn_free(borders), sn_free(list);
    return s;
}

sn_status sn_front_plan_new(sn_front_plan *p, int n, const int *Ap, const int *Ai, const double *size)
{
    quotient q = {0};
    *p = (sn_front_plan){.n = n, .Ap = Ap, .Ai = Ai};
    sn_status s = list_rows(p);
    if (!s) s = make_groups(p, size, &q);
    if (!s) s = make_graph(p, &q);
    if (!s) s = order_groups(&q);
    if (!s) s = make_fronts(&q);
    size_t f = (size_t)q.fronts;
    p->fronts = q.fronts;
    if (!s && (!SN_NEW(p->position, n) || !SN_NEW(p->variable, n) || !SN_NEW(p->first, f + 1) ||
               !SN_NEW(p->parent, f) || !SN_NEW(p->oldest, f) || !SN_NEW(p->child_at, f + 2) ||
               !SN_NEW(p->child, f) || !SN_NEW(p->border_at, f + 1) || !SN_NEW(p->cost, f)))
        s = SN_ERR_MEMORY;
    if (!s) place_variables(&q, p), s = make_tree(&q, p);
    if (!s) s = make_borders(&q, p);
    free_quotient(&q);
    if (s) sn_front_plan_free(p);
    return s;
}
