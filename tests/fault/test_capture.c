/*
 * Captures of a real process, while every allocation and every system call
 * fails in turn, and while every read is short in turn. After each:
 *
 * - a failure to attach has a text, and a sample says what it is;
 * - what was lost is counted once, with its reason, and what was given is
 *   counted as given;
 * - a stack that is given is the right one: it ends where the program begins;
 * - no descriptor and (by the leak sanitizer) no memory is lost;
 * - the process runs on: nobody has stopped it, nobody traces it.
 *
 * The interpreters are those of the machine; a test without one is skipped.
 */
#include "support.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/capture.h>

#include "inject.h"

#define N_SAMPLES 4
/* Above this many steps something fails for ever. */
#define MAX_STEPS 4000

struct target {
	pid_t pid;
	int out; /* of it, to read */
	const char *root;
};

struct program {
	const char *name;
	const char *option; /* before its text */
	const char *root;   /* the outermost function */
	const char *text;
};

struct way {
	const char *name;
	uint32_t flags;
};

static const struct way ways[] = {
	{ "plain", 0 },
	{ "paused", BOB_ATTACH_PAUSE },
	{ "with facts", BOB_ATTACH_REQUEST | BOB_ATTACH_MEMORY |
	    BOB_ATTACH_ON_CPU | BOB_ATTACH_OPCODES },
};

static const struct program python = { "python3", "-c", "<module>",
	"import threading, time\n"
	"def inner():\n"
	"    while True: time.sleep(0.001)\n"
	"def outer(): inner()\n"
	"threading.Thread(target=inner, daemon=True).start()\n"
	"print('ready', flush=True)\n"
	"outer()\n" };

static const struct program php = { "php", "-r", "<main>",
	"function inner() { while (true) usleep(1000); }"
	"function outer() { inner(); }"
	"echo \"ready\\n\"; outer();" };

/* Starts a program and waits until it is ready; 0: there is none. */
static int
start(struct target *t, const struct program *p)
{
	char line[8] = "";
	int fd[2];
	size_t n = 0;
	ssize_t k = 1;

	assert_int_equal(pipe(fd), 0);
	t->pid = fork();
	assert_true(t->pid >= 0);
	if (t->pid == 0) {
		(void)dup2(fd[1], 1);
		(void)close(fd[0]);
		(void)close(fd[1]);
		(void)execlp(p->name, p->name, p->option, p->text,
		    (char *)NULL);
		_exit(127);
	}
	(void)close(fd[1]);
	t->out = fd[0];
	t->root = p->root;
	while (n < 6 && k > 0) {
		k = read(fd[0], line + n, 6 - n);
		n += k > 0 ? (size_t)k : 0;
	}
	return strcmp(line, "ready\n") == 0;
}

static void
stop(struct target *t)
{
	(void)kill(t->pid, SIGKILL);
	(void)waitpid(t->pid, NULL, 0);
	(void)close(t->out);
}

static size_t
count_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d) != NULL)
		n++;
	(void)closedir(d);
	return n;
}

/* The process runs, or sleeps, on its own. */
static void
assert_free(const struct target *t)
{
	char path[64], text[4096] = "";
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)t->pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	(void)fclose(f);
	assert_non_null(strstr(text, "TracerPid:\t0\n"));
	assert_null(strstr(text, "State:\tT"));
	assert_null(strstr(text, "State:\tt"));
}

static void
assert_counts(const struct bob_proc *p, uint64_t given)
{
	struct bob_capture_counts c;
	uint64_t sum = 0;
	int i;

	bob_proc_counts(p, &c);
	for (i = 0; i < BOB_N_LOST; i++)
		sum += c.lost_by[i];
	assert_int_equal(c.lost, sum);
	assert_int_equal(c.taken, given);
}

/* Whole stacks begin where the program does, or a thread of it. */
static void
assert_whole(const struct bob_dict *d, bob_stack s, const char *root)
{
	struct bob_node node = { 0 };
	struct bob_bytes name;

	assert_true(s != 0);
	for (; s != 0; s = node.parent)
		node = bob_stack_get(d, s);
	name = bob_str_get(d, bob_frame_get(d, node.frame)->name);
	if (name.n == strlen(root) && memcmp(name.p, root, name.n) == 0)
		return;
	assert_int_equal(name.n, strlen("Thread._bootstrap"));
	assert_memory_equal(name.p, "Thread._bootstrap", name.n);
}

/* Samples; true when nothing failed. */
static int
sample(struct bob_proc *p, struct bob_dict *dict, const struct target *t)
{
	const struct bob_run *runs;
	uint64_t given = 0;
	size_t n, k;
	int i, r = BOB_OK, all = 1;

	for (i = 0; i < N_SAMPLES && r != BOB_EOF && r != BOB_FATAL; i++) {
		/* Far enough apart for everything to be looked at again. */
		r = bob_sample(p, (uint64_t)i * 2000000, &runs, &n);
		assert_true(r == BOB_OK || r == BOB_AGAIN || r == BOB_EOF ||
		    r == BOB_FATAL);
		all &= r == BOB_OK && n > 0;
		if (r != BOB_OK)
			continue;
		given += n;
		for (k = 0; k < n; k++)
			assert_whole(dict, runs[k].stack, t->root);
	}
	if (r != BOB_FATAL)
		assert_counts(p, given);
	return all;
}

/* One capture; true when nothing failed. */
static int
capture(struct bob_ctx *ctx, const struct target *t, const struct way *way)
{
	struct bob_attach_opts o = { .size = sizeof(o), .flags = way->flags };
	struct bob_proc *p = NULL;
	int r, all = 0;

	o.dict = bob_dict_new(ctx);
	if (o.dict == NULL)
		return 0;
	r = bob_attach(ctx, (uint64_t)t->pid, &o, &p);
	if (r == BOB_OK) {
		all = sample(p, o.dict, t);
		bob_detach(p);
	} else {
		assert_int_equal(r, BOB_FAILED);
		assert_null(p);
		assert_true(bob_ctx_error(ctx)->text[0] != '\0');
	}
	bob_dict_free(o.dict);
	return all;
}

static void
fail_each(const struct target *t, const struct way *way, enum inject kind)
{
	static const char *const names[] = { "memory", "system", "short" };
	struct bob_ctx *ctx = bob_ctx_new();
	size_t before = count_descriptors();
	unsigned long n;
	int hit = 1, good = 0;

	for (n = 1; hit && n < MAX_STEPS; n++) {
		inject_arm(kind, n, 0);
		good = capture(ctx, t, way);
		hit = inject_disarm();
		if (count_descriptors() != before)
			fail_msg("%s, %s %lu (%s): a descriptor stays open",
			    way->name, names[kind], n, inject_where());
		assert_free(t);
	}
	print_message("%s, %s: %lu steps\n", way->name, names[kind], n - 2);
	assert_true(n < MAX_STEPS);
	/* The last run was not touched. */
	if (!good)
		fail_msg("%s, %s: nothing failed, and it is not whole",
		    way->name, names[kind]);
	bob_ctx_free(ctx);
}

static void
survive(const struct program *p)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct target t;
	size_t i;
	int kind;

	if (!start(&t, p) || !capture(ctx, &t, &ways[0])) {
		print_message("no %s here, or it may not be read\n", p->name);
		stop(&t);
		bob_ctx_free(ctx);
		skip();
	}
	bob_ctx_free(ctx);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		for (kind = 0; kind < N_INJECT; kind++)
			fail_each(&t, &ways[i], (enum inject)kind);
	stop(&t);
}

/* That nothing can be read, nor looked at, is a loss and no end: a descriptor
 * may be missing. What is tried when the process has ended is not lost. */
static void
the_end_of_a_process_loses_nothing(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_attach_opts o = { .size = sizeof(o) };
	struct bob_capture_counts c;
	const struct bob_run *runs;
	struct bob_proc *p;
	struct target t;
	uint64_t n_lost;
	size_t n;
	int r;

	(void)state;
	o.dict = bob_dict_new(ctx);
	if (!start(&t, &python) ||
	    bob_attach(ctx, (uint64_t)t.pid, &o, &p) < 0) {
		stop(&t);
		bob_dict_free(o.dict);
		bob_ctx_free(ctx);
		skip();
	}
	assert_int_equal(bob_sample(p, 0, &runs, &n), BOB_OK);
	assert_true(n > 0);
	inject_arm(INJECT_SYSTEM, 1, 1);
	r = bob_sample(p, 1, &runs, &n);
	(void)inject_disarm();
	bob_proc_counts(p, &c);
	/* It is not left behind by a failure. */
	stop(&t);
	assert_int_equal(r, BOB_AGAIN);
	assert_true(c.lost > 0);
	n_lost = c.lost;
	r = bob_sample(p, 2, &runs, &n);
	assert_int_equal(r, BOB_EOF);
	bob_proc_counts(p, &c);
	assert_int_equal(c.lost, n_lost);
	assert_counts(p, c.taken);
	bob_detach(p);
	bob_dict_free(o.dict);
	bob_ctx_free(ctx);
}

static void
captures_of_python_survive(void **state)
{
	(void)state;
	survive(&python);
}

static void
captures_of_php_survive(void **state)
{
	(void)state;
	survive(&php);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_of_a_process_loses_nothing),
		cmocka_unit_test(captures_of_python_survive),
		cmocka_unit_test(captures_of_php_survive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
