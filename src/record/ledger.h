/*
 * Counts what became of the samples of a recording. Each sample that was taken
 * is counted in one of these:
 *
 *     taken = written + pending + filtered + lost (by cause)
 *
 * A sample is written if it is in a file (bob_writer_stored), and pending while
 * it is in memory until the next barrier.
 */
#ifndef RECORD_LEDGER_H
#define RECORD_LEDGER_H

#include <bobbin/recorder.h>

struct ledger {
	struct bob_recorded sum; /* tape_add_to() adds those of open tapes */
	/* Lost samples that are in the metadata of no file yet. */
	uint64_t untold[BOB_N_UNKEPT];
};

/* Returns the cause (BOB_UNKEPT_*) of an error of the library. */
int ledger_cause_of(const struct bob_error *e);

/* Counts n samples as lost. They must be counted as taken already. */
void ledger_lose(struct ledger *l, int cause, uint64_t n);

/* Adds `l` to `sum`. */
void ledger_add(struct ledger *sum, const struct ledger *l);

/* Returns the lost samples of all causes. */
uint64_t ledger_lost(const struct ledger *l);

#endif
