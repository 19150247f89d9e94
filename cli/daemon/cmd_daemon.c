/* bobbin daemon: options, and what is done between samples. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"
#include "live/attach.h"
#include "live/capture.h"
#include "live/descriptors.h"
#include "live/sandbox.h"
#include "msg.h"
#include "plain.h"

#define SCAN_US 1000000
#define BEGIN_MS 1000
#define BARRIER_US 1000000
#define SWEEP_US 60000000
#define DEFAULT_ROTATE "1h"

/* What an event returns to end the run after saying why. */
#define OVER 1

static volatile int is_stopped;
static atomic_int wants_rotation; /* read by the thread that samples */

static void
on_stop(int sig)
{
	(void)sig;
	is_stopped = 1;
}

static void
on_rotate(int sig)
{
	(void)sig;
	wants_rotation = 1;
}

static void
catch_signal(int sig, void (*handler)(int))
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	(void)sigemptyset(&sa.sa_mask);
	(void)sigaction(sig, &sa, NULL);
}

/* --- options ------------------------------------------------------------- */

/* Where daemons write when nobody says: the user's state, by the rules of
 * freedesktop.org. NULL when there is no such place. */
static char *
default_dir(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	size_t room;
	char *dir;

	if (state != NULL && state[0] == '/') {
		room = strlen(state) + sizeof("/bobbin");
		dir = malloc(room);
		if (dir != NULL)
			(void)snprintf(dir, room, "%s/bobbin", state);
		return dir;
	}
	if (home == NULL || home[0] != '/')
		return NULL;
	room = strlen(home) + sizeof("/.local/state/bobbin");
	dir = malloc(room);
	if (dir != NULL)
		(void)snprintf(dir, room, "%s/.local/state/bobbin", home);
	return dir;
}

static int
set_dir(struct daemon *d)
{
	const char *given = args_value(d->args, OPT_OUTPUT);

	d->dir = given != NULL ? strdup(given) : default_dir();
	if (d->dir != NULL)
		return EXIT_OK;
	msg_error("there is no directory to write to");
	msg_hint("name one with -o, or set HOME");
	return EXIT_USAGE;
}

static int
set_limits(struct daemon *d)
{
	const struct args *a = d->args;
	const char *rotate = args_value(a, OPT_ROTATE_FILES);
	const char *cpu = args_value(a, OPT_MAX_CPU);
	size_t i;

	if (rotate == NULL)
		rotate = DEFAULT_ROTATE;
	if (!files_parse_limit(rotate, &d->rotate_bytes, &d->rotate_us)) {
		(void)msg_usage("--rotate '%s' is neither time nor size",
		    rotate);
		msg_hint("as 10m, 1h or 64M");
		return EXIT_USAGE;
	}
	for (i = 0; i < a->n_opts; i++) {
		if (a->opts[i].opt.id != OPT_KEEP ||
		    files_parse_limit(a->opts[i].value, &d->keep.bytes,
		        &d->keep.age_us))
			continue;
		(void)msg_usage("--keep '%s' is neither size nor age",
		    a->opts[i].value);
		msg_hint("as 2G or 7d; both may be given");
		return EXIT_USAGE;
	}
	if (cpu == NULL || (plain_get_percent(cpu, strlen(cpu),
	        &d->governor.limit) && d->governor.limit > 0))
		return EXIT_OK;
	(void)msg_usage("--max-cpu '%s' is not a share", cpu);
	msg_hint("of one processor, as 2%% or 0.5%%");
	return EXIT_USAGE;
}

static int
set_options(struct daemon *d)
{
	struct conv *c = &d->target;
	int code = EXIT_OK;

	d->pattern = args_value(d->args, OPT_PROCESS);
	d->is_bundled = args_has(d->args, OPT_BUNDLED);
	if (d->pattern == NULL) {
		(void)msg_usage("daemon: of which processes?");
		msg_hint("-P 'php-fpm: pool' takes those whose command line "
		    "matches");
		return EXIT_USAGE;
	}
	code = capture_rate(d->args, &d->governor.wanted_ns);
	d->governor.period_ns = d->governor.wanted_ns;
	if (code == EXIT_OK)
		code = capture_attach(d->args, &d->attach);
	if (code == EXIT_OK)
		code = attach_set_threads(d->args, &d->attach);
	if (code == EXIT_OK)
		code = attach_set_vars(d->args, &d->attach, d->vars);
	if (code == EXIT_OK)
		code = set_limits(d);
	if (code == EXIT_OK)
		code = capture_target(d->args, c);
	/* The directory is no file whose suffix would say something. */
	if (code == EXIT_OK)
		code = conv_set_target(c, args_value(d->args, OPT_TO), "rbt");
	if (code == EXIT_OK)
		code = capture_settle_target(c, d->ctx, NULL);
	if (!args_has(d->args, OPT_NO_REQUEST_FACTS))
		d->attach.flags |= BOB_ATTACH_REQUEST;
	return code;
}

/* --- between samples ------------------------------------------------------ */

/* The largest of the files that are written. */
static uint64_t
largest_tape(const struct daemon *d)
{
	uint64_t most = 0, n;
	size_t i;

	if (d->bundle.out != NULL)
		most = bob_writer_bytes(d->bundle.out);
	for (i = 0; i < d->n_workers; i++) {
		if (d->worker[i].tape.out == NULL)
			continue;
		n = bob_writer_bytes(d->worker[i].tape.out);
		if (n > most)
			most = n;
	}
	return most;
}

static int
is_any_tape_full(const struct daemon *d)
{
	size_t i;

	for (i = 0; i < d->n_workers; i++)
		if (tape_is_full(&d->worker[i].tape))
			return 1;
	return tape_is_full(&d->bundle);
}

static int
is_rotation_due(struct daemon *d)
{
	if (!outage_may_try(d))
		return 0;
	return wants_rotation || d->owes_rotation || is_any_tape_full(d) ||
	    (d->rotate_us != 0 && d->t_us >= d->t_rotated + d->rotate_us) ||
	    (d->rotate_bytes != 0 && largest_tape(d) >= d->rotate_bytes);
}

static int
on_tick(void *user, uint64_t t_us)
{
	struct daemon *d = user;
	int r = BOB_OK;

	d->t_us = t_us;
	status_answer(d);
	if (governor_look(&d->governor, t_us)) {
		bob_sampler_set_period(d->sampler, d->governor.period_ns);
		tapes_new_period(d);
		msg_note("now at %.4g samples a second",
		    1e9 / (double)d->governor.period_ns);
	}
	if (is_rotation_due(d)) {
		wants_rotation = 0;
		d->t_rotated = t_us;
		tapes_rotate(d);
		keep_sweep(d);
	}
	if (t_us >= d->t_barrier + BARRIER_US) {
		d->t_barrier = t_us;
		keep_look_at_clock(d);
		if (place_look(d) != EXIT_OK)
			return OVER;
		tapes_barrier(d);
	}
	tapes_mend(d);
	if (t_us >= d->t_scan + SCAN_US) {
		d->t_scan = t_us;
		r = workers_scan(d);
	}
	if (r == BOB_OK && workers_poll(d) < 0)
		r = BOB_FAILED;
	if (t_us >= d->t_swept + SWEEP_US) {
		d->t_swept = t_us;
		keep_sweep(d);
	}
	return r;
}

static int
on_runs(void *user, struct bob_proc *p, const struct bob_run *runs, size_t n)
{
	struct daemon *d = user;
	struct worker *w = workers_find(d, bob_proc_facts(p)->pid);

	if (w != NULL && n > 0)
		tapes_take(d, w, runs, n);
	return BOB_OK;
}

static void
on_gone(void *user, struct bob_proc *p)
{
	struct daemon *d = user;
	struct worker *w = workers_find(d, bob_proc_facts(p)->pid);

	if (bob_proc_is_silent(p))
		workers_tell_silent(d, p);
	if (w != NULL)
		workers_gone(d, w);
}

/* --- the command ---------------------------------------------------------- */

static int
begin(struct daemon *d)
{
	static const struct bob_sampler_events events = { on_runs, on_gone,
		on_tick, NULL };
	struct bob_sampler_events ev = events;
	struct bob_sampler_opts o = { .size = sizeof(o), .events = &ev,
		.flags = BOB_SAMPLER_STAY, .stop = &is_stopped };

	ev.user = d;
	o.flags |= capture_sampler_flags(d->args);
	o.period_ns = d->governor.period_ns;
	if (place_open(d) != EXIT_OK)
		return EXIT_FAILED;
	d->spare = bob_dict_new(d->ctx);
	if (d->spare == NULL ||
	    bob_sampler_new(d->ctx, &o, &d->sampler) < 0) {
		msg_error("%s", bob_ctx_error(d->ctx)->text);
		return msg_exit_code(bob_ctx_error(d->ctx));
	}
	if (d->governor.limit > 0)
		bob_sampler_set_share(d->sampler, d->governor.limit);
	return status_listen(d);
}

/* The processes that are there: attached before the first sample, unless one of
 * them takes its time. */
static int
begin_with_all(struct daemon *d)
{
	const struct timespec nap = { 0, 1000 * 1000 };
	int r = workers_scan(d), i;

	for (i = 0; r >= 0 && i < BEGIN_MS && !is_stopped; i++) {
		r = workers_poll(d);
		if (r != BOB_AGAIN)
			break;
		status_answer(d);
		(void)nanosleep(&nap, NULL);
	}
	return r;
}

static int
work(struct daemon *d)
{
	char number[PLAIN_NUMBER];
	int code, r;

	descriptors_raise();
	code = begin(d);
	if (code != EXIT_OK)
		return code;
	catch_signal(SIGINT, on_stop);
	catch_signal(SIGTERM, on_stop);
	catch_signal(SIGUSR1, on_rotate);
	catch_signal(SIGHUP, on_rotate);
	catch_signal(SIGPIPE, SIG_IGN);
	catch_signal(SIGXFSZ, SIG_IGN);
	sandbox_enter(d->args, d->ctx, &d->attach, d->socket, 0);
	keep_sweep(d);
	if (d->is_bundled)
		tapes_rotate(d);
	if (begin_with_all(d) < 0) {
		msg_error("%s", bob_ctx_error(d->ctx)->text);
		return msg_exit_code(bob_ctx_error(d->ctx));
	}
	msg_note("%s: writing; %s so far", d->dir,
	    plain_nouns(number, d->n_workers, "worker"));
	r = bob_sampler_run(d->sampler);
	if (r >= 0)
		return r == OVER ? EXIT_FAILED : EXIT_OK;
	msg_error("%s", bob_ctx_error(d->ctx)->text);
	return msg_exit_code(bob_ctx_error(d->ctx));
}

/* Where all samples are, at the end. */
static void
say_end(const struct daemon *d)
{
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER], by[256];
	struct bob_capture_counts c;
	struct ledger l;

	tapes_sum(d, &l);
	bob_sampler_counts(d->sampler, &c);
	ledger_describe(&c, &l, by, sizeof(by));
	msg_note("%s: %s taken, %s written", d->dir,
	    plain_nouns(a, c.taken, "sample"), plain_count(b, l.written));
	if (ledger_lost(&l) > 0)
		msg_error("%s: %s lost: %s", d->dir,
		    plain_nouns(a, c.lost + ledger_lost(&l), "sample"), by);
}

static int
is_status(const struct args *args)
{
	return args->n_operands == 1 &&
	    strcmp(args->operands[0], "status") == 0;
}

int
cmd_daemon(const struct args *args)
{
	struct daemon d;
	int code;

	memset(&d, 0, sizeof(d));
	d.args = args;
	d.listener = d.place.fd = -1;
	if (args->n_operands > 0 && !is_status(args))
		return msg_usage("daemon: what is '%s'? The only word it "
		    "knows is status", args->operands[0]);
	code = set_dir(&d);
	if (code == EXIT_OK && is_status(args)) {
		code = status_ask(d.dir, args_has(args, OPT_JSON));
		free(d.dir);
		return code;
	}
	d.ctx = bob_ctx_new();
	if (code == EXIT_OK && d.ctx == NULL) {
		msg_error("out of memory");
		code = EXIT_FAILED;
	}
	if (code == EXIT_OK)
		code = set_options(&d);
	if (code == EXIT_OK)
		code = work(&d);
	workers_close(&d);
	status_close(&d);
	if (d.sampler != NULL)
		say_end(&d);
	bob_sampler_free(d.sampler);
	bob_dict_free(d.spare);
	free(d.target.options);
	files_done(&d);
	place_close(&d);
	free(d.dir);
	bob_ctx_free(d.ctx);
	return code;
}
