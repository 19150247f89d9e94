/*
 * Recovery that keeps intact segments byte for byte. The first pass finds out
 * which segments are whole. The second one copies those, and writes the others
 * anew from what can still be read of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/output.h"
#include "pipeline/convert.h"

struct span {
	uint64_t start, end;
	int is_damaged;
	int is_ended; /* its end mark was seen, so a gap behind it is not part
	               * of it */
};

struct spans {
	struct span *span;
	size_t cap_span, n;
};

static int
begin_span(struct conversion *c, struct spans *s, uint64_t start)
{
	if (s->n > 0 && !s->span[s->n - 1].is_ended &&
	    !s->span[s->n - 1].is_damaged)
		s->span[s->n - 1].end = start;
	if (MEM_GROW(c->ctx, s, span, s->n + 1) < 0)
		return BOB_FATAL;
	s->span[s->n++] = (struct span){ .start = start, .end = start };
	return BOB_OK;
}

static void
note_mark(struct spans *s, const struct bob_mark *m)
{
	struct span *last = s->n == 0 ? NULL : &s->span[s->n - 1];

	if (last == NULL || last->is_ended)
		return;
	last->end = m->offset + m->length;
	if (m->kind == BOB_MARK_GAP)
		last->is_damaged = 1;
	else if (m->kind == BOB_MARK_END)
		last->is_ended = 1;
}

/* First pass: where segments begin and end, and which have gaps. */
static int
find_spans(struct conversion *c, struct bob_reader *rd, struct spans *s)
{
	struct bob_event ev;
	int r;

	while ((r = bob_next(rd, &ev)) == BOB_OK) {
		if (ev.kind == BOB_EVENT_SEGMENT &&
		    begin_span(c, s, ev.segment->offset) < 0)
			return BOB_FATAL;
		if (ev.kind != BOB_EVENT_MARK)
			continue;
		note_mark(s, ev.mark);
		if (ev.mark->kind == BOB_MARK_GAP)
			conversion_note_gap(c, ev.mark->gap, rd->name);
	}
	if (r < 0)
		return r;
	if (s->n > 0 && !s->span[s->n - 1].is_ended)
		s->span[s->n - 1].end = bob_reader_bytes_unpacked(rd);
	if (bob_reader_bytes_in(rd) != bob_reader_bytes_unpacked(rd))
		return err_set(c->ctx, BOB_FAILED, BOB_E_UNSUPPORTED,
		    BOB_NO_OFFSET, "an exact copy needs an uncompressed "
		    "input: unpack it first (gzip -d)");
	return BOB_OK;
}

static int
write_through(void *user, const void *p, size_t n)
{
	return out_bytes(user, p, n) < 0 ? -1 : 0;
}

static int
copy_span(struct conversion *c, struct in *in, const struct span *s,
    struct out *out)
{
	uint64_t left = s->end - s->start;
	const uint8_t *p;
	size_t n;
	int r = BOB_OK;

	while (left > 0 && r == BOB_OK) {
		r = in_peek(in, 1, &p, &n);
		if (r != BOB_OK)
			return err_set(c->ctx, BOB_FATAL, BOB_E_IO, in->pos,
			    "%s: changed while it was read", in->name);
		n = n < left ? n : (size_t)left;
		r = out_bytes(out, p, n);
		in_consume(in, n);
		left -= n;
	}
	return r;
}

/* Writes what is left of a damaged segment as a new one. */
static int
rewrite_span(struct conversion *c, struct in *in, const char *name,
    struct out *out)
{
	struct bob_read_opts o = conversion_read_opts(c);
	struct bob_target to = { .write = write_through, .user = out };
	struct sink_spec spec = { .target = &to, .dict = c->dict };
	struct bob_reader *rd;
	int r;

	o.format = c->to->info.name;
	r = reader_new(c->ctx, in, name, &o, 0, &rd);
	if (r < 0)
		return r;
	r = sink_create(c->ctx, c->to, &spec, &c->sink);
	if (r == BOB_OK) {
		r = conversion_pump(c, rd, name);
		if (r == BOB_OK)
			r = sink_finish(c->sink, NULL);
		else
			sink_discard(c->sink);
		c->sink = NULL;
	}
	bob_close(rd);
	return r;
}

/* Counts what an intact segment holds. */
static int
count_span(struct conversion *c, struct in *in, const char *name)
{
	struct bob_read_opts o = conversion_read_opts(c);
	struct bob_reader *rd;
	struct bob_event ev;
	size_t i;
	int r;

	o.format = c->to->info.name;
	o.want = BOB_WANT_NONE;
	r = reader_new(c->ctx, in, name, &o, 0, &rd);
	if (r < 0)
		return r;
	while ((r = bob_next(rd, &ev)) == BOB_OK)
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			c->done.n_samples = count_add(c->done.n_samples,
			    ev.runs[i].count);
	c->done.n_segments++;
	bob_close(rd);
	return r < 0 ? r : BOB_OK;
}

static int
write_spans(struct conversion *c, int fd, const char *name,
    const struct spans *s, struct out *out)
{
	int r = BOB_OK;
	size_t i;

	for (i = 0; r == BOB_OK && i < s->n; i++) {
		const struct span *sp = &s->span[i];
		struct in *in;

		r = in_open_range(c->ctx, fd, sp->start, sp->end, name, &in);
		if (r < 0)
			return r;
		if (sp->is_damaged) {
			r = rewrite_span(c, in, name, out);
			continue;
		}
		r = copy_span(c, in, sp, out);
		in_close(in);
		if (r == BOB_OK)
			r = in_open_range(c->ctx, fd, sp->start, sp->end,
			    name, &in);
		if (r == BOB_OK)
			r = count_span(c, in, name);
	}
	return r;
}

/* Only a regular file can be read twice; anything else is refused first. */
static int
check_file(struct conversion *c, const char *path)
{
	struct stat st;
	int is_stdin = strcmp(path, "-") == 0;

	if ((is_stdin ? fstat(STDIN_FILENO, &st) : stat(path, &st)) < 0)
		return err_sys(c->ctx, BOB_FAILED, errno, "%s", path);
	return S_ISREG(st.st_mode) ? BOB_OK : err_set(c->ctx, BOB_FAILED,
	    BOB_E_USAGE, BOB_NO_OFFSET,
	    "%s: an exact copy needs a file that can be read twice", path);
}

static int
copy_exactly(struct conversion *c, struct bob_reader *rd, struct out *out)
{
	struct spans s = { 0 };
	struct in_whole whole;
	int r = rd->format == c->to ? BOB_OK : err_set(c->ctx, BOB_FAILED,
	    BOB_E_USAGE, BOB_NO_OFFSET,
	    "%s: an exact copy is of the same format (%s, not %s)", rd->name,
	    rd->format->info.name, c->to->info.name);

	if (r == BOB_OK)
		r = find_spans(c, rd, &s);
	if (r == BOB_OK && (!in_whole(rd->in, &whole) || whole.p != NULL))
		r = err_set(c->ctx, BOB_FAILED, BOB_E_UNSUPPORTED,
		    BOB_NO_OFFSET, "an exact copy needs one file that does "
		    "not change");
	c->gaps_are_told = 1;
	if (r == BOB_OK)
		r = write_spans(c, whole.fd, rd->name, &s, out);
	c->gaps_are_told = 0;
	free(s.span);
	return r;
}

int
conversion_exact(struct conversion *c, const char *path, struct out *out)
{
	struct bob_read_opts o = conversion_read_opts(c);
	struct ctx_input before;
	struct bob_reader *rd;
	int r = check_file(c, path);

	o.want = BOB_WANT_MARKS | BOB_WANT_ORDER;
	o.filter = NULL;
	if (r == BOB_OK)
		r = bob_open(c->ctx, path, &o, &rd);
	if (r < 0)
		return r;
	before = ctx_read(c->ctx, reader_input(rd));
	r = copy_exactly(c, rd, out);
	(void)ctx_read(c->ctx, before);
	bob_close(rd);
	return r;
}
