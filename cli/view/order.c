/* Flame charts as JSON; see the header. */
#include "order.h"

#include <stdlib.h>

#include "chart.h"
#include "param.h"
#include "question.h"

/* Numbers that the answer gives to what it refers to: 1, 2 and so on, in the
 * order in which they are in `list`. */
struct numbers {
	uint32_t *of;   /* by id; 0: none yet */
	uint32_t *list; /* of ids */
	uint32_t n_of, n;
};

struct charts {
	struct bob_view *view;
	struct chart_span span;
	uint64_t track[ORDER_LANES];
	struct chart chart[ORDER_LANES];
	size_t n, n_read;
	struct numbers nodes, annots;
};

/* ---- Numbers ----------------------------------------------------------- */

static int
numbers_init(struct numbers *x, uint32_t n_of, size_t most)
{
	x->of = calloc((size_t)n_of + 1, sizeof(*x->of));
	x->list = calloc(most, sizeof(*x->list));
	x->n_of = n_of;
	x->n = 0;
	return x->of != NULL && x->list != NULL ? 0 : -1;
}

static void
numbers_done(struct numbers *x)
{
	free(x->of);
	free(x->list);
}

static uint32_t
number(struct numbers *x, uint32_t id)
{
	if (x->of[id] == 0) {
		x->list[x->n] = id;
		x->of[id] = ++x->n;
	}
	return x->of[id];
}

/* Numbers a node after its parents, if there is room for all of them. */
static void
number_node(struct charts *c, uint32_t node)
{
	uint32_t path[CHART_DEPTH], n = 0;

	for (; node != 0 && c->nodes.of[node] == 0;
	    node = bob_view_node(c->view, node).parent)
		path[n++] = node;
	if (c->nodes.n + n > ORDER_NODES)
		return;
	while (n > 0)
		(void)number(&c->nodes, path[--n]);
}

/* Those of wide boxes first: all their parents are wide boxes too, so there is
 * room. A merged box whose stack finds no room goes without. */
static void
number_nodes(struct charts *c)
{
	const struct chart_box *box;
	int is_merged;
	size_t i, k;

	for (is_merged = 0; is_merged < 2; is_merged++)
		for (i = 0; i < c->n; i++)
			for (k = 0; k < c->chart[i].n_box; k++) {
				box = &c->chart[i].box[k];
				if ((box->n > 0) == is_merged)
					number_node(c, box->node);
			}
}

static int
make_numbers(struct charts *c, const struct bob_dict *dict)
{
	uint32_t last = 0;
	size_t i, k;

	for (i = 0; i < c->n; i++)
		for (k = 0; k < c->chart[i].n_box; k++)
			if (c->chart[i].box[k].node > last)
				last = c->chart[i].box[k].node;
	if (numbers_init(&c->nodes, last, ORDER_NODES) < 0 ||
	    numbers_init(&c->annots, bob_dict_counts(dict).n_annot,
	    ORDER_PARTS + ORDER_LANES * CHART_LEAST) < 0)
		return -1;
	number_nodes(c);
	return 0;
}

/* ---- Lanes ------------------------------------------------------------- */

static void
put_boxes(const struct charts *c, struct json *j, const struct chart *chart)
{
	const struct chart_box *b;
	size_t i;

	json_open(j, "boxes", '[');
	for (i = 0; i < chart->n_box; i++) {
		b = &chart->box[i];
		json_u64(j, NULL, b->depth);
		json_u64(j, NULL, c->nodes.of[b->node]);
		json_u64(j, NULL, b->start - c->span.from);
		json_u64(j, NULL, b->end - b->start);
		json_u64(j, NULL, b->samples);
		json_u64(j, NULL, b->n);
	}
	json_close(j, '[');
}

static void
put_bands(const struct charts *c, struct json *j, const struct chart *chart)
{
	const struct chart_band *b;
	size_t i, k;

	json_open(j, "bands", '[');
	for (i = 0; i < chart->n_band; i++) {
		b = &chart->band[i];
		json_u64(j, NULL, b->start - c->span.from);
		json_u64(j, NULL, b->end - b->start);
		for (k = 0; k < CHART_STATES; k++)
			json_u64(j, NULL, b->samples[k]);
	}
	json_close(j, '[');
}

static void
put_marks(struct charts *c, struct json *j, const struct chart *chart)
{
	const struct chart_mark *m;
	size_t i;

	json_open(j, "marks", '[');
	for (i = 0; i < chart->n_mark; i++) {
		m = &chart->mark[i];
		json_u64(j, NULL, m->start - c->span.from);
		json_u64(j, NULL, m->end - m->start);
		json_u64(j, NULL, m->samples);
		json_u64(j, NULL, number(&c->annots, m->annot));
		json_u64(j, NULL, m->n);
	}
	json_close(j, '[');
}

static void
put_lanes(struct charts *c, struct json *j)
{
	size_t i;

	json_open(j, "lanes", '[');
	for (i = 0; i < c->n; i++) {
		json_open(j, NULL, '{');
		json_u64(j, "track", c->track[i]);
		json_u64(j, "samples", c->chart[i].samples);
		json_u64(j, "grain_us", c->chart[i].grain);
		put_boxes(c, j, &c->chart[i]);
		put_bands(c, j, &c->chart[i]);
		put_marks(c, j, &c->chart[i]);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* ---- What lanes refer to ----------------------------------------------- */

static int
put_nodes(const struct charts *c, struct json *j)
{
	uint32_t i, n_keys = bob_view_n_keys(c->view);
	uint8_t *is_key = calloc((size_t)n_keys + 1, 1);
	struct bob_view_node node;

	if (is_key == NULL)
		return -1;
	json_open(j, "nodes", '[');
	for (i = 0; i < c->nodes.n; i++) {
		node = bob_view_node(c->view, c->nodes.list[i]);
		json_u64(j, NULL, c->nodes.of[node.parent]);
		json_u64(j, NULL, node.key);
		if (node.key < n_keys)
			is_key[node.key] = 1;
	}
	json_close(j, '[');
	question_put_keys(j, c->view, NULL, is_key);
	free(is_key);
	return 0;
}

static void
put_text(struct json *j, const struct bob_dict *dict, bob_str s)
{
	struct bob_bytes b = bob_str_get(dict, s);

	json_bytes(j, NULL, b.p, b.n < ORDER_TEXT ? b.n : ORDER_TEXT);
}

static void
put_pair(struct json *j, const struct bob_dict *dict,
    const struct bob_pair *pair)
{
	put_text(j, dict, pair->key);
	put_text(j, dict, pair->value);
}

static void
put_annotations(const struct charts *c, struct json *j,
    const struct bob_dict *dict)
{
	const struct bob_pair *pair;
	size_t i, k, n, name;

	json_open(j, "annotations", '[');
	for (i = 0; i < c->annots.n; i++) {
		pair = bob_annot_get(dict, c->annots.list[i], &n);
		name = chart_name_of(dict, c->annots.list[i]);
		json_open(j, NULL, '[');
		put_pair(j, dict, &pair[name]);
		for (k = 0; k < n; k++)
			if (k != name)
				put_pair(j, dict, &pair[k]);
		json_close(j, '[');
	}
	json_close(j, '[');
}

void
order_put_states(struct json *j)
{
	size_t i;

	json_open(j, "states", '[');
	for (i = 0; i < CHART_STATES; i++)
		json_str(j, NULL, chart_state_name((enum chart_state)i));
	json_close(j, '[');
}

static int
put_charts(struct charts *c, const struct view *v, struct json *j)
{
	const struct bob_dict *dict = bob_profile_dict(v->profile);
	int r = make_numbers(c, dict);

	if (r == 0) {
		json_u64(j, "begin", c->span.from);
		json_u64(j, "end", c->span.to);
		put_lanes(c, j);
		r = put_nodes(c, j);
		put_annotations(c, j, dict);
		order_put_states(j);
	}
	numbers_done(&c->nodes);
	numbers_done(&c->annots);
	return r;
}

/* ---- The question ------------------------------------------------------ */

/* Each track may have its part of what one answer may have. */
static size_t
limit_of(size_t n_tracks)
{
	size_t limit = ORDER_PARTS / (n_tracks > 0 ? n_tracks : 1);

	return limit < CHART_LEAST ? CHART_LEAST : limit;
}

static int
read_span(struct charts *c, const struct request *rq, char *err, size_t n)
{
	struct bob_timeline line;
	uint64_t px = 1000;
	int r = param_number(rq, "end", &c->span.to, err, n);

	if (r < 0 || param_number(rq, "begin", &c->span.from, err, n) < 0 ||
	    param_number(rq, "px", &px, err, n) < 0)
		return -1;
	if (r == 0) {
		if (bob_view_timeline(c->view, 0, &line) < 0)
			return question_no_memory(err, n);
		c->span.to = line.bin_us * line.n;
	}
	if (c->span.to < c->span.from)
		c->span.to = c->span.from;
	c->span.grain = px == 0 ? 1 : (c->span.to - c->span.from) / px;
	if (c->span.grain == 0)
		c->span.grain = 1;
	c->span.limit = limit_of(c->n);
	return 0;
}

/* A number that is no track has no samples. */
static bob_tid
track_of(uint64_t number)
{
	return number < UINT32_MAX ? (bob_tid)number : UINT32_MAX;
}

static int
read_charts(struct charts *c, const struct view *v, char *err, size_t n)
{
	int r = BOB_OK;

	for (; r == BOB_OK && c->n_read < c->n; c->n_read += r == BOB_OK)
		r = chart_read(v->profile, c->view,
		    track_of(c->track[c->n_read]), &c->span,
		    &c->chart[c->n_read]);
	return r == BOB_FATAL ? question_no_memory(err, n)
	    : r < 0 ? question_failed(v, err, n) : 0;
}

int
answer_order(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	struct charts *c = calloc(1, sizeof(*c));
	struct question q;
	size_t i;
	int r = -1;

	if (c == NULL)
		return question_no_memory(err, n);
	if (param_numbers(rq, "track", c->track, ORDER_LANES, &c->n, err, n) ==
	    0 && question_init(&q, v, rq, err, n) == 0) {
		c->view = q.at->view;
		r = read_span(c, rq, err, n);
		if (r == 0)
			r = read_charts(c, v, err, n);
		if (r == 0 && put_charts(c, v, j) < 0)
			r = question_no_memory(err, n);
	}
	for (i = 0; i < c->n_read; i++)
		chart_done(&c->chart[i]);
	free(c);
	return r;
}
