/* Messages of record: a progress line, a summary, and hints at the end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "capture/child.h"
#include "input/budget.h"
#include "print/plain.h"
#include "print/msg.h"
#include "record.h"
#include "system/clock.h"

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

/* Samples in all files, and those on their way there. */
static uint64_t
n_recorded(const struct record *r)
{
	struct bob_recorded sum = bob_recorder_sum(r->recorder);

	return sum.written + sum.pending;
}

/* Rates are of the last second. */
static void
measure(struct record *r)
{
	struct record_mark *m = &r->mark, now = { r->t_us,
		n_recorded(r), cpu_us() };
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
	char count[NUMBER_TEXT], bytes[NUMBER_TEXT], how[96], line[256];
	uint64_t n_bytes = bob_recorder_sum(r->recorder).n_bytes;
	struct bob_capture_counts c;

	if (r->host != NULL)
		return;
	measure(r);
	bob_sampler_counts(r->sampler, &c);
	describe(&c, r->per_s, how, sizeof(how));
	(void)snprintf(line, sizeof(line), "%.0f s  %s, %s, %.1f %% CPU, %s",
	    (double)r->t_us / 1e6,
	    number_nouns(count, n_recorded(r), "sample"), how,
	    r->cpu_percent, number_bytes(bytes, n_bytes));
	progress_line(line);
}

static void
say_losses(const struct record *r, const struct bob_capture_counts *c)
{
	struct bob_recorded sum = bob_recorder_sum(r->recorder);
	char text[256];

	notes_describe_losses(c, &sum, text, sizeof(text));
	if (text[0] != '\0')
		msg_note("lost, by reason: %s", text);
}

void
record_show_losses(const struct record *r)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT], by[256];
	struct bob_recorded sum = bob_recorder_sum(r->recorder);
	struct bob_capture_counts c;

	bob_sampler_counts(r->sampler, &c);
	notes_describe_losses(&c, &sum, by, sizeof(by));
	msg_error("%s taken, %s of them are written and stay",
	    number_nouns(a, c.taken, "sample"), number_count(b, sum.written));
	if (by[0] != '\0')
		msg_error("%s lost: %s", number_nouns(a, c.lost +
		    notes_count_losses(&sum), "sample"), by);
}

/* CPython's profiler ends with a report if no output was named. */
int
record_ends_with_report(const struct record *r)
{
	const struct spelling *s = r->args->spelling;

	return s != NULL && s->reports && r->name != NULL &&
	    strcmp(r->output.format->name, "rbt") == 0;
}

/* Percentage points. Below, chance is larger in most captures. */
#define MANY_POINTS 3
/* Of fewer samples nothing is said about points: chance is ten of them. */
#define FEW_SAMPLES 100

static void
hint_inferred(const struct bob_capture_counts *c)
{
	double points = bob_inferred_percent(c);

	if (points < MANY_POINTS || c->taken < FEW_SAMPLES || msg_is_quiet())
		return;
	msg_note("%.0f %% of stacks changed while they were read, and were "
	    "inferred: innermost lines are less certain, and shares of "
	    "functions that return within microseconds may be off by up to "
	    "%.0f points", points, points);
	msg_hint("--pause reads exactly, and so does --near at up to 1000 Hz");
}

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
		msg_hint("the process could mostly not be stopped: 'bobbin "
		    "doctor -p PID' shows whether a debugger traces it");
}

static void
hint_nothing(const struct record *r, const struct bob_capture_counts *c)
{
	if (msg_is_quiet() || n_recorded(r) > 0 || c->lost > 0)
		return;
	if (c->taken > 0)
		msg_hint("no sample passes the filters; without them there "
		    "are %llu", (unsigned long long)c->taken);
	else if (r->attach.mode != BOB_MODE_WALL)
		msg_hint("no thread was in mode %s; --mode wall samples all",
		    bob_mode_name((int)r->attach.mode));
	else if (r->child != 0 && child_has_ended(r->child))
		msg_hint("the command ended before a sample was taken; a "
		    "higher --rate takes more of a short one");
	else
		msg_hint("nothing ran: an idle worker has no stack");
}

void
record_show_summary(const struct record *r)
{
	char count[NUMBER_TEXT], time[NUMBER_TEXT], bytes[NUMBER_TEXT];
	char how[96], files[NUMBER_TEXT + 8] = "", cpu[32] = "";
	char late[48] = "";
	uint64_t n_files = bob_recorder_sum(r->recorder).n_files;
	double seconds = (double)r->t_us / 1e6;
	struct bob_capture_counts c;

	bob_sampler_counts(r->sampler, &c);
	describe(&c, seconds > 0 ? (double)c.taken / seconds : 0, how,
	    sizeof(how));
	if (n_files > 1)
		(void)snprintf(files, sizeof(files), " in %llu files",
		    (unsigned long long)n_files);
	if (seconds > 0)
		(void)snprintf(cpu, sizeof(cpu), "%.1f %% CPU, ",
		    (double)cpu_us() / 1e4 / seconds);
	if (r->period_ns != 0 && c.taken > 0)
		(void)snprintf(late, sizeof(late), "99 %% at most %s late, ",
		    number_time(time, (uint64_t)round(bob_late_us(&c, 99))));
	msg_step("wrote %s (%s): %s in %s, %s, %s%s%s%s",
	    record_output_name(r), r->output.format->name,
	    number_nouns(count, n_recorded(r), "sample"),
	    number_time(time, r->t_us), how, late, cpu,
	    number_bytes(bytes, bob_recorder_sum(r->recorder).n_bytes), files);
	say_losses(r, &c);
	if (c.stops > 0)
		msg_note("%s", notes_describe_stops(&c, how, sizeof(how)));
	hint_late(r, &c);
	hint_inferred(&c);
	hint_pauses(&c);
	hint_nothing(r, &c);
	if (n_recorded(r) > 0 && !record_ends_with_report(r) &&
	    r->host == NULL)
		record_show_next(r);
}
