/* Steady motions (relative equilibria) near the start. */
#include "analysis/motion.h"

sn_status sn_steady(sn_context *d, sn_err *err)
{
    sn_motion *p;
    sn_steadiness what = SN_VARYING;
    char by[SN_NAME_SIZE];
    SN_TRY(sn_start(d, err));
    SN_TRY(sn_motion_new(d, &p, err));
    sn_status s = sn_motion_axes(p, &what, by, err);
    sn_motion_free(p);
    if (!s && what == SN_VARYING)
        s = sn_fail(err, SN_ERR_NUMERIC, NULL, "no steady motion found near the start");
    return s;
}
