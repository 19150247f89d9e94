/*
 * One trace of phpspy's text: what its lines say. Only a frame line that is
 * none is complained about; anything may stand in a comment.
 */
#include "format/phpspy/trace.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "format/phpspy/phpspy.h"

int
trace_init(struct trace *t, struct source *src)
{
	t->src = src;
	lines_init(&t->lines, src->in, "phpspy");
	return frame_reader_init(&t->frames, src->ctx, src->dict);
}

void
trace_done(struct trace *t)
{
	frame_reader_done(&t->frames);
	free(t->frame);
	free(t->pair);
}

void
trace_clear(struct trace *t)
{
	t->n_frames = t->n_pairs = 0;
	t->has_pid = t->has_time = t->is_empty = 0;
}

static int
is_word(struct bob_bytes a, const char *word)
{
	return a.n == strlen(word) && memcmp(a.p, word, a.n) == 0;
}

static int
add_pair(struct trace *t, struct bob_bytes key, struct bob_bytes value)
{
	struct source *src = t->src;
	struct bob_pair pair;

	if (!(src->want & BOB_WANT_ANNOTATIONS))
		return BOB_OK;
	if (t->n_pairs == BOB_MAX_PAIRS) {
		lines_warn(&t->lines, "too many comments in one trace");
		return BOB_OK;
	}
	pair.key = bob_str_put(src->dict, key.p, key.n);
	pair.value = bob_str_put(src->dict, value.p, value.n);
	if (pair.key == BOB_NO_ID || pair.value == BOB_NO_ID ||
	    MEM_GROW(src->ctx, t, pair, t->n_pairs + 1) < 0)
		return BOB_FATAL;
	t->pair[t->n_pairs++] = pair;
	return BOB_OK;
}

/* Seconds with a fraction, in microseconds; what is smaller is dropped. */
static int
get_time(struct bob_bytes s, uint64_t *ret)
{
	size_t whole = text_n_digits(s.p, s.n), i;
	uint64_t v;

	if (!text_get_u64(s.p, whole, &v) || v > UINT64_MAX / 1000000 - 1)
		return 0;
	if (whole < s.n && (s.p[whole] != '.' || text_n_digits(
	    s.p + whole + 1, s.n - whole - 1) != s.n - whole - 1))
		return 0;
	for (i = whole + 1; i <= whole + 6; i++)
		v = v * 10 + (i < s.n ? (uint64_t)(s.p[i] - '0') : 0);
	*ret = v;
	return 1;
}

/* `# key = value` */
static int
add_fact(struct trace *t, struct bob_bytes key, struct bob_bytes value)
{
	if (is_word(key, "pid")) {
		t->has_pid = text_get_u64(value.p, value.n, &t->pid);
		if (!t->has_pid)
			lines_warn(&t->lines, "pid is no number");
		return BOB_OK;
	}
	if (is_word(key, "trace_ts")) {
		t->has_time = get_time(value, &t->t_us);
		if (!t->has_time)
			lines_warn(&t->lines, "trace_ts is no time");
		return BOB_OK;
	}
	if (is_word(key, "frames") && is_word(value, "0")) {
		t->is_empty = 1;
		return BOB_OK;
	}
	return add_pair(t, key, value);
}

/* `mem SIZE PEAK`, phpspy's only comment without '='; 0 when p is not it. */
static int
add_mem(struct trace *t, const char *p, size_t n, int *r)
{
	size_t size = n > 4 ? text_n_digits(p + 4, n - 4) : 0;
	size_t peak = 4 + size + 1;

	if (size == 0 || memcmp(p, "mem ", 4) != 0 || peak >= n ||
	    p[peak - 1] != ' ' || text_n_digits(p + peak, n - peak) != n - peak)
		return 0;
	*r = add_pair(t, (struct bob_bytes){ "mem", 3 },
	    (struct bob_bytes){ p + 4, size });
	if (*r == BOB_OK)
		*r = add_pair(t, (struct bob_bytes){ "mem_peak", 8 },
		    (struct bob_bytes){ p + peak, n - peak });
	return 1;
}

/* What follows "# ". Anything may be a comment: no complaints. */
static int
add_comment(struct trace *t, const char *p, size_t n)
{
	size_t i;
	int r;

	if (add_mem(t, p, n, &r))
		return r;
	for (i = 0; i + 2 <= n; i++)
		if (memcmp(p + i, " =", 2) == 0 &&
		    (i + 2 == n || p[i + 2] == ' '))
			break;
	if (i + 2 > n)
		return BOB_OK;
	return add_fact(t, (struct bob_bytes){ p, i },
	    i + 3 <= n ? (struct bob_bytes){ p + i + 3, n - i - 3 }
	               : (struct bob_bytes){ "", 0 });
}

static int
add_frame(struct trace *t, const char *p, size_t n)
{
	struct bob_ctx *ctx = t->src->ctx;
	size_t depth = phpspy_depth_len(p, n);
	bob_fid frame = 0;

	if (depth > 0)
		frame = frame_reader_get(&t->frames, p + depth, n - depth,
		    frame_words_split);
	if (frame == BOB_NO_ID)
		return BOB_FATAL;
	if (frame == 0) {
		lines_skip(&t->lines, "neither a frame nor a comment");
		return BOB_OK;
	}
	if (t->n_frames == BOB_MAX_DEPTH)
		return err_set(ctx, BOB_FATAL, BOB_E_LIMIT,
		    t->lines.offset, "phpspy: line %llu: more than %u frames "
		    "in one trace", (unsigned long long)t->lines.number,
		    BOB_MAX_DEPTH);
	if (MEM_GROW(ctx, t, frame, t->n_frames + 1) < 0)
		return BOB_FATAL;
	t->frame[t->n_frames++] = frame;
	return BOB_OK;
}

/* A frame or a comment. */
static int
add_item(struct trace *t, const char *p, size_t n)
{
	if (t->n_frames == 0 && t->n_pairs == 0)
		t->offset = t->lines.offset;
	if (n > 1 && *p == '#' && p[1] == ' ')
		return add_comment(t, p + 2, n - 2);
	if (n > 0 && *p == '#')
		return BOB_OK;
	while (n > 0 && p[n - 1] == ' ')
		n--;
	return n == 0 ? BOB_OK : add_frame(t, p, n);
}

/* True when the line is a whole trace, with a TAB behind each frame or
 * between them; a TAB inside a name is followed by something else. */
static int
is_single_line(const char *p, size_t n)
{
	const char *end = p + n, *tab = memchr(p, '\t', n);
	int is_single = tab != NULL;

	while (is_single && tab != NULL) {
		p = tab + 1;
		is_single = p == end || *p == '#' ||
		    phpspy_depth_len(p, (size_t)(end - p)) > 0;
		tab = p < end ? memchr(p, '\t', (size_t)(end - p)) : NULL;
	}
	return is_single;
}

static int
add_single_line(struct trace *t, const char *p, size_t n)
{
	const char *end = p + n;
	int r = BOB_OK;

	while (r == BOB_OK && p < end) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		const char *stop = tab == NULL ? end : tab;

		r = add_item(t, p, (size_t)(stop - p));
		p = stop + 1;
	}
	return r;
}

int
trace_add_line(struct trace *t, const char *p, size_t n, int *ends)
{
	*ends = is_single_line(p, n);
	return *ends ? add_single_line(t, p, n) : add_item(t, p, n);
}

int
trace_stack(struct trace *t, bob_stack *ret)
{
	size_t i;
	int r = BOB_OK;

	*ret = 0;
	for (i = 0; r == BOB_OK && i < t->n_frames; i++)
		r = frame_reader_push(&t->frames, i,
		    t->frame[t->n_frames - 1 - i], ret);
	return r;
}
