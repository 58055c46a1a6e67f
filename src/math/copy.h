#ifndef SN_MATH_COPY_H
#define SN_MATH_COPY_H

#include <stddef.h>

/* n numbers, from elsewhere */
void sn_copy(double *to, const double *from, size_t n);

#endif
