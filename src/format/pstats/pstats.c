/*
 * Profiles for Python's pstats, snakeviz and the like: a dictionary from
 * (file, line, function) to counts and times. Write only: it has no stacks.
 * Described in docs/formats/pstats.md.
 */
#include "format/pstats/pstats.h"

#include <stdlib.h>

#include "format/functions.h"
#include "format/pstats/marshal.h"
#include "model/callgraph.h"
#include "model/tally.h"

struct writer {
	struct tally tally;
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
	struct callgraph graph; /* places */
	uint32_t *first; /* by place: its first incoming edge */
	uint32_t *next;  /* by edge: the next one of the same callee */
	struct text text;
};

static int
pstats_open(struct sink *sink)
{
	struct writer *st = sink->state;

	st->is_marked = sink_option(sink, "pstats-sampled") != NULL;
	tally_init(&st->tally, sink->ctx, sink->dict->seed, 0);
	return BOB_OK;
}

static int
pstats_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct writer *st = sink->state;

	tally_segment(&st->tally, segment->period_us);
	return BOB_OK;
}

static int
pstats_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct writer *st = sink->state;

	return tally_add(&st->tally, v, n);
}

static int
pstats_join(struct sink *sink, struct sink *from, const struct join_map *map)
{
	struct writer *st = sink->state, *other = from->state;

	return tally_join(&st->tally, &other->tally, map->stack, NULL, NULL);
}

static void
pstats_close(struct sink *sink)
{
	struct writer *st = sink->state;

	tally_done(&st->tally);
}

static void
page_done(struct page *page)
{
	functions_done(&page->fns);
	callgraph_done(&page->graph);
	free(page->first);
	free(page->next);
	text_done(&page->text);
}

static int
page_init(struct page *page, struct sink *sink)
{
	const struct writer *st = sink->state;
	struct functions *f = &page->fns;
	uint32_t i;

	page->sink = sink;
	if (functions_init(f, sink->ctx, sink->dict) < 0 ||
	    functions_update(f) < 0 ||
	    callgraph_init(&page->graph, sink->ctx, sink->dict, f->own->seed,
	        f->place_of, f->n_place, f->place_of) < 0)
		return BOB_FATAL;
	for (i = 1; i < st->tally.n; i++) {
		const struct tally_entry *e = &st->tally.entry[i];

		if (callgraph_add(&page->graph, e->stack, e->samples,
		        e->time_us) < 0)
			return BOB_FATAL;
	}
	page->first = calloc(f->n_place, sizeof(*page->first));
	page->next = calloc(page->graph.n_edge, sizeof(*page->next));
	if (page->first == NULL || page->next == NULL)
		return err_nomem(sink->ctx);
	for (i = page->graph.n_edge - 1; i > 0; i--) {
		uint32_t callee = page->graph.edge[i].callee;

		page->next[i] = page->first[callee];
		page->first[callee] = i;
	}
	return BOB_OK;
}

/* Python calls what is not in a file `~`. */
static void
put_key(struct page *page, uint32_t place)
{
	const struct place *p = &page->fns.place[place];
	struct bob_bytes file = functions_file(&page->fns, p->function);

	marshal_tuple(&page->text, 3);
	marshal_str(&page->text, file.n > 0 ? file :
	    (struct bob_bytes){ "~", 1 });
	marshal_int(&page->text, p->line);
	marshal_str(&page->text, functions_name(&page->fns, p->function));
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
put_place(struct page *page, uint32_t id)
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
	for (i = 1; r == BOB_OK && i < page->fns.n_place; i++)
		if (page->graph.node[i].total > 0)
			r = put_place(page, i);
	text_begin(t, page->sink->out);
	marshal_dict_end(t);
	return r < 0 ? r : text_commit(t);
}

static int
pstats_finish(struct sink *sink)
{
	struct page page = { 0 };
	int r = BOB_OK;

	if (sink->out == NULL)
		r = sink_next_output(sink, 0);
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
	.segment = pstats_segment,
	.runs = pstats_runs,
	.join = pstats_join,
	.finish = pstats_finish,
	.close = pstats_close,
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
