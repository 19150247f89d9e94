/* bob_record: what it refuses, and that it costs nobody an older file. */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bobbin/recorder.h>

static const char OLD[] = "older";

static void
make_old_file(char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, OLD, sizeof(OLD)), sizeof(OLD));
	(void)close(fd);
}

static void
assert_old_file_stays(const char *path)
{
	char text[sizeof(OLD) + 1];
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_int_equal(fread(text, 1, sizeof(text), f), sizeof(OLD));
	assert_memory_equal(text, OLD, sizeof(OLD));
	(void)fclose(f);
	(void)unlink(path);
}

static void
options_of_another_size_are_refused(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_record_opts o = { .path = "/nonexistent/x", .pid = 1 };

	(void)state;
	assert_int_equal(bob_record(ctx, NULL, NULL), BOB_FAILED);
	assert_int_equal(bob_record(ctx, &o, NULL), BOB_FAILED);
	assert_int_equal(bob_ctx_error(ctx)->code, BOB_E_USAGE);
	o.size = sizeof(o);
	o.pid = 0;
	assert_int_equal(bob_record(ctx, &o, NULL), BOB_FAILED);
	assert_int_equal(bob_ctx_error(ctx)->code, BOB_E_USAGE);
	bob_ctx_free(ctx);
}

static void
a_process_that_has_ended_costs_no_older_file(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	char path[] = "/tmp/bobbin-record-XXXXXX";
	struct bob_record_opts o = { .size = sizeof(o), .path = path };
	struct bob_recorded sum = { .taken = 77 };
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	make_old_file(path);
	o.pid = (uint64_t)pid;
	assert_int_equal(bob_record(ctx, &o, &sum), BOB_FAILED);
	assert_int_equal(bob_ctx_error(ctx)->sys, ESRCH);
	assert_non_null(strstr(bob_ctx_error(ctx)->text, "no such process"));
	assert_int_equal(sum.taken, 0);
	assert_old_file_stays(path);
	bob_ctx_free(ctx);
}

static void
a_process_without_a_runtime_is_named(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	char path[] = "/tmp/bobbin-record-XXXXXX";
	struct bob_record_opts o = { .size = sizeof(o), .path = path };
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		(void)pause();
		_exit(0);
	}
	make_old_file(path);
	o.pid = (uint64_t)pid;
	assert_int_equal(bob_record(ctx, &o, NULL), BOB_FAILED);
	assert_int_equal(bob_ctx_error(ctx)->code, BOB_E_FORMAT);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_old_file_stays(path);
	bob_ctx_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_of_another_size_are_refused),
		cmocka_unit_test(a_process_that_has_ended_costs_no_older_file),
		cmocka_unit_test(a_process_without_a_runtime_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
