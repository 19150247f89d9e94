/* The state of a spool, and how the lines of its journal change it: for the
 * spool itself, and for looking at it. */
#ifndef SHIP_SPOOL_REPLAY_H
#define SHIP_SPOOL_REPLAY_H

#include "ship/spool.h"

/* acknowledged, expired, unknown, and dropped by cause. */
#define SPOOL_COUNTS (3 + BOB_N_SHIP_CAUSES)

/* 64 bits of the SHA-256 of a text: of a name, or an address. */
uint64_t spool_hash(const char *text);

/* A shiplog_fn: does what a line says. */
int spool_replay(void *user, const char *p, size_t n);

/* Writes the state to the next journal. BOB_OK or FAILED. */
int spool_write_all(struct spool *s);

/* Returns the entry of a segment, or NULL. */
struct spool_entry *spool_find(const struct spool *s, uint64_t seg);

/* Frees an entry, and counts nothing. */
void spool_forget(struct spool *s, struct spool_entry *e);

/* Adds an entry, whose strings are copied. BOB_OK or FATAL. */
int spool_queue(struct spool *s, const struct spool_entry *e);

/* Remembers that a file needs no look any more. BOB_OK or FATAL. */
int spool_know(struct spool *s, const char *name);

void spool_set_state(struct spool *s, struct spool_entry *e,
    enum spool_state state);

/* Sets v to what became of the samples of an entry: all of them. */
void spool_counts_of(const struct spool_entry *e,
    const struct spool_end *end, uint64_t v[SPOOL_COUNTS]);

/* Writes them as fields, each with a blank before it. */
void spool_counts_text(char to[SPOOL_COUNTS * 24],
    const uint64_t v[SPOOL_COUNTS]);

/* Ends an entry. The recorded samples become those of v: a segment that was
 * damaged since it was sealed has others than it had. */
void spool_finish(struct spool *s, struct spool_entry *e,
    const uint64_t v[SPOOL_COUNTS]);

#endif
