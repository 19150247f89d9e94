/* Clocks, in microseconds: a monotonic one, and the processor time of this
 * process. */
#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t
clock_us(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static inline uint64_t
now_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

static inline uint64_t
cpu_us(void)
{
	return clock_us(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
