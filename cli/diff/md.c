/*
 * The differences as Markdown for a pull request: a verdict, what is behind
 * it, and the rest to be unfolded.
 */
#include <string.h>

#include <bobbin/times.h>

#include "diff.h"
#include "input/grouping.h"
#include "print/plain.h"

/* The longest run of a character. */
static size_t
longest_run(const char *p, size_t n, char c)
{
	size_t i, run = 0, best = 0;

	for (i = 0; i < n; i++) {
		run = p[i] == c ? run + 1 : 0;
		best = run > best ? run : best;
	}
	return best;
}

/* Writes bytes as code that breaks no table: the fence is longer than any run
 * of backticks inside, and bars are escaped. */
static void
put_code(FILE *f, const char *p, size_t n)
{
	size_t fence = longest_run(p, n, '`') + 1, i;

	for (i = 0; i < fence; i++)
		(void)fputc('`', f);
	if (fence > 1)
		(void)fputc(' ', f);
	while (n > 0) {
		const char *bar = memchr(p, '|', n);
		size_t len = bar != NULL ? (size_t)(bar - p) : n;

		(void)plain_safe(f, p, len);
		if (bar != NULL)
			(void)fputs("\\|", f);
		len += bar != NULL;
		p += len;
		n -= len;
	}
	if (fence > 1)
		(void)fputc(' ', f);
	for (i = 0; i < fence; i++)
		(void)fputc('`', f);
}

static void
put_key(const struct diff *x, FILE *f, uint32_t key)
{
	struct bob_bytes text = bob_diff_key(x->d, key).text;

	put_code(f, text.p, text.n);
}

static void
put_head(FILE *f, const char *what)
{
	(void)fprintf(f, "| before | after | points | | 95 %% interval | q | "
	    "%s |\n|---:|---:|---:|---:|:---:|---:|:---|\n", what);
}

static void
put_change(FILE *f, const struct bob_change *c)
{
	char relative[DIFF_RELATIVE], chance[DIFF_RELATIVE];
	const char *bold = c->is_significant ? "**" : "";

	(void)fprintf(f, "| %.1f %% | %.1f %% | %s%+.1f%s | %s | %+.1f .. "
	    "%+.1f | %s | ", 100 * c->share_before, 100 * c->share_after,
	    bold, 100 * c->delta, bold, diff_relative(relative, c),
	    100 * c->low, 100 * c->high, diff_chance(chance, c->q));
}

static void
put_table(const struct diff *x, FILE *f, int order)
{
	size_t n, i;
	const struct bob_diff_row *row = bob_diff_rows(x->d, order, &n);

	put_head(f, grouping_name(x->o.group));
	for (i = 0; i < n && i < x->o.top; i++) {
		put_change(f, order == BOB_BY_SELF ? &row[i].self
		                                   : &row[i].total);
		put_key(x, f, row[i].key);
		(void)fputs(" |\n", f);
	}
}

/* A table that is folded away at first, unless it has something to say. */
static void
put_details(const struct diff *x, FILE *f, int order, const char *title)
{
	char changed[NUMBER_TEXT], all[NUMBER_TEXT];
	size_t n, n_changed = diff_count(x, order);

	(void)bob_diff_rows(x->d, order, &n);
	(void)fprintf(f, "\n<details%s><summary>%s: %s of %s changed "
	    "significantly</summary>\n\n",
	    order == BOB_BY_SELF && n_changed > 0 ? " open" : "", title,
	    number_count(changed, n_changed), number_count(all, n));
	put_table(x, f, order);
	(void)fputs("\n</details>\n", f);
}

/* A path by its last two frames. */
static void
put_path(const struct diff *x, FILE *f, const struct bob_diff_path *path,
    uint32_t i)
{
	if (path[i].parent != 0 && path[i].depth > 1) {
		(void)fprintf(f, "%s", path[i].depth > 2 ? "… → " : "");
		put_key(x, f, path[path[i].parent].key);
		(void)fputs(" → ", f);
	}
	put_key(x, f, path[i].key);
}

static void
put_paths(const struct diff *x, FILE *f)
{
	size_t n, shown = 0;
	const struct bob_diff_path *path = bob_diff_paths(x->d, &n);
	uint32_t i;

	if (x->n_changed == 0)
		return;
	(void)fprintf(f, "\n<details><summary>Call paths: %zu changed "
	    "significantly</summary>\n\n", x->n_changed);
	put_head(f, "call path");
	for (i = 1; i < n && shown < x->o.top; i++) {
		if (!path[i].total.is_significant)
			continue;
		shown++;
		put_change(f, &path[i].total);
		put_path(x, f, path, i);
		(void)fputs(" |\n", f);
	}
	(void)fputs("\n</details>\n", f);
}

static void
put_hits(const struct diff *x, FILE *f)
{
	size_t i;

	for (i = 0; i < x->n_hits; i++) {
		const struct bob_gate_hit *h = &x->hit[i];

		(void)fputs("- ", f);
		put_key(x, f, h->key);
		(void)fprintf(f, " grew by **%.1f %%** (%s: %.1f %% → "
		    "%.1f %%), limit %g %%\n", 100 * h->change.growth,
		    diff_order_name(h->order), 100 * h->change.share_before,
		    100 * h->change.share_after,
		    100 * x->o.gate[h->gate].limit);
	}
}

/* Foreign text outside of code: nothing in it is Markdown. */
static void
put_plain(FILE *f, const char *s)
{
	size_t n;

	while (*s != '\0') {
		n = strcspn(s, "\\`*_{}[]<>()#|~!&");
		(void)plain_safe(f, s, n);
		s += n;
		if (*s != '\0')
			(void)fprintf(f, "\\%c", *s++);
	}
}

static void
put_verdict(const struct diff *x, FILE *f)
{
	if (x->n_hits > 0)
		(void)fputs("**Failed**: something grew beyond its limit.\n\n",
		    f);
	else if (x->o.n_gates > 0)
		(void)fputs("**Passed**: nothing grew beyond its limit.\n\n",
		    f);
	put_hits(x, f);
	if (x->n_hits > 0)
		(void)fputc('\n', f);
	put_plain(f, bob_diff_verdict(x->d).text);
	(void)fprintf(f, "\n\nOnly before: %zu. Only after: %zu.\n",
	    diff_count_marked(x, BOB_CHANGE_GONE),
	    diff_count_marked(x, BOB_CHANGE_NEW));
}

static void
put_side(const struct diff *x, FILE *f, int side)
{
	const char *name = x->name[side];
	char count[NUMBER_TEXT];

	put_code(f, name, strlen(name));
	(void)fprintf(f, " (%s)",
	    number_nouns(count, x->info.total[side].samples, "sample"));
}

/* The times of an input, in the words of all reports: ours, so plain text. */
static void
put_times(const struct diff *x, FILE *f, int side)
{
	const struct bob_times *t = &x->info.times[side];
	char line[BOB_TIMES_TEXT];

	(void)fprintf(f, "- %s: %s", side == 0 ? "before" : "after",
	    bob_times_line(line, t, 0));
	if (*bob_times_idle(line, t) != '\0')
		(void)fprintf(f, "; %s", line);
	if (*bob_times_loss(line, t) != '\0')
		(void)fprintf(f, "; missing: %s", line);
	(void)fputc('\n', f);
}

void
diff_md(const struct diff *x, FILE *f)
{
	int has_self = x->o.group <= BOB_GROUP_MODULE;

	(void)fputs("### Profile: ", f);
	put_side(x, f, 0);
	(void)fputs(" → ", f);
	put_side(x, f, 1);
	(void)fputs("\n\n", f);
	put_verdict(x, f);
	(void)fputc('\n', f);
	put_times(x, f, 0);
	put_times(x, f, 1);
	if (has_self)
		put_details(x, f, BOB_BY_SELF, "Self");
	put_details(x, f, BOB_BY_TOTAL, "Total");
	if (has_self)
		put_paths(x, f);
	(void)fprintf(f, "\nShares of %s; points are %% of the whole, "
	    "**bold** where q ≤ %g.\n",
	    x->o.normalize == BOB_NORMALIZE_TIME ? "time" : "samples",
	    BOB_SIGNIFICANT);
}
