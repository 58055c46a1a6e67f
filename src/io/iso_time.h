/* Dates and times as ISO 8601 writes them: 2024-05-01T12:00:00.250Z. */
#ifndef SN_IO_ISO_TIME_H
#define SN_IO_ISO_TIME_H

/* YYYY-MM-DD, then T or a blank, hh:mm, :ss, .fraction, and Z or +hh:mm, each behind the one before it where
   it is there; without a zone it counts as UTC. Seconds since 1970-01-01T00:00:00Z, whole and the part behind
   them (0
   .. 1), so that no digit is lost. 0: it is no such text. */
int sn_iso_time(const char *begin, const char *end, long long *seconds, double *fraction);

#endif
