/* Mass of a cubic line between (x1, p1, x2, p2), p = dx/d(length): rho L hermite/420 with a power of L for
   each p. */
#ifndef SN_ELEMENT_HERMITE_H
#define SN_ELEMENT_HERMITE_H

static const double hermite[4][4] = {
    {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};

/* Power of L in entry (a, b) */
static inline int hermite_power(int a, int b) { return 1 + (a & 1) + (b & 1); }

/* Entry (a, b) of the mass matrix for a mass per length and a length; dL: its derivative by the length */
static inline double mass_entry(int a, int b, double rho, double L, int dL)
{
    const int power = hermite_power(a, b);
    double x = rho * hermite[a][b] / 420;
    for (int i = dL; i < power; i++) x *= L;
    return dL ? power * x : x;
}

#endif
