/*
 * Limits on the work of one sample, for fuzz programs that simulate a process.
 * The bytes read from the process bound the steps. BOB_MAX_CAPTURE_READS and
 * BOB_MAX_CAPTURE_BYTES bound these bytes, as in bob_sample.
 */
#ifndef FUZZ_SAMPLEWORK_H
#define FUZZ_SAMPLEWORK_H

#include <stdlib.h>

#include "capture/proc/mem.h"

/* Ends the program if a condition does not hold. */
#define FUZZ_CHECK(condition)                                                \
	do {                                                                 \
		if (!(condition))                                            \
			abort();                                             \
	} while (0)

/* Call before a sample: sets its limit of reads. */
void samplework_begin(struct mem *m);

/* Call after it: ends the program if it took too many steps. */
void samplework_check(const struct mem *m);

#endif
