/* A reduced body straight into a block, for who reads models. */
#ifndef SN_REDUCE_API_H
#define SN_REDUCE_API_H

#include "sinew/class.h"
#include "sinew/sinew.h"

sn_status sn_reduce_block(const sn_reduce_options *o, sn_block *block, sn_err *err);

#endif
