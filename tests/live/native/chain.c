/*
 * A program whose calls are known:
 *
 *     main, first, second, descend (as often as told), leaf
 *
 * A second thread, "sleeper", is in main_of_sleeper and waits. With "signal"
 * leaf raises a signal, and its handler computes on top of it. It says what
 * it is in a line of JSON and then computes until it is killed.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Calls stay what they are: not inlined, not copied, not turned into jumps. */
#define PLAIN __attribute__((noinline, noclone))
#define STAYS __asm__ volatile("" ::: "memory")

static volatile uint64_t sink;
static int raises;

PLAIN void
compute(uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		sink += i * i;
}

PLAIN void
on_signal(int sig)
{
	(void)sig;
	compute(300000);
	STAYS;
}

PLAIN void
leaf(void)
{
	if (raises)
		(void)raise(SIGUSR1);
	else
		compute(300000);
	STAYS;
}

PLAIN void
descend(int depth)
{
	if (depth > 1)
		descend(depth - 1);
	else
		leaf();
	STAYS;
}

PLAIN void
second(int depth)
{
	descend(depth);
	STAYS;
}

PLAIN void
first(int depth)
{
	second(depth);
	STAYS;
}

PLAIN void *
main_of_sleeper(void *user)
{
	for (;;)
		(void)pause();
	return user;
}

int
main(int argc, char **argv)
{
	pthread_t t;
	int depth;

	if (argc < 2 || sscanf(argv[1], "%d", &depth) != 1)
		return 2;
	raises = argc > 2 && strcmp(argv[2], "signal") == 0;
	(void)signal(SIGUSR1, on_signal);
	if (pthread_create(&t, NULL, main_of_sleeper, NULL) != 0)
		return 1;
	(void)pthread_setname_np(t, "sleeper");
	(void)printf("{\"depth\": %d}\n", depth);
	(void)fflush(stdout);
	for (;;)
		first(depth);
}
