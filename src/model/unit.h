/* Units of a model file: "N*m/rad", "kg/m^3", "mm", "deg". Everything is SI inside; angles count as pure
 * numbers. */
#ifndef SN_MODEL_UNIT_H
#define SN_MODEL_UNIT_H

#include "sinew/base.h"

/* Exponents of metre, kilogram, second (kelvin and ampere can follow). */
typedef struct sn_dim {
    signed char m, kg, s;
} sn_dim;

/* Parse a unit expression at the head of `text`: names with optional integer powers (m^2, m2 is not
   accepted), joined by * and /, as long as each name is a known unit. Returns the number of characters taken,
   0 when the text does not begin with a unit. factor: SI value of one such unit. */
int sn_unit_parse(const char *text, double *factor, sn_dim *dim);

/* The whole string must be a unit ("" and "1" are the pure number). */
sn_status sn_unit_whole(const char *text, double *factor, sn_dim *dim);

int sn_dim_equal(sn_dim a, sn_dim b);
void sn_dim_text(sn_dim d, char *out, size_t size); /* "N", "m/s^2"; "a pure number" */
/* The same unit without prefixes, "kN/mm" as "N/m", so that numbers in SI belong to it; 0: there is none. */
int sn_unit_si(const char *text, char *out, size_t size);
const char *sn_unit_name(int i); /* names one by one for did-you-mean and help; NULL at the end */

#endif
