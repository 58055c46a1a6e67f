/* Room for libraries that do not take a lack of memory well. */
#ifndef SN_BASE_ROOM_H
#define SN_BASE_ROOM_H

/* So many bytes can be had, and besides what OpenBLAS takes at its first large product, which never returns
   without that. What is large depends on the processor. */
int sn_has_room(double bytes);

#endif
