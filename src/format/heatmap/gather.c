/* Sums by line; see heatmap.h. */
#include <stdlib.h>
#include <string.h>

#include "format/heatmap/heatmap.h"

const struct bob_option_info heatmap_options[] = {
	{ "no-source", NULL, "do not read source files" },
	{ NULL, NULL, NULL },
};

int
heatmap_open(struct sink *sink)
{
	struct heatmap_writer *st = sink->state;

	st->no_source = sink_option(sink, "no-source") != NULL;
	return sums_open(sink);
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

	if (a->self.us != b->self.us)
		return a->self.us > b->self.us ? -1 : 1;
	if (a->total.us != b->total.us)
		return a->total.us > b->total.us ? -1 : 1;
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

static void
heat_add(struct heat *to, const struct tally_entry *e)
{
	to->samples = count_add(to->samples, e->samples);
	to->us = count_add(to->us, e->time_us);
}

/* A stack with its samples: each line and file counts once. */
static void
add_stack(struct heatmap *h, const struct heat_map *m,
    const struct dict_node *node, const struct tally_entry *e,
    uint32_t serial)
{
	bob_stack s;

	for (s = e->stack; s != 0; s = node[s].parent) {
		uint32_t id = m->line[h->fns.place_of[node[s].frame]];
		struct heat_line *line = &h->line[id];
		struct heat_file *file = &h->file[m->file[id]];

		if (line->seen != serial)
			heat_add(&line->total, e);
		if (file->seen != serial)
			heat_add(&file->total, e);
		line->seen = file->seen = serial;
		if (s != e->stack)
			continue;
		heat_add(&line->self, e);
		heat_add(&file->self, e);
		if (line->self.us > h->hottest)
			h->hottest = line->self.us;
	}
}

int
heatmap_make(struct heatmap *h, const struct sink *sink)
{
	const struct heatmap_writer *st = sink->state;
	struct heat_map m = { 0 };
	uint32_t i;
	int r = BOB_FATAL;

	memset(h, 0, sizeof(*h));
	h->ctx = sink->ctx;
	h->all = (struct heat){ st->tally.samples, st->tally.time_us };
	h->source_left = st->no_source ? 0 : HEATMAP_MAX_SOURCE;
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
	for (i = 1; i < st->tally.n; i++)
		add_stack(h, &m, sink->dict->node, &st->tally.entry[i], i);
	qsort(h->file, h->n_file, sizeof(*h->file), compare_files);
	r = BOB_OK;
out:
	free(m.line);
	free(m.file);
	return r;
}

void
heatmap_done(struct heatmap *h)
{
	functions_done(&h->fns);
	free(h->line);
	free(h->file);
}

unsigned
heatmap_permille(const struct heatmap *h, const struct heat *part)
{
	return h->all.us == 0 ? 0 :
	    (unsigned)((double)part->us * 1000 / (double)h->all.us + 0.5);
}

int
heatmap_put(struct sink *sink, const struct heatmap_style *style)
{
	struct heatmap_page page = { .sink = sink };
	struct heatmap *h = &page.map;
	size_t i;
	int r = sink_need_output(sink);

	if (r < 0)
		return r;
	r = heatmap_make(h, sink);
	if (r == BOB_OK)
		r = style->head(&page);
	for (i = 0; r == BOB_OK && i < h->n_file; i++)
		if (h->file[i].total.samples > 0)
			r = style->file(&page, &h->file[i], i == 0);
	if (r == BOB_OK)
		r = style->foot(&page);
	text_done(&page.text);
	heatmap_done(h);
	return r;
}
