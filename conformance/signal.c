/* A signal kind: its time derivatives and those by its slots against differences. */
#include "conformance.h"

#include "kit_case.h"

static sn_status signal_value(kit_case *k, const void *ctx, double *y)
{
    (void)ctx;
    ((const sn_signal_class *)k->kind->cls)->eval(&k->in, y);
    return SN_OK;
}

/* What lies outside of the slots that a signal names for a time has no influence there. */
static void check_support(kit_case *k)
{
    const sn_signal_class *c = k->kind->cls;
    int slot[SN_MAX_SUPPORT], n = c->support(&k->in, slot), at = 0;
    if (n < -1 || n > SN_MAX_SUPPORT) {
        kit_fail(k, "number of slots in support", 0, 0, n, SN_MAX_SUPPORT);
        return;
    }
    for (int i = 0; i < n; i++)
        if (slot[i] < (i ? slot[i - 1] + 1 : 0) || slot[i] >= k->in.ns)
            kit_fail(k, "slots of support ascend", i, 0, slot[i], k->in.ns);
    for (int j = 0; n >= 0 && j < k->in.ns; j++) {
        double dy[3];
        if (at < n && slot[at] == j) {
            at++;
            continue;
        }
        c->dparam(&k->in, j, dy);
        kit_same(k, "outside of support", j, dy, (double[]){0, 0, 0}, 3, 1, 0);
    }
}

static void check_time(kit_case *k)
{
    double *y = kit_array(k, 3);
    kit_num num;
    signal_value(k, NULL, y);
    kit_diff(k, KIT_TIME, 0, signal_value, NULL, 3, &num);
    kit_check(k, "first time derivative", 0, &num, 0, 1, y + 1, 1);
    kit_check(k, "second time derivative", 0, &num, 1, 1, y + 2, 1);
}

static void check_slots(kit_case *k)
{
    const sn_signal_class *c = k->kind->cls;
    double *dy = kit_array(k, 3);
    kit_num num;
    for (int j = 0; j < k->in.ns; j++) {
        if (!kit_diff(k, KIT_SLOT, j, signal_value, NULL, 3, &num)) continue;
        c->dparam(&k->in, j, dy);
        for (int i = 0; i < 3; i++) kit_check(k, "dparam", j, &num, i, 1, dy + i, 1);
    }
}

static void signal_case(kit_case *k)
{
    int support = ((const sn_signal_class *)k->kind->cls)->support != NULL;
    if (kit_begin(k, "time derivatives", NULL)) check_time(k);
    if (kit_begin(k, "dparam", NULL)) check_slots(k);
    if (kit_begin(k, "support", support ? NULL : "it has none: all its slots count at all times"))
        check_support(k);
}

int conform_signal(const sn_signal_class *c, int quiet)
{
    kit_kind kind = KIT_KIND("signal", c, 1);
    kind.quiet = quiet;
    return kit_run(&kind, signal_case);
}
