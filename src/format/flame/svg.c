/*
 * The picture. Boxes are written as they are, for whoever shows pictures but
 * runs no scripts; the script draws them anew from the data behind them, and
 * can then zoom, search and turn the tree around. Both must agree: svg.js has
 * the same measures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"
#include "format/flame/flame.h"

/* Pixels, but for widths of letters, which are tenths of them. */
#define SIDE 10
#define TOP 74
#define FIRST 46 /* the first line below the heading */
#define LINE 18
#define LEGEND 18 /* more below the boxes of a comparison */
#define BOTTOM 40
#define ROW 18
#define LETTER 72
#define MIN_LETTERS 4
#define LEGEND_WIDTH 400
#define LEGEND_STEPS 4 /* on either side of grey */

/* Names end here in tips, which repeat for each box of a function. */
#define MAX_TIP 300

#define DEFAULT_WIDTH 1200

const struct bob_option_info flamegraph_options[] = {
	{ "title", "TEXT", "heading of the picture or page" },
	{ "width", "PIXELS", "width of the picture (1200)" },
	{ "icicle", NULL, "callers on top" },
	{ "lines", NULL, "one entry per line instead of per function" },
	{ "min-width", "N[px|%]", "boxes that are narrower are not drawn "
	    "(0.1px)" },
	{ NULL, NULL, NULL },
};

/* --- options ------------------------------------------------------------- */

/* A number with up to three digits behind its point, in thousandths; *end is
 * what follows it. 1, or 0 when it is none. */
static int
get_thousandths(const char *s, uint64_t *ret, const char **end)
{
	size_t n = text_n_digits(s, strlen(s)), n_more = 0, i;

	if (!text_get_u64(s, n, ret) || *ret > 1000000)
		return 0;
	s += n;
	if (*s == '.') {
		s++;
		n_more = text_n_digits(s, strlen(s));
	}
	for (i = 0; i < 3; i++)
		*ret = *ret * 10 + (i < n_more ? (uint64_t)(s[i] - '0') : 0);
	*end = s + n_more;
	return 1;
}

static int
get_width(struct sink *sink, struct flame_writer *w)
{
	const char *s = format_sink_option(sink, "width");

	w->width = DEFAULT_WIDTH;
	if (s == NULL)
		return BOB_OK;
	if (text_get_u64(s, strlen(s), &w->width) && w->width >= 200 &&
	    w->width <= 100000)
		return BOB_OK;
	return err_set(sink->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "flamegraph: width '%s' is not between 200 and 100000 pixels", s);
}

static int
get_min_width(struct sink *sink, struct flame_writer *w)
{
	const char *s = format_sink_option(sink, "min-width"), *end;

	w->min_width = 100;
	if (s == NULL)
		return BOB_OK;
	if (get_thousandths(s, &w->min_width, &end)) {
		if (*end == '\0' || strcmp(end, "px") == 0)
			return BOB_OK;
		if (strcmp(end, "%") == 0) {
			w->min_width = w->min_width * (w->width - 2 * SIDE) /
			    100;
			return BOB_OK;
		}
	}
	return err_set(sink->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "flamegraph: min-width '%s' is neither pixels (0.5px) nor a "
	    "share (1%%)", s);
}

static int
svg_open(struct sink *sink)
{
	struct flame_writer *w = sink->state;
	int r = get_width(sink, w);

	if (r == BOB_OK)
		r = get_min_width(sink, w);
	return r == BOB_OK ? flame_open(sink) : r;
}

/* --- texts --------------------------------------------------------------- */

/* Columns that a character takes: those of East Asia take two. */
static unsigned
char_columns(const char *p, size_t n)
{
	return n > 3 || (n == 3 && (unsigned char)*p >= 0xe3) ? 2 : 1;
}

/* The longest beginning of s that fits, and whether that is not all. */
static struct bob_bytes
fit_label(struct bob_bytes s, uint64_t room, int *is_cut)
{
	size_t i = 0, len, last = 0;
	uint64_t used = 0;
	int is_whole;

	*is_cut = 0;
	while (i < s.n) {
		len = utf8_take(s.p + i, s.n - i, &is_whole);
		used += char_columns(s.p + i, len);
		if (used + 2 <= room)
			last = i + len;
		if (used > room) {
			*is_cut = 1;
			return (struct bob_bytes){ s.p, last };
		}
		i += len;
	}
	return s;
}

/* What is behind the namespace: where not all fits, that tells more. */
static struct bob_bytes
last_part(struct bob_bytes name)
{
	size_t i = name.n;

	while (i > 0 && name.p[i - 1] != '\\')
		i--;
	return i == name.n ? name :
	    (struct bob_bytes){ name.p + i, name.n - i };
}

static void
put_name(struct flame_page *page, const struct flame_box *box, uint64_t room)
{
	const struct bob_frame *frame = &page->tree.fns.own->frame[box->frame];
	struct bob_bytes name = functions_name(&page->tree.fns, box->frame);
	struct bob_bytes shown;
	int is_cut;

	if (box->frame == 0) {
		text_str(&page->t, "all");
		return;
	}
	name = flame_clean(page, name);
	shown = fit_label(name, room, &is_cut);
	if (is_cut)
		shown = fit_label(last_part(name), room, &is_cut);
	flame_put_xml(&page->t, shown);
	if (is_cut) {
		text_str(&page->t, "..");
	} else if (page->w->has_lines && frame->where > 0) {
		text_byte(&page->t, ':');
		text_i64(&page->t, frame->where);
	}
}

static void
put_sum(struct flame_page *page, const struct flame_sum *v,
    const struct flame_sum *all)
{
	struct text *t = &page->t;

	flame_put_count(t, v->samples);
	text_str(t, v->samples == 1 ? " sample, " : " samples, ");
	if (page->scale.period > 0) {
		flame_put_time(t, v->time_us);
		text_str(t, ", ");
	}
	flame_put_share(t, flame_share(v->weight, all->weight));
}

static void
put_tip(struct flame_page *page, const struct flame_box *box)
{
	const struct flame_box *all = &page->tree.box[0];
	struct bob_bytes file = functions_file(&page->tree.fns, box->frame);
	struct text *t = &page->t;
	int is_cut;

	put_name(page, box, MAX_TIP);
	if (file.n > 0) {
		text_str(t, " (");
		flame_put_xml(t, fit_label(flame_clean(page, file), MAX_TIP,
		    &is_cut));
		text_str(t, is_cut ? "..)" : ")");
	}
	text_byte(t, '\n');
	if (box->change == NULL) {
		put_sum(page, &box->total, &all->total);
		return;
	}
	if (box->frame != 0) {
		flame_put_change(t, box->change);
		text_byte(t, '\n');
	}
	flame_put_count(t, box->base_total.samples);
	text_str(t, " samples before, ");
	flame_put_count(t, box->total.samples);
	text_str(t, " after");
}

/* --- boxes --------------------------------------------------------------- */

static void
put_attribute(struct text *t, const char *name, double pixels)
{
	uint64_t v = (uint64_t)(pixels * 100 + 0.5);

	text_byte(t, ' ');
	text_str(t, name);
	text_str(t, "=\"");
	text_u64(t, v / 100);
	if (v % 100 != 0) {
		text_byte(t, '.');
		text_digits(t, v % 100, 2);
	}
	text_byte(t, '"');
}

static void
put_colour(struct flame_page *page, const struct flame_box *box)
{
	struct text *t = &page->t;

	text_str(t, " fill=\"");
	if (box->frame == 0)
		text_str(t, "#d9d5ce");
	else if (box->change != NULL)
		flame_put_change_colour(t, box->change, page->tree.max_delta);
	else
		flame_put_colour(t, flame_colour_of(&page->tree.fns,
		    box->frame));
	text_byte(t, '"');
}

/* Lines of text below the heading, without the first one. */
static uint64_t
more_lines(const struct flame_page *page)
{
	return page->drawing.n_lines + (page->sink->diff != NULL);
}

static uint64_t
top_of(const struct flame_page *page)
{
	return TOP + more_lines(page) * LINE;
}

static void
put_box(struct flame_page *page, const struct flame_box *box, double x,
    double width)
{
	uint32_t row = page->w->is_icicle ? box->depth :
	    page->drawing.depth - box->depth;
	double y = (double)top_of(page) + (double)row * ROW;
	struct text *t = &page->t;
	uint64_t room = width < 7 ? 0 : (uint64_t)((width - 6) * 10 / LETTER);

	text_str(t, "<g><title>");
	put_tip(page, box);
	text_str(t, "</title><rect");
	put_attribute(t, "x", x);
	put_attribute(t, "y", y);
	put_attribute(t, "width", width);
	put_attribute(t, "height", ROW - 1);
	put_colour(page, box);
	text_str(t, "/>");
	if (room >= MIN_LETTERS) {
		text_str(t, "<text");
		put_attribute(t, "x", x + 3);
		put_attribute(t, "y", y + 13);
		text_byte(t, '>');
		put_name(page, box, room);
		text_str(t, "</text>");
	}
	text_str(t, "</g>\n");
}

static double
picture_scale(const struct flame_page *page)
{
	uint64_t all = page->tree.box[0].total.weight;

	return all == 0 ? 0 :
	    (double)(page->w->width - 2 * SIDE) / (double)all;
}

/* One pass: a box is placed before those on top of it. */
static void
place_boxes(struct flame_page *page)
{
	const struct flame_box *box = page->tree.box;
	struct flame_drawing *d = &page->drawing;
	double least = (double)page->w->min_width / 1000;
	uint32_t i;

	for (i = 1; i < page->tree.n; i++) {
		uint64_t *next = &d->next[box[i].parent];
		double width = (double)box[i].total.weight *
		    picture_scale(page);

		d->left[i] = d->next[i] = *next;
		if (box[i].total.samples == 0) {
			d->n_gone++;
			d->gone = count_add(d->gone, box[i].base.weight);
		}
		if (*next != UINT64_MAX && width >= least && width > 0) {
			*next = count_add(*next, box[i].total.weight);
			if (box[i].depth > d->depth)
				d->depth = box[i].depth;
			continue;
		}
		d->left[i] = d->next[i] = UINT64_MAX;
		if (box[i].total.samples == 0)
			continue;
		d->n_narrow++;
		if (*next != UINT64_MAX) {
			d->narrow = count_add(d->narrow,
			    box[i].total.weight);
			*next = count_add(*next, box[i].total.weight);
		}
	}
}

static uint64_t
end_of_boxes(const struct flame_page *page)
{
	return top_of(page) + ((uint64_t)page->drawing.depth + 1) * ROW;
}

static void
add_line(struct flame_page *page, const char *before, const char *text)
{
	struct flame_drawing *d = &page->drawing;

	if (*text != '\0')
		(void)snprintf(d->line[d->n_lines++], FLAME_LINE_TEXT, "%s%s",
		    before, text);
}

/* What is said about the recordings, in the words of reports. */
static void
make_lines(struct flame_page *page)
{
	static const char *const side[2] = { "before: ", "after: " };
	const struct format_diff *d = page->sink->diff;
	const struct bob_times *t = &page->sink->digest.times;
	char line[BOB_TIMES_TEXT], idle[BOB_TIMES_TEXT];
	char missing[BOB_TIMES_TEXT], all[FLAME_LINE_TEXT];
	int i;

	for (i = 0; d != NULL && i < 2; i++) {
		(void)bob_times_idle(idle, &d->times[i]);
		(void)bob_times_loss(missing, &d->times[i]);
		(void)snprintf(all, sizeof(all), "%s%s%s%s%s", bob_times_line(
		    line, &d->times[i], 0), *idle != '\0' ? "; " : "", idle,
		    *missing != '\0' ? "; missing: " : "", missing);
		add_line(page, side[i], all);
	}
	if (d == NULL) {
		add_line(page, "", bob_times_idle(line, t));
		add_line(page, "missing: ", bob_times_loss(line, t));
	}
}

/* The first hole: everything gets its place. */
static void
put_size(struct flame_page *page)
{
	struct flame_drawing *d = &page->drawing;
	uint64_t height;

	d->left = calloc(page->tree.n, sizeof(*d->left));
	d->next = calloc(page->tree.n, sizeof(*d->next));
	if (d->left == NULL || d->next == NULL) {
		page->t.r = err_nomem(page->sink->ctx);
		return;
	}
	place_boxes(page);
	make_lines(page);
	height = end_of_boxes(page) + BOTTOM +
	    (page->sink->diff != NULL ? LEGEND : 0);
	put_attribute(&page->t, "width", (double)page->w->width);
	put_attribute(&page->t, "height", (double)height);
	text_str(&page->t, " viewBox=\"0 0 ");
	text_u64(&page->t, page->w->width);
	text_byte(&page->t, ' ');
	text_u64(&page->t, height);
	text_byte(&page->t, '"');
}

static void
put_boxes(struct flame_page *page)
{
	const struct flame_box *box = page->tree.box;
	const uint64_t *left = page->drawing.left;
	double unit = picture_scale(page);
	uint32_t i;

	if (page->t.r < 0 || box[0].total.samples == 0)
		return;
	for (i = 0; i < page->tree.n; i++)
		if (left[i] != UINT64_MAX)
			put_box(page, &box[i], SIDE + (double)left[i] * unit,
			    (double)box[i].total.weight * unit);
}

static void
put_middle(struct flame_page *page)
{
	text_u64(&page->t, page->w->width / 2);
}

/* One of the two recordings of a comparison. */
static void
put_side(struct flame_page *page, int side)
{
	const struct format_diff *d = page->sink->diff;
	int is_cut;

	if (d->name[side] != NULL) {
		struct bob_bytes name = { d->name[side],
			strlen(d->name[side]) };

		flame_put_xml(&page->t, fit_label(flame_clean(page, name), 60,
		    &is_cut));
		text_str(&page->t, is_cut ? "..: " : ": ");
	}
	flame_put_count(&page->t, d->total[side].samples);
	text_str(&page->t, d->total[side].samples == 1 ? " sample"
	                                               : " samples");
}

/* What is in the picture, or that nothing is. */
static void
put_about(struct flame_page *page)
{
	const struct flame_box *all = &page->tree.box[0];
	struct text *t = &page->t;
	char line[BOB_TIMES_TEXT];

	if (page->sink->diff != NULL) {
		put_side(page, 0);
		text_str(t, " \xe2\x86\x92 ");
		put_side(page, 1);
		text_str(t, page->scale.by_time ? "; shares of time"
		                             : "; shares of samples");
		return;
	}
	flame_put_count(t, all->total.samples);
	text_str(t, all->total.samples == 1 ? " sample" : " samples");
	text_str(t, ", ");
	text_str(t, bob_times_line(line, &page->sink->digest.times, 0));
	if (page->scale.by_time)
		text_str(t, "; shares of time");
}

/* The lines, centred; what does not fit is in their tips. */
static void
put_lines(struct flame_page *page)
{
	const struct flame_drawing *d = &page->drawing;
	struct text *t = &page->t;
	uint32_t i;
	int is_cut;

	for (i = 0; i < d->n_lines; i++) {
		struct bob_bytes line = { d->line[i], strlen(d->line[i]) };

		text_str(t, "<text class=\"times\"");
		put_attribute(t, "x", (double)page->w->width / 2);
		put_attribute(t, "y", (double)(FIRST + LINE *
		    (more_lines(page) - d->n_lines + 1 + i)));
		text_str(t, "><title>");
		flame_put_xml(t, line);
		text_str(t, "</title>");
		flame_put_xml(t, fit_label(line, page->w->width / 7,
		    &is_cut));
		text_str(t, is_cut ? "..</text>\n" : "</text>\n");
	}
}

/* What is not in it. */
static void
put_notes(struct flame_page *page)
{
	const struct flame_box *all = &page->tree.box[0];
	struct text *t = &page->t;
	const struct flame_drawing *d = &page->drawing;

	if (d->n_narrow > 0) {
		text_str(t, "... ");
		flame_put_count(t, d->n_narrow);
		text_str(t, d->n_narrow == 1 ? " box is" : " boxes are");
		text_str(t, " too narrow to be drawn: ");
		flame_put_share(t, flame_share(d->narrow,
		    all->total.weight));
		text_str(t, ". ");
	}
	if (d->n_gone > 0) {
		flame_put_share(t, flame_share(d->gone,
		    all->base_total.weight));
		text_str(t, " of the baseline is in ");
		flame_put_count(t, d->n_gone);
		text_str(t, d->n_gone == 1 ? " call path" : " call paths");
		text_str(t, " that only it has.");
	}
}

/* In a comparison: the verdict, and what the colours mean. */
static void
put_verdict(struct flame_page *page)
{
	const struct format_diff *d = page->sink->diff;
	struct bob_bytes verdict;
	int is_cut;

	if (d == NULL)
		return;
	verdict.p = d->verdict;
	verdict.n = strlen(d->verdict);
	text_str(&page->t, "<text id=\"verdict\"");
	put_attribute(&page->t, "x", (double)page->w->width / 2);
	text_str(&page->t, " y=\"46\"><title>");
	verdict = flame_clean(page, verdict);
	flame_put_xml(&page->t, verdict);
	text_str(&page->t, "</title>");
	flame_put_xml(&page->t, fit_label(verdict, page->w->width / 7,
	    &is_cut));
	text_str(&page->t, is_cut ? "..</text>\n" : "</text>\n");
}

/* Colours from blue to red, with the ends in points. */
static void
put_legend(struct flame_page *page)
{
	struct text *t = &page->t;
	struct bob_change c = { .is_significant = 1 };
	double max = page->tree.max_delta, x = (double)page->w->width -
	    LEGEND_WIDTH;
	char label[64];
	int i;

	if (page->sink->diff == NULL)
		return;
	text_str(t, "<g id=\"legend\" transform=\"translate(0,");
	text_u64(t, end_of_boxes(page) + 12);
	text_str(t, ")\">");
	(void)snprintf(label, sizeof(label), "%.1f", -100 * max);
	for (i = -LEGEND_STEPS; max > 0 && i <= LEGEND_STEPS; i++) {
		c.delta = max * i / LEGEND_STEPS;
		text_str(t, "<rect height=\"12\" width=\"14\"");
		put_attribute(t, "x", x + 40 + 14 * (i + LEGEND_STEPS));
		text_str(t, " fill=\"");
		flame_put_change_colour(t, &c, max);
		text_str(t, "\"/>");
	}
	text_str(t, "<text text-anchor=\"end\" y=\"10\"");
	put_attribute(t, "x", max > 0 ? x + 36 : x + LEGEND_WIDTH - SIDE);
	text_byte(t, '>');
	text_str(t, max > 0 ? label : "grey: no change beyond noise");
	text_str(t, "</text>");
	if (max > 0) {
		(void)snprintf(label, sizeof(label), "+%.1f points; grey: not "
		    "beyond noise", 100 * max);
		text_str(t, "<text y=\"10\"");
		put_attribute(t, "x", x + 44 + 14 * (2 * LEGEND_STEPS + 1));
		text_byte(t, '>');
		text_str(t, label);
		text_str(t, "</text>");
	}
	text_str(t, "</g>\n");
}

static void
put_about_y(struct flame_page *page)
{
	text_u64(&page->t, page->sink->diff != NULL ? FIRST + LINE : FIRST);
}

static void
put_notes_y(struct flame_page *page)
{
	text_u64(&page->t, end_of_boxes(page) + 24 +
	    (page->sink->diff != NULL ? LEGEND : 0));
}

static int
svg_finish(struct sink *sink)
{
	static const struct flame_hole hole[] = {
		{ "size", put_size },
		{ "title", flame_put_title },
		{ "middle", put_middle },
		{ "verdict", put_verdict },
		{ "about-y", put_about_y },
		{ "about", put_about },
		{ "lines", put_lines },
		{ "boxes", put_boxes },
		{ "notes", put_notes },
		{ "notes-y", put_notes_y },
		{ "legend", put_legend },
		{ "data", flame_put_data },
	};

	return flame_write(sink, flame_svg_asset, hole);
}

const struct sink_ops flamegraph_sink = {
	.state_size = sizeof(struct flame_writer),
	.want = BOB_WANT_MARKS,
	.takes_diff = 1,
	.takes_digest = 1,
	.open = svg_open,
	.finish = svg_finish,
	.close = flame_close,
};
