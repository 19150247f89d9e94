/*
 * bobbin record: the command, its signals and the events of its sampler.
 *
 * Samples are handed to the system each second, so that a capture which is
 * killed loses no more than that. Only the owner can read the files, as names
 * of files and requests may be secret.
 */
#include <signal.h>
#include <string.h>

#include "analyze/analyze.h"
#include "capture/options.h"
#include "input/budget.h"
#include "print/plain.h"
#include "print/msg.h"
#include "record.h"
#include "system/signals.h"

/* What an event returns to end the run without an error. */
#define OVER 1

/* SIGXFSZ (the file may not grow) must not kill: write(2) fails, and that is
 * reported. A handler is used as the command that is started would inherit
 * SIG_IGN. */
static void
on_too_large(int sig)
{
	(void)sig;
}

/* The second signal that stops kills, as it would without a handler. */
static void
catch_signals(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	(void)sigemptyset(&sa.sa_mask);
	sa.sa_handler = on_too_large;
	(void)sigaction(SIGXFSZ, &sa, NULL);
	signals_catch_stop(SIGINT, SIGNALS_ONCE);
	signals_catch_stop(SIGTERM, SIGNALS_ONCE);
	signals_catch_stop(SIGHUP, SIGNALS_ONCE);
	signals_catch_rotation(SIGUSR1, 0);
}

/* --- while it runs ------------------------------------------------------- */

static int
on_runs(void *user, struct bob_proc *p, const struct bob_run *runs, size_t n)
{
	struct record *r = user;

	return bob_recorder_runs(r->recorder, p, runs, n);
}

static void
on_gone(void *user, struct bob_proc *p)
{
	struct record *r = user;

	bob_recorder_gone(r->recorder, p);
	record_gone(r, p);
}

static int
on_tick(void *user, uint64_t t_us)
{
	struct record *r = user;

	r->t_us = t_us;
	record_show_progress(r);
	if (record_tend(r, signals_take_rotation()) < 0 || record_look(r) < 0)
		return BOB_FATAL;
	return record_is_over(r) ? OVER : BOB_OK;
}

static int
record_run(struct record *r)
{
	int s, code;

	s = bob_sampler_run(r->sampler);
	progress_wipe();
	/* Of several processes, on_gone has said it; of a command, record_wait
	 * says how it ended. */
	if (s == OVER && r->child == 0 && !r->names_pids && !r->is_given_up)
		msg_note("process %llu has ended, or is another program now",
		    (unsigned long long)r->processes.v[0].pid);
	/* Reported once: a writer that has failed will fail again. */
	if (s < 0) {
		code = record_failed(r);
		bob_recorder_give_up(r->recorder);
	} else {
		code = record_end(r);
	}
	if (code != EXIT_OK)
		record_show_losses(r);
	if (code == EXIT_OK && r->n_added == 0) {
		msg_error("%s did not run PHP or Python, nor did its children",
		    r->child != 0 ? r->args->operands[0] : "the process");
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
record_set_up(struct record *r)
{
	struct bob_sampler_events ev = { on_runs, on_gone, on_tick, r };
	struct bob_sampler_opts o = { .size = sizeof(o), .events = &ev,
		.flags = BOB_SAMPLER_STAY | BOB_SAMPLER_PATIENT,
		.stop = signals_stopped() };
	int code = budget_set(r->ctx, r->args);

	if (code == EXIT_OK)
		code = capture_rate(r->args, &r->period_ns);
	if (code == EXIT_OK)
		code = set_duration(r);
	if (code == EXIT_OK)
		code = capture_set_attach(r->args, &r->attach);
	if (code == EXIT_OK)
		code = capture_set_threads(r->args, &r->attach);
	if (code == EXIT_OK)
		code = capture_set_vars(r->args, &r->attach, r->vars);
	if (code == EXIT_OK)
		code = record_set_output(r);
	if (code == EXIT_OK)
		code = record_set_processes(r);
	if (code != EXIT_OK)
		return code;
	o.flags |= capture_sampler_flags(r->args);
	o.period_ns = r->period_ns;
	o.duration_us = r->duration_us;
	if (bob_sampler_new(r->ctx, &o, &r->sampler) < 0)
		return record_failed(r);
	return record_new_recorder(r);
}

static int
record_capture(struct record *r)
{
	int code = record_set_up(r);

	/* From the start of the command on, a signal must not leave it
	 * behind. */
	if (code == EXIT_OK) {
		catch_signals();
		code = record_attach(r);
	}
	if (code == EXIT_OK)
		code = record_begin(r);
	if (code == EXIT_OK)
		code = record_run(r);
	record_wait(r);
	if (code == EXIT_OK && record_ends_with_report(r))
		code = analyze_file(r->name);
	/* What the command says about itself counts most, as with env(1). */
	return r->status != 0 ? r->status : code;
}

int
record_for(const struct args *args, const struct record_host *host)
{
	struct record r;
	int code;

	memset(&r, 0, sizeof(r));
	r.args = args;
	r.host = host;
	descriptors_raise(&r.descriptors);
	r.ctx = bob_ctx_new();
	code = r.ctx != NULL ? record_capture(&r) : msg_no_memory();
	record_free_output(&r);
	bob_sampler_free(r.sampler);
	record_free_procs(&r);
	bob_ctx_free(r.ctx);
	return code;
}

int
cmd_record(const struct args *args)
{
	return record_for(args, NULL);
}
