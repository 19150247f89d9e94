/* Adds up the lines of a file; see the header. */
#include "listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "param.h"
#include "question.h"

/* Callers in one answer. */
#define MAX_CALLERS 200

/* ---- Which file -------------------------------------------------------- */

/* A request with another grouping and focus. */
struct altered {
	struct request rq;
	const struct request *of;
	const char *by, *focus;
};

static const char *
altered_param(const struct request *rq, const char *name)
{
	const struct altered *a = (const struct altered *)rq;

	if (strcmp(name, "by") == 0)
		return a->by;
	if (strcmp(name, "focus") == 0)
		return a->focus;
	return request_param(a->of, name);
}

static int
init_by(struct question *q, struct view *v, const struct request *rq,
    const char *by, const char *focus, char *err, size_t n)
{
	const struct altered a = { .rq = { .path = rq->path,
	    .param = altered_param }, .of = rq, .by = by, .focus = focus };

	return question_init(q, v, &a.rq, err, n);
}

/* A frame of the file with most self samples; 0: no file has lines. */
static bob_fid
heaviest(struct bob_view *files)
{
	const struct bob_row *row;
	struct bob_key k;
	size_t i, n;

	row = bob_view_rows(files, BOB_BY_SELF, &n);
	for (i = 0; row != NULL && i < n; i++) {
		k = bob_view_key(files, row[i].key);
		if (k.file.n > 0 && k.lang != BOB_LANG_NATIVE)
			return k.frame;
	}
	return 0;
}

static int
has(const struct request *rq, const char *name)
{
	const char *p = request_param(rq, name);

	return p != NULL && *p != '\0';
}

int
listing_frame(struct view *v, const struct request *rq, bob_fid *ret,
    char *err, size_t n)
{
	struct question q;

	*ret = 0;
	if (has(rq, "file")) {
		if (init_by(&q, v, rq, "file", request_param(rq, "file"), err,
		    n) < 0)
			return -1;
	} else if (question_init(&q, v, rq, err, n) < 0) {
		return -1;
	} else if (q.focus == 0) {
		if (init_by(&q, v, rq, "file", NULL, err, n) < 0)
			return -1;
		*ret = heaviest(q.at->view);
		return 0;
	}
	*ret = bob_view_key(q.at->view, q.focus).frame;
	return 0;
}

/* ---- Its lines --------------------------------------------------------- */

/* A key on a line. */
struct place {
	int64_t line; /* 0: unknown */
	uint32_t key;
};

/* A line is a stretch of equal places. */
struct spot {
	size_t place, n_places;
	struct bob_sum self, total;
	uint32_t on_way; /* frames of it between the root and the node */
};

struct listing {
	struct bob_view *view; /* of lines */
	struct place *place;
	struct spot *spot;
	uint32_t *of_key; /* by key: its spot + 1; 0: of another file */
	size_t n_places, n_spots;
};

static void
listing_done(struct listing *l)
{
	free(l->place);
	free(l->spot);
	free(l->of_key);
}

static int
by_line(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static void
find_places(struct listing *l, const struct bob_dict *dict, bob_str file)
{
	uint32_t i, n_keys = bob_view_n_keys(l->view);
	struct bob_key k;

	for (i = 1; i < n_keys; i++) {
		k = bob_view_key(l->view, i);
		if (bob_frame_get(dict, k.frame)->file != file ||
		    bob_view_row(l->view, i).total.samples == 0)
			continue;
		l->place[l->n_places].line = k.has_line && k.line > 0
		    ? k.line : 0;
		l->place[l->n_places++].key = i;
	}
	qsort(l->place, l->n_places, sizeof(*l->place), by_line);
}

static void
make_spots(struct listing *l)
{
	struct spot *s = NULL;
	size_t i;

	for (i = 0; i < l->n_places; i++) {
		if (s == NULL || l->place[s->place].line != l->place[i].line) {
			s = &l->spot[l->n_spots++];
			s->place = i;
		}
		s->n_places++;
		l->of_key[l->place[i].key] = (uint32_t)l->n_spots;
	}
}

static struct spot *
spot_of(const struct listing *l, const struct bob_tree_node *node)
{
	uint32_t at = node->key == 0 ? 0 : l->of_key[node->key];

	return at == 0 ? NULL : &l->spot[at - 1];
}

static void
add(struct bob_sum *to, const struct bob_sum *more)
{
	to->samples += more->samples;
	to->time_us += more->time_us;
}

static void
enter_node(const struct listing *l, const struct bob_tree_node *node)
{
	struct spot *s = spot_of(l, node);

	if (s == NULL)
		return;
	add(&s->self, &node->self);
	if (s->on_way++ == 0)
		add(&s->total, &node->total);
}

/* Walks the call tree without recursion. */
static void
sum_spots(struct listing *l, const struct bob_tree_node *node)
{
	struct spot *s;
	uint32_t i = 0;

	for (;;) {
		if (node[i].first_child != 0) {
			i = node[i].first_child;
		} else {
			for (; i != 0; i = node[i].parent) {
				s = spot_of(l, &node[i]);
				if (s != NULL)
					s->on_way--;
				if (node[i].next_sibling != 0)
					break;
			}
			if (i == 0)
				return;
			i = node[i].next_sibling;
		}
		enter_node(l, &node[i]);
	}
}

/* Finds the lines of a frame's file. Returns 0; -1 with the reason in err. */
static int
listing_init(struct listing *l, struct view *v, const struct question *q,
    bob_fid frame, char *err, size_t n)
{
	struct bob_dict *dict = bob_profile_dict(v->profile);
	size_t n_keys = (size_t)bob_view_n_keys(q->at->view) + 1;

	*l = (struct listing){ .view = q->at->view };
	l->place = calloc(n_keys, sizeof(*l->place));
	l->spot = calloc(n_keys, sizeof(*l->spot));
	l->of_key = calloc(n_keys, sizeof(*l->of_key));
	if (l->place == NULL || l->spot == NULL || l->of_key == NULL) {
		listing_done(l);
		return question_no_memory(err, n);
	}
	find_places(l, dict, bob_frame_get(dict, frame)->file);
	make_spots(l);
	return 0;
}

/* ---- listing ----------------------------------------------------------- */

static void
put_sums(struct json *j, const struct bob_sum *self,
    const struct bob_sum *total)
{
	json_u64(j, "self", self->samples);
	json_u64(j, "total", total->samples);
	json_u64(j, "self_us", self->time_us);
	json_u64(j, "total_us", total->time_us);
}

static void
put_spot(struct json *j, const struct listing *l, const struct spot *s)
{
	struct bob_row row;
	struct bob_key k;
	size_t i;

	json_open(j, NULL, '{');
	json_i64(j, "line", l->place[s->place].line);
	put_sums(j, &s->self, &s->total);
	json_open(j, "keys", '[');
	for (i = s->place; i < s->place + s->n_places; i++) {
		k = bob_view_key(l->view, l->place[i].key);
		row = bob_view_row(l->view, l->place[i].key);
		json_open(j, NULL, '{');
		question_put_key(j, &k);
		put_sums(j, &row.self, &row.total);
		json_close(j, '{');
	}
	json_close(j, '[');
	json_close(j, '{');
}

static int
put_lines(struct view *v, const struct question *q, bob_fid frame,
    struct json *j, char *err, size_t n)
{
	const struct bob_tree *tree =
	    cache_tree(&v->cache, q->at, BOB_CALLEES, 0);
	struct listing l;
	uint32_t n_nodes;
	size_t i;

	if (tree == NULL)
		return question_failed(v, err, n);
	if (listing_init(&l, v, q, frame, err, n) < 0)
		return -1;
	sum_spots(&l, bob_tree_nodes(tree, &n_nodes));
	json_u64(j, "n_lines", l.n_spots);
	json_open(j, "lines", '[');
	for (i = 0; i < l.n_spots && i < LISTING_LINES; i++)
		put_spot(j, &l, &l.spot[i]);
	json_close(j, '[');
	listing_done(&l);
	return 0;
}

static int
put_file(struct view *v, const struct request *rq, bob_fid frame,
    struct json *j, char *err, size_t n)
{
	struct question q;
	struct bob_key k;

	if (init_by(&q, v, rq, "file", NULL, err, n) < 0)
		return -1;
	k = bob_view_key(q.at->view, bob_view_key_of(q.at->view, frame));
	json_open(j, "file", '{');
	question_put_key(j, &k);
	json_close(j, '{');
	return 0;
}

/* The function whose file it is, unless the file itself was named. */
static int
put_focus(struct view *v, const struct request *rq, struct json *j, char *err,
    size_t n)
{
	struct question q;
	struct bob_key k;

	if (has(rq, "file") || !has(rq, "focus"))
		return 0;
	if (question_init(&q, v, rq, err, n) < 0)
		return -1;
	k = bob_view_key(q.at->view, q.focus);
	json_open(j, "focus", '{');
	question_put_key(j, &k);
	json_close(j, '{');
	return 0;
}

int
answer_listing(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	struct question q;
	bob_fid frame;

	if (listing_frame(v, rq, &frame, err, n) < 0)
		return -1;
	if (frame != 0 && (put_file(v, rq, frame, j, err, n) < 0 ||
	    put_focus(v, rq, j, err, n) < 0))
		return -1;
	if (init_by(&q, v, rq, "line", NULL, err, n) < 0)
		return -1;
	json_u64(j, "samples", bob_view_total(q.at->view).samples);
	json_u64(j, "time_us", bob_view_total(q.at->view).time_us);
	if (frame == 0) {
		json_open(j, "lines", '[');
		json_close(j, '[');
		return 0;
	}
	return put_lines(v, &q, frame, j, err, n);
}

/* ---- callers ----------------------------------------------------------- */

static void
put_callers(struct json *j, const struct bob_view *view,
    const struct bob_row *row, size_t n_rows)
{
	struct bob_key k;
	size_t i;

	json_u64(j, "n_rows", n_rows);
	json_open(j, "rows", '[');
	for (i = 0; i < n_rows && i < MAX_CALLERS; i++) {
		k = bob_view_key(view, row[i].key);
		json_open(j, NULL, '{');
		question_put_key(j, &k);
		json_bool(j, "is_root", row[i].key == 0);
		json_u64(j, "total", row[i].total.samples);
		json_u64(j, "total_us", row[i].total.time_us);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* Marks the keys of a line, and writes the heaviest one. Returns the marks, by
 * key, or NULL. */
static uint8_t *
mark_line(const struct listing *l, int64_t line, struct json *j)
{
	uint8_t *is = calloc((size_t)bob_view_n_keys(l->view) + 1, 1);
	struct bob_row row, most = { .key = 0 };
	struct bob_key k;
	size_t i;

	for (i = 0; is != NULL && i < l->n_places; i++) {
		if (l->place[i].line != line)
			continue;
		is[l->place[i].key] = 1;
		row = bob_view_row(l->view, l->place[i].key);
		if (row.total.samples > most.total.samples)
			most = row;
	}
	if (most.key == 0)
		return is;
	k = bob_view_key(l->view, most.key);
	json_open(j, "key", '{');
	question_put_key(j, &k);
	json_close(j, '{');
	return is;
}

int
answer_callers(struct view *v, const struct request *rq, struct json *j,
    char *err, size_t n)
{
	struct bob_row *row = NULL;
	struct listing l;
	struct question q;
	uint64_t line = 0;
	uint8_t *is;
	bob_fid frame;
	size_t n_rows = 0;
	int r;

	if (param_number(rq, "line", &line, err, n) < 0 ||
	    listing_frame(v, rq, &frame, err, n) < 0 ||
	    init_by(&q, v, rq, "line", NULL, err, n) < 0 ||
	    listing_init(&l, v, &q, frame, err, n) < 0)
		return -1;
	is = mark_line(&l, line > INT64_MAX ? -1 : (int64_t)line, j);
	r = is == NULL ? -1 : bob_view_callers(q.at->view, is, &row, &n_rows);
	if (r >= 0) {
		json_u64(j, "samples", bob_view_total(q.at->view).samples);
		put_callers(j, q.at->view, row, n_rows);
	}
	bob_rows_free(row);
	free(is);
	listing_done(&l);
	return is == NULL ? question_no_memory(err, n)
	    : r < 0 ? question_failed(v, err, n) : 0;
}
