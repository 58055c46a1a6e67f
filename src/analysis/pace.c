/* Sizes of steps by their local error: see pace.h. */
#include "analysis/pace.h"

#include <math.h>

static const double safety = 0.9;                     /* of the size that just meets the error */
static const double least = 0.2, most = 2;            /* change at once */
static const double ramp = 1.2;                       /* the same while the motion is smooth */
enum { WAIT = 3 };                                    /* steps of one size before it grows */
static const double keep_from = 0.95, keep_to = 1.25; /* changes that are not worth new factors */
enum { CALM = 10, ROUGH = 5 }; /* smooth steps wanted; what another one costs of them */

static void set(sn_pace *p, double h)
{
    p->h = fmax(p->shortest, fmin(p->longest, h));
    p->wait = WAIT;
}

/* Factor to the size that would have had the error e. */
static double ideal(double e) { return safety / cbrt(fmax(e, 1e-6)); }

static double within(double x, double lo, double hi) { return fmax(lo, fmin(hi, x)); }

void sn_pace_failed(sn_pace *p, double h)
{
    set(p, h / 4);
    p->calm = 0, p->h_wish = 0;
}

void sn_pace_rejected(sn_pace *p, double h, double e)
{
    set(p, h * fmax(least, ideal(e)));
    p->calm = 0, p->h_wish = 0;
}

void sn_pace_taken(sn_pace *p, double h, double e, double ahead, int smooth)
{
    double wish = log(h * ideal(ahead)), next = wish, factor = ideal(e);
    if (p->h_wish > 0) next += (wish - p->wish) * 2 * h / (h + p->h_wish);
    p->wish = wish, p->h_wish = h;
    p->calm = smooth ? p->calm + 1 : p->calm - ROUGH;
    p->calm = p->calm < 0 ? 0 : p->calm > 2 * CALM ? 2 * CALM : p->calm;
    if (p->wait > 0) p->wait--;
    if (p->calm >= CALM)
        set(p, h * within(exp(next) / h, 1 / ramp, ramp));
    else if (factor < keep_from)
        set(p, h * factor);
    else if (factor > keep_to && !p->wait)
        set(p, h * fmin(factor, most));
}
