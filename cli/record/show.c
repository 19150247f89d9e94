/* What record says: a line while it runs, a summary at the end. */
#include <stdio.h>

#include "budget.h"
#include "clock.h"
#include "live/native.h"
#include "msg.h"
#include "plain.h"
#include "record.h"

int
record_failed(const struct record *r)
{
	const struct bob_error *e = bob_ctx_error(r->ctx);

	if (r->is_said)
		return EXIT_FAILED;
	msg_error("%s", e->text);
	if (e->code == BOB_E_BUDGET)
		budget_hint(e);
	return msg_exit_code(e);
}

/* "99.0/s, 0.02 % lost, 3 missed" */
static void
describe(const struct bob_capture_counts *c, double per_s, char *buf,
    size_t cap)
{
	double tries = (double)c->taken + (double)c->lost;
	int n = snprintf(buf, cap, "%.1f/s, %.2f %% lost", per_s,
	    tries > 0 ? 100 * (double)c->lost / tries : 0);

	if (c->missed > 0 && n > 0 && (size_t)n < cap)
		n += snprintf(buf + n, cap - (size_t)n, ", %llu missed",
		    (unsigned long long)c->missed);
	if (c->unread > 0 && n > 0 && (size_t)n < cap)
		(void)snprintf(buf + n, cap - (size_t)n,
		    ", %llu values unread", (unsigned long long)c->unread);
}

/* Rates are of the last second. */
static void
measure(struct record *r)
{
	struct record_mark *m = &r->mark, now = { r->t_us,
		record_samples(r), cpu_us() };
	double us = (double)(now.t_us - m->t_us);

	if (now.t_us < m->t_us + 1000000)
		return;
	r->per_s = (double)(now.n_samples - m->n_samples) * 1e6 / us;
	r->cpu_percent = 100 * (double)(now.cpu_us - m->cpu_us) / us;
	*m = now;
}

void
record_show_progress(struct record *r)
{
	char count[PLAIN_NUMBER], bytes[PLAIN_NUMBER], how[96], line[256];
	struct bob_capture_counts c;

	measure(r);
	bob_sampler_counts(r->sampler, &c);
	describe(&c, r->per_s, how, sizeof(how));
	(void)snprintf(line, sizeof(line), "%.0f s  %s, %s, %.1f %% CPU, %s",
	    (double)r->t_us / 1e6,
	    plain_nouns(count, record_samples(r), "sample"), how,
	    r->cpu_percent, plain_bytes(bytes, record_bytes(r)));
	progress_line(line);
}

static void
say_losses(const struct record *r, const struct bob_capture_counts *c)
{
	struct ledger l = record_ledger(r);
	char text[256];

	ledger_describe(c, &l, text, sizeof(text));
	if (text[0] != '\0')
		msg_note("lost, by reason: %s", text);
}

void
record_show_losses(const struct record *r)
{
	char a[PLAIN_NUMBER], b[PLAIN_NUMBER], by[256];
	struct ledger l = record_ledger(r);
	struct bob_capture_counts c;

	bob_sampler_counts(r->sampler, &c);
	ledger_describe(&c, &l, by, sizeof(by));
	msg_error("%s taken, %s of them are written and stay",
	    plain_nouns(a, c.taken, "sample"), plain_count(b, l.written));
	if (by[0] != '\0')
		msg_error("%s lost: %s", plain_nouns(a, c.lost +
		    ledger_lost(&l), "sample"), by);
}

/* In a hundred samples; below, what is on top is right often enough. */
#define MANY_CHANGES 20

static void
hint_changes(const struct bob_capture_counts *c)
{
	double percent = c->taken == 0 ? 0 : 100 * ((double)c->repaired +
	    (double)c->retried) / (double)c->taken;

	if (percent < MANY_CHANGES || msg_is_quiet())
		return;
	msg_note("stacks changed %.0f times in 100 samples while they were "
	    "read: lines on top, and calls of less than a microsecond, are "
	    "less certain", percent);
	msg_hint("--pause reads exactly");
}

/* Points of shares below which chance is larger in most captures. */
#define MANY_POINTS 3

static void
hint_late(const struct record *r, const struct bob_capture_counts *c)
{
	double points = bob_late_percent(c);
	int how = bob_sampler_realtime(r->sampler);

	if (c->demoted > 0)
		msg_note("sampling took more than half of a processor in %llu "
		    "s, and had an ordinary priority for their rest; a lower "
		    "--rate takes less", (unsigned long long)c->demoted);
	if (points < MANY_POINTS || r->period_ns == 0 || msg_is_quiet())
		return;
	msg_note("the machine is busy: %.0f %% of samples were late or missed, "
	    "so shares may be off by up to %.0f points", points, points);
	if (how == BOB_REALTIME_REFUSED)
		msg_hint("with real-time priority they are not: CAP_SYS_NICE, "
		    "or 'ulimit -r 1'");
	else if (how == BOB_REALTIME_OFF)
		msg_hint("without --no-realtime they are not");
}

static void
hint_pauses(const struct bob_capture_counts *c)
{
	if (c->lost_by[BOB_LOST_PAUSE] > c->taken && !msg_is_quiet())
		msg_hint("it could mostly not be stopped: 'bobbin doctor -p "
		    "PID' tells whether a debugger is at it");
}

static void
hint_nothing(const struct record *r, const struct bob_capture_counts *c)
{
	if (msg_is_quiet() || record_samples(r) > 0 || c->lost > 0)
		return;
	if (c->taken > 0)
		msg_hint("no sample passes the filters; without them there "
		    "are %llu", (unsigned long long)c->taken);
	else if (r->attach.mode != BOB_MODE_WALL)
		msg_hint("nothing was in mode %s; --mode wall takes all",
		    bob_mode_name((int)r->attach.mode));
	else
		msg_hint("nothing ran: an idle worker has no stack");
}

void
record_show_summary(const struct record *r)
{
	char count[PLAIN_NUMBER], time[PLAIN_NUMBER], bytes[PLAIN_NUMBER];
	char how[96], files[PLAIN_NUMBER + 8] = "", cpu[32] = "";
	char late[48] = "";
	double seconds = (double)r->t_us / 1e6;
	struct bob_capture_counts c;

	bob_sampler_counts(r->sampler, &c);
	describe(&c, seconds > 0 ? (double)c.taken / seconds : 0, how,
	    sizeof(how));
	if (r->n_files > 1)
		(void)snprintf(files, sizeof(files), " in %llu files",
		    (unsigned long long)r->n_files);
	if (seconds > 0)
		(void)snprintf(cpu, sizeof(cpu), "%.1f %% CPU, ",
		    (double)cpu_us() / 1e4 / seconds);
	if (r->period_ns != 0)
		(void)snprintf(late, sizeof(late), "99 %% within %s, ",
		    plain_time(time, (uint64_t)bob_late_us(&c, 99)));
	msg_note("%s: %s in %s, %s, %s%s%s%s",
	    conv_is_stdout(&r->target) ? "standard output" : r->target.path,
	    plain_nouns(count, record_samples(r), "sample"),
	    plain_time(time, r->t_us), how, late, cpu,
	    plain_bytes(bytes, record_bytes(r)), files);
	say_losses(r, &c);
	if (c.stops > 0)
		msg_note("%s", native_cost(&c, how, sizeof(how)));
	hint_late(r, &c);
	hint_changes(&c);
	hint_pauses(&c);
	hint_nothing(r, &c);
}
