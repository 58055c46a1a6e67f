/* sinew modes --at periodic: multipliers of a periodic motion. */
#include "cli.h"

#include <math.h>

/* A multiplier is 1 in size as far as the steps tell: of those that shall be 1 rounding leaves pairs that are
   off by its square root. */
#define GROWS 1e-6

static void print_json(const sn_floquet *f, int stable, const cli_watch *w)
{
    printf("{\"period\": ");
    cli_json_number(stdout, f->period);
    printf(", \"multipliers\": [");
    for (int i = 0; i < f->n; i++) {
        printf("%s[", i ? ", " : "");
        cli_json_number(stdout, f->re[i]), printf(", ");
        cli_json_number(stdout, f->im[i]), printf("]");
    }
    printf("], \"exponents\": [");
    for (int i = 0; i < f->n; i++) {
        printf("%s[", i ? ", " : "");
        cli_json_number(stdout, f->rate[i]), printf(", ");
        cli_json_number(stdout, f->omega[i]), printf("]");
    }
    printf("], \"stable\": %s, \"gap\": ", stable ? "true" : "false");
    cli_json_number(stdout, f->gap);
    printf(", \"corrections\": %d, ", f->corrections);
    cli_json_warnings(stdout, w);
    printf("}\n");
}

static void print_table(const sn_floquet *f, int stable)
{
    if (f->corrections)
        printf("about a periodic motion of %s s; the start was off by %.2g, %d correction%s led to it\n",
               cli_figure(f->period), f->gap, f->corrections, f->corrections == 1 ? "" : "s");
    else
        printf("about a periodic motion of %s s\n", cli_figure(f->period));
    printf("%6s  %32s  %14s  %16s  %16s\n", "", "multiplier", "size", "growth [1/s]", "omega [rad/s]");
    for (int i = 0; i < f->n; i++) {
        double size = hypot(f->re[i], f->im[i]);
        printf("%6d  %16s %s%15si  %14s  %16s  %16s%s\n", i + 1, cli_figure(f->re[i]),
               f->im[i] < 0 ? "-" : "+", cli_figure(fabs(f->im[i])), cli_figure(size), cli_figure(f->rate[i]),
               cli_figure(f->omega[i]), size > 1 + GROWS ? "  unstable" : "");
    }
    printf("%s\n", stable ? "stable" : "unstable: small motions grow");
}

typedef struct printer {
    const cli_job *job;
    const cli_watch *watch;
} printer;

static sn_status print(void *ctx, const sn_floquet *f, sn_err *err)
{
    const printer *p = ctx;
    int stable = 1;
    (void)err;
    for (int i = 0; i < f->n; i++) stable &= hypot(f->re[i], f->im[i]) <= 1 + GROWS;
    if (p->job->json)
        print_json(f, stable, p->watch);
    else
        print_table(f, stable);
    return SN_OK;
}

int cli_floquet(const cli_job *job, const cli_model *m, cli_watch *watch)
{
    sn_err err;
    printer p = {job, watch};
    sn_floquet_options o = sn_floquet_options_default(m->model, m->values);
    if (!job->period) {
        cli_error("--at periodic: of which period? Say --period '2 s'");
        return CLI_USAGE;
    }
    int code = cli_time(m, job->period, &o.period);
    if (code) return code;
    if (!(o.period > 0)) {
        cli_error("--period '%s': a time greater than 0", job->period);
        return CLI_USAGE;
    }
    sn_err_clear(&err);
    o.take = print, o.ctx = &p;
    o.run.message = cli_watch_message, o.run.ctx = watch;
    sn_status s = sn_floquet_multipliers(m->model, m->values, &o, &err);
    return s ? cli_report(&err, s) : 0;
}
