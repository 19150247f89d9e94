/* bobbin top: options, and the loop that samples and shows. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/values.h"
#include "capture/options.h"
#include "print/plain.h"
#include "print/msg.h"
#include "system/clock.h"
#include "system/signals.h"
#include "top.h"

#define DEFAULT_ROWS 20
#define KEYS_US 30000 /* between two looks at the keyboard */

/* Only without the full screen, which has handlers of its own. */
static void
catch_signals(void)
{
	signals_catch_stop(SIGINT, SIGNALS_ONCE | SIGNALS_ALWAYS);
	signals_catch_stop(SIGTERM, SIGNALS_ONCE | SIGNALS_ALWAYS);
	signals_catch_stop(SIGHUP, SIGNALS_ONCE | SIGNALS_ALWAYS);
}

/* --- options -------------------------------------------------------------- */

static int
get_time(const struct args *a, int id, const char *name, uint64_t least,
    uint64_t *ret)
{
	const char *s = args_value(a, id);

	if (s == NULL || (plain_get_time(s, strlen(s), ret) &&
	    *ret >= least && *ret <= (uint64_t)3600 * 1000000))
		return EXIT_OK;
	(void)msg_usage("%s '%s' is not a time of up to an hour", name, s);
	msg_hint("as 500ms or 10s");
	return EXIT_USAGE;
}

static int
get_number(const struct args *a, int id, const char *name, uint64_t *ret)
{
	const char *s = args_value(a, id);

	return s == NULL ? EXIT_OK
	    : value_count(name, s, 0, UINT64_MAX, NULL, ret);
}

static int
get_word(const struct args *a, int id, const char *name,
    const char *const *words, int n, int *ret)
{
	const char *s = args_value(a, id);
	int i;

	if (s == NULL)
		return EXIT_OK;
	for (i = 0; i < n; i++) {
		if (strcmp(words[i], s) == 0) {
			*ret = i;
			return EXIT_OK;
		}
	}
	(void)msg_usage("%s '%s' is unknown", name, s);
	msg_hint("'bobbin help top' lists them");
	return EXIT_USAGE;
}

static int
set_screen(struct top *t)
{
	const char *term = getenv("TERM");

	t->is_json = args_has(t->args, OPT_JSON);
	t->table.shows_idle = args_has(t->args, OPT_IDLE);
	t->is_screen = top_has_screen() && !t->is_json && t->max_tables == 0 &&
	    isatty(STDOUT_FILENO) && term != NULL &&
	    strcmp(term, "dumb") != 0;
	return EXIT_OK;
}

static int
set_options(struct top *t)
{
	const struct args *a = t->args;
	uint64_t rows = DEFAULT_ROWS;
	int code;

	t->window_us = 10000000;
	t->interval_us = 1000000;
	code = capture_rate(a, &t->period_ns);
	if (code == EXIT_OK)
		code = capture_set_attach(a, &t->procs.attach);
	if (code == EXIT_OK)
		code = capture_set_vars(a, &t->procs.attach, NULL);
	if (code == EXIT_OK)
		code = capture_set_threads(a, &t->procs.attach);
	if (code == EXIT_OK)
		code = get_time(a, OPT_DURATION, "--duration", 1,
		    &t->duration_us);
	if (code == EXIT_OK)
		code = get_time(a, OPT_WINDOW, "--window", 100000,
		    &t->window_us);
	if (code == EXIT_OK)
		code = get_time(a, OPT_INTERVAL, "--interval", 100000,
		    &t->interval_us);
	if (code == EXIT_OK)
		code = get_number(a, OPT_COUNT, "count", &t->max_tables);
	if (code == EXIT_OK)
		code = get_number(a, OPT_TOP, "top", &rows);
	if (code == EXIT_OK)
		code = get_word(a, OPT_GROUP_BY, "--group-by", top_by_names,
		    TOP_N_BY, &t->table.by);
	if (code == EXIT_OK)
		code = get_word(a, OPT_SORT, "--sort", top_order_names,
		    TOP_N_ORDERS, &t->table.order);
	t->n_rows = rows < SIZE_MAX ? (size_t)rows : 0;
	t->procs.attach.flags |= BOB_ATTACH_REQUEST | BOB_ATTACH_ON_CPU;
	return code == EXIT_OK ? set_screen(t) : code;
}

/* --- tables --------------------------------------------------------------- */

/* Rates are those of the window: the counts now minus the counts at its
 * beginning, which is the first mark. */
static void
take_stats(struct top *t)
{
	struct top_stats *s = &t->stats;
	const struct top_mark *old = &t->mark[0];
	struct top_mark now = { .t_us = t->store.t_us };
	uint64_t cpu = cpu_us(), taken, lost;
	size_t n = 0;

	bob_sampler_counts(t->sampler, &now.counts);
	while (n + 1 < t->n_marks &&
	    t->mark[n + 1].t_us + t->window_us <= now.t_us)
		n++;
	memmove(t->mark, t->mark + n, (t->n_marks - n) * sizeof(now));
	t->n_marks -= n;
	taken = now.counts.taken - old->counts.taken;
	lost = now.counts.lost - old->counts.lost;
	t->table.window_us = now.t_us - t->store.t_from;
	s->per_s = t->table.window_us > 0 ? (double)t->store.n_recent * 1e6 /
	    (double)t->table.window_us : 0;
	s->lost_percent = taken + lost > 0
	    ? 100 * (double)lost / (double)(taken + lost) : 0;
	s->missed = now.counts.missed;
	s->cpu_percent = now.t_us > t->t_table
	    ? 100 * (double)(cpu - t->cpu_us) / (double)(now.t_us - t->t_table)
	    : 0;
	t->cpu_us = cpu;
	for (s->n_procs = 0; bob_sampler_get(t->sampler, s->n_procs) != NULL;
	    s->n_procs++)
		;
	if (now.t_us >= t->mark[t->n_marks - 1].t_us +
	    t->window_us / (TOP_MARKS - 2) && t->n_marks < TOP_MARKS)
		t->mark[t->n_marks++] = now;
}

int
top_refresh(struct top *t)
{
	int r;

	top_store_slide(&t->store, t->window_us);
	take_stats(t);
	r = top_table_make(&t->table, &t->store, t->pattern[0] != '\0'
	    ? t->pattern : NULL, top_procs_command, t);
	t->t_table = t->store.t_us;
	return r;
}

/* The store has a new dictionary; processes use it from now on. */
static void
use_dict(struct top *t)
{
	struct bob_proc *p;
	size_t i;

	for (i = 0; (p = bob_sampler_get(t->sampler, i)) != NULL; i++)
		bob_proc_set_dict(p, t->store.dict);
}

static int
top_show(struct top *t)
{
	int r = BOB_OK;

	if (!t->is_frozen)
		r = top_refresh(t);
	if (r < 0 && bob_ctx_error(t->ctx)->code == BOB_E_USAGE)
		r = BOB_OK; /* the screen says it */
	if (r < 0)
		return r;
	if (t->is_screen)
		top_screen_show(t);
	else if (t->is_json)
		top_print_json(t);
	else
		top_print(t);
	t->n_tables++;
	return BOB_OK;
}

/* --- while it runs -------------------------------------------------------- */

/* What an event returns to end the run without an error: it was asked for, or
 * there is nothing left to sample. */
#define OVER 1
#define ENDED 2

static int
take_keys(struct top *t, uint64_t t_us)
{
	t->t_keys = t_us;
	if (top_screen_keys(t))
		return OVER;
	if (!t->wants_show)
		return BOB_OK;
	t->wants_show = 0;
	return top_show(t);
}

static int
on_runs(void *user, struct bob_proc *p, const struct bob_run *runs, size_t n)
{
	struct top *t = user;
	uint64_t t_us = runs[0].t_first;
	int r = top_store_add(&t->store, t_us, runs, n);

	(void)p;
	/* Ticks are too far apart for a key to feel fast. */
	if (r != BOB_OK || !t->is_screen || t_us - t->t_keys < KEYS_US)
		return r;
	return take_keys(t, t_us);
}

static void
on_gone(void *user, struct bob_proc *p)
{
	top_procs_gone(user, p);
}

static int
look_for_processes(struct top *t)
{
	int r = top_procs_poll(t);

	return r == BOB_OK && top_procs_are_over(t) ? ENDED : r;
}

/* Replaces the profile and its dictionary. The explorer begins anew on them. */
static int
renew_store(struct top *t)
{
	int is_live = t->live != NULL, r;

	top_live_close(t);
	r = t->wants_clear ? top_store_clear(&t->store)
	                   : top_store_fold(&t->store);
	t->wants_clear = 0;
	use_dict(t);
	if (is_live && r == BOB_OK)
		top_live_open(t, NULL);
	return r;
}

static int
on_tick(void *user, uint64_t t_us)
{
	struct top *t = user;
	int r = BOB_OK;

	t->store.t_us = t_us;
	if (t->is_screen)
		r = take_keys(t, t_us);
	if (r != BOB_OK)
		return r;
	if (t->wants_clear || top_store_is_full(&t->store))
		r = renew_store(t);
	if (r == BOB_OK)
		r = look_for_processes(t);
	if (r == BOB_OK && t_us - t->t_shown >= t->interval_us) {
		t->t_shown += (t_us - t->t_shown) / t->interval_us *
		    t->interval_us;
		r = top_show(t);
	}
	if (r == BOB_OK && t->max_tables > 0 &&
	    t->n_tables >= t->max_tables)
		return OVER;
	return r;
}

static int
top_run(struct top *t)
{
	int r;

	if (t->is_screen && top_screen_open(t) < 0)
		return EXIT_FAILED;
	if (!t->is_screen)
		catch_signals();
	else
		top_screen_show(t);
	t->cpu_us = cpu_us();
	r = bob_sampler_run(t->sampler);
	top_live_close(t);
	if (t->is_screen)
		top_screen_close(t);
	if (r < 0) {
		msg_error("%s", bob_ctx_error(t->ctx)->text);
		return EXIT_FAILED;
	}
	/* The processes have ended: print what came since the last table. */
	if (t->n_tables == 0 || (t->is_screen && r != OVER)) {
		t->is_screen = 0;
		t->is_frozen = 0;
		(void)top_show(t);
	}
	return EXIT_OK;
}

static int
top_capture(struct top *t)
{
	struct bob_sampler_events ev = { on_runs, on_gone, on_tick, t };
	struct bob_sampler_opts o = { .size = sizeof(o), .events = &ev,
		.flags = BOB_SAMPLER_STAY, .stop = signals_stopped() };
	int code = set_options(t);

	if (code != EXIT_OK)
		return code;
	o.period_ns = t->period_ns;
	o.duration_us = t->duration_us;
	o.flags |= capture_sampler_flags(t->args);
	if (top_store_init(&t->store, t->ctx, t->period_ns / 1000) < 0 ||
	    bob_sampler_new(t->ctx, &o, &t->sampler) < 0) {
		msg_error("%s", bob_ctx_error(t->ctx)->text);
		return EXIT_FAILED;
	}
	code = top_procs_init(t);
	return code == EXIT_OK ? top_run(t) : code;
}

int
cmd_top(const struct args *args)
{
	struct top *t = calloc(1, sizeof(*t)); /* large for a stack */
	int code;

	if (t != NULL)
		t->ctx = bob_ctx_new();
	if (t == NULL || t->ctx == NULL) {
		free(t);
		return msg_no_memory();
	}
	t->args = args;
	t->n_marks = 1;
	descriptors_raise(&t->descriptors);
	code = top_capture(t);
	bob_sampler_free(t->sampler);
	top_procs_done(t);
	top_table_done(&t->table);
	top_store_done(&t->store);
	bob_ctx_free(t->ctx);
	free(t);
	return code;
}
