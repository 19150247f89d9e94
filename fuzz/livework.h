/*
 * Steps of one sample, for fuzz programs that play a process. What a process
 * gives is what is read of it: its steps have a bound by that, and what is
 * read has one for itself, as in bob_sample.
 */
#ifndef FUZZ_LIVEWORK_H
#define FUZZ_LIVEWORK_H

#include "capture/proc/mem.h"

/* Before a sample: allows as many reads as one may have. */
void livework_begin(struct mem *m);

/* Behind it; ends the program when it was too much. */
void livework_check(const struct mem *m);

#endif
