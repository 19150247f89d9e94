/* The differences as tables, for a terminal or a text file. */
#include "diff.h"
#include "input/grouping.h"
#include "print/plain.h"
#include "print/msg.h"

/* Only standard output has colours; a file has none. */
static const char *
sgr_on(FILE *f, const char *sgr)
{
	return f == stdout ? color_on(f, sgr) : "";
}

static const char *
sgr_off(FILE *f)
{
	return f == stdout ? color_off(f) : "";
}

static void
put_key(const struct diff *x, FILE *f, uint32_t key)
{
	struct bob_bytes text = bob_diff_key(x->d, key).text;

	(void)plain_safe(f, text.p, text.n);
}

static void
put_head(FILE *f, const char *what)
{
	(void)fprintf(f, "%s%9s %9s %8s %7s  %-16s %6s  %s%s\n", sgr_on(f, "2"),
	    "before", "after", "points", "", "95 % interval", "q", what,
	    sgr_off(f));
}

/* The numbers of a row, in the colour of what they mean. */
static void
put_change(FILE *f, const struct bob_change *c)
{
	char relative[DIFF_RELATIVE], chance[DIFF_RELATIVE], interval[32];
	int is_sure = c->is_significant;

	(void)snprintf(interval, sizeof(interval), "%+.2f .. %+.2f",
	    100 * c->low, 100 * c->high);
	(void)fprintf(f, "%s%7.2f %% %7.2f %% %+8.2f %7s  %-16s %6s%s  ",
	    is_sure ? sgr_on(f, c->delta > 0 ? "31" : "94") : "",
	    100 * c->share_before, 100 * c->share_after, 100 * c->delta,
	    diff_relative(relative, c), interval,
	    diff_chance(chance, c->q), is_sure ? sgr_off(f) : "");
}

static void
put_rest(FILE *f, size_t n, size_t shown, const char *what)
{
	char count[NUMBER_TEXT];

	if (n > shown)
		(void)fprintf(f, "%s... and %s; --top N shows more%s\n",
		    sgr_on(f, "2"), number_nouns(count, n - shown, what),
		    sgr_off(f));
}

static void
put_table(const struct diff *x, FILE *f, int order, const char *title)
{
	const char *what = grouping_name(x->o.group);
	size_t n, i;
	const struct bob_diff_row *row = bob_diff_rows(x->d, order, &n);
	char all[NUMBER_TEXT], changed[NUMBER_TEXT];

	(void)fprintf(f, "\n%s%s%s: %s of %s changed significantly\n",
	    sgr_on(f, "1"), title, sgr_off(f),
	    number_count(changed, diff_count(x, order)),
	    number_count(all, n));
	if (n > 0 && x->o.top > 0)
		if (n > 0 && x->o.top > 0)
		put_head(f, what);
	for (i = 0; i < n && i < x->o.top; i++) {
		put_change(f, order == BOB_BY_SELF ? &row[i].self
		                                   : &row[i].total);
		put_key(x, f, row[i].key);
		(void)fputc('\n', f);
	}
	put_rest(f, n, i, "row");
}

/* Paths to what changed, as a tree: children under their callers. */
static void
put_paths(const struct diff *x, FILE *f)
{
	size_t n, shown = 0;
	const struct bob_diff_path *path = bob_diff_paths(x->d, &n);
	const uint8_t *is = x->is_changed;
	char count[NUMBER_TEXT], all[NUMBER_TEXT];
	uint32_t i;

	(void)fprintf(f, "\n%sPaths%s with at least %g %%: %s of %s changed "
	    "significantly\n", sgr_on(f, "1"), sgr_off(f), 100 * x->o.min_share,
	    number_count(count, x->n_changed), number_count(all, n - 1));
	if (x->n_changed > 0 && x->o.top > 0)
		put_head(f, "call path");
	for (i = path[0].first_child; i != 0;) {
		if (is[i] && shown++ < x->o.top) {
			put_change(f, &path[i].total);
			(void)fprintf(f, "%*s", (int)(path[i].depth < 100
			        ? 2 * (path[i].depth - 1) : 200), "");
			put_key(x, f, path[i].key);
			(void)fputc('\n', f);
		}
		if (is[i] && path[i].first_child != 0)
			i = path[i].first_child;
		else {
			while (i != 0 && path[i].next_sibling == 0)
				i = path[i].parent;
			i = i != 0 ? path[i].next_sibling : 0;
		}
	}
	put_rest(f, shown, shown < x->o.top ? shown : x->o.top, "path");
}

/* Keys that only one side has, largest first. */
static void
put_marked(const struct diff *x, FILE *f, int mark, const char *title)
{
	size_t n, i, all = diff_count_marked(x, mark), shown = 0;
	const struct bob_diff_row *row = bob_diff_rows(x->d, BOB_BY_TOTAL,
	    &n);
	char count[NUMBER_TEXT];

	if (all == 0)
		return;
	(void)fprintf(f, "\n%s%s%s: %s\n", sgr_on(f, "1"), title, sgr_off(f),
	    number_count(count, all));
	for (i = 0; i < n && shown < x->o.top; i++) {
		const struct bob_change *c = &row[i].total;

		if (c->mark != mark)
			continue;
		shown++;
		(void)fprintf(f, "%7.2f %%  %10s  ", 100 *
		    (mark == BOB_CHANGE_NEW ? c->share_after
		                            : c->share_before),
		    number_nouns(count, mark == BOB_CHANGE_NEW
		        ? c->after.samples : c->before.samples, "sample"));
		put_key(x, f, row[i].key);
		(void)fputc('\n', f);
	}
	put_rest(f, all, shown, "row");
}

static void
put_side(const struct diff *x, FILE *f, int side)
{
	char count[NUMBER_TEXT], time[NUMBER_TEXT];

	(void)fprintf(f, "%s%-7s%s", sgr_on(f, "1"),
	    side == 0 ? "Before" : "After", sgr_off(f));
	(void)plain_safe_str(f, job_name(x->job.inputs[side]));
	(void)fprintf(f, ": %s, %s\n",
	    number_nouns(count, x->info.total[side].samples, "sample"),
	    number_time(time, x->info.total[side].time_us));
}

static void
put_gate(const struct diff *x, FILE *f)
{
	char count[NUMBER_TEXT], chance[DIFF_RELATIVE];
	size_t i;

	if (x->o.n_gates == 0)
		return;
	(void)fprintf(f, "\n%sGate%s: ", sgr_on(f, "1"), sgr_off(f));
	if (x->n_hits == 0) {
		(void)fprintf(f, "passed, nothing grew beyond its limit "
		    "(%s)\n", number_nouns(count, x->n_tested, "test"));
		return;
	}
	(void)fprintf(f, "%sFAILED%s\n", sgr_on(f, "1;31"), sgr_off(f));
	for (i = 0; i < x->n_hits; i++) {
		const struct bob_gate_hit *h = &x->hit[i];

		(void)fprintf(f, "  grew by %.1f %% (%s, at most %.1f %%; p "
		    "%s), limit %g %%: ", 100 * h->change.growth,
		    diff_order_name(h->order), 100 * h->change.growth_high,
		    diff_chance(chance, h->p),
		    100 * x->o.gate[h->gate].limit);
		put_key(x, f, h->key);
		(void)fputc('\n', f);
	}
}

void
diff_text(const struct diff *x, FILE *f)
{
	put_side(x, f, 0);
	put_side(x, f, 1);
	(void)fprintf(f, "Shares of %s, in points (%% of the whole). A q of "
	    "%g or less is significant.\n",
	    x->o.normalize == BOB_NORMALIZE_TIME ? "time" : "samples",
	    BOB_SIGNIFICANT);
	if (x->o.group <= BOB_GROUP_MODULE)
		put_table(x, f, BOB_BY_SELF, "Self");
	put_table(x, f, BOB_BY_TOTAL, "Total");
	if (x->o.group <= BOB_GROUP_MODULE)
		put_paths(x, f);
	put_marked(x, f, BOB_CHANGE_NEW, "New");
	put_marked(x, f, BOB_CHANGE_GONE, "Gone");
	put_gate(x, f);
}
