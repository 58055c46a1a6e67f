/* Sizes of steps by their local error: see step_size.h. */
#include "analysis/step_size.h"

#include <math.h>

static const double safety = 0.9;                     /* of the size that just meets the error */
static const double least = 0.2, most = 2;            /* change at once */
static const double ramp = 1.2;                       /* the same while the motion is smooth */
enum { WAIT = 3 };                                    /* steps of one size before it grows */
static const double keep_from = 0.95, keep_to = 1.25; /* changes that are not worth new factors */
enum { SMOOTH_ENOUGH = 10, SMOOTH_PENALTY = 5 }; /* smooth steps wanted; what another one costs of them */

static void set(sn_step_size *p, double h)
{
    p->h = fmax(p->shortest, fmin(p->longest, h));
    p->wait = WAIT;
}

/* Factor to the size that would have had the error e. */
static double ideal(const sn_step_size *p, double e)
{
    double x = fmax(e, 1e-6);
    return safety / (p->order == 2 ? cbrt(x) : pow(x, 1.0 / (p->order + 1)));
}

static double within(double x, double lo, double hi) { return fmax(lo, fmin(hi, x)); }

void sn_step_size_failed(sn_step_size *p, double h)
{
    set(p, h / 4);
    p->smooth_steps = 0, p->h_last = 0;
}

void sn_step_size_rejected(sn_step_size *p, double h, double e)
{
    set(p, h * fmax(least, ideal(p, e)));
    p->smooth_steps = 0, p->h_last = 0;
}

void sn_step_size_taken(sn_step_size *p, double h, double e, double ahead, int smooth)
{
    double log_ideal = log(h * ideal(p, ahead)), next = log_ideal, factor = ideal(p, e);
    if (p->h_last > 0) next += (log_ideal - p->log_ideal) * 2 * h / (h + p->h_last);
    p->log_ideal = log_ideal, p->h_last = h;
    p->smooth_steps = smooth ? p->smooth_steps + 1 : p->smooth_steps - SMOOTH_PENALTY;
    p->smooth_steps = p->smooth_steps < 0                   ? 0
                      : p->smooth_steps > 2 * SMOOTH_ENOUGH ? 2 * SMOOTH_ENOUGH
                                                            : p->smooth_steps;
    if (p->wait > 0) p->wait--;
    if (p->smooth_steps >= SMOOTH_ENOUGH)
        set(p, h * within(exp(next) / h, 1 / ramp, ramp));
    else if (factor < keep_from)
        set(p, h * factor);
    else if (factor > keep_to && !p->wait)
        set(p, h * fmin(factor, most));
}
