/*
 * Counting steps of work, so that a fuzzer finds slow code, not only crashes.
 * In a build for libFuzzer, each edge that the library's code takes is a step,
 * and so are each 16 bytes that it copies or fills. Code of the fuzz programs,
 * of libc and of other libraries is not counted. Steps do not depend on the
 * machine or its load.
 *
 * A build that replays a corpus does not count: nothing fails there.
 */
#ifndef FUZZ_WORK_H
#define FUZZ_WORK_H

#include <stddef.h>
#include <stdint.h>

/* Allowed steps for each byte that a reader gets: at once, and one by one with
 * AGAIN in between, which takes some calls for each. */
#define WORK_READ 128
#define WORK_TRICKLE 1024

/* Sets the count to 0. */
void work_begin(void);

/* Returns the steps since work_begin; 0 if the build does not count. */
uint64_t work_steps(void);

/* Ends the program with a message if there were more steps since work_begin
 * than `rate` for each of n bytes plus `once`. */
void work_check(uint64_t n, uint64_t rate, uint64_t once);

#endif
