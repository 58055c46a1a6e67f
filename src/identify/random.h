/* Random numbers that are the same everywhere: xorshift64*. */
#ifndef SN_IDENTIFY_RANDOM_H
#define SN_IDENTIFY_RANDOM_H

/* Uniform in (0, 1). */
static inline double sn_uniform(unsigned long long *state)
{
    unsigned long long x = *state;
    x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
    *state = x;
    return ((double)((x * 0x2545F4914F6CDD1DULL) >> 11) + 0.5) / 9007199254740992.0;
}

#endif
