/* Conversions of inputs that still grow: everything read is in the output while
 * the input pauses, and reading ends when the caller says so. */
#include "support.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/convert.h>
#include <bobbin/read.h>

#define N_LINES 100

struct scene {
	struct own_folder *at;
	char fifo[160];
	volatile int stop;
	uint64_t n_seen; /* samples in the output while the input paused */
};

static uint64_t
count_samples(const char *path)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_reader *in;
	struct bob_event ev;
	uint64_t sum = 0;
	size_t i;

	if (bob_open(ctx, path, NULL, &in) == BOB_OK) {
		while (bob_next(in, &ev) == BOB_OK)
			for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs;
			    i++)
				sum += ev.runs[i].count;
		bob_close(in);
	}
	bob_ctx_free(ctx);
	return sum;
}

/* Writes a trace, and no more; waits until a reader of the output finds it;
 * stops the conversion, whose input is open all the time. The newest sample
 * may wait: an annotation could still follow. */
static void *
feed(void *user)
{
	struct scene *s = user;
	int fd = open(s->fifo, O_WRONLY), i;

	for (i = 0; fd >= 0 && i < N_LINES; i++)
		if (dprintf(fd, "main.php;f%d 1\n", i % 7) < 0)
			break;
	while (s->n_seen < N_LINES - 1) {
		(void)poll(NULL, 0, 1);
		s->n_seen = count_samples(s->at->path);
	}
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
	return (void *)(intptr_t)fd;
}

static void
what_has_come_is_there_and_stop_is_the_end(void **state)
{
	struct scene s = { .at = *state };
	const char *in[] = { s.fifo };
	struct bob_target to = { .path = s.at->path,
		.flags = BOB_TARGET_LIVE };
	struct bob_convert c = { .size = sizeof(c), .inputs = in,
		.n_inputs = 1, .output = &to, .from = "folded", .to = "rbt",
		.flags = BOB_CONVERT_LIVE, .stop = &s.stop };
	struct bob_converted done;
	pthread_t thread;
	void *fd;

	(void)snprintf(s.fifo, sizeof(s.fifo), "%s.fifo", s.at->path);
	assert_int_equal(mkfifo(s.fifo, 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, feed, &s), 0);
	assert_status(s.at->ctx, BOB_OK, bob_convert(s.at->ctx, &c, &done));
	assert_int_equal(pthread_join(thread, &fd), 0);
	(void)close((int)(intptr_t)fd);
	assert_int_equal(done.n_samples, N_LINES);
	assert_int_equal(count_samples(s.at->path), N_LINES);
	(void)unlink(s.fifo);
}

static void
what_must_be_whole_first_cannot_be_live(void **state)
{
	struct own_folder *at = *state;
	const char *in[] = { "/dev/null" };
	struct bob_target to = { .path = at->path };
	struct bob_convert c = { .size = sizeof(c), .inputs = in,
		.n_inputs = 1, .output = &to, .to = "rbt",
		.flags = BOB_CONVERT_LIVE | BOB_CONVERT_BY_TIME };

	assert_int_equal(bob_convert(at->ctx, &c, NULL), BOB_FAILED);
	assert_int_equal(bob_ctx_error(at->ctx)->code, BOB_E_USAGE);
	assert_int_equal(own_folder_n_files(at, 0), 0);
}

#define TEST(name)                                                       \
	cmocka_unit_test_setup_teardown(name, own_folder_setup,          \
	    own_folder_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_has_come_is_there_and_stop_is_the_end),
		TEST(what_must_be_whole_first_cannot_be_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
