/*
 * convert --live: input that is still coming, into a file written in place.
 *
 * Nothing stays in this process for longer than a second: when the input
 * pauses, and at least once a second while it does not, everything goes to
 * the system. A signal ends the input, so that the output is ended properly.
 */
#include "conv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/read.h>

#include "msg.h"
#include "plain.h"

static volatile sig_atomic_t is_stopped;

struct live {
	struct conv *conv;
	struct bob_dict *dict;
	struct bob_writer *out;
	int fd; /* of the input */
	int has_plan; /* the input's format is known */
	int is_dirty; /* something was written since the last barrier */
	time_t t_barrier;
};

static void
on_signal(int sig)
{
	(void)sig;
	is_stopped = 1;
}

/* Without SA_RESTART, so that waiting ends; the second signal kills. */
static void
catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction sa, old;
	size_t i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sa.sa_flags = SA_RESETHAND;
	(void)sigemptyset(&sa.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &sa, NULL);
}

/* A bob_read_fn that waits no longer than the second which is promised. */
static long
fetch(void *user, void *buf, size_t cap)
{
	struct live *l = user;
	struct pollfd p = { .fd = l->fd, .events = POLLIN };
	ssize_t n;

	if (is_stopped)
		return 0;
	if (poll(&p, 1, 500) == 0)
		return -2;
	if (is_stopped)
		return 0;
	n = read(l->fd, buf, cap);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return -2;
	return (long)n;
}

static time_t
seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static int
settle(struct live *l, int is_idle)
{
	time_t t = seconds();

	if (!l->is_dirty || (!is_idle && t == l->t_barrier))
		return BOB_OK;
	l->is_dirty = 0;
	l->t_barrier = t;
	return bob_barrier(l->out, 0);
}

static int
pass_on(struct live *l, const struct bob_event *ev)
{
	struct bob_converted *done = &l->conv->done;
	size_t i;

	l->is_dirty = 1;
	switch (ev->kind) {
	case BOB_EVENT_SEGMENT:
		done->n_segments++;
		return bob_write_segment(l->out, ev->segment);
	case BOB_EVENT_RUNS:
		for (i = 0; i < ev->n_runs; i++)
			done->n_samples = plain_add(done->n_samples,
			    ev->runs[i].count);
		return bob_write_runs(l->out, ev->runs, ev->n_runs);
	default:
		if (ev->mark->kind != BOB_MARK_GAP)
			return bob_write_mark(l->out, ev->mark);
		done->n_gaps++;
		return BOB_OK;
	}
}

/* Once the format is known: EXIT_OK, or EXIT_GATE when nothing may be lost. */
static int
check_plan(struct live *l, const struct bob_reader *in)
{
	const char *name = bob_reader_format(in);
	const struct bob_format_info *from = name != NULL
	    ? bob_format_named(name) : NULL;
	char lost[BOB_MAX_TEXT];

	if (from == NULL || l->has_plan)
		return EXIT_OK;
	l->has_plan = 1;
	if (bob_plan(from->caps, bob_writer_caps(l->out), lost,
	        sizeof(lost)) == 0)
		return EXIT_OK;
	conv_say_plan(l->conv, lost);
	if ((l->conv->flags & BOB_CONVERT_STRICT_PLAN) == 0)
		return EXIT_OK;
	msg_error("%s cannot carry: %s", l->conv->to->name, lost);
	return EXIT_GATE;
}

/* All of one input. Exit code. */
static int
pump(struct live *l, struct bob_reader *in)
{
	const struct conv *c = l->conv;
	struct bob_event ev;
	int r, code;

	while ((r = bob_next(in, &ev)) == BOB_OK || r == BOB_AGAIN) {
		code = check_plan(l, in);
		if (code != EXIT_OK)
			return code;
		if ((r == BOB_OK && pass_on(l, &ev) < 0) ||
		    settle(l, r == BOB_AGAIN) < 0)
			return job_error(&c->job, NULL);
	}
	return r < 0 ? job_error(&c->job, c->job.current) : EXIT_OK;
}

static int
convert_input(struct live *l, const char *input)
{
	struct conv *c = l->conv;
	struct bob_read_opts o = { .size = sizeof(o), .format = c->job.from,
		.want = BOB_WANT_ALL & ~BOB_WANT_STATS,
		.filter = c->job.filter, .dict = l->dict,
		.first_segment = c->done.n_segments,
		.flags = (c->flags & BOB_CONVERT_RECOVER) != 0
		    ? BOB_READ_RECOVER : 0,
		.options = &c->job.dialect,
		.n_options = job_n_options(&c->job) };
	struct bob_reader *in;
	int code;

	l->fd = STDIN_FILENO;
	l->has_plan = 0;
	c->job.current = input;
	if (strcmp(input, "-") != 0)
		l->fd = open(input, O_RDONLY | O_CLOEXEC);
	if (l->fd < 0) {
		msg_error("%s: %s", input, strerror(errno));
		return EXIT_FAILED;
	}
	if (bob_open_fn(c->job.ctx, fetch, l, job_name(input), &o, &in) < 0) {
		code = job_error(&c->job, input);
	} else {
		code = pump(l, in);
		bob_close(in);
	}
	if (l->fd != STDIN_FILENO)
		(void)close(l->fd);
	return code;
}

int
conv_run_live(struct conv *c)
{
	struct bob_target to = { .path = c->path, .flags = BOB_TARGET_LIVE };
	struct bob_write_opts o = { .size = sizeof(o), .format = c->to->name,
		.options = c->options, .n_options = c->n_options };
	struct live l = { .conv = c };
	int code = EXIT_OK;
	size_t i;

	catch_signals();
	l.dict = o.dict = bob_dict_new(c->job.ctx);
	if (l.dict == NULL || bob_create(c->job.ctx, &to, &o, &l.out) < 0) {
		code = job_error(&c->job, NULL);
		goto out;
	}
	for (i = 0; code == EXIT_OK && i < c->job.n_inputs; i++)
		code = convert_input(&l, c->job.inputs[i]);
	if (bob_finish(l.out) < 0 && code == EXIT_OK)
		code = job_error(&c->job, NULL);
	if (code == EXIT_OK && c->done.n_gaps > 0)
		code = EXIT_PARTIAL;
out:
	bob_dict_free(l.dict);
	return code;
}
