/*
 * Reports as CSV (RFC 4180, but with \n): one table for all sections, so that
 * any program can read it. Cells that a section does not have are empty.
 * Control characters come as \xHH, so that a row is a line.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze.h"

struct csv {
	FILE *f;
	struct analyze *a;
	int has_cell; /* the row has begun */
};

static void
put_bytes(struct csv *c, const char *p, size_t n)
{
	struct span l = { 0 };
	size_t i;

	span_safe(&l, p, n);
	if (c->has_cell)
		(void)fputc(',', c->f);
	c->has_cell = 1;
	if (l.n > 0 && (memchr(l.p, ',', l.n) != NULL ||
	    memchr(l.p, '"', l.n) != NULL)) {
		(void)fputc('"', c->f);
		for (i = 0; i < l.n; i++) {
			if (l.p[i] == '"')
				(void)fputc('"', c->f);
			(void)fputc(l.p[i], c->f);
		}
		(void)fputc('"', c->f);
	} else if (l.n > 0)
		(void)fwrite(l.p, 1, l.n, c->f);
	span_done(&l);
}

static void
csv_put(struct csv *c, const char *s)
{
	put_bytes(c, s, strlen(s));
}

static void
put_u64(struct csv *c, uint64_t v)
{
	char buf[32];

	(void)snprintf(buf, sizeof(buf), "%" PRIu64, v);
	csv_put(c, buf);
}

static void
put_double(struct csv *c, double v)
{
	char buf[32];

	(void)snprintf(buf, sizeof(buf), "%.6g", v);
	csv_put(c, buf);
}

static void
csv_skip(struct csv *c, size_t n)
{
	while (n-- > 0)
		csv_put(c, "");
}

static void
put_text(struct csv *c, struct bob_bytes s)
{
	put_bytes(c, s.p, s.n);
}

/* section,rank,depth */
static void
csv_row_begin(struct csv *c, int id, size_t rank, const struct analyze_row *row)
{
	c->has_cell = 0;
	csv_put(c, section_name(id));
	put_u64(c, rank);
	if (id == SECTION_TREE)
		put_u64(c, row->depth);
	else
		csv_skip(c, 1);
}

/* samples,time_us,share,low,high */
static void
put_share(struct csv *c, const struct analyze_row *row)
{
	put_u64(c, row->sum.samples);
	put_u64(c, row->sum.time_us);
	put_double(c, row->share.share);
	put_double(c, row->share.low);
	put_double(c, row->share.high);
}

static void
csv_row_end(struct csv *c)
{
	(void)fputc('\n', c->f);
}

/* text,name,file,line,opcode */
static void
put_key_cells(struct csv *c, int id, const struct analyze_row *row)
{
	struct report *r = &c->a->r;
	struct bob_key k;
	char line[32] = "";

	if (row->key == 0) {
		csv_put(c, id == SECTION_CALLERS ? "<root>"
		    : id == SECTION_CALLEES ? "<leaf>" : "");
		csv_skip(c, 4);
		return;
	}
	k = bob_view_key(id <= SECTION_TOTAL ? r->view : r->frames, row->key);
	if (k.has_line)
		(void)snprintf(line, sizeof(line), "%" PRId64, k.line);
	put_text(c, k.text);
	put_text(c, k.name);
	put_text(c, k.file);
	csv_put(c, line);
	put_text(c, k.opcode);
}

static void
key_row(struct csv *c, int id, size_t i)
{
	const struct analyze_row *row = &c->a->r.section[id].row[i];

	csv_row_begin(c, id, i + 1, row);
	put_key_cells(c, id, row);
	put_share(c, row);
	if (id <= SECTION_TOTAL || id == SECTION_TREE)
		put_u64(c, row->self.samples);
	else
		csv_skip(c, 1);
	csv_skip(c, 6);
	csv_row_end(c);
}

static void
request_row(struct csv *c, int id, size_t i)
{
	struct analyze *a = c->a;
	const struct analyze_row *row = &a->r.section[id].row[i];
	struct bob_dict *d = bob_profile_dict(a->profile);
	const struct bob_request *q = &a->r.request[row->index];

	csv_row_begin(c, id, i + 1, row);
	put_text(c, bob_str_get(d, q->value));
	put_text(c, bob_str_get(d, q->route));
	csv_skip(c, 3);
	put_share(c, row);
	csv_skip(c, 5);
	put_u64(c, q->t_first);
	csv_skip(c, 1);
	csv_row_end(c);
}

static void
route_row(struct csv *c, int id, size_t i)
{
	struct analyze *a = c->a;
	const struct analyze_row *row = &a->r.section[id].row[i];
	const struct bob_route *t = &a->r.route[row->index];

	csv_row_begin(c, id, i + 1, row);
	put_text(c, bob_str_get(bob_profile_dict(a->profile), t->route));
	csv_skip(c, 4);
	put_share(c, row);
	csv_skip(c, 1);
	put_u64(c, t->n_requests);
	put_u64(c, t->p50_us);
	put_u64(c, t->p95_us);
	put_u64(c, t->max_us);
	csv_skip(c, 1);
	put_u64(c, t->n_single);
	csv_row_end(c);
}

/* A row per bin; with less room several bins to a row. */
static void
timeline_rows(struct csv *c)
{
	const struct report *r = &c->a->r;
	size_t n = r->n_bins - r->first_bin, room, step, i, rank;
	const struct analyze_strip *all = &r->strip[0];

	room = r->section[SECTION_TIMELINE].n_shown;
	step = r->is_cut && room > 0 ? (n + room - 1) / room : 1;
	for (i = 0, rank = 1; i < n; i += step, rank++) {
		csv_row_begin(c, SECTION_TIMELINE, rank, NULL);
		csv_skip(c, 5);
		put_u64(c, strip_sum(r, all, r->first_bin + i, step));
		csv_skip(c, 9);
		put_u64(c, (r->first_bin + i) * r->bin_us);
		csv_skip(c, 1);
		csv_row_end(c);
	}
}

/* With the innermost frame of the sample. */
static void
tail_row(struct csv *c, size_t i)
{
	struct analyze *a = c->a;
	const struct section *s = &a->r.section[SECTION_TAIL];
	const struct bob_last *x = &a->r.last[s->n - s->n_shown + i];
	struct bob_dict *d = bob_profile_dict(a->profile);
	struct bob_node leaf = bob_stack_get(d, x->stack);
	uint32_t key = bob_view_key_of(a->r.frames, leaf.frame);

	csv_row_begin(c, SECTION_TAIL, i + 1, NULL);
	put_key_cells(c, SECTION_TAIL, &(struct analyze_row){ .key = key });
	put_u64(c, 1);
	csv_skip(c, 9);
	put_u64(c, x->time);
	csv_skip(c, 1);
	csv_row_end(c);
}

static void
put_row(struct csv *c, int id, size_t i)
{
	if (id == SECTION_REQUESTS)
		request_row(c, id, i);
	else if (id == SECTION_ROUTES || id == SECTION_FREQUENT)
		route_row(c, id, i);
	else if (id == SECTION_TAIL)
		tail_row(c, i);
	else
		key_row(c, id, i);
}

void
analyze_csv(struct analyze *a, FILE *f)
{
	struct csv c = { .f = f, .a = a };
	size_t i, k;

	(void)fputs("section,rank,depth,text,name,file,line,opcode,samples,"
	    "time_us,share,low,high,self_samples,requests,p50_us,p95_us,"
	    "max_us,at_us,seen_once\n", f);
	for (i = 0; i < a->o.layout.n; i++) {
		int id = a->o.layout.section[i];

		if (!a->r.section[id].is_shown)
			continue;
		if (id == SECTION_TIMELINE) {
			timeline_rows(&c);
			continue;
		}
		for (k = 0; k < a->r.section[id].n_shown; k++)
			put_row(&c, id, k);
	}
}
