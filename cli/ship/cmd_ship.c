/*
 * bobbin ship: sends the segments of a store to servers.
 *
 * Each target has a thread of its own, so that one that does not answer delays
 * no other. The threads share the flag that stops them, and nothing else.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bobbin/units.h>

#include "print/msg.h"
#include "print/plain.h"
#include "ship.h"
#include "system/signals.h"
#include "target.h"

/* Failures in a row after which --once gives up. */
#define ONCE_FAILURES 5
/* A longer sleep would delay the end after a signal. */
#define MOST_SLEEP_US 200000

struct lane {
	struct bob_target_opts to;
	struct bob_shipper_opts opts;
	struct bob_ctx *ctx;
	struct bob_shipper *shipper;
	int is_once;
	int code; /* exit code */
	uint64_t n_given_up; /* samples, by earlier runs */
	unsigned n_failed; /* in a row */
	int has_thread;
	pthread_t thread;
};

static void
sleep_us(uint64_t us)
{
	struct timespec t;

	if (us > MOST_SLEEP_US)
		us = MOST_SLEEP_US;
	t.tv_sec = 0;
	t.tv_nsec = (long)us * 1000;
	(void)nanosleep(&t, NULL);
}

/* Samples that were given up so far. */
static uint64_t
given_up(const struct bob_shipped *n)
{
	uint64_t sum = n->expired;
	int i;

	for (i = 0; i < BOB_N_SHIP_CAUSES; i++)
		sum = plain_add(sum, n->dropped[i]);
	return sum;
}

/* Says once that a target fails, and once that it works again. */
static void
tell(struct lane *l, int r)
{
	if (r == BOB_OK && l->n_failed > 0) {
		if (*bob_shipper_trouble(l->shipper) == '\0') {
			msg_note("%s: works again", l->to.url);
			l->n_failed = 0;
		}
	} else if (r < 0 && l->n_failed++ == 0) {
		msg_warn("%s: %s", l->to.url, bob_ctx_error(l->ctx)->text);
	}
}

/* True if --once is done, or any lane has to end. */
static int
is_done(struct lane *l, int r)
{
	struct bob_shipped n;

	if (*signals_stopped() != 0)
		return 1;
	if (r == BOB_FATAL || (l->is_once && l->n_failed >= ONCE_FAILURES)) {
		l->code = EXIT_FAILED;
		return 1;
	}
	if (!l->is_once || r != BOB_AGAIN)
		return 0;
	n = bob_shipper_counts(l->shipper);
	return n.n_waiting_segments == 0;
}

static void *
run_lane(void *user)
{
	struct lane *l = user;
	uint64_t us, slept;
	int r;

	do {
		r = bob_shipper_step(l->shipper, &us);
		if (*signals_stopped() != 0)
			break;
		tell(l, r);
		if (is_done(l, r))
			break;
		for (slept = 0; r != BOB_OK && slept < us &&
		    *signals_stopped() == 0; slept += MOST_SLEEP_US)
			sleep_us(us - slept);
	} while (1);
	return NULL;
}

/* At the end: what became of the samples. Returns the exit code. */
static int
sum_up(struct lane *l)
{
	struct bob_shipped n = bob_shipper_counts(l->shipper);
	char a[32], b[32];

	msg_step("%s: %s of %s samples acknowledged", l->to.url,
	    bob_count_text(a, sizeof(a), n.acknowledged),
	    bob_count_text(b, sizeof(b), n.recorded));
	return l->code == EXIT_OK && given_up(&n) > l->n_given_up
	    ? EXIT_PARTIAL : l->code;
}

/* --- the command line ---------------------------------------------------- */

static int
take_time(const struct args *args, int id, const char *name, uint64_t *ret)
{
	const char *text = args_value(args, id);

	if (text == NULL || plain_get_time(text, strlen(text), ret))
		return EXIT_OK;
	return msg_value(name, text, "a time", "as 30s or 7d");
}

static int
take_limits(const struct args *args, struct bob_shipper_opts *o)
{
	const char *size = args_value(args, OPT_MAX_SPOOL);
	int r = take_time(args, OPT_MAX_WAIT, "--max-wait", &o->max_age_us);

	if (r == EXIT_OK)
		r = take_time(args, OPT_RETRY, "--retry", &o->retry_us);
	if (r == EXIT_OK)
		r = take_time(args, OPT_INTERVAL, "--interval", &o->scan_us);
	if (r == EXIT_OK && size != NULL &&
	    !plain_get_size(size, &o->max_bytes))
		r = msg_value("--max-spool", size, "a size", "as 2G");
	return r;
}

static int
open_lane(struct lane *l, const struct args *args, const char *url,
    const char *dir)
{
	struct bob_shipped n;
	int r;

	r = target_set(&l->to, args, url, signals_stopped());
	if (r != EXIT_OK)
		return r;
	l->opts = (struct bob_shipper_opts){ .size = sizeof(l->opts),
		.dir = dir, .to = &l->to };
	l->is_once = args_has(args, OPT_ONCE);
	r = take_limits(args, &l->opts);
	if (r != EXIT_OK)
		return r;
	l->ctx = bob_ctx_new();
	if (l->ctx == NULL)
		return msg_no_memory();
	if (bob_shipper_new(l->ctx, &l->opts, &l->shipper) < 0)
		return msg_ctx_error(l->ctx);
	n = bob_shipper_counts(l->shipper);
	l->n_given_up = given_up(&n);
	return EXIT_OK;
}

static void
close_lane(struct lane *l)
{
	bob_shipper_free(l->shipper);
	if (l->ctx != NULL)
		bob_ctx_free(l->ctx);
}

/* Runs all lanes until they end. Signals are for this thread alone. */
static int
run_lanes(struct lane *lane, size_t n)
{
	sigset_t all, old;
	size_t i;
	int code = EXIT_OK, r;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	for (i = 1; i < n; i++) {
		lane[i].has_thread = pthread_create(&lane[i].thread, NULL,
		    run_lane, &lane[i]) == 0;
		if (!lane[i].has_thread)
			code = msg_no_memory();
	}
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	(void)run_lane(&lane[0]);
	for (i = 0; i < n; i++) {
		if (lane[i].has_thread)
			(void)pthread_join(lane[i].thread, NULL);
		r = sum_up(&lane[i]);
		if (code == EXIT_OK || r == EXIT_FAILED)
			code = r;
	}
	return code;
}

static int
ship(const struct args *args, const char *dir)
{
	size_t n = args_count(args, OPT_SHIP_TO), i, k = 0;
	struct lane *lane = calloc(n, sizeof(*lane));
	int r = EXIT_OK;

	if (lane == NULL)
		return msg_no_memory();
	signals_catch_stop(SIGINT, SIGNALS_ONCE);
	signals_catch_stop(SIGTERM, SIGNALS_ONCE);
	for (i = 0; r == EXIT_OK && i < args->n_opts; i++)
		if (args->opts[i].opt.id == OPT_SHIP_TO)
			r = open_lane(&lane[k++], args, args->opts[i].value,
			    dir);
	if (r == EXIT_OK)
		r = run_lanes(lane, n);
	for (i = 0; i < n; i++)
		close_lane(&lane[i]);
	free(lane);
	return r;
}

int
cmd_ship(const struct args *args)
{
	int is_status = args_has(args, OPT_SHIP_STATUS);

	if (args->n_operands != 1) {
		(void)msg_usage("%s", args->n_operands == 0 ?
		    "the directory of a daemon is missing" :
		    "only one directory can be shipped");
		msg_hint("bobbin ship /var/lib/bobbin --to "
		    "clickhouse://HOST/DATABASE");
		return EXIT_USAGE;
	}
	if (is_status)
		return ship_status(args, args->operands[0]);
	if (args_count(args, OPT_SHIP_TO) == 0) {
		(void)msg_usage("no target is given");
		msg_hint("--to clickhouse://HOST/DATABASE, or --to dir:PATH");
		return EXIT_USAGE;
	}
	return ship(args, args->operands[0]);
}
