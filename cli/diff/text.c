/* The differences as tables, for a terminal or a text file. */
#include <stdlib.h>
#include <string.h>

#include <bobbin/times.h>

#include "diff.h"
#include "input/grouping.h"
#include "print/block.h"
#include "print/folder.h"
#include "print/plain.h"
#include "print/msg.h"
#include "text/safe.h"

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

/* What stands before the name of a row. Columns of less use are left out where
 * there is too little room for names, the last of this list first. */
enum column { AFTER, BEFORE, POINTS, INTERVAL, CHANCE, RELATIVE, N_COLUMNS };

static const struct {
	const char *title;
	int width; /* with the gap to the next one */
} columns[] = {
	[BEFORE] = { "before", 9 },
	[AFTER] = { "after", 9 },
	[POINTS] = { "points", 8 },
	[INTERVAL] = { "95 % interval", 16 },
	[CHANCE] = { "q", 8 },
	[RELATIVE] = { "", 9 },
};

static const int order_of_columns[] = { BEFORE, AFTER, POINTS, INTERVAL,
	RELATIVE, CHANCE };
static const int first_left_out[] = { RELATIVE, CHANCE, INTERVAL, BEFORE };

/* Below this width the rates of the inputs are left out. */
#define NARROW 60

/* Of what is said about an input, below its name. */
#define INDENT 7

/* Which columns a table has, and what is left for names. */
struct look {
	int has[N_COLUMNS];
	size_t room;
};

/* What a row shows: the name of a key, and where that is, without the folder
 * that most paths are in. Of a file the path is the name. */
struct label {
	struct bob_bytes name, place;
};

static struct label
label_of(const struct diff *x, uint32_t key)
{
	struct bob_key k = bob_diff_key(x->d, key);
	struct label l = { .name = k.text };
	size_t n;

	if (k.name.n > 0 && k.name.n < k.text.n) {
		l.name.n = k.name.n;
		l.place.p = k.text.p + k.name.n + 1;
		l.place.n = k.text.n - k.name.n - 1;
		n = folder_skip(x->folder, l.place);
		l.place.p += n;
		l.place.n -= n;
	} else {
		n = folder_skip(x->folder, l.name);
		l.name.p += n;
		l.name.n -= n;
	}
	return l;
}

static size_t
key_width(const struct diff *x, uint32_t key)
{
	struct label l = label_of(x, key);
	size_t width = safe_width_upto(l.name.p, l.name.n, 0, 400);

	return l.place.n == 0 ? width
	    : width + 1 + safe_width_upto(l.place.p, l.place.n, 0, 400);
}

/* Names of `longest` columns should fit, or have two fifths of the line. */
static struct look
look_at(const struct diff *x, size_t longest)
{
	struct look l;
	size_t used = 0, want = x->o.width / 5 * 2, i;

	for (i = 0; i < N_COLUMNS; i++) {
		l.has[i] = 1;
		used += (size_t)columns[i].width;
	}
	if (longest < want)
		want = longest;
	for (i = 0; i < sizeof(first_left_out) / sizeof(first_left_out[0]) &&
	    used + want > x->o.width; i++) {
		l.has[first_left_out[i]] = 0;
		used -= (size_t)columns[first_left_out[i]].width;
	}
	l.room = x->o.width > used + 8 ? x->o.width - used : 8;
	return l;
}

/* The name of a key, and its place as far as there is room: the file is cut in
 * its middle, so that its name and the line stay. */
static void
put_key(const struct diff *x, FILE *f, uint32_t key, size_t room, int is_sure)
{
	struct label at = label_of(x, key);
	struct span l = { 0 };

	span_safe(&l, at.name.p, at.name.n);
	/* What comes last in a name says most. */
	if (room < SIZE_MAX)
		span_crop(&l, room, 1, "\xe2\x80\xa6");
	(void)fwrite(l.p, 1, l.n, f);
	if (at.place.n > 0 && l.width + 8 < room) {
		room -= l.width + 1;
		span_done(&l);
		l = (struct span){ 0 };
		span_safe_middle(&l, at.place.p, at.place.n, room);
		(void)fprintf(f, " %s%.*s%s", is_sure ? sgr_on(f, "2") : "",
		    (int)l.n, l.p, is_sure ? sgr_off(f) : "");
	}
	span_done(&l);
}

static void
put_head(FILE *f, const struct look *l, const char *what)
{
	size_t i;

	(void)fputs(sgr_on(f, "2"), f);
	for (i = 0; i < N_COLUMNS; i++) {
		int c = order_of_columns[i];

		if (!l->has[c])
			continue;
		if (c == INTERVAL)
			(void)fprintf(f, "%-*s", columns[c].width,
			    columns[c].title);
		else
			(void)fprintf(f, "%*s  ", columns[c].width - 2,
			    columns[c].title);
	}
	(void)fprintf(f, "%s%s\n", what, sgr_off(f));
}

static void
put_cell(FILE *f, int column, const struct bob_change *c)
{
	char text[48], room[DIFF_RELATIVE];

	switch (column) {
	case BEFORE:
	case AFTER:
		(void)snprintf(text, sizeof(text), "%.1f %%", 100 *
		    (column == BEFORE ? c->share_before : c->share_after));
		break;
	case POINTS:
		(void)snprintf(text, sizeof(text), "%+.1f", 100 * c->delta);
		break;
	case INTERVAL:
		(void)snprintf(text, sizeof(text), "[%+.1f, %+.1f]",
		    100 * c->low, 100 * c->high);
		(void)fprintf(f, "%-*s", columns[column].width, text);
		return;
	default:
		(void)snprintf(text, sizeof(text), "%s", column == CHANCE
		    ? diff_chance(room, c->q) : diff_relative(room, c));
	}
	(void)fprintf(f, "%*s  ", columns[column].width - 2, text);
}

/* A row: coloured if it changed, dim if that is not beyond noise. */
static void
put_row(const struct diff *x, FILE *f, const struct look *l, uint32_t key,
    const struct bob_change *c, size_t depth)
{
	size_t i, indent = 2 * depth < l->room / 2 ? 2 * depth : l->room / 2;

	(void)fputs(sgr_on(f, !c->is_significant ? "2" :
	    c->delta > 0 ? "31" : "94"), f);
	for (i = 0; i < N_COLUMNS; i++)
		if (l->has[order_of_columns[i]])
			put_cell(f, order_of_columns[i], c);
	if (c->is_significant)
		(void)fputs(sgr_off(f), f);
	(void)fprintf(f, "%*s", (int)indent, "");
	put_key(x, f, key, l->room - indent, c->is_significant);
	if (!c->is_significant)
		(void)fputs(sgr_off(f), f);
	(void)fputc('\n', f);
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
	size_t n, i, longest = 0;
	const struct bob_diff_row *row = bob_diff_rows(x->d, order, &n);
	char all[NUMBER_TEXT], changed[NUMBER_TEXT];
	struct look l;

	(void)fprintf(f, "\n%s%s%s: %s of %s changed\n", sgr_on(f, "1"), title,
	    sgr_off(f), number_count(changed, diff_count(x, order)),
	    number_count(all, n));
	for (i = 0; i < n && i < x->o.top; i++)
		if (key_width(x, row[i].key) > longest)
			longest = key_width(x, row[i].key);
	l = look_at(x, longest);
	if (i > 0)
		put_head(f, &l, what);
	for (i = 0; i < n && i < x->o.top; i++)
		put_row(x, f, &l, row[i].key, order == BOB_BY_SELF
		    ? &row[i].self : &row[i].total, 0);
	put_rest(f, n, i, "row");
}

static size_t
widest_path(const struct diff *x, const struct bob_diff_path *path, size_t n)
{
	size_t i, width, most = 0;

	for (i = 1; i < n; i++) {
		if (!x->is_changed[i])
			continue;
		width = key_width(x, path[i].key) + 2 * path[i].depth;
		most = width > most ? width : most;
	}
	return most;
}

/* Paths to what changed, as a tree: children under their callers. */
static void
put_paths(const struct diff *x, FILE *f)
{
	size_t n, shown = 0;
	const struct bob_diff_path *path = bob_diff_paths(x->d, &n);
	const uint8_t *is = x->is_changed;
	struct look l = look_at(x, widest_path(x, path, n));
	char count[NUMBER_TEXT], all[NUMBER_TEXT];
	uint32_t i;

	(void)fprintf(f, "\n%sPaths%s with at least %g %%: %s of %s changed\n",
	    sgr_on(f, "1"), sgr_off(f), 100 * x->o.min_share,
	    number_count(count, x->n_changed), number_count(all, n - 1));
	if (x->n_changed > 0 && x->o.top > 0)
		put_head(f, &l, "call path");
	for (i = path[0].first_child; i != 0;) {
		if (is[i] && shown++ < x->o.top)
			put_row(x, f, &l, path[i].key, &path[i].total,
			    path[i].depth - 1);
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

/* What only one side has, in one line: rows are in the tables. */
static void
put_marked(const struct diff *x, FILE *f)
{
	size_t new = diff_count_marked(x, BOB_CHANGE_NEW);
	size_t gone = diff_count_marked(x, BOB_CHANGE_GONE);
	char a[NUMBER_TEXT], b[NUMBER_TEXT], text[160];

	if (new + gone == 0)
		return;
	(void)snprintf(text, sizeof(text), "Only before: %s. Only after: %s. "
	    "Rare ones come and go by chance.", number_count(a, gone),
	    number_count(b, new));
	(void)fputc('\n', f);
	plain_wrap(f, text, 0, 0, x->o.width);
}

/* Below the name of an input: its times, in the words of all reports. */
static void
put_times(const struct diff *x, FILE *f, int side)
{
	const struct bob_times *t = &x->info.times[side];
	char line[BOB_TIMES_TEXT], missing[BOB_TIMES_TEXT + 16];

	plain_wrap(f, bob_times_line(line, t, 0), 0, INDENT, x->o.width);
	if (*bob_times_idle(line, t) != '\0')
		plain_wrap(f, line, 0, INDENT, x->o.width);
	if (*bob_times_loss(line, t) != '\0') {
		(void)snprintf(missing, sizeof(missing), "missing: %s", line);
		plain_wrap(f, missing, 0, INDENT, x->o.width);
	}
}

/* The name of an input, its samples, and their rate. */
static void
put_side(const struct diff *x, FILE *f, int side)
{
	const struct bob_sum *sum = &x->info.total[side];
	char count[NUMBER_TEXT], rate[NUMBER_TEXT];
	const char *name = x->name[side];
	struct span l = { 0 }, tail = { 0 };

	span_printf(&tail, ": %s", number_nouns(count, sum->samples,
	    "sample"));
	if (x->o.width >= NARROW && sum->time_us > 0)
		span_printf(&tail, " (%s/s)", number_count(rate, (uint64_t)
		    ((double)sum->samples * 1e6 / (double)sum->time_us +
		        0.5)));
	span_safe_middle(&l, name, strlen(name), x->o.width > tail.width + 19
	    ? x->o.width - tail.width - 7 : 12);
	(void)fprintf(f, "%s%-7s%s%.*s%.*s\n", sgr_on(f, "1"), side == 0
	    ? "before" : "after", sgr_off(f), (int)l.n, l.p, (int)tail.n,
	    tail.p);
	put_times(x, f, side);
	span_done(&l);
	span_done(&tail);
}

/* Our own words, text of a trace, and our own words, in the whole width. */
static void
put_wrapped(const struct diff *x, FILE *f, const char *before,
    struct bob_bytes foreign, const char *after)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (to == NULL)
		return;
	(void)fputs(before, to);
	(void)plain_safe(to, foreign.p, foreign.n);
	(void)fputs(after, to);
	if (fclose(to) == 0)
		plain_wrap(f, text, 0, 0, x->o.width);
	free(text);
}

static void
put_verdict(const struct diff *x, FILE *f)
{
	const char *text = bob_diff_verdict(x->d).text;

	(void)fputs(sgr_on(f, "1"), f);
	put_wrapped(x, f, "", (struct bob_bytes){ text, strlen(text) }, "");
	(void)fputs(sgr_off(f), f);
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
		put_key(x, f, h->key, SIZE_MAX, 0);
		(void)fputc('\n', f);
	}
}

/* Of what the tables show. */
static void
find_folder(struct diff *x)
{
	struct bob_bytes v[FOLDER_PATHS];
	size_t used = 0, n, i;
	int order;

	for (order = BOB_BY_SELF; order <= BOB_BY_TOTAL; order++) {
		const struct bob_diff_row *row = bob_diff_rows(x->d, order, &n);

		for (i = 0; i < n && i < x->o.top; i++)
			used = folder_add(v, used, bob_diff_key(x->d,
			    row[i].key).file);
	}
	x->folder = folder_find(v, used);
}

static void
put_folder(const struct diff *x, FILE *f)
{
	if (x->folder.n == 0)
		return;
	(void)fputc('\n', f);
	put_wrapped(x, f, "Paths are below ", x->folder, ".");
}

void
diff_text(struct diff *x, FILE *f)
{
	find_folder(x);
	put_verdict(x, f);
	put_gate(x, f);
	(void)fputc('\n', f);
	put_side(x, f, 0);
	put_side(x, f, 1);
	plain_wrap(f, x->o.normalize == BOB_NORMALIZE_TIME
	    ? "Shares of time are compared, so length and rate may differ. "
	      "Points are % of the whole."
	    : "Shares of samples are compared, so length and rate may differ. "
	      "Points are % of the whole.", 0, 0, x->o.width);
	if (x->o.group <= BOB_GROUP_MODULE)
		put_table(x, f, BOB_BY_SELF, "Self");
	put_table(x, f, BOB_BY_TOTAL, "Total");
	if (x->o.group <= BOB_GROUP_MODULE)
		put_paths(x, f);
	put_marked(x, f);
	put_folder(x, f);
}
