/*
 * The tree as JSON, which core.js reads. Numbers that belong to one box, or to
 * one box and track, are in flat arrays with the differences of box numbers:
 * that is short, and quick to parse.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "format/flame/flame.h"

static void
put_key(struct text *t, const char *key)
{
	text_str(t, ",\n\"");
	text_str(t, key);
	text_str(t, "\":");
}

static void
put_string(struct flame_page *page, struct bob_bytes s)
{
	struct bob_bytes clean = flame_clean(page, s);

	json_string(&page->t, clean.p, clean.n);
}

static void
put_comma(struct text *t, size_t i)
{
	if (i > 0)
		text_byte(t, ',');
}

/* --- functions ----------------------------------------------------------- */

/* Numbers that files get, in order of appearance; 0 is no file. */
static void
put_files(struct flame_page *page, const bob_fid *frame, uint32_t n)
{
	const struct functions *f = &page->tree.fns;
	uint32_t *number = calloc(f->own->n.n_str, sizeof(*number));
	uint32_t n_file = 0, i;

	if (number == NULL) {
		page->t.r = err_nomem(page->sink->ctx);
		return;
	}
	put_key(&page->t, "files");
	text_str(&page->t, "[\"\"");
	for (i = 0; i < n; i++) {
		bob_str file = f->own->frame[frame[i]].file;

		if (file == 0 || number[file] != 0)
			continue;
		number[file] = ++n_file;
		text_byte(&page->t, ',');
		put_string(page, f->own->str[file]);
	}
	text_str(&page->t, "]");
	put_key(&page->t, "file");
	text_byte(&page->t, '[');
	for (i = 0; i < n; i++) {
		put_comma(&page->t, i);
		text_u64(&page->t, number[f->own->frame[frame[i]].file]);
	}
	text_byte(&page->t, ']');
	free(number);
}

static void
put_functions(struct flame_page *page, const bob_fid *frame, uint32_t n)
{
	const struct functions *f = &page->tree.fns;
	uint32_t i;

	put_key(&page->t, "name");
	text_byte(&page->t, '[');
	for (i = 0; i < n; i++) {
		put_comma(&page->t, i);
		put_string(page, functions_name(f, frame[i]));
	}
	text_byte(&page->t, ']');
	put_files(page, frame, n);
	put_key(&page->t, "colour");
	text_byte(&page->t, '[');
	for (i = 0; i < n; i++) {
		put_comma(&page->t, i);
		text_u64(&page->t, flame_colour_of(f, frame[i]));
	}
	text_byte(&page->t, ']');
	if (!page->w->has_lines)
		return;
	put_key(&page->t, "line");
	text_byte(&page->t, '[');
	for (i = 0; i < n; i++) {
		put_comma(&page->t, i);
		text_i64(&page->t, f->own->frame[frame[i]].where);
	}
	text_byte(&page->t, ']');
}

/* --- boxes --------------------------------------------------------------- */

/* Numbers functions as boxes need them: frame[i] is function i's, number[]
 * the other way round. Returns how many there are. */
static uint32_t
number_functions(const struct flame_tree *tree, bob_fid *frame,
    uint32_t *number)
{
	uint32_t n = 0, i;

	for (i = 1; i < tree->n; i++) {
		bob_fid id = tree->box[i].frame;

		if (number[id] != 0)
			continue;
		frame[n++] = id;
		number[id] = n;
	}
	return n;
}

static void
put_boxes(struct flame_page *page, const uint32_t *number)
{
	const struct flame_tree *tree = &page->tree;
	uint32_t i;

	put_key(&page->t, "up");
	text_byte(&page->t, '[');
	for (i = 1; i < tree->n; i++) {
		put_comma(&page->t, i - 1);
		text_u64(&page->t, i - tree->box[i].parent);
	}
	text_byte(&page->t, ']');
	put_key(&page->t, "fn");
	text_byte(&page->t, '[');
	for (i = 1; i < tree->n; i++) {
		put_comma(&page->t, i - 1);
		text_u64(&page->t, number[tree->box[i].frame] - 1);
	}
	text_byte(&page->t, ']');
}

/* `distance to the box before, samples` and, where each has its own, the time;
 * returns the box. */
static uint32_t
put_weight(struct flame_page *page, uint32_t before, uint32_t box,
    const struct flame_sum *sum, int is_first)
{
	if (!is_first)
		text_byte(&page->t, ',');
	text_u64(&page->t, box - before);
	text_byte(&page->t, ',');
	text_u64(&page->t, sum->samples);
	if (page->scale.has_times) {
		text_byte(&page->t, ',');
		text_u64(&page->t, sum->time_us);
	}
	return box;
}

static void
put_baseline(struct flame_page *page)
{
	const struct flame_tree *tree = &page->tree;
	uint32_t before = 0, i;
	int is_first = 1;

	if (page->sink->diff == NULL)
		return;
	put_key(&page->t, "base");
	text_byte(&page->t, '[');
	for (i = 0; i < tree->n; i++) {
		if (tree->box[i].base.samples == 0)
			continue;
		before = put_weight(page, before, i, &tree->box[i].base,
		    is_first);
		is_first = 0;
	}
	text_byte(&page->t, ']');
}

/* --- what a comparison found ---------------------------------------------- */

/* `low, high, q, is it significant`: millionths, but q in ten thousandths. */
static void
put_change(struct text *t, const struct bob_change *c, int is_first)
{
	if (!is_first)
		text_byte(t, ',');
	text_i64(t, (int64_t)llround(c->low * 1e6));
	text_byte(t, ',');
	text_i64(t, (int64_t)llround(c->high * 1e6));
	text_byte(t, ',');
	text_i64(t, (int64_t)llround(c->q * 1e4));
	text_str(t, c->is_significant ? ",1" : ",0");
}

static void
put_sides(struct flame_page *page)
{
	const struct format_diff *d = page->sink->diff;
	struct text *t = &page->t;
	int i;

	for (i = 0; i < 2; i++) {
		const char *name = d->name[i] != NULL ? d->name[i] : "";

		text_str(t, i == 0 ? "\"sides\":[[" : "],[");
		put_string(page, (struct bob_bytes){ name, strlen(name) });
		text_byte(t, ',');
		text_u64(t, d->total[i].samples);
		text_byte(t, ',');
		text_u64(t, d->total[i].time_us);
	}
	text_str(t, "]]");
}

/* By box, and by function by self and by total. */
static void
put_diff(struct flame_page *page, const bob_fid *frame, uint32_t n)
{
	static const struct bob_change none = { .low = -1, .high = 1, .q = 1 };
	const struct format_diff *d = page->sink->diff;
	const struct flame_tree *tree = &page->tree;
	struct text *t = &page->t;
	uint32_t i;

	if (d == NULL)
		return;
	put_key(t, "diff");
	text_byte(t, '{');
	put_sides(page);
	text_str(t, d->by_time ? ",\"unit\":\"time\"" :
	    ",\"unit\":\"samples\"");
	text_str(t, ",\"max\":");
	text_i64(t, (int64_t)llround(tree->max_delta * 1e6));
	text_str(t, ",\"verdict\":");
	put_string(page, (struct bob_bytes){ d->verdict,
	    strlen(d->verdict) });
	put_key(t, "boxes");
	text_byte(t, '[');
	for (i = 0; i < tree->n; i++)
		put_change(t, i == 0 ? &none : tree->box[i].change, i == 0);
	text_byte(t, ']');
	put_key(t, "self");
	text_byte(t, '[');
	for (i = 0; i < n; i++)
		put_change(t, tree->row_of[frame[i]] != NULL
		    ? &tree->row_of[frame[i]]->self : &none, i == 0);
	text_byte(t, ']');
	put_key(t, "total");
	text_byte(t, '[');
	for (i = 0; i < n; i++)
		put_change(t, tree->row_of[frame[i]] != NULL
		    ? &tree->row_of[frame[i]]->total : &none, i == 0);
	text_str(t, "]}");
}

static void
put_self(struct flame_page *page)
{
	const struct flame_tree *tree = &page->tree;
	uint32_t before = 0, i;
	int is_first = 1;

	put_key(&page->t, "self");
	text_byte(&page->t, '[');
	for (i = 0; i < tree->n; i++) {
		if (tree->box[i].self.samples == 0)
			continue;
		before = put_weight(page, before, i, &tree->box[i].self,
		    is_first);
		is_first = 0;
	}
	text_byte(&page->t, ']');
}

/* --- the rest ------------------------------------------------------------ */

static void
put_number(struct text *t, const char *key, uint64_t v)
{
	put_key(t, key);
	text_u64(t, v);
}

static void
put_facts(struct flame_page *page)
{
	const struct flame_writer *w = page->w;
	struct text *t = &page->t;
	size_t i;

	text_str(t, "{\"version\":1");
	put_number(t, "icicle", (uint64_t)w->is_icicle);
	put_number(t, "period", page->scale.period);
	put_number(t, "mixed", (uint64_t)page->scale.has_times);
	put_number(t, "byTime", (uint64_t)page->scale.by_time);
	put_number(t, "lines", page->drawing.n_lines);
	put_number(t, "samples", page->tree.box[0].total.samples);
	put_number(t, "minWidth", w->min_width);
	put_key(t, "palette");
	text_byte(t, '[');
	for (i = 0; i < FLAME_COLOURS; i++) {
		put_comma(t, i);
		text_byte(t, '"');
		flame_put_colour(t, (unsigned)i);
		text_byte(t, '"');
	}
	text_byte(t, ']');
}

void
flame_put_data(struct flame_page *page)
{
	const struct bob_dict *own = page->tree.fns.own;
	bob_fid *frame = calloc(own->n.n_frame, sizeof(*frame));
	uint32_t *number = calloc(own->n.n_frame, sizeof(*number)), n;

	if (frame == NULL || number == NULL) {
		page->t.r = err_nomem(page->sink->ctx);
	} else {
		n = number_functions(&page->tree, frame, number);
		put_facts(page);
		put_functions(page, frame, n);
		put_boxes(page, number);
		put_self(page);
		put_baseline(page);
		put_diff(page, frame, n);
		text_str(&page->t, "}\n");
	}
	free(frame);
	free(number);
}
