/* Equal values behind each other: a sensor that is stuck or at the end of its range, or values that are held.

   Equal values are natural where a signal rests and the noise is below the quantum. They are not
   - where there is noise around them: values rounded to q with noise of deviation s are equal by chance with
   a probability of about q/(2 s sqrt(pi)), so that a run of them has one that can be stated;
   - without noise, where the signal comes or goes with a corner that it has nowhere else nearby. */
#include "identify/look_series.h"

#include <math.h>

enum { AROUND = 40, NEAR = 16, LEAST = 5 };

typedef struct run {
    int first, n;
} run;

static run next_run(const sn_series *s, int first)
{
    run r = {first, 1};
    while (first + r.n < s->n && s->y[first + r.n] == s->y[first]) r.n++;
    return r;
}

/* Two neighbouring samples of noise are equal with this probability. */
static double chance(double quantum, double noise)
{
    return fmin(0.95, quantum / (2 * noise * sqrt(acos(-1))));
}

/* Noise of the samples before or after the run, where there are more: of forty, and not more than of the
   sixteen next to it, so that a signal that comes to rest has none. */
static double noise_around(const sn_series *s, run r, int *white)
{
    int before = r.first, after = s->n - r.first - r.n, next;
    int n = before >= after ? before : after;
    if (n > AROUND) n = AROUND;
    int m = n < NEAR ? n : NEAR, last = r.first + r.n;
    double noise = sn_series_noise(n, s->y + (before >= after ? r.first - n : last), s->work, white);
    return fmin(noise, sn_series_noise(m, s->y + (before >= after ? r.first - m : last), s->work, &next));
}

/* Would noise as it is around allow such a run, in so many samples? */
static int against_noise(const sn_series *s, run r)
{
    int white;
    double noise = r.n >= LEAST ? noise_around(s, r, &white) : NAN;
    if (!(noise > 0) || !white || !(noise > 0.4 * s->quantum)) return 0;
    double p = chance(s->quantum, noise);
    return p <= 0 || (r.n - 1) * -log(p) > log(s->n / 1e-7);
}

/* The largest corner at its ends, and the largest second difference nearby. */
static double corner(const sn_series *s, run r, double *nearby)
{
    const double *y = s->y;
    int last = r.first + r.n;
    double in = r.first > 0 ? fabs(y[r.first - 1] - y[r.first]) : 0,
           out = last < s->n ? fabs(y[last] - y[last - 1]) : 0;
    *nearby = 0;
    for (int i = r.first - AROUND; i < last + AROUND; i++) {
        if (i < 1 || i >= s->n - 1 || (i >= r.first - 1 && i <= last)) continue;
        /* not the corners of other runs */
        if (y[i] == y[i - 1] || y[i] == y[i + 1]) continue;
        if ((i > 1 && y[i - 1] == y[i - 2]) || (i < s->n - 2 && y[i + 1] == y[i + 2])) continue;
        *nearby = fmax(*nearby, fabs(y[i - 1] - 2 * y[i] + y[i + 1]));
    }
    return fmax(in, out);
}

/* Where steps can be seen, rest has small ones at its ends. Where there are none values are equal in rest
   only, which a body that sticks enters with half of its last second difference. */
static int against_smoothness(const sn_series *s, run r)
{
    double nearby, size;
    if (r.n < LEAST || r.first == 0) return 0;
    size = corner(s, r, &nearby);
    return nearby > 0 && (s->quantum > 0 ? size > 3 * nearby && size > 5 * s->quantum : size > nearby);
}

/* ---- at the end of the range ---- */

/* Samples at the largest or smallest value, but for those at the begin and end of the record, where the
   signal may rest. */
typedef struct pile {
    int count, runs, first, flat; /* flat: runs that cannot be natural */
    int next;                     /* samples at the next value inwards, of quantised ones */
    double corner, nearby;
} pile;

static pile pile_at(const sn_series *s, int high)
{
    double end = high ? s->sorted[s->n - 1] : s->sorted[0], step = high ? -s->quantum : s->quantum;
    pile p = {.first = -1};
    for (int i = 0; i < s->n;) {
        run r = next_run(s, i);
        i += r.n;
        if (s->quantum > 0 && fabs(s->y[r.first] - end - step) < 0.1 * s->quantum) p.next += r.n;
        if (s->y[r.first] != end) continue;
        int noisy = against_noise(s, r);
        if (!noisy && (r.first == 0 || i == s->n)) continue;
        if (p.first < 0) p.first = r.first;
        p.count += r.n, p.runs++;
        p.flat += noisy || against_smoothness(s, r);
        if (r.n > 2) {
            double nearby;
            p.corner = fmax(p.corner, corner(s, r, &nearby)), p.nearby = fmax(p.nearby, nearby);
        }
    }
    return p;
}

/* With noise a pile far above the next value's (a smooth peak has 2.4 times of it at most); without, the same
   end twice with corners; or a run that cannot be natural. */
static int is_saturated(const sn_series *s, const pile *p)
{
    int noisy = s->white && s->noise > 0.4 * s->quantum;
    if (p->flat) return 1;
    if (noisy) return p->count >= 5 && (s->quantum > 0 ? p->count > 4 * p->next + 12 : 1);
    return p->runs >= 2 && p->corner > 20 * s->quantum && p->corner > 0.8 * p->nearby && p->nearby > 0;
}

static int look_at_end(sn_series *s, int high)
{
    pile p = pile_at(s, high);
    double end = high ? s->sorted[s->n - 1] : s->sorted[0];
    if (!p.count || !is_saturated(s, &p)) return 0;
    sn_series_place(s, p.first, p.count);
    sn_look_add(s->l, p.count >= LEAST && p.count * 500 >= s->n ? 2 : 1, "saturated", &s->at,
                "%d of %d values of %s are exactly %.6g%s, its %s (first in row %d, t = %.6g s): the sensor "
                "is %ssaturated, at "
                "the end of its range; leave these cells empty",
                p.count, s->n, s->at.channel, end, s->unit, high ? "largest" : "smallest", s->at.row, s->at.t,
                p.runs == 1 ? "stuck, or " : "");
    return 1;
}

/* ---- stuck and held ---- */

static void look_for_stuck(sn_series *s, const int *told)
{
    int count = 0, runs = 0, first = -1;
    run longest = {0, 0};
    for (int i = 0; i < s->n;) {
        run r = next_run(s, i);
        i += r.n;
        if ((told[1] && s->y[r.first] == s->sorted[s->n - 1]) || (told[0] && s->y[r.first] == s->sorted[0]))
            continue;
        if (!against_noise(s, r) && !against_smoothness(s, r)) continue;
        if (first < 0) first = r.first;
        if (r.n > longest.n) longest = r;
        count += r.n, runs++;
    }
    if (!runs) return;
    sn_series_place(s, first, count);
    sn_look_add(
        s->l, count >= 20 || count * 100 >= s->n ? 2 : 1, "stuck", &s->at,
        "%s is stuck: %d values behind each other are exactly %.6g%s (rows %d to %d, t = %.6g to %.6g s)%s "
        "where it moves otherwise; leave these cells empty",
        s->at.channel, longest.n, s->y[longest.first], s->unit, s->row[longest.first],
        s->row[longest.first + longest.n - 1], s->t[longest.first], s->t[longest.first + longest.n - 1],
        runs > 1 ? " and at other places" : "");
}

/* All changes are m samples apart, or multiples: the phase that all of them have; 0: they have not. */
static int is_periodic(const sn_series *s, int m)
{
    int phase = -1;
    for (int i = 1; i < s->n; i++) {
        if (s->y[i] == s->y[i - 1]) continue;
        if (phase < 0) phase = i % m;
        if (i % m != phase) return 0;
    }
    return 1;
}

/* Every value comes m times, or m and m + 1 times: the sensor was slower than the record. A slow ramp is told
   from that by its steps, which are all of one quantum. */
static int is_held(sn_series *s, double *mean)
{
    int runs = 0, inner = 0, least = s->n, most = 0, large = 0;
    for (int i = 0; i < s->n;) {
        run r = next_run(s, i);
        i += r.n;
        if (r.first == 0 || i == s->n) continue;
        runs++, inner += r.n;
        least = r.n < least ? r.n : least, most = r.n > most ? r.n : most;
        large += fabs(s->y[r.first] - s->y[r.first - 1]) > 1.5 * s->quantum;
    }
    *mean = runs ? (double)inner / runs : 1;
    if (runs < 20 || *mean < 1.3 || 4 * large < runs) return 0;
    if (most - least <= 1 && 10 * large > 6 * runs) return 1;
    for (int m = 20; m > 1; m--)
        if (is_periodic(s, m)) {
            *mean = m;
            return 1;
        }
    return 0;
}

void sn_series_runs(sn_series *s)
{
    double mean;
    int told[2];
    if (is_held(s, &mean)) {
        sn_series_place(s, 0, s->n);
        sn_look_add(
            s->l, 2, "held", &s->at,
            "every value of %s comes %.3g times in the mean: the sensor gives %.4g values a second and is "
            "held in between, which delays it and makes standard errors too small; keep one row of each",
            s->at.channel, mean, s->interval > 0 ? 1 / (mean * s->interval) : NAN);
        return;
    }
    for (int high = 0; high < 2; high++) told[high] = look_at_end(s, high);
    look_for_stuck(s, told);
}
