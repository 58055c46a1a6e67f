/* A file of results by key, written one after the other while they are found, so that work that was cut off
   at any moment, by kill -9 too, can go on: who asks again for what is in the file need not compute it.

   The file: a head of 32 bytes, then records, each a key (16 bytes), the number of its numbers with its group
   (4 bytes each), a checksum (8 bytes) and the numbers. A record is appended by one write; one that is not
   whole ends the file. Records of a group, such as the simulations of one random start, are of no use when
   the group is done; they are left out when the file is written anew, which it is where it has doubled. */
#ifndef SN_IDENTIFY_JOURNAL_H
#define SN_IDENTIFY_JOURNAL_H

#include "base/mem.h"

#include <stdint.h>

/* ---- keys: everything that a result depends on, in 128 bits ---- */

typedef struct sn_key {
    uint64_t a, b;
} sn_key;

sn_key sn_key_of(const char *what); /* a new one, for results of this kind */
void sn_key_word(sn_key *k, uint64_t word);
void sn_key_text(sn_key *k, const char *text); /* or NULL */
void sn_key_exact(sn_key *k, size_t n, const double *x);

/* ---- the file ---- */

typedef struct sn_journal sn_journal;

/* With `resume` the records that are there are read, and new ones go behind them; else the file begins anew.
   SN_ERR_INPUT: the file is none of this kind, or another process writes it. */
sn_status sn_journal_open(const char *path, int resume, sn_journal **out, sn_err *err);
void sn_journal_close(sn_journal *j);
long sn_journal_count(const sn_journal *j); /* records read */
long sn_journal_cut(const sn_journal *j);   /* bytes at the end that were no whole record, left out */
/* What kept records from being written (errno), or 0. */
int sn_journal_failed(const sn_journal *j);
uint64_t sn_journal_bytes(const sn_journal *j); /* in the file now */

/* 1: x (n) is what was read under the key. From any thread; j NULL: 0. */
int sn_journal_get(const sn_journal *j, sn_key key, size_t n, double *x);
/* From any thread; group 0: of none. A record that cannot be written is lost, and so are all after it;
   nothing else is. */
void sn_journal_put(sn_journal *j, sn_key key, int group, size_t n, const double *x);
void sn_journal_done(sn_journal *j, int group); /* from any thread */
void sn_journal_no_group_done(sn_journal *j);   /* they begin anew, with another study */

#endif
