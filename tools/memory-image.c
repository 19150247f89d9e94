/*
 * Records the memory that samples of a process read, as an image for tests:
 *
 *     memory-image PID FILE
 *
 * The process is stopped meanwhile, so that all that is read belongs
 * together. What was found is printed as tests print it: a line per stack,
 * with the name of its thread, its status, and its frames from the outermost
 * on. Compare it with what the process says about itself before keeping it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <bobbin/bobbin.h>

#include "capture/proc/pause.h"
#include "capture/proc/proc.h"
#include "capture/python/python.h"
#include "capture/python/tasks/find_asyncio.h"
#include "image.h"
#include "image_php.h"
#include "image_print.h"

/* Until the kernel says that all of it has stopped. */
static void
wait_for_stop(void)
{
	struct timespec t = { 0, 50 * 1000 * 1000 };

	(void)nanosleep(&t, NULL);
}

static int
fail(struct bob_ctx *ctx)
{
	(void)fprintf(stderr, "memory-image: %s\n", bob_ctx_error(ctx)->text);
	return 1;
}

static int
sample(struct process *p, const struct runtime *runtime, void *state)
{
	return image_sample(stdout, p, runtime, state) == BOB_OK ? 0
	                                                         : fail(p->ctx);
}

/* Thread pointers are registers, which no image of memory has. */
static int
record_threads(const struct process *p, struct image *image)
{
	int tid[IMAGE_MAX_THREADS], r = 0;
	long n = proc_threads(p->pid, tid, IMAGE_MAX_THREADS), i;

	for (i = 0; r == 0 && i < n; i++) {
		struct pause pause = { 0 };
		uint64_t tp = 0;

		r = pause_begin(&pause, tid[i]);
		if (r == 0) {
			r = pause_thread_pointer(&pause, &tp);
			pause_end(&pause);
		}
		pause_done(&pause);
		if (r == 0)
			image_php_set_thread(image, tp);
	}
	return n < 0 ? (int)n : r;
}

static int
record_php(struct process *p, const struct php_site *site, struct image *image)
{
	struct php_site thread[IMAGE_MAX_THREADS];
	size_t i, n;
	void *state;
	int r;

	image_php_set(image, site);
	r = site->is_zts ? record_threads(p, image) : 0;
	if (r < 0) {
		errno = -r;
		perror("memory-image");
		return 1;
	}
	n = image_php_sites(image, thread);
	for (i = 0; r == 0 && i < n; i++)
		r = php_open(p, &thread[i], &state) == BOB_OK
		    ? sample(p, &php_runtime, state) : fail(p->ctx);
	if (n > 0)
		return r;
	(void)fputs("memory-image: no thread runs PHP\n", stderr);
	return 1;
}

/* It may take its time: nothing else is sampled. */
static uint64_t
find_task_table(struct process *p)
{
	const struct timespec nap = { 0, 1000 * 1000 };
	struct py_table_look *look = NULL;
	uint64_t at = 0;
	int i;

	for (i = 0; i < 10000 && !py_task_table_find(p, &look, &at); i++)
		(void)nanosleep(&nap, NULL);
	py_table_look_drop(look);
	return at;
}

static int
record_python(struct process *p, struct image *image)
{
	struct py_site site;
	void *state;
	int r = py_find(p, &site);

	if (r == BOB_OK && site.o.minor >= PY_FIRST_TASK_TABLE)
		site.task_table = find_task_table(p);
	if (r != BOB_OK || py_open(p, &site, &state) != BOB_OK)
		return fail(p->ctx);
	image_set(image, "pid", (uint64_t)p->pid);
	image_set(image, "minor", site.o.minor);
	image_set(image, "runtime", site.runtime);
	image_set(image, "none", site.none);
	image_set(image, "code_type", site.code_type);
	image_set(image, "task_table", site.task_table);
	return sample(p, &python_runtime, state);
}

static int
record(struct process *p, const char *path)
{
	struct php_site php;
	struct image image;
	struct mem mem;
	int r;

	mem_init(&mem, p->pid);
	image_record(&image, &mem);
	p->mem = image.mem;
	if (maps_read(p->ctx, &p->maps, p->pid) < 0)
		return fail(p->ctx);
	r = php_find(p, &php) == BOB_OK ? record_php(p, &php, &image)
	                                : record_python(p, &image);
	if (r == 0 && image_write(&image, path) < 0)
		r = 1;
	maps_done(&p->maps);
	image_done(&image);
	return r;
}

int
main(int argc, char **argv)
{
	struct process p = { .max_depth = BOB_MAX_CAPTURE_DEPTH,
		.flags = BOB_ATTACH_TASKS | BOB_ATTACH_ALL_TASKS };
	char more;
	int r;

	if (argc != 3 || sscanf(argv[1], "%d%c", &p.pid, &more) != 1 ||
	    p.pid <= 0) {
		(void)fputs("usage: memory-image PID FILE\n", stderr);
		return 2;
	}
	p.ctx = bob_ctx_new();
	p.dict = bob_dict_new(p.ctx);
	if (p.dict == NULL)
		return 1;
	if (kill(p.pid, SIGSTOP) < 0) {
		perror("memory-image");
		return 1;
	}
	wait_for_stop();
	r = record(&p, argv[2]);
	(void)kill(p.pid, SIGCONT);
	free(p.run);
	bob_dict_free(p.dict);
	bob_ctx_free(p.ctx);
	return r;
}
