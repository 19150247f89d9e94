/*
 * Callgrind's profile data, for KCachegrind, QCachegrind, callgrind_annotate
 * and IDEs. Write only: a call graph cannot give stacks back. Described in
 * docs/formats/callgrind.md.
 */
#include "format/callgrind/callgrind.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "format/common/functions.h"
#include "format/common/meta.h"
#include "format/common/tallysink.h"
#include "model/callgraph.h"

struct writer {
	struct tally tally; /* first */
	int is_cpu; /* samples are of processor time */
};

/* What it takes to write the file. */
struct page {
	struct sink *sink;
	struct functions fns;
	struct callgraph graph; /* functions; calls from places */
	struct callgraph lines; /* places, for their own costs */
	uint8_t *is_named; /* by function */
	uint32_t *file_id; /* by string of fns.own: its number, 0 not yet */
	uint32_t n_files;
	struct text text;
};

static int
callgrind_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct writer *st = sink->state;

	if (mark->kind == BOB_MARK_META &&
	    meta_is(sink->dict, mark->key, META_MODE))
		st->is_cpu = meta_is(sink->dict, mark->value, "cpu");
	return BOB_OK;
}

static int
callgrind_join(struct sink *sink, struct sink *from,
    const struct join_map *map)
{
	struct writer *st = sink->state, *other = from->state;

	st->is_cpu |= other->is_cpu;
	return tally_sink_join(sink, from, map);
}

static void
page_done(struct page *page)
{
	functions_done(&page->fns);
	callgraph_done(&page->graph);
	callgraph_done(&page->lines);
	free(page->is_named);
	free(page->file_id);
	text_done(&page->text);
}

static int
page_init(struct page *page, struct sink *sink)
{
	const struct writer *st = sink->state;
	struct functions *f = &page->fns;
	const struct tally_entry *e;
	uint32_t i;
	int r;

	page->sink = sink;
	if (functions_init(f, sink->ctx, sink->dict) < 0)
		return BOB_FATAL;
	f->merges_langs = 1; /* viewers go by names alone */
	if (functions_update(f) < 0 ||
	    callgraph_init(&page->graph, sink->ctx, sink->dict, f->own->seed,
	        f->of_frame, f->n_function, f->place_of) < 0 ||
	    callgraph_init(&page->lines, sink->ctx, sink->dict, f->own->seed,
	        f->place_of, f->n_place, f->place_of) < 0)
		return BOB_FATAL;
	page->is_named = calloc(f->n_function, 1);
	page->file_id = calloc(f->own->n.n_str, sizeof(*page->file_id));
	if (page->is_named == NULL || page->file_id == NULL)
		return err_nomem(sink->ctx);
	for (i = 1; i < st->tally.n; i++) {
		e = &st->tally.entry[i];
		r = callgraph_add(&page->graph, e->stack, e->samples,
		    e->time_us);
		if (r == BOB_OK)
			r = callgraph_add(&page->lines, e->stack, e->samples,
			    e->time_us);
		if (r < 0)
			return r;
	}
	if (callgraph_solve(&page->graph) < 0 ||
	    callgraph_solve(&page->lines) < 0)
		return BOB_FATAL;
	callgraph_sort(&page->graph);
	return BOB_OK;
}

/* A name behind its number; spaces before it would be taken for those between
 * the two. */
static void
put_name(struct text *t, struct bob_bytes name, const char *if_empty,
    uint8_t kinds)
{
	if (name.n == 0) {
		text_str(t, if_empty);
		return;
	}
	if (name.p[0] == ' ')
		kinds |= TEXT_SPACE;
	text_escaped(t, name.p, name.n, kinds | TEXT_CTL | TEXT_ONE_WAY);
}

/* `fl=(3) path` when the file comes up first, then `fl=(3)`. A colon would be
 * taken for the end of the path, so it is escaped. */
static void
put_file(struct page *page, const char *key, uint32_t function)
{
	struct text *t = &page->text;
	bob_str str = page->fns.own->frame[function].file;
	struct bob_bytes file = functions_file(&page->fns, function);
	int is_new = page->file_id[str] == 0;

	if (is_new)
		page->file_id[str] = ++page->n_files;
	text_str(t, key);
	text_byte(t, '(');
	text_u64(t, page->file_id[str]);
	text_byte(t, ')');
	if (is_new) {
		text_byte(t, ' ');
		put_name(t, file, "???", TEXT_COLON);
	}
	text_byte(t, '\n');
}

static void
put_function(struct page *page, const char *key, uint32_t function)
{
	struct text *t = &page->text;
	struct bob_bytes name = functions_name(&page->fns, function);

	text_str(t, key);
	text_byte(t, '(');
	text_u64(t, function);
	text_byte(t, ')');
	if (!page->is_named[function]) {
		text_byte(t, ' ');
		put_name(t, name, "(unnamed)", 0);
		page->is_named[function] = 1;
	}
	text_byte(t, '\n');
}

static void
put_cost(struct page *page, int64_t line, uint64_t us, uint64_t samples)
{
	struct text *t = &page->text;

	text_i64(t, line);
	text_byte(t, ' ');
	text_u64(t, us);
	text_byte(t, ' ');
	text_u64(t, samples);
	text_byte(t, '\n');
}

/* Writes the calls from one place; place 0 is outside. Viewers take the sum of
 * its incoming calls for the total of a function. */
static void
put_calls(struct page *page, uint32_t *edge, uint32_t site)
{
	struct text *t = &page->text;
	const struct callgraph_edge *e;

	for (; *edge < page->graph.n_edge; ++*edge) {
		e = &page->graph.edge[*edge];
		if (e->site != site)
			return;
		put_file(page, "cfi=", e->callee);
		put_function(page, "cfn=", e->callee);
		text_str(t, "calls=");
		text_u64(t, e->samples);
		text_str(t, " 0\n");
		put_cost(page, page->fns.place[site].line, e->into_us,
		    e->into);
	}
}

static int
put_head(struct page *page)
{
	const struct writer *st = page->sink->state;
	const char *event = st->is_cpu ? "Cpu_us" : "Wall_us";
	struct text *t = &page->text;

	text_begin(t, page->sink->out);
	text_str(t, "# callgrind format\nversion: 1\ncreator: bobbin ");
	text_str(t, bob_version());
	text_str(t, "\ndesc: Calls: samples in which the call was seen, not "
	            "calls that were made\npositions: line\nevent: ");
	text_str(t, event);
	text_str(t, st->is_cpu ? " : Processor time (us)\n" :
	    " : Wall time (us)\n");
	text_str(t, "event: Samples : Samples\nevents: ");
	text_str(t, event);
	text_str(t, " Samples\nsummary: ");
	text_u64(t, st->tally.time_us);
	text_byte(t, ' ');
	text_u64(t, st->tally.samples);
	text_byte(t, '\n');
	return text_commit(t);
}

/*
 * What stacks begin with is called from here, or the total of a function that
 * is called elsewhere as well would lack the samples that begin with it.
 * Samples without any frame are the root's own.
 */
static int
put_root(struct page *page, uint32_t *edge)
{
	const struct writer *st = page->sink->state;
	struct text *t = &page->text;
	uint32_t i;

	text_begin(t, page->sink->out);
	if (st->tally.n > 1)
		text_str(t, "\nfl=(0) ???\nfn=(0) (root)\n");
	for (i = 1; i < st->tally.n; i++)
		if (st->tally.entry[i].stack == 0)
			put_cost(page, 0, st->tally.entry[i].time_us,
			    st->tally.entry[i].samples);
	put_calls(page, edge, 0);
	return text_commit(t);
}

/*
 * Places in order of appearance: all of a function need not stand together,
 * since `fn=` may name it again. Edges are sorted by the same numbers.
 */
static int
put_places(struct page *page)
{
	uint32_t i, edge = 1, last = 0;
	int r = put_root(page, &edge);

	for (i = 1; r == BOB_OK && i < page->fns.n_place; i++) {
		const struct place *place = &page->fns.place[i];
		const struct callgraph_node *n = &page->lines.node[i];

		if (n->total == 0)
			continue;
		text_begin(&page->text, page->sink->out);
		if (place->function != last) {
			text_byte(&page->text, '\n');
			put_file(page, "fl=", place->function);
			put_function(page, "fn=", place->function);
			last = place->function;
		}
		if (n->self > 0)
			put_cost(page, place->line, n->self_us, n->self);
		put_calls(page, &edge, i);
		r = text_commit(&page->text);
	}
	return r;
}

static int
callgrind_finish(struct sink *sink)
{
	struct page page = { 0 };
	int r = format_need_output(sink);

	if (r == BOB_OK)
		r = page_init(&page, sink);
	if (r == BOB_OK)
		r = put_head(&page);
	if (r == BOB_OK)
		r = put_places(&page);
	page_done(&page);
	return r;
}

const struct sink_ops callgrind_sink = {
	.state_size = sizeof(struct writer),
	.want = BOB_WANT_MARKS,
	.open = tally_sink_open,
	.segment = tally_sink_segment,
	.runs = tally_sink_runs,
	.mark = callgrind_mark,
	.join = callgrind_join,
	.finish = callgrind_finish,
	.close = tally_sink_close,
};

const struct format callgrind_format = {
	.info = {
		.name = "callgrind",
		.suffixes = ".callgrind .cg",
		.summary = "a call graph for KCachegrind and "
		           "callgrind_annotate",
		.caps = BOB_CAP_PERIOD,
		.can_write = 1,
		.is_text = 1,
	},
	.sink = &callgrind_sink,
};
