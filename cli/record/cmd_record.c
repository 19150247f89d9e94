/*
 * bobbin record: samples of running processes into files.
 *
 * What is written is on its way to the disk after a second, so that a capture
 * which is killed loses no more than that. Files are for their owner alone, as
 * names of files and requests may be nobody else's business.
 */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "budget.h"
#include "live/attach.h"
#include "live/capture.h"
#include "live/descriptors.h"
#include "live/native.h"
#include "msg.h"
#include "plain.h"
#include "record.h"

/* What an event returns to end the run without an error. */
#define OVER 1

static volatile int is_stopped;
static volatile int passed_on; /* this signal, to the command */
static atomic_int wants_rotation; /* read by the thread that samples */

/* A terminal's ^C reaches the command by itself. */
static void
on_stop(int sig, siginfo_t *info, void *context)
{
	(void)context;
	is_stopped = 1;
	if (sig != SIGINT || info->si_code != SI_KERNEL)
		passed_on = sig;
}

static void
on_rotate(int sig)
{
	(void)sig;
	wants_rotation = 1;
}

/* A file that may not grow is an error of write(2), which is told. Ignoring
 * the signal would be handed on to the command. */
static void
on_too_large(int sig)
{
	(void)sig;
}

/* The second signal that stops kills, as without us. */
static void
catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
	struct sigaction sa, old;
	size_t i;

	memset(&sa, 0, sizeof(sa));
	(void)sigemptyset(&sa.sa_mask);
	sa.sa_handler = on_too_large;
	(void)sigaction(SIGXFSZ, &sa, NULL);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int rotates = signals[i] == SIGUSR1;

		sa.sa_flags = rotates ? 0 : SA_RESETHAND | SA_SIGINFO;
		if (rotates)
			sa.sa_handler = on_rotate;
		else
			sa.sa_sigaction = on_stop;
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &sa, NULL);
	}
}

/* --- while it runs ------------------------------------------------------- */

static int
on_runs(void *user, struct bob_proc *p, const struct bob_run *runs, size_t n)
{
	struct record *r = user;

	(void)p;
	return tape_runs(&r->tape, runs, n);
}

static void
on_gone(void *user, struct bob_proc *p)
{
	struct record *r = user;

	/* What fails here fails again at the end, and is told there. */
	if (r->tape.out != NULL)
		(void)native_put_modules(r->tape.out, p);
	record_gone(r, p);
}

static int
on_tick(void *user, uint64_t t_us)
{
	struct record *r = user;
	int now = wants_rotation;

	r->t_us = t_us;
	wants_rotation = 0;
	record_show_progress(r);
	if (record_tend(r, now) < 0 || record_look(r) != EXIT_OK)
		return BOB_FATAL;
	return record_is_over(r) ? OVER : BOB_OK;
}

static int
run(struct record *r)
{
	int s, code;

	s = bob_sampler_run(r->sampler);
	progress_wipe();
	/* Of several it was told when it happened, of a command comes how. */
	if (s == OVER && r->child == 0 && !r->names_pids && !r->is_given_up)
		msg_note("process %llu has ended, or is another program now",
		    (unsigned long long)r->targets.v[0].pid);
	/* Told once: a writer that has failed will fail again. */
	if (s < 0) {
		code = record_failed(r);
		record_give_up(r);
	} else {
		code = record_end(r);
	}
	if (code != EXIT_OK)
		record_show_losses(r);
	if (code == EXIT_OK && r->n_added == 0) {
		msg_error("%s is nothing, and started nothing, that could be "
		    "read", r->child != 0 ? r->args->operands[0]
		                          : "the process");
		return EXIT_FAILED;
	}
	if (code == EXIT_OK)
		record_show_summary(r);
	return code;
}

/* --- the command --------------------------------------------------------- */

static int
set_duration(struct record *r)
{
	const char *s = args_value(r->args, OPT_DURATION);

	if (s == NULL || (plain_get_time(s, strlen(s), &r->duration_us) &&
	    r->duration_us > 0 && r->duration_us < UINT64_MAX / 1000))
		return EXIT_OK;
	(void)msg_usage("--duration '%s' is not a time", s);
	msg_hint("as 10s, 500ms or 5m");
	return EXIT_USAGE;
}

static int
set_up(struct record *r)
{
	struct bob_sampler_events ev = { on_runs, on_gone, on_tick, r };
	struct bob_sampler_opts o = { .size = sizeof(o), .events = &ev,
		.flags = BOB_SAMPLER_STAY | BOB_SAMPLER_PATIENT,
		.stop = &is_stopped };
	int code = budget_set(r->ctx, r->args);

	if (code == EXIT_OK)
		code = capture_rate(r->args, &r->period_ns);
	if (code == EXIT_OK)
		code = set_duration(r);
	if (code == EXIT_OK)
		code = capture_attach(r->args, &r->attach);
	if (code == EXIT_OK)
		code = attach_set_threads(r->args, &r->attach);
	if (code == EXIT_OK)
		code = attach_set_vars(r->args, &r->attach, r->vars);
	if (code == EXIT_OK)
		code = record_set_output(r);
	if (code != EXIT_OK)
		return code;
	r->attach.dict = r->spare;
	o.flags |= capture_sampler_flags(r->args);
	o.period_ns = r->period_ns;
	o.duration_us = r->duration_us;
	return bob_sampler_new(r->ctx, &o, &r->sampler) < 0
	    ? record_failed(r) : EXIT_OK;
}

/* What CPython's profiler ends with when it is not told where to write. */
static int
report(const char *path)
{
	const struct spelling *own;
	struct args args = { .command = command_named("analyze", &own),
		.operands = &path, .n_operands = 1 };

	return cmd_analyze(&args);
}

static int
record(struct record *r)
{
	int code = set_up(r);

	/* A command that is started must not be left behind. */
	if (code == EXIT_OK) {
		catch_signals();
		code = record_attach(r);
	}
	if (code == EXIT_OK)
		code = record_begin(r);
	if (code == EXIT_OK)
		code = run(r);
	record_wait(r);
	if (code == EXIT_OK && r->args->spelling != NULL &&
	    r->args->spelling->reports && r->name != NULL &&
	    strcmp(r->target.to->name, "rbt") == 0)
		code = report(r->name);
	return code;
}

int
cmd_record(const struct args *args)
{
	struct record r;
	int code = EXIT_FAILED;

	memset(&r, 0, sizeof(r));
	r.args = args;
	descriptors_raise();
	r.signal = &passed_on;
	r.ctx = bob_ctx_new();
	r.spare = r.ctx != NULL ? bob_dict_new(r.ctx) : NULL;
	if (r.spare == NULL)
		msg_error("out of memory");
	else
		code = record(&r);
	bob_sampler_free(r.sampler);
	record_free_procs(&r);
	record_free_output(&r);
	bob_ctx_free(r.ctx);
	return code;
}
