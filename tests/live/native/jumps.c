/*
 * A program that does nothing but call a function of the C library, by way of
 * the linker's jump to it:
 *
 *     main, outer, calls
 *
 * It says what it is in a line of JSON and then calls until it is killed.
 */
#include <pthread.h>
#include <stdio.h>

#define PLAIN __attribute__((noinline, noclone))
#define STAYS __asm__ volatile("" ::: "memory")

/* A frame that is larger than what a frame pointer points at. */
PLAIN void
calls(int n)
{
	pthread_attr_t attr;

	(void)pthread_attr_init(&attr);
	while (n-- > 0)
		(void)pthread_attr_setguardsize(&attr, (size_t)n);
	(void)pthread_attr_destroy(&attr);
}

PLAIN void
outer(void)
{
	volatile int n[8] = { 100000 };

	calls(n[0]);
	STAYS;
}

int
main(void)
{
	(void)puts("{}");
	(void)fflush(stdout);
	for (;;)
		outer();
}
