/*
 * Profiles for Python's pstats, snakeviz and the like: a dictionary from
 * (file, line, function) to counts and times. Write only: it has no stacks.
 * Described in docs/formats/pstats.md.
 */
#include "format/pstats/pstats.h"

#include <stdlib.h>

#include "format/common/functions.h"
#include "format/common/tallysink.h"
#include "format/pstats/marshal.h"
#include "model/callgraph.h"

struct writer {
	struct tally tally; /* first */
	int is_marked; /* pstats-sampled */
};

static const struct bob_option_info options[] = {
	{ "pstats-sampled", NULL, "mark the profile as sampled, as CPython "
	                          "3.15 does; pstats before 3.15 fails on "
	                          "that" },
	{ NULL, NULL, NULL },
};

/* What it takes to write the file. */
struct page {
	struct sink *sink;
	struct functions fns;
	struct bob_dict *keys; /* its frames are what Python tells apart */
	uint32_t *key_of; /* by frame: its key */
	uint32_t root_key; /* of samples without any frame */
	struct callgraph graph; /* keys */
	uint32_t *first; /* by key: its first incoming edge */
	uint32_t *next;  /* by edge: the next one of the same callee */
	struct text text;
};

static int
pstats_open(struct sink *sink)
{
	struct writer *st = sink->state;

	st->is_marked = format_sink_option(sink, "pstats-sampled") != NULL;
	return tally_sink_open(sink);
}

static void
page_done(struct page *page)
{
	functions_done(&page->fns);
	bob_dict_free(page->keys);
	callgraph_done(&page->graph);
	free(page->key_of);
	free(page->first);
	free(page->next);
	text_done(&page->text);
}

/* Places of different languages may be one for Python, which calls what is
 * not in a file `~`: a key that comes twice would lose the first. */
static int
make_key(struct page *page, struct bob_bytes file, int64_t line,
    struct bob_bytes name, uint32_t *ret)
{
	struct bob_frame key = { .where = line };

	if (file.n == 0)
		file = (struct bob_bytes){ "~", 1 };
	key.file = bob_str_put(page->keys, file.p, file.n);
	key.name = bob_str_put(page->keys, name.p, name.n);
	if (key.file == BOB_NO_ID || key.name == BOB_NO_ID)
		return BOB_FATAL;
	*ret = bob_frame_put(page->keys, &key);
	return *ret == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static int
find_keys(struct page *page)
{
	struct functions *f = &page->fns;
	uint32_t i;

	page->keys = bob_dict_new(page->sink->ctx);
	if (page->keys == NULL)
		return BOB_FATAL;
	page->key_of = calloc(f->n_frame, sizeof(*page->key_of));
	if (page->key_of == NULL)
		return err_nomem(page->sink->ctx);
	for (i = 1; i < f->n_frame; i++) {
		const struct place *place = &f->place[f->place_of[i]];

		if (make_key(page, functions_file(f, place->function),
		        place->line, functions_name(f, place->function),
		        &page->key_of[i]) < 0)
			return BOB_FATAL;
	}
	return make_key(page, (struct bob_bytes){ "", 0 }, 0,
	    (struct bob_bytes){ "(root)", 6 }, &page->root_key);
}

/* Adds samples without any frame to a function of their own, as sums would not
 * agree without them. Nobody calls it, so it comes after callgraph_solve. */
static void
count_empty(struct page *page)
{
	const struct writer *st = page->sink->state;
	struct callgraph_node *n = &page->graph.node[page->root_key];
	uint32_t i;

	for (i = 1; i < st->tally.n; i++) {
		const struct tally_entry *e = &st->tally.entry[i];

		if (e->stack != 0)
			continue;
		n->self = count_add(n->self, e->samples);
		n->total = count_add(n->total, e->samples);
		n->self_us = count_add(n->self_us, e->time_us);
		n->total_us = count_add(n->total_us, e->time_us);
	}
}

/* Who was called by whom. */
static int
find_calls(struct page *page)
{
	const struct writer *st = page->sink->state;
	uint32_t n = page->keys->n.n_frame, i;

	if (callgraph_init(&page->graph, page->sink->ctx, page->sink->dict,
	        page->keys->seed, page->key_of, n, page->key_of) < 0)
		return BOB_FATAL;
	for (i = 1; i < st->tally.n; i++) {
		const struct tally_entry *e = &st->tally.entry[i];

		if (e->stack != 0 && callgraph_add(&page->graph, e->stack,
		        e->samples, e->time_us) < 0)
			return BOB_FATAL;
	}
	if (callgraph_solve(&page->graph) < 0)
		return BOB_FATAL;
	count_empty(page);
	page->first = calloc(n, sizeof(*page->first));
	page->next = calloc(page->graph.n_edge, sizeof(*page->next));
	if (page->first == NULL || page->next == NULL)
		return err_nomem(page->sink->ctx);
	for (i = page->graph.n_edge - 1; i > 0; i--) {
		uint32_t callee = page->graph.edge[i].callee;

		if (page->graph.edge[i].site == 0)
			continue; /* a stack begins with it */
		page->next[i] = page->first[callee];
		page->first[callee] = i;
	}
	return BOB_OK;
}

static int
page_init(struct page *page, struct sink *sink)
{
	page->sink = sink;
	if (functions_init(&page->fns, sink->ctx, sink->dict) < 0 ||
	    functions_update(&page->fns) < 0 || find_keys(page) < 0)
		return BOB_FATAL;
	return find_calls(page);
}

static void
put_key(struct page *page, uint32_t id)
{
	const struct bob_frame *key = &page->keys->frame[id];

	marshal_tuple(&page->text, 3);
	marshal_str(&page->text, page->keys->str[key->file]);
	marshal_int(&page->text, key->where);
	marshal_str(&page->text, page->keys->str[key->name]);
}

static void
put_counts(struct page *page, uint64_t self, uint64_t total,
    uint64_t self_us, uint64_t total_us)
{
	struct text *t = &page->text;

	marshal_int(t, (int64_t)self);
	marshal_int(t, (int64_t)total);
	marshal_double(t, (double)self_us / 1e6);
	marshal_double(t, (double)total_us / 1e6);
}

static int
put_entry(struct page *page, uint32_t id)
{
	const struct callgraph_node *n = &page->graph.node[id];
	struct text *t = &page->text;
	uint32_t i;

	text_begin(t, page->sink->out);
	put_key(page, id);
	marshal_tuple(t, 5);
	put_counts(page, n->self, n->total, n->self_us, n->total_us);
	marshal_dict(t);
	for (i = page->first[id]; i != 0; i = page->next[i]) {
		const struct callgraph_edge *e = &page->graph.edge[i];

		put_key(page, e->site);
		marshal_tuple(t, 4);
		put_counts(page, e->self, e->samples, e->self_us,
		    e->samples_us);
	}
	marshal_dict_end(t);
	return text_commit(t);
}

/* pstats refuses a profile without any entry. */
static int
is_needed(const struct page *page, uint32_t id)
{
	const struct writer *st = page->sink->state;

	return page->graph.node[id].total > 0 ||
	    (id == page->root_key && st->tally.samples == 0);
}

static int
put_all(struct page *page)
{
	const struct writer *st = page->sink->state;
	struct text *t = &page->text;
	uint32_t i;
	int r;

	text_begin(t, page->sink->out);
	marshal_dict(t);
	if (st->is_marked) {
		marshal_tuple(t, 1);
		marshal_str(t, (struct bob_bytes){ "__sampled__", 11 });
		marshal_true(t);
	}
	r = text_commit(t);
	for (i = 1; r == BOB_OK && i < page->keys->n.n_frame; i++)
		if (is_needed(page, i))
			r = put_entry(page, i);
	text_begin(t, page->sink->out);
	marshal_dict_end(t);
	return r < 0 ? r : text_commit(t);
}

static int
pstats_finish(struct sink *sink)
{
	struct page page = { 0 };
	int r = format_need_output(sink);

	if (r == BOB_OK)
		r = page_init(&page, sink);
	if (r == BOB_OK)
		r = put_all(&page);
	page_done(&page);
	return r;
}

const struct sink_ops pstats_sink = {
	.state_size = sizeof(struct writer),
	.want = 0,
	.open = pstats_open,
	.segment = tally_sink_segment,
	.runs = tally_sink_runs,
	.join = tally_sink_join,
	.finish = pstats_finish,
	.close = tally_sink_close,
};

const struct format pstats_format = {
	.info = {
		.name = "pstats",
		.suffixes = ".pstats .prof",
		.summary = "Python's pstats and snakeviz",
		.caps = BOB_CAP_PERIOD,
		.can_write = 1,
		.options = options,
	},
	.sink = &pstats_sink,
};
