/* The page of a sweep: eigenvalues over a parameter. */
#ifndef SN_VIEW_SWEEP_PAGE_H
#define SN_VIEW_SWEEP_PAGE_H

#include "io/result.h"

sn_status sn_sweep_page(sn_result_reader *in, const char *page, sn_err *err);

#endif
