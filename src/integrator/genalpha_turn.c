/* How fast a constraint may turn in a step of genalpha.c.

   A point on a circle, held by a rod, turns by phi a step. In axes that turn with it a disturbance multiplies
   by z in each step, so by s = z exp(i phi) in space, and position and acceleration of the scheme are related
   by q = h^2 H(s) a,

       H = ((1-af) s + af)/((1-am) s + am) ((1-g + g s)/(s-1)^2 + (1/2-b + b s)/(s-1)).

   Along the circle q = i tau, and a = -w^2 i tau + nu with any nu of the rod's force: tau, nu real, w =
   phi/h. So i (1/H + phi^2) is real. The first root to leave the unit circle is z = -1: the scheme is stable
   while Re 1/H(-exp(i phi)) + phi^2 > 0. For generalized-alpha phi is 0.072 for rho = 0.9, 0.151 for 0.8,
   0.338 for 0.6, 0.57 for 0.4; 0 without numerical damping. Stiff rods are like rigid ones. */
#include "integrator/genalpha.h"

#include <complex.h>
#include <math.h>

#undef I

static double margin(const double *c, double phi)
{
    const double complex s = -(cos(phi) + _Complex_I * sin(phi)), r = s - 1;
    double complex A = ((1 - c[AF]) * s + c[AF]) / ((1 - c[AM]) * s + c[AM]),
                   H = A * ((1 - c[GAMMA] + c[GAMMA] * s) / (r * r) + (0.5 - c[BETA] + c[BETA] * s) / r);
    return creal(1 / H) + phi * phi;
}

/* Where even the damped scheme is off by phi^2/12 = 1 percent; and what nobody minds. */
static const double coarse = 1.0 / 3, fine = 0.05;

double sn_genalpha_turn(void *self)
{
    const genalpha *s = self;
    double lo = fine, hi = coarse;
    if (!(margin(s->c, lo) > 0)) return lo;
    if (margin(s->c, hi) > 0) return hi;
    while (hi - lo > 1e-4) {
        double mid = 0.5 * (lo + hi);
        *(margin(s->c, mid) > 0 ? &lo : &hi) = mid;
    }
    return lo;
}
