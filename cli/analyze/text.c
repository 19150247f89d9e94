/* Reports as tables of text, in reli's form or in ours. */
#include <inttypes.h>
#include <string.h>

#include <bobbin/times.h>

#include "analyze.h"
#include "input/grouping.h"
#include "print/folder.h"
#include "print/plain.h"
#include "print/msg.h"
#include "system/terminal.h"

/* Columns of the lines of a tree that are never cut. */
#define TREE_HEAD 8

/* A narrower table has no room for names. */
#define MIN_COLUMNS 56

static int
is_calm(const struct analyze *a)
{
	return a->o.style == STYLE_TABLES;
}

static const char *
mark(const struct analyze *a)
{
	return a->o.is_ascii ? "..." : "\xe2\x80\xa6";
}

static const char *
plus_minus(const struct analyze *a)
{
	return a->o.is_ascii ? "+-" : "\xc2\xb1";
}

static const char *
at_least(const struct analyze *a)
{
	return a->o.is_ascii ? ">=" : "\xe2\x89\xa5";
}

/* Where the last part of a path begins. */
static size_t
base_at(struct bob_bytes path)
{
	size_t n = path.n;

	while (n > 0 && path.p[n - 1] != '/')
		n--;
	return n < path.n ? n : 0;
}

/* As much of a long text as is left when the table is cropped, and more: names
 * of megabytes are not looked at character by character. */
static void
put_visible(const struct analyze *a, struct span *l, const char *p, size_t n)
{
	size_t most = 4 * a->o.crop + 64;

	if (a->o.crop > 0 && a->o.style != STYLE_MD && n > most) {
		if (a->o.keeps_end)
			p += n - most;
		n = most;
	}
	span_safe(l, p, n);
}

void
put_key(const struct analyze *a, struct bob_view *v, uint32_t key,
    struct span *l)
{
	struct bob_key k = bob_view_key(v, key);
	size_t at = k.file.n > 0 ? (size_t)(k.file.p - k.text.p) : 0;
	size_t skip = base_at(k.file);

	if (!a->o.has_short_paths || k.file.n == 0 || skip == 0) {
		put_visible(a, l, k.text.p, k.text.n);
		return;
	}
	put_visible(a, l, k.text.p, at);
	put_visible(a, l, k.text.p + at + skip, k.text.n - at - skip);
}

const char *
basis_name(const struct report *r)
{
	switch (r->info.basis) {
	case BOB_TIME_CLOCK: return "clock";
	case BOB_TIME_PERIOD: return "period";
	default: return "assumed";
	}
}

static const char *
basis_title(const struct report *r)
{
	switch (r->info.basis) {
	case BOB_TIME_CLOCK: return "clock time";
	case BOB_TIME_PERIOD: return "period time";
	default: return "assumed time";
	}
}

static const char *
basis_words(const struct report *r)
{
	switch (r->info.basis) {
	case BOB_TIME_CLOCK: return "by the times of the samples";
	case BOB_TIME_PERIOD: return "samples times period";
	default: return "10 ms a sample assumed where no period is known";
	}
}

static void
reli_summary(const struct report *r, struct span *l)
{
	const struct bob_profile_info *i = &r->info;
	double seconds = (double)i->n_read * (double)i->last_period_us / 1e6;

	span_printf(l, "trace: %" PRIu64 " samples, %" PRIu64 " matched, "
	    "sampling period %" PRIu64 " us, ~%.2f s sampled wall",
	    i->n_read, r->whole.samples, i->last_period_us, seconds);
}

/* Where the samples are that shares are not of. Idle ones are set aside by
 * nobody's wish: they match nothing, and another line says so. */
static void
count_samples(const struct report *r, struct span *l)
{
	uint64_t idle = r->times.is_idle_hidden ? r->times.idle_samples : 0;
	char n[NUMBER_TEXT];

	span_printf(l, "trace: %s", number_nouns(n, r->info.n_read, "sample"));
	if (idle > 0)
		span_printf(l, ", %s idle", number_count(n, idle));
	if (r->info.n_read != r->info.n_samples + idle)
		span_printf(l, ", %s matched",
		    number_count(n, r->whole.samples));
}

static void
our_summary(const struct report *r, struct span *l)
{
	const struct bob_profile_info *i = &r->info;
	char a[NUMBER_TEXT];

	count_samples(r, l);
	if (i->period_us != 0)
		span_printf(l, ", period %s", number_time(a, i->period_us));
	else if (i->has_several_periods)
		span_put(l, ", several periods");
	else if (i->learned_us != 0)
		span_printf(l, ", period about %s (learned)",
		    number_time(a, i->learned_us));
	if (r->whole.samples > 0)
		span_printf(l, "; shares are of %s; %s of %s (%s)",
		    r->by_time ? "time" : "samples",
		    number_time(a, r->whole.time_us),
		    bob_times_of_shares(&r->times), basis_words(r));
}

/* How exact requests are. */
static void
resolution_line(const struct analyze *a, struct span *l)
{
	const struct section *s = a->r.section;
	uint64_t period = a->r.info.max_period_us;
	char n[NUMBER_TEXT];

	if (period == 0 || (s[SECTION_REQUESTS].n_all == 0 &&
	        s[SECTION_ROUTES].n_all == 0 && s[SECTION_FREQUENT].n_all == 0))
		return;
	span_printf(l, "times of requests are right to one period (%s)",
	    number_time(n, period));
	span_printf(l, "; %s: shorter requests may be missing", at_least(a));
}

/* Tasks wait at the same time as threads run, and as each other. */
static void
waiting_line(const struct report *r, struct span *l)
{
	uint64_t waited = r->info.waited_us;
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (waited == 0 || waited > r->info.time_us)
		return;
	span_printf(l, "threads took %s of that; tasks of asyncio waited %s, "
	    "each for itself",
	    number_time(a, r->info.time_us - waited), number_time(b, waited));
}

int
summary_line(const struct analyze *a, size_t i, struct span *l)
{
	const struct report *r = &a->r;
	char n[NUMBER_TEXT], line[BOB_TIMES_TEXT];

	if (a->o.style == STYLE_RELI) {
		if (i == 0)
			reli_summary(r, l);
		return i == 0;
	}
	/* Lines that would be empty are left out. */
	if (i == 0)
		our_summary(r, l);
	else if (i == 1 && r->by_time)
		span_put(l, "periods differ: shares are of time, not of "
		    "samples");
	else if (i == 2 && r->info.is_mixed)
		span_put(l, "some samples have times and others not: all time "
		    "is samples times period");
	else if (i == 3 && r->n_stackless > 0 && !r->groups_samples)
		span_printf(l, "%s without a stack %s in no table",
		    number_nouns(n, r->n_stackless, "sample"),
		    r->n_stackless == 1 ? "is" : "are");
	else if (i == 4)
		resolution_line(a, l);
	else if (i == 5)
		waiting_line(r, l);
	else if (i == 6)
		span_put(l, bob_times_line(line, &r->times, 0));
	else if (i == 7)
		span_put(l, bob_times_idle(line, &r->times));
	else if (i == 8 && *bob_times_loss(line, &r->times) != '\0')
		span_printf(l, "missing: %s", line);
	else if (i == 9 && r->folder.n > 0 && is_calm(a) &&
	    !a->o.has_short_paths) {
		span_put(l, "paths are below ");
		span_safe(l, r->folder.p, r->folder.n);
	}
	return i <= 9;
}

static void
quoted(struct span *l, const char *what, const char *pattern)
{
	span_printf(l, "%s of frames matching /", what);
	span_safe(l, pattern, strlen(pattern));
	span_put(l, "/");
}

static void
tree_title(const struct analyze *a, struct span *l)
{
	char depth[48] = "";

	if (a->o.depth > 0)
		(void)snprintf(depth, sizeof(depth), ", %" PRIu32 " deep",
		    a->o.depth);
	span_printf(l, "%s (nodes of %g %% and more%s)", a->o.is_inverted
	    ? "inverted call tree" : "call tree", 100 * a->o.min_share, depth);
}

void
section_title(const struct analyze *a, int section, struct span *l)
{
	const struct report *r = &a->r;

	switch (section) {
	case SECTION_SELF:
	case SECTION_TOTAL:
		if (r->groups_samples) {
			span_printf(l, "samples by %s",
			    grouping_name(a->o.group));
			if (a->o.annotation != NULL) {
				span_put(l, " ");
				span_safe(l, a->o.annotation,
				    strlen(a->o.annotation));
			}
		} else
			span_put(l, section == SECTION_SELF ? "self-time top"
			    : "total-time top (inclusive)");
		break;
	case SECTION_CALLERS:
		quoted(l, "callers", a->o.callers);
		break;
	case SECTION_CALLEES:
		quoted(l, "callees", a->o.callees);
		break;
	case SECTION_TREE:
		tree_title(a, l);
		break;
	case SECTION_TIMELINE:
		span_put(l, "time line");
		break;
	case SECTION_REQUESTS:
		span_put(l, "slowest requests");
		break;
	case SECTION_ROUTES:
		span_put(l, "requests by route, most time first");
		break;
	case SECTION_FREQUENT:
		span_put(l, "requests by route, most frequent first");
		break;
	default:
		span_printf(l, "last %zu sample(s)",
		    r->section[SECTION_TAIL].n);
		break;
	}
	if (r->by_time && section < SECTION_TIMELINE)
		span_put(l, ", shares of time");
}

static void
put_share(struct span *l, double share)
{
	span_printf(l, "%5.1f%%", 100 * share);
}

static void
put_error(struct span *l, const struct bob_share *s)
{
	span_printf(l, "%4.1f", 100 * (s->high - s->low) / 2);
}

static void
put_time(struct span *l, uint64_t us)
{
	char buf[NUMBER_TEXT];

	span_put(l, number_time(buf, us));
}

static double
part_of(const struct report *r, const struct bob_sum *s)
{
	if (r->by_time)
		return r->whole.time_us == 0 ? 0
		    : (double)s->time_us / (double)r->whole.time_us;
	return r->whole.samples == 0 ? 0
	    : (double)s->samples / (double)r->whole.samples;
}

/* The file of a key, with its line, in a column of its own. */
static void
put_place(const struct analyze *a, struct bob_view *v, uint32_t key,
    struct span *l)
{
	struct bob_key k = bob_view_key(v, key);
	size_t skip = a->o.has_short_paths ? base_at(k.file)
	                                   : folder_skip(a->r.folder, k.file);

	if (k.file.n == 0)
		return;
	put_visible(a, l, k.file.p + skip, k.file.n - skip);
	if (k.has_line && k.line > 0)
		span_printf(l, ":%" PRId64, k.line);
}

/* The name of a key without its file; what it is if it has no name. */
void
put_key_name(const struct analyze *a, struct bob_view *v, uint32_t key,
    struct span *l)
{
	struct bob_key k = bob_view_key(v, key);

	if (k.name.n == 0 || (k.file.n == 0 && k.opcode.n == 0)) {
		put_key(a, v, key, l);
		return;
	}
	put_visible(a, l, k.name.p, k.name.n);
	if (k.opcode.n > 0) {
		span_put(l, " [");
		put_visible(a, l, k.opcode.p, k.opcode.n);
		span_put(l, "]");
	}
}

static void
put_key_cells(struct analyze *a, struct bob_view *v, int id, size_t i,
    struct grid *g)
{
	const char *nobody = id == SECTION_CALLERS ? "<root>" : "<leaf>";
	const struct section *s = &a->r.section[id];
	struct span *l = grid_cell(g);

	if (id == SECTION_TREE)
		tree_prefix(a, s, i, l);
	if (s->row[i].key == 0)
		span_put(l, nobody);
	else if (is_calm(a))
		put_key_name(a, v, s->row[i].key, l);
	else
		put_key(a, v, s->row[i].key, l);
	if (!is_calm(a))
		return;
	l = grid_cell(g);
	if (s->row[i].key != 0)
		put_place(a, v, s->row[i].key, l);
}

/* A row as calm tables have it: what counts comes first. */
static void
calm_row(struct analyze *a, int id, size_t i, struct grid *g)
{
	const struct analyze_row *row = &a->r.section[id].row[i];
	struct bob_view *v = id <= SECTION_TOTAL ? a->r.view : a->r.frames;

	put_share(grid_cell(g), row->share.share);
	put_error(grid_cell(g), &row->share);
	put_time(grid_cell(g), row->sum.time_us);
	span_printf(grid_cell(g), "%" PRIu64, row->sum.samples);
	if (id == SECTION_TREE && !a->o.is_inverted)
		put_share(grid_cell(g), part_of(&a->r, &row->self));
	put_key_cells(a, v, id, i, g);
}

/* Tables of keys. */
static void
key_rows(struct analyze *a, int id, struct grid *g)
{
	const struct section *s = &a->r.section[id];
	struct bob_view *v = id <= SECTION_TOTAL ? a->r.view : a->r.frames;
	size_t i;

	for (i = 0; i < s->n_shown; i++) {
		const struct analyze_row *row = &s->row[i];

		if (is_calm(a)) {
			calm_row(a, id, i, g);
			continue;
		}
		span_printf(grid_cell(g), "%" PRIu64, row->sum.samples);
		put_share(grid_cell(g), row->share.share);
		if (a->o.style != STYLE_RELI) {
			put_error(grid_cell(g), &row->share);
			if (id == SECTION_TREE && !a->o.is_inverted)
				put_share(grid_cell(g),
				    part_of(&a->r, &row->self));
			put_time(grid_cell(g), row->sum.time_us);
		}
		put_key_cells(a, v, id, i, g);
	}
}

static void
put_string(const struct analyze *a, bob_str id, struct span *l)
{
	struct bob_bytes s = bob_str_get(bob_profile_dict(a->profile), id);

	span_safe(l, s.p, s.n);
}

/* When it began; unknown without times. */
static void
put_start(const struct analyze *a, uint64_t us, struct span *l)
{
	if (a->r.info.basis == BOB_TIME_CLOCK)
		put_time(l, us);
	else
		span_put(l, "-");
}

static void
request_rows(struct analyze *a, struct grid *g)
{
	const struct section *s = &a->r.section[SECTION_REQUESTS];
	struct bob_dict *d = bob_profile_dict(a->profile);
	size_t i;

	for (i = 0; i < s->n_shown; i++) {
		const struct analyze_row *row = &s->row[i];
		const struct bob_request *q = &a->r.request[row->index];

		put_time(grid_cell(g), q->time_us);
		span_printf(grid_cell(g), "%" PRIu64, q->samples);
		put_share(grid_cell(g), row->share.share);
		put_error(grid_cell(g), &row->share);
		put_start(a, q->t_first, grid_cell(g));
		put_string(a, q->value, grid_cell(g));
		put_frame(a, bob_stack_get(d, q->stack).frame, grid_cell(g));
	}
}

static void
route_rows(struct analyze *a, int id, struct grid *g)
{
	const struct section *s = &a->r.section[id];
	size_t i;

	for (i = 0; i < s->n_shown; i++) {
		const struct analyze_row *row = &s->row[i];
		const struct bob_route *t = &a->r.route[row->index];

		span_printf(grid_cell(g), "%s%" PRIu64,
		    t->n_single > 0 ? at_least(a) : "", t->n_requests);
		span_printf(grid_cell(g), "%" PRIu64, t->samples);
		put_share(grid_cell(g), row->share.share);
		put_error(grid_cell(g), &row->share);
		put_time(grid_cell(g), t->time_us);
		put_time(grid_cell(g), t->p50_us);
		put_time(grid_cell(g), t->p95_us);
		put_time(grid_cell(g), t->max_us);
		put_string(a, t->route, grid_cell(g));
	}
}

/* True if a row of a section has a file to show. */
static int
has_places(const struct analyze *a, int id)
{
	const struct section *s = &a->r.section[id];
	struct bob_view *v = id <= SECTION_TOTAL ? a->r.view : a->r.frames;
	size_t i;

	for (i = 0; i < s->n_shown; i++)
		if (s->row[i].key != 0 &&
		    bob_view_key(v, s->row[i].key).file.n > 0)
			return 1;
	return 0;
}

/* The columns of calm tables of keys. The last to go is the file, then the
 * error, the time; the share and the name stay. */
static size_t
calm_columns(const struct analyze *a, int id, struct grid_column *v)
{
	int is_frame = !a->r.groups_samples || id > SECTION_TOTAL;
	size_t n = 0;

	v[n++] = (struct grid_column){ "share", 1, 0, 0 };
	v[n++] = (struct grid_column){ plus_minus(a), 1, 0, 3 };
	v[n++] = (struct grid_column){ basis_title(&a->r), 1, 0, 1 };
	v[n++] = (struct grid_column){ "samples", 1, 0, 5 };
	if (id == SECTION_TREE && !a->o.is_inverted)
		v[n++] = (struct grid_column){ "self", 1, 0, 4 };
	v[n++] = (struct grid_column){ !is_frame ? grouping_name(a->o.group)
	    : a->o.group >= BOB_GROUP_FILE && a->o.group <= BOB_GROUP_MODULE
	    ? grouping_name(a->o.group) : "function", 0, 1, 0 };
	v[n++] = (struct grid_column){ has_places(a, id) ? "file" : "", 0, 1,
		2 };
	return n;
}

/* The columns of a section, in `v`; how many. */
static size_t
columns(const struct analyze *a, int id, struct grid_column *v)
{
	const char *time = basis_title(&a->r), *error = plus_minus(a);
	int is_reli = a->o.style == STYLE_RELI;
	size_t n = 0;

	if (is_calm(a) && id < SECTION_REQUESTS)
		return calm_columns(a, id, v);
	if (id == SECTION_REQUESTS)
		v[n++] = (struct grid_column){ time, 1, 0 };
	if (id == SECTION_ROUTES || id == SECTION_FREQUENT)
		v[n++] = (struct grid_column){ "requests", 1, 0 };
	v[n++] = (struct grid_column){ is_calm(a) ? "samples" : "count",
		!is_reli, 0, 6 };
	v[n++] = (struct grid_column){ is_calm(a) ? "share" : "pct", 0, 0, 0 };
	if (!is_reli || id >= SECTION_REQUESTS)
		v[n++] = (struct grid_column){ error, 1, 0, 5 };
	if (id == SECTION_REQUESTS) {
		v[n++] = (struct grid_column){ "at", 1, 0, 4 };
		v[n++] = (struct grid_column){ "request", 0, 1 };
		v[n++] = (struct grid_column){ "mostly in", 0, 1, 3 };
		return n;
	}
	if (id == SECTION_TREE && !is_reli && !a->o.is_inverted)
		v[n++] = (struct grid_column){ "self", 0, 0 };
	if (!is_reli || id >= SECTION_ROUTES)
		v[n++] = (struct grid_column){ time, 1, 0 };
	if (id >= SECTION_ROUTES) {
		v[n++] = (struct grid_column){ "median", 1, 0, 4 };
		v[n++] = (struct grid_column){ "95 %", 1, 0, 3 };
		v[n++] = (struct grid_column){ "slowest", 1, 0 };
		v[n++] = (struct grid_column){ "route", 0, 1 };
		return n;
	}
	v[n++] = (struct grid_column){ !a->r.groups_samples ||
		id > SECTION_TOTAL ? "frame" : grouping_name(a->o.group),
		0, 1 };
	return n;
}

void
section_grid(struct analyze *a, int id, struct grid *g)
{
	g->n_columns = columns(a, id, g->column);
	if (id == SECTION_REQUESTS)
		request_rows(a, g);
	else if (id == SECTION_ROUTES || id == SECTION_FREQUENT)
		route_rows(a, id, g);
	else
		key_rows(a, id, g);
}

static void
put_title(const struct analyze *a, int id, size_t width, struct block *b)
{
	struct span *l = block_line(b), title = { 0 };

	span_put(&title, "# ");
	section_title(a, id, &title);
	span_crop(&title, width, 0, mark(a));
	span_color(l, "1");
	span_add(l, &title);
	span_color(l, "0");
	span_done(&title);
}

static void
put_section(struct analyze *a, int id, size_t width, struct block *b)
{
	struct grid_style s = { .width = width, .mark = mark(a),
		.keeps_end = a->o.keeps_end,
		.head = id == SECTION_TREE ? TREE_HEAD : 0,
		.keeps_begin = a->o.has_anchor && !a->o.keeps_end };
	struct grid g = { 0 };

	put_title(a, id, width, b);
	if (id == SECTION_TAIL)
		tail_text(a, width, b);
	else if (a->r.section[id].n == 0) {
		span_put(block_line(b), "  (no matches)");
		span_crop(&b->v[b->n - 1], width, 0, mark(a));
	} else if (id == SECTION_TIMELINE)
		timeline_text(a, width, b);
	else {
		section_grid(a, id, &g);
		if (is_calm(a))
			grid_calm(&g, &s, b);
		else
			grid_box(&g, &s, b);
		grid_done(&g);
	}
}

static void
put_row(struct analyze *a, const int *id, size_t n, struct block *b)
{
	struct block column[N_SECTIONS] = { 0 };
	size_t width = a->o.crop, i, lines;

	if (a->o.is_auto_crop) {
		terminal_size(&width, &lines);
		width = width > 2 * (n - 1) ? (width - 2 * (n - 1)) / n : 0;
	}
	for (i = 0; i < n; i++)
		put_section(a, id[i], width, &column[i]);
	if (b->n > 0)
		(void)block_line(b);
	block_join(b, column, n);
	for (i = 0; i < n; i++)
		block_done(&column[i]);
}

int
begins_row(const struct analyze *a, size_t i)
{
	const struct layout *l = &a->o.layout;
	size_t first = i, end = i + 1, columns, lines;

	if (l->begins_row[i] || !a->o.is_auto_crop)
		return l->begins_row[i];
	while (!l->begins_row[first])
		first--;
	while (end < l->n && !l->begins_row[end])
		end++;
	terminal_size(&columns, &lines);
	return columns / (end - first) < MIN_COLUMNS;
}

void
analyze_text(struct analyze *a, struct block *b)
{
	const struct layout *l = &a->o.layout;
	int id[N_SECTIONS];
	size_t i, n = 0;

	if (is_calm(a))
		answer_text(a, b);
	for (i = 0; i <= l->n; i++) {
		if ((i == l->n || begins_row(a, i)) && n > 0) {
			put_row(a, id, n, b);
			n = 0;
		}
		if (i < l->n && a->r.section[l->section[i]].is_shown)
			id[n++] = l->section[i];
	}
	if (a->r.is_cut) {
		struct span *last = block_line(b);

		left_out(a, last);
	}
}
