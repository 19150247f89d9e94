/*
 * A program with as many threads that sleep as its argument says, and one that
 * computes. It says how many it could begin in a line of JSON.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *
rest(void *arg)
{
	(void)pause();
	return arg;
}

int
main(int argc, char **argv)
{
	int want = 0, n = 0;
	volatile unsigned count = 0;
	pthread_attr_t attr;
	pthread_t thread;

	if (argc < 2 || sscanf(argv[1], "%d", &want) != 1)
		return 2;
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, 64 << 10);
	while (n < want && pthread_create(&thread, &attr, rest, NULL) == 0)
		n++;
	(void)printf("{\"threads\": %d}\n", n);
	(void)fflush(stdout);
	for (;;)
		count++;
}
