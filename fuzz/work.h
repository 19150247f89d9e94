/*
 * Steps of work, so that a fuzzer finds what is slow and not only what
 * crashes. In a build for libFuzzer, each edge that code of the library takes
 * is a step, and so are 16 bytes that it copies or fills. Code of the fuzz
 * programs, of libc and of other libraries is not counted. Steps do not depend
 * on the machine or on what else it does.
 *
 * A build that replays a corpus does not count: nothing fails there.
 */
#ifndef FUZZ_WORK_H
#define FUZZ_WORK_H

#include <stddef.h>
#include <stdint.h>

/* Steps for each byte that a reader gets: at once, or one by one with a "not
 * yet" in between, which takes some calls for each. */
#define WORK_READ 128
#define WORK_TRICKLE 1024

/* Counting begins again at 0. */
void work_begin(void);

/* Steps since work_begin; 0 where nothing counts. */
uint64_t work_steps(void);

/* Ends the program, with the numbers, when there were more steps since
 * work_begin than `rate` for each of n bytes, and `once` for all of them. */
void work_check(uint64_t n, uint64_t rate, uint64_t once);

#endif
