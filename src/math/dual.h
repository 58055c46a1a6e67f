/* Dual numbers: a value x and its derivative d by one parameter (forward differentiation). Numbers that kinds
   make once for each set of parameters are written in them. */
#ifndef SN_MATH_DUAL_H
#define SN_MATH_DUAL_H

#include <math.h>

typedef struct dual {
    double x, d;
} dual;

static inline dual add(dual a, dual b) { return (dual){a.x + b.x, a.d + b.d}; }
static inline dual sub(dual a, dual b) { return (dual){a.x - b.x, a.d - b.d}; }
static inline dual mul(dual a, dual b) { return (dual){a.x * b.x, a.x * b.d + a.d * b.x}; }
static inline dual over(dual a, dual b) { return (dual){a.x / b.x, (a.d - a.x / b.x * b.d) / b.x}; }
static inline dual times(double s, dual a) { return (dual){s * a.x, s * a.d}; }
static inline dual poly(dual f, double a, double b, double c)
{
    return (dual){a + f.x * (b + f.x * c), f.d * (b + 2 * f.x * c)};
}
static inline dual constant(double x) { return (dual){x, 0}; }
static inline dual root(dual a)
{
    double r = sqrt(a.x);
    return (dual){r, a.d / (2 * r)};
}
static inline dual sine(dual a) { return (dual){sin(a.x), a.d * cos(a.x)}; }
static inline dual cosine(dual a) { return (dual){cos(a.x), -a.d * sin(a.x)}; }

static inline dual dot(const dual *a, const dual *b)
{
    return add(add(mul(a[0], b[0]), mul(a[1], b[1])), mul(a[2], b[2]));
}
static inline dual norm(const dual *a) { return root(dot(a, a)); }
static inline void cross(const dual *a, const dual *b, dual *c)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = sub(mul(a[j], b[k]), mul(a[k], b[j]));
    }
}
static inline void unit(const dual *a, dual *b)
{
    dual n = norm(a);
    for (int i = 0; i < 3; i++) b[i] = over(a[i], n);
}

#endif
