/*
 * A server of our own with Python inside, as application servers are: its
 * threads are made by C, and Python does not know their names.
 *
 *     embed LIBPYTHON
 */
#define _GNU_SOURCE /* pthread_setname_np */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define N_WORKERS 2

static int (*ensure)(void);
static int (*run)(const char *code);

static const char begin[] =
    "import time\n"
    "def handle(request):\n"
    "    time.sleep(120)\n"
    "def serve(request):\n"
    "    handle(request)\n";

static void
find(void *lib, const char *name, void *ret)
{
	void *p = dlsym(lib, name);

	memcpy(ret, &p, sizeof(p));
}

static void *
work(void *name)
{
	(void)pthread_setname_np(pthread_self(), name);
	(void)ensure();
	(void)run("serve('/')\n");
	return NULL;
}

int
main(int argc, char **argv)
{
	static char name[N_WORKERS][16];
	void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	void (*initialize)(int with_signals);
	void *(*release)(void);
	pthread_t thread;
	int i;

	if (lib == NULL)
		return 1;
	find(lib, "Py_InitializeEx", &initialize);
	find(lib, "PyRun_SimpleString", &run);
	find(lib, "PyGILState_Ensure", &ensure);
	find(lib, "PyEval_SaveThread", &release);
	initialize(0);
	if (run(begin) < 0)
		return 1;
	(void)release();
	for (i = 0; i < N_WORKERS; i++) {
		(void)snprintf(name[i], sizeof(name[i]), "worker %d", i + 1);
		if (pthread_create(&thread, NULL, work, name[i]) != 0)
			return 1;
	}
	(void)puts("{}");
	(void)fflush(stdout);
	(void)pause();
	return 0;
}
