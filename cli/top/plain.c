/* top without a full screen: tables on standard output, as text or JSON. */
#include <stdio.h>
#include <string.h>

#include "print/json.h"
#include "print/plain.h"
#include "print/block.h"
#include "print/msg.h"
#include "top.h"

/* Columns of text where the width is unknown. */
#define TEXT_WIDTH 100

static double
percent(uint64_t w, uint64_t whole)
{
	return whole > 0 ? 100 * (double)w / (double)whole : 0;
}

const char *
top_activity(const struct top *t, int is_short, char *buf, size_t n)
{
	const struct top_table *k = &t->table;
	char gil[64] = "";

	if (k->has_gil)
		(void)snprintf(gil, sizeof(gil), ", GIL %.0f %%",
		    100 * (k->gil > 1 && t->stats.n_procs <= 1 ? 1 : k->gil));
	(void)snprintf(buf, n, "%.1f of %zu%s active, %.1f idle%s", k->active,
	    k->n_threads, is_short ? "" : k->n_threads == 1 ? " thread"
	                                                    : " threads",
	    k->idle, gil);
	return buf;
}

const char *
top_quality(const struct top *t, char *buf, size_t n)
{
	char all[NUMBER_TEXT], us[NUMBER_TEXT];

	(void)snprintf(buf, n, "%.1f samples/s, lost %.2f %%, missed %llu; "
	    "since %s: %s; sampler %.1f %% CPU", t->stats.per_s,
	    t->stats.lost_percent, (unsigned long long)t->stats.missed,
	    number_time(us, t->table.all_us),
	    number_nouns(all, t->table.n_all, "sample"),
	    t->stats.cpu_percent);
	return buf;
}

static size_t
n_shown(const struct top *t)
{
	return t->n_rows > 0 && t->n_rows < t->table.n ? t->n_rows
	                                               : t->table.n;
}

void
top_print(const struct top *t)
{
	const struct top_table *k = &t->table;
	struct block out = { 0 };
	char a[256], b[256], us[NUMBER_TEXT];
	size_t i;

	top_subject(t, a, sizeof(a));
	span_safe(block_line(&out), a, strlen(a));
	span_printf(block_line(&out), "%s%s", top_activity(t, 0, a, sizeof(a)),
	    k->n_set_aside > 0 ? "; idle samples are set aside (--idle shows "
	                         "them)" : "");
	span_printf(block_line(&out), "last %s: %s",
	    number_time(us, k->window_us), top_quality(t, b, sizeof(b)));
	span_printf(block_line(&out), "  %%Own  %%Total    OwnTime  "
	    "TotalTime  %s", top_by_names[k->by]);
	for (i = 0; i < n_shown(t); i++) {
		const struct top_row *r = &k->row[i];
		struct span *l = block_line(&out), text = { 0 };

		span_printf(l, "%5.1f%%  %5.1f%% %10s",
		    percent(r->w[TOP_SELF], k->n_window),
		    percent(r->w[TOP_TOTAL], k->n_window),
		    number_time(us, r->self_us));
		span_printf(l, " %10s  ", number_time(us, r->total_us));
		span_safe(&text, k->bytes + r->text, r->n_text);
		span_crop(&text, TEXT_WIDTH, 0, "...");
		span_add(l, &text);
		span_done(&text);
	}
	(void)block_line(&out);
	if (block_is_whole(&out))
		block_print(&out, stdout, "\n");
	(void)fflush(stdout);
	block_done(&out);
}

void
top_print_json(const struct top *t)
{
	static const char *const names[TOP_N_ORDERS] = { "self", "total",
		"all_self", "all_total" };
	const struct top_table *k = &t->table;
	struct json j = { .f = stdout };
	size_t i;
	int w;

	json_open(&j, NULL, '{');
	json_u64(&j, "time_us", t->store.t_us);
	json_u64(&j, "window_us", k->window_us);
	json_u64(&j, "processes", t->stats.n_procs);
	json_u64(&j, "refused", t->procs.n_refused);
	json_u64(&j, "threads", k->n_threads);
	json_double(&j, "threads_active", k->active);
	json_double(&j, "threads_idle", k->idle);
	if (k->has_gil)
		json_double(&j, "gil", k->gil);
	json_double(&j, "samples_per_s", t->stats.per_s);
	json_double(&j, "lost_percent", t->stats.lost_percent);
	json_u64(&j, "missed", t->stats.missed);
	json_double(&j, "sampler_cpu_percent", t->stats.cpu_percent);
	json_u64(&j, "window_samples", k->n_window);
	json_u64(&j, "idle_samples", k->n_set_aside);
	json_u64(&j, "all_samples", k->n_all);
	json_u64(&j, "all_us", k->all_us);
	json_str(&j, "by", top_by_names[k->by]);
	json_open(&j, "rows", '[');
	for (i = 0; i < n_shown(t); i++) {
		const struct top_row *r = &k->row[i];

		json_open(&j, NULL, '{');
		json_bytes(&j, "text", k->bytes + r->text, r->n_text);
		if (r->n_name > 0)
			json_bytes(&j, "name", k->bytes + r->text, r->n_name);
		for (w = 0; w < TOP_N_ORDERS; w++)
			json_u64(&j, names[w], r->w[w]);
		json_u64(&j, "self_us", r->self_us);
		json_u64(&j, "total_us", r->total_us);
		json_close(&j, '{');
	}
	json_close(&j, '[');
	json_close(&j, '{');
	json_end(&j);
	(void)fflush(stdout);
}
