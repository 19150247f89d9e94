/* Counting in callbacks that the compiler inserts; see the header. The linker
 * redirects them here (--wrap), because libFuzzer has callbacks of the same
 * name. */
#include "work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A reader may have a thread of its own: then a step may get lost. */
static uint64_t n_steps;

/* Bytes that are copied in one step. */
#define COPY 16

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION

void __wrap___sanitizer_cov_trace_pc_guard_init(uint32_t *p, uint32_t *end);
void __wrap___sanitizer_cov_trace_pc_guard(uint32_t *guard);
void *__wrap___asan_memcpy(void *to, const void *from, size_t n);
void *__wrap___asan_memmove(void *to, const void *from, size_t n);
void *__wrap___asan_memset(void *to, int c, size_t n);
void *__real___asan_memcpy(void *to, const void *from, size_t n);
void *__real___asan_memmove(void *to, const void *from, size_t n);
void *__real___asan_memset(void *to, int c, size_t n);

static void
count(uint64_t n)
{
	uint64_t was = __atomic_load_n(&n_steps, __ATOMIC_RELAXED);

	__atomic_store_n(&n_steps, was + n, __ATOMIC_RELAXED);
}

void
__wrap___sanitizer_cov_trace_pc_guard_init(uint32_t *p, uint32_t *end)
{
	(void)p;
	(void)end;
}

void
__wrap___sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
	(void)guard;
	count(1);
}

void *
__wrap___asan_memcpy(void *to, const void *from, size_t n)
{
	count(n / COPY);
	return __real___asan_memcpy(to, from, n);
}

void *
__wrap___asan_memmove(void *to, const void *from, size_t n)
{
	count(n / COPY);
	return __real___asan_memmove(to, from, n);
}

void *
__wrap___asan_memset(void *to, int c, size_t n)
{
	count(n / COPY);
	return __real___asan_memset(to, c, n);
}

#endif

void
work_begin(void)
{
	n_steps = 0;
}

uint64_t
work_steps(void)
{
	return n_steps;
}

void
work_check(uint64_t n, uint64_t rate, uint64_t once)
{
	if (n_steps <= once || (n_steps - once) / rate <= n)
		return;
	(void)fprintf(stderr, "too much work: %" PRIu64 " steps for %" PRIu64
	    " bytes, more than %" PRIu64 " for each and %" PRIu64 "\n",
	    n_steps, n, rate, once);
	abort();
}
