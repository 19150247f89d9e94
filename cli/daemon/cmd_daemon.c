/* bobbin daemon: options, signals, and the work of each tick (daemon.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/options.h"
#include "capture/sandbox.h"
#include "daemon.h"
#include "print/plain.h"
#include "print/msg.h"
#include "system/descriptors.h"
#include "system/signals.h"

#define BEGIN_MS 1000
#define LOOK_US 1000000
#define SWEEP_US 60000000
#define DEFAULT_ROTATE "1h"

/* What an event returns to end the run after saying why. */
#define OVER 1

static void
ignore_signal(int sig)
{
	struct sigaction sa = { .sa_handler = SIG_IGN };

	(void)sigemptyset(&sa.sa_mask);
	(void)sigaction(sig, &sa, NULL);
}

/* A daemon may be started by a shell that ignores signals for it. */
static void
set_signals(void)
{
	signals_catch_stop(SIGINT, SIGNALS_ALWAYS);
	signals_catch_stop(SIGTERM, SIGNALS_ALWAYS);
	signals_catch_rotation(SIGUSR1, SIGNALS_ALWAYS);
	signals_catch_rotation(SIGHUP, SIGNALS_ALWAYS);
	ignore_signal(SIGPIPE);
	ignore_signal(SIGXFSZ);
}

/* --- options ------------------------------------------------------------- */

/* The default directory: the user's state, by the rules of freedesktop.org.
 * NULL if there is none. */
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
	msg_error("no directory to write to");
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
	struct output *o = &d->output;
	int code = EXIT_OK;

	d->pattern = args_value(d->args, OPT_PROCESS);
	d->is_bundled = args_has(d->args, OPT_BUNDLED);
	if (d->pattern == NULL) {
		(void)msg_usage("daemon: no process given");
		msg_hint("-P 'php-fpm: pool' takes those whose command line "
		    "matches");
		return EXIT_USAGE;
	}
	code = capture_rate(d->args, &d->governor.wanted_ns);
	d->governor.period_ns = d->governor.wanted_ns;
	if (code == EXIT_OK)
		code = capture_set_attach(d->args, &d->attach);
	if (code == EXIT_OK)
		code = capture_set_threads(d->args, &d->attach);
	if (code == EXIT_OK)
		code = capture_set_vars(d->args, &d->attach, d->vars);
	if (code == EXIT_OK)
		code = set_limits(d);
	if (code == EXIT_OK)
		code = output_init(o, d->args);
	o->path = NULL; /* -o is a directory: its suffix is no format's */
	if (code == EXIT_OK)
		code = output_set_format(o, NULL, "rbt");
	if (code == EXIT_OK)
		code = capture_set_annotations(o);
	if (!args_has(d->args, OPT_NO_REQUEST_FACTS))
		d->attach.flags |= BOB_ATTACH_REQUEST;
	if (code == EXIT_OK)
		notes_tell_plan(o, &d->attach, d->is_bundled, o->format->caps);
	return code;
}

/* --- between samples ------------------------------------------------------ */

static void
daemon_record(struct daemon *d)
{
	uint64_t n = bob_recorder_rotations(d->recorder);

	(void)bob_recorder_tick(d->recorder, d->t_us);
	if (signals_take_rotation())
		(void)bob_recorder_rotate(d->recorder);
	if (bob_recorder_rotations(d->recorder) != n)
		keep_sweep(d);
}

/* Changes the rate if it takes too much of a processor, or too little. */
static void
daemon_govern(struct daemon *d)
{
	uint64_t period_ns;

	if (!governor_look(&d->governor, d->t_us))
		return;
	period_ns = d->governor.period_ns;
	bob_sampler_set_period(d->sampler, period_ns);
	(void)bob_recorder_set_period(d->recorder, period_ns);
	msg_note("now at %.4g samples a second", 1e9 / (double)period_ns);
}

static int
on_tick(void *user, uint64_t t_us)
{
	struct daemon *d = user;

	d->t_us = t_us;
	status_answer(d);
	if (t_us >= d->t_looked + LOOK_US) {
		d->t_looked = t_us;
		keep_look_at_clock(d);
		if (place_look(d) != EXIT_OK)
			return OVER;
		refused_tell_full(d);
	}
	daemon_record(d);
	daemon_govern(d);
	if (t_us >= d->t_swept + SWEEP_US) {
		d->t_swept = t_us;
		keep_sweep(d);
	}
	return workers_poll(d) < 0 ? BOB_FATAL : BOB_OK;
}

static int
on_runs(void *user, struct bob_proc *p, const struct bob_run *runs, size_t n)
{
	struct daemon *d = user;

	return bob_recorder_runs(d->recorder, p, runs, n);
}

static void
on_gone(void *user, struct bob_proc *p)
{
	struct daemon *d = user;

	bob_recorder_gone(d->recorder, p);
}

/* --- the command ---------------------------------------------------------- */

static int
daemon_begin(struct daemon *d)
{
	static const struct bob_sampler_events events = { on_runs, on_gone,
		on_tick, NULL };
	struct bob_sampler_events ev = events;
	struct bob_sampler_opts o = { .size = sizeof(o), .events = &ev,
		.flags = BOB_SAMPLER_STAY, .stop = signals_stopped() };

	ev.user = d;
	o.flags |= capture_sampler_flags(d->args);
	o.period_ns = d->governor.period_ns;
	if (place_open(d) != EXIT_OK)
		return EXIT_FAILED;
	if (bob_sampler_new(d->ctx, &o, &d->sampler) < 0 ||
	    recording_begin(d) < 0 || workers_begin(d) < 0)
		return msg_ctx_error(d->ctx);
	if (d->governor.limit > 0)
		bob_sampler_set_share(d->sampler, d->governor.limit);
	return status_listen(d);
}

/* Attaches to the processes that are there before the first sample, for at most
 * BEGIN_MS. */
static int
begin_with_all(struct daemon *d)
{
	const struct timespec nap = { 0, 1000 * 1000 };
	const volatile int *stop = signals_stopped();
	int r = BOB_AGAIN, i;

	for (i = 0; r == BOB_AGAIN && i < BEGIN_MS && !*stop; i++) {
		r = workers_poll(d);
		status_answer(d);
		(void)nanosleep(&nap, NULL);
	}
	return r;
}

static int
daemon_run(struct daemon *d)
{
	char number[NUMBER_TEXT];
	int code, r;

	descriptors_raise(NULL);
	code = daemon_begin(d);
	if (code != EXIT_OK)
		return code;
	set_signals();
	sandbox_enter(d->args, d->ctx, &d->attach, d->socket, 0);
	keep_sweep(d);
	sealing_begin(d);
	(void)bob_recorder_begin(d->recorder);
	if (begin_with_all(d) < 0)
		return msg_ctx_error(d->ctx);
	msg_note("%s: writing; %s so far", d->dir,
	    number_nouns(number, workers_count(d), "worker"));
	r = bob_sampler_run(d->sampler);
	if (r < 0)
		return msg_ctx_error(d->ctx);
	return r == OVER ? EXIT_FAILED : EXIT_OK;
}

/* Says at the end how many samples were taken, written and lost. */
static void
say_end(const struct daemon *d)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT], by[256];
	struct bob_recorded sum = bob_recorder_sum(d->recorder);
	struct bob_capture_counts c;

	bob_sampler_counts(d->sampler, &c);
	notes_describe_losses(&c, &sum, by, sizeof(by));
	msg_note("%s: %s taken, %s written", d->dir,
	    number_nouns(a, c.taken, "sample"), number_count(b, sum.written));
	if (notes_count_losses(&sum) > 0)
		msg_error("%s: %s lost: %s", d->dir, number_nouns(a, c.lost +
		    notes_count_losses(&sum), "sample"), by);
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
		return msg_usage("daemon: unknown word '%s'; the only one is "
		    "status", args->operands[0]);
	code = set_dir(&d);
	if (code == EXIT_OK && is_status(args)) {
		code = status_ask(d.dir, args_has(args, OPT_JSON));
		free(d.dir);
		return code;
	}
	d.ctx = bob_ctx_new();
	if (code == EXIT_OK && d.ctx == NULL)
		code = msg_no_memory();
	if (code == EXIT_OK)
		code = set_options(&d);
	if (code == EXIT_OK)
		code = daemon_run(&d);
	if (d.recorder != NULL)
		(void)bob_recorder_end(d.recorder);
	sealing_end(&d);
	status_close(&d);
	if (d.recorder != NULL)
		say_end(&d);
	bob_recorder_free(d.recorder);
	bob_sampler_free(d.sampler);
	bob_watch_free(d.watch);
	output_done(&d.output);
	files_done(&d);
	place_close(&d);
	free(d.dir);
	bob_ctx_free(d.ctx);
	return code;
}
