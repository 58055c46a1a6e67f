/* Random numbers that are the same everywhere: xorshift64*. */
#ifndef SN_IDENTIFY_RANDOM_H
#define SN_IDENTIFY_RANDOM_H

#include <math.h>

/* Uniform in (0, 1). */
static inline double sn_uniform(unsigned long long *state)
{
    unsigned long long x = *state;
    x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
    *state = x;
    return ((double)((x * 0x2545F4914F6CDD1DULL) >> 11) + 0.5) / 9007199254740992.0;
}

/* Of the standard normal distribution (Box and Muller). */
static inline double sn_normal(unsigned long long *state)
{
    double u = sn_uniform(state), v = sn_uniform(state);
    return sqrt(-2 * log(u)) * cos(8 * atan(1) * v);
}

#endif
