/*
 * A program that has PHP in it: embed LIBPHP SCRIPT [THREADS]. The library is
 * loaded at run time, as servers do it. With ZTS as many threads run the
 * script, each with its number as $n; without, the main one does. What is
 * printed first is a line of JSON: the threads' numbers, in order.
 */
#define _GNU_SOURCE /* gettid */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 9

static const char *script;
static void *library;
static pthread_barrier_t ready;
static int tids[MAX_THREADS];

static void *
function(const char *name)
{
	void *f = dlsym(library, name);

	if (f == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return f;
}

static void
run(int n)
{
	int (*eval)(const char *, void *, const char *) =
	    function("zend_eval_string");
	char code[4096];

	snprintf(code, sizeof(code), "$n = %d; require '%s';", n, script);
	eval(code, NULL, "embed");
}

static void *
run_thread(void *number)
{
	void *(*resource)(int, pthread_t *) = function("ts_resource_ex");
	int (*startup)(void) = function("php_request_startup");
	int n = (int)(size_t)number;

	resource(0, NULL);
	if (startup() != 0)
		exit(1);
	tids[n] = gettid();
	pthread_barrier_wait(&ready);
	run(n);
	return NULL;
}

static void
tell(int n)
{
	int i;

	printf("{\"threads\": [");
	for (i = 0; i < n; i++)
		printf("%s%d", i > 0 ? ", " : "", tids[i]);
	printf("]}\n");
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	int (*init)(int, char **);
	int n = argc > 3 ? argv[3][0] - '0' : 1, i;
	pthread_t thread;

	if (argc < 3 || n < 1 || n > MAX_THREADS)
		return 2;
	script = argv[2];
	library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
	if (library == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	init = function("php_embed_init");
	if (init(1, argv) != 0)
		return 1;
	if (dlsym(library, "ts_resource_ex") == NULL) {
		tids[0] = gettid();
		tell(1);
		run(0);
		return 0;
	}
	pthread_barrier_init(&ready, NULL, (unsigned)n + 1);
	for (i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, run_thread,
		        (void *)(size_t)i) != 0)
			return 1;
	pthread_barrier_wait(&ready);
	tell(n);
	for (;;)
		pause();
}
