/* Reads the options of both sinks, and sums samples and time by line and by
 * file; see heatmap.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/times.h>

#include "format/heatmap/heatmap.h"
#include "model/callgraph.h"

static int
add_source(struct sink *sink, const char *spec)
{
	struct heatmap_writer *st = sink->state;
	int sys;

	if (st->sources == NULL)
		st->sources = bob_sources_new();
	sys = st->sources == NULL ? ENOMEM : bob_sources_add(st->sources, spec);
	return sys == 0 ? BOB_OK : err_sys(sink->ctx, BOB_FAILED, sys,
	    "source directory %s", spec);
}

int
heatmap_open(struct sink *sink)
{
	int r = BOB_OK;
	size_t i;

	for (i = 0; r == BOB_OK && sink->sources == NULL &&
	     i < sink->n_options; i++)
		if (strcmp(sink->options[i].key, "source") == 0)
			r = add_source(sink, sink->options[i].value);
	return r;
}

void
heatmap_close(struct sink *sink)
{
	struct heatmap_writer *st = sink->state;

	bob_sources_free(st->sources);
}

static int
compare_lines(const void *pa, const void *pb)
{
	const struct heat_line *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static int
compare_files(const void *pa, const void *pb)
{
	const struct heat_file *a = pa, *b = pb;

	if (a->self.weight != b->self.weight)
		return a->self.weight > b->self.weight ? -1 : 1;
	if (a->total.weight != b->total.weight)
		return a->total.weight > b->total.weight ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* The distinct lines of all places, sorted by file and number. */
static int
make_lines(struct heatmap *h)
{
	const struct functions *f = &h->fns;
	size_t n = 0;
	uint32_t i;

	h->line = calloc(f->n_place, sizeof(*h->line));
	h->file = calloc(f->n_place, sizeof(*h->file));
	if (h->line == NULL || h->file == NULL)
		return err_nomem(h->ctx);
	for (i = 1; i < f->n_place; i++)
		h->line[i - 1] = (struct heat_line){
			.file = f->own->frame[f->place[i].function].file,
			.line = f->place[i].line };
	qsort(h->line, f->n_place - 1, sizeof(*h->line), compare_lines);
	for (i = 0; i + 1 < f->n_place; i++)
		if (n == 0 || compare_lines(&h->line[n - 1], &h->line[i]) != 0)
			h->line[n++] = h->line[i];
	h->n_line = n;
	return BOB_OK;
}

static void
make_files(struct heatmap *h)
{
	size_t i;

	for (i = 0; i < h->n_line; i++) {
		if (i == 0 || h->line[i].file != h->line[i - 1].file)
			h->file[h->n_file++] = (struct heat_file){
				.name = h->line[i].file, .first = i };
		h->file[h->n_file - 1].n++;
	}
}

/* Where the lines and files of places are; by place. */
struct heat_map {
	uint32_t *line, *file;
};

static void
find_places(const struct heatmap *h, const struct heat_map *m)
{
	const struct functions *f = &h->fns;
	struct heat_line key = { 0 }, *at;
	size_t i, k;

	for (i = 0; i < h->n_file; i++)
		/* NOLINT(clang-analyzer-security.ArrayBound): n of them. */
		for (k = 0; k < h->file[i].n; k++)
			m->file[h->file[i].first + k] = (uint32_t)i;
	for (i = 1; i < f->n_place; i++) {
		key.file = f->own->frame[f->place[i].function].file;
		key.line = f->place[i].line;
		at = bsearch(&key, h->line, h->n_line, sizeof(key),
		    compare_lines);
		m->line[i] = (uint32_t)(at - h->line);
	}
}

static uint64_t
weigh(const struct format_digest *d, uint64_t samples, uint64_t us)
{
	return d->by_time ? us : samples;
}

/* A sum by line or by file: each sample counts once, however often the line
 * or file is in its stack. node_of is by frame. */
static int
sum_by_node(const struct heatmap *h, const struct sink *sink,
    const uint32_t *node_of, uint32_t n_node, struct callgraph *ret)
{
	const struct format_digest *d = &sink->digest;
	const struct bob_cell *e = d->cell;
	size_t i;

	if (callgraph_init(ret, h->ctx, sink->dict, h->fns.own->seed, node_of,
	        n_node, NULL) < 0)
		return BOB_FATAL;
	for (i = 0; i < d->n_cell; i++)
		if (callgraph_add(ret, e[i].stack, e[i].samples,
		        weigh(d, e[i].samples, e[i].time_us)) < 0)
			return BOB_FATAL;
	return callgraph_solve(ret);
}

static void
set_heat(struct heat *self, struct heat *total, const struct callgraph_node *n)
{
	*self = (struct heat){ n->self, n->self_us };
	*total = (struct heat){ n->total, n->total_us };
}

/* Nodes are lines, then files, from 1 on. */
static int
heat_up(struct heatmap *h, const struct heat_map *m, const struct sink *sink)
{
	const struct functions *f = &h->fns;
	uint32_t *node_of = calloc(f->n_frame, sizeof(*node_of)), i;
	struct callgraph lines = { 0 }, files = { 0 };
	int r = node_of == NULL ? err_nomem(h->ctx) : BOB_OK;

	for (i = 1; r == BOB_OK && i < f->n_frame; i++)
		node_of[i] = m->line[f->place_of[i]] + 1;
	if (r == BOB_OK)
		r = sum_by_node(h, sink, node_of, (uint32_t)h->n_line + 1,
		    &lines);
	for (i = 1; r == BOB_OK && i < f->n_frame; i++)
		node_of[i] = m->file[m->line[f->place_of[i]]] + 1;
	if (r == BOB_OK)
		r = sum_by_node(h, sink, node_of, (uint32_t)h->n_file + 1,
		    &files);
	for (i = 0; r == BOB_OK && i < h->n_line; i++) {
		set_heat(&h->line[i].self, &h->line[i].total,
		    &lines.node[i + 1]);
		if (h->line[i].self.weight > h->hottest)
			h->hottest = h->line[i].self.weight;
	}
	for (i = 0; r == BOB_OK && i < h->n_file; i++)
		set_heat(&h->file[i].self, &h->file[i].total,
		    &files.node[i + 1]);
	callgraph_done(&lines);
	callgraph_done(&files);
	free(node_of);
	return r;
}

static int
make_heatmap(struct heatmap *h, const struct sink *sink)
{
	const struct heatmap_writer *st = sink->state;
	const struct format_digest *d = &sink->digest;
	struct heat_map m = { 0 };
	int r = BOB_FATAL;

	memset(h, 0, sizeof(*h));
	h->ctx = sink->ctx;
	h->all = (struct heat){ d->times.share_samples,
		weigh(d, d->times.share_samples, d->times.share_us) };
	h->source_left = HEATMAP_MAX_SOURCE;
	h->sources = sink->sources != NULL ? sink->sources : st->sources;
	if (functions_init(&h->fns, sink->ctx, sink->dict) < 0 ||
	    functions_update(&h->fns) < 0 || make_lines(h) < 0)
		return BOB_FATAL;
	make_files(h);
	m.line = calloc(h->fns.n_place, sizeof(*m.line));
	m.file = calloc(h->n_line + 1, sizeof(*m.file));
	if (m.line == NULL || m.file == NULL) {
		(void)err_nomem(sink->ctx);
		goto out;
	}
	find_places(h, &m);
	r = heat_up(h, &m, sink);
	qsort(h->file, h->n_file, sizeof(*h->file), compare_files);
out:
	free(m.line);
	free(m.file);
	return r;
}

static void
free_heatmap(struct heatmap *h)
{
	functions_done(&h->fns);
	free(h->line);
	free(h->file);
}

unsigned
heatmap_permille(const struct heatmap *h, const struct heat *part)
{
	double all = (double)h->all.weight;

	return all <= 0 ? 0
	    : (unsigned)((double)part->weight * 1000 / all + 0.5);
}

static void
put_line(struct text *t, const char *label, const char *line, const char *end)
{
	if (*line == '\0')
		return;
	text_str(t, label);
	text_str(t, line);
	text_str(t, end);
}

void
heatmap_put_times(struct heatmap_page *page, const char *end)
{
	const struct format_digest *d = &page->sink->digest;
	char line[BOB_TIMES_TEXT];
	struct text *t = &page->text;

	put_line(t, "", bob_times_line(line, &d->times, 0), end);
	put_line(t, "", bob_times_idle(line, &d->times), end);
	put_line(t, "missing: ", bob_times_loss(line, &d->times), end);
	put_line(t, "", d->by_time ? "shares are of time"
	                           : "shares are of samples", end);
}

int
heatmap_put(struct sink *sink, const struct heatmap_style *style)
{
	struct heatmap_page page = { .sink = sink };
	struct heatmap *h = &page.map;
	size_t i;
	int r = format_need_output(sink);

	if (r < 0)
		return r;
	r = make_heatmap(h, sink);
	if (r == BOB_OK)
		r = style->head(&page);
	for (i = 0; r == BOB_OK && i < h->n_file; i++)
		if (h->file[i].total.samples > 0)
			r = style->file(&page, &h->file[i], i == 0);
	if (r == BOB_OK)
		r = style->foot(&page);
	text_done(&page.text);
	free_heatmap(h);
	return r;
}
