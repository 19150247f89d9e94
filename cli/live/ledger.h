/*
 * Where the samples of a capture are. Each that was taken is in one place:
 *
 *     taken = written + pending + filtered + lost, by cause
 *
 * A sample is written when it is in a file, as bob_writer_stored says, and
 * pending while it waits in memory for the next barrier.
 */
#ifndef CLI_LEDGER_H
#define CLI_LEDGER_H

#include <stdint.h>

#include <bobbin/capture.h>

/* Why a sample that was taken is in no file. */
enum ledger_cause {
	LEDGER_DISK = BOB_UNKEPT_DISK,
	LEDGER_REMOVED = BOB_UNKEPT_REMOVED,
	LEDGER_MEMORY = BOB_UNKEPT_MEMORY,
	LEDGER_N_CAUSES = BOB_N_UNKEPT
};

struct ledger {
	uint64_t taken;
	uint64_t written;
	uint64_t pending; /* only in sums, see tape_add_to */
	uint64_t filtered; /* the filter of the user dropped it */
	uint64_t lost[LEDGER_N_CAUSES];
	/* Of the lost: in the metadata of no file yet. */
	uint64_t untold[LEDGER_N_CAUSES];
};

/* The cause that an error of the library stands for. */
enum ledger_cause ledger_cause_of(const struct bob_error *e);

/* n samples are lost. They count as taken already. */
void ledger_lose(struct ledger *l, enum ledger_cause cause, uint64_t n);

void ledger_add(struct ledger *sum, const struct ledger *l);

/* All that were taken and are lost. */
uint64_t ledger_lost(const struct ledger *l);

/* "moved 3, disk 120": samples that could not be proven and samples that could
 * not be kept, by cause; "" when there are none. */
void ledger_describe(const struct bob_capture_counts *c,
    const struct ledger *l, char *buf, size_t cap);

#endif
