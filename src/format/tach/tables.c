/* Reading the tables; see the header. */
#include "format/tach/tables.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/spool.h"
#include "core/utf8.h"
#include "core/varint.h"
#include "format/tach/number.h"

typedef unsigned long long ull;

/* The longest entry of the frame table: six numbers and an opcode. */
#define FRAME_MAX (6 * VARINT_MAX + 1)

void
tables_done(struct tach_tables *t)
{
	MEM_DROP(t->ctx, t, str);
	MEM_DROP(t->ctx, t, fid);
	MEM_DROP(t->ctx, t, mended);
}

static int BOB_PRINTF(3, 4)
tables_damaged(struct tach_tables *t, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(t->why, sizeof(t->why), fmt, ap);
	va_end(ap);
	t->bad_at = at;
	return BOB_FAILED;
}

/* --- entries ------------------------------------------------------------- */

/* The length of the string at the window's start, and of its own bytes.
 * TACH_NUMBER_* or FATAL. */
static int
string_head(struct in *in, uint32_t *len, size_t *n_head)
{
	const uint8_t *p, *q;
	size_t n;
	int r;

	if (in_peek(in, VARINT_MAX, &p, &n) == BOB_FATAL)
		return BOB_FATAL;
	q = p;
	r = tach_number32(&q, p + n, len);
	*n_head = (size_t)(q - p);
	return r;
}

/* Adds as the writer subtracted: modulo 2^32. */
static int32_t
add_delta(int32_t a, uint32_t delta)
{
	return (int32_t)((uint32_t)a + (uint32_t)unzigzag(delta));
}

/* The entry at *p; TACH_NUMBER_*, and *n_fields that were read. */
static int
frame_get(const uint8_t **p, const uint8_t *end, unsigned fields,
    struct tach_frame *ret, unsigned *n_fields)
{
	unsigned n_numbers = fields == 3 ? 3 : 6, i;
	uint32_t v[6] = { 0 };
	const uint8_t *q = *p;
	int r;

	for (i = 0; i < n_numbers; i++) {
		r = tach_number32(&q, end, &v[i]);
		*n_fields = i;
		if (r != TACH_NUMBER_OK)
			return r;
	}
	*ret = (struct tach_frame){ .file = v[0], .func = v[1],
		.line = (int32_t)unzigzag(v[2]), .opcode = TACH_NO_OPCODE };
	ret->end_line = add_delta(ret->line, v[3]);
	ret->col = (int32_t)unzigzag(v[4]);
	ret->end_col = ret->col == -1 ? -1 : add_delta(ret->col, v[5]);
	*n_fields = i;
	if (fields == 7) {
		*p = q;
		if (q == end)
			return TACH_NUMBER_CUT;
		ret->opcode = *q++;
		*n_fields = 7;
	}
	*p = q;
	return TACH_NUMBER_OK;
}

/* --- does it fit --------------------------------------------------------- */

/* Consumes n bytes without keeping them; 0: there are fewer. */
static int
skip_bytes(struct in *in, uint64_t n)
{
	const uint8_t *p;
	size_t k;

	while (n > 0) {
		int r = in_peek(in, 1, &p, &k);

		if (r != BOB_OK)
			return r == BOB_EOF ? 0 : r;
		k = k < n ? k : (size_t)n;
		in_consume(in, k);
		n -= k;
	}
	return 1;
}

int
tables_strings_fit(struct spool *s, uint64_t from, uint64_t to, uint32_t n,
    int *ret)
{
	struct in *in;
	int r = spool_range(s, from, to, &in);
	uint32_t i, len;
	size_t n_head;

	if (r < 0)
		return r;
	*ret = 1;
	for (i = 0; i < n && *ret == 1; i++) {
		*ret = string_head(in, &len, &n_head);
		if (*ret == TACH_NUMBER_OK)
			*ret = skip_bytes(in, n_head + (uint64_t)len);
	}
	r = *ret == BOB_FATAL ? BOB_FATAL : BOB_OK;
	*ret = *ret == 1 && in->pos == to;
	in_close(in);
	return r;
}

int
tables_frames_fit(struct spool *s, uint64_t from, uint64_t to, uint32_t n,
    unsigned fields, int *ret)
{
	struct tach_frame frame;
	struct in *in;
	const uint8_t *p, *q;
	unsigned n_fields;
	uint32_t i;
	size_t left;
	int r = spool_range(s, from, to, &in);

	if (r < 0)
		return r;
	*ret = 1;
	for (i = 0; i < n && *ret == 1; i++) {
		if (in_peek(in, FRAME_MAX, &p, &left) == BOB_FATAL) {
			*ret = BOB_FATAL;
			break;
		}
		q = p;
		*ret = frame_get(&q, p + left, fields, &frame, &n_fields);
		in_consume(in, (size_t)(q - p));
	}
	r = *ret == BOB_FATAL ? BOB_FATAL : BOB_OK;
	*ret = *ret == 1 && in->pos == to;
	in_close(in);
	return r;
}

/* --- reading ------------------------------------------------------------- */

/* The string with U+FFFD for what is no UTF-8, as CPython shows it. */
static bob_str
put_mended(struct tach_tables *t, const char *p, size_t n, uint64_t at)
{
	if (!t->has_mended)
		err_diag(t->ctx, BOB_WARN, BOB_E_CORRUPT, at,
		    "tach: byte %llu: a name that is not UTF-8; U+FFFD stands "
		    "for what is wrong in it", (ull)at);
	t->has_mended = 1;
	if (n > SIZE_MAX / 3 || MEM_TAKE(t->ctx, t, mended, 3 * n) < 0)
		return BOB_NO_ID;
	return bob_str_put(t->dict, t->mended, utf8_replace(t->mended, p, n));
}

int
tables_add_string(struct tach_tables *t, const char *p, size_t n, uint64_t at)
{
	bob_str id;

	if (MEM_TAKE(t->ctx, t, str, (size_t)t->n_str + 1) < 0)
		return BOB_FATAL;
	id = utf8_valid(p, n) == n ? bob_str_put(t->dict, p, n) :
	    put_mended(t, p, n, at);
	if (id == BOB_NO_ID)
		return BOB_FATAL;
	t->str[t->n_str++] = id;
	return BOB_OK;
}

static void
warn_bad_frame(struct tach_tables *t, const struct tach_frame *f, uint64_t at)
{
	uint32_t bad = f->file >= t->n_str ? f->file : f->func;

	if (!t->has_bad_frame)
		err_diag(t->ctx, BOB_WARN, BOB_E_CORRUPT, at,
		    "tach: byte %llu: frame %lu refers to string %lu, but "
		    "there are %lu", (ull)at, (unsigned long)t->n_fid,
		    (unsigned long)bad, (unsigned long)t->n_str);
	t->has_bad_frame = 1;
}

int
tables_add_frame(struct tach_tables *t, const struct tach_frame *f,
    unsigned fields, uint64_t at)
{
	struct bob_frame frame = { .lang = BOB_LANG_PYTHON };
	bob_fid id = 0;

	if (MEM_TAKE(t->ctx, t, fid, (size_t)t->n_fid + 1) < 0)
		return BOB_FATAL;
	if (f->file >= t->n_str || f->func >= t->n_str) {
		warn_bad_frame(t, f, at);
		t->fid[t->n_fid++] = 0;
		return BOB_OK;
	}
	t->n_str_uses += 2;
	frame.file = t->str[f->file];
	frame.name = t->str[f->func];
	if (f->line == -1) {
		frame.flags = BOB_FRAME_NO_LINE;
	} else {
		frame.where = f->line;
		if (fields == 7) {
			frame.flags = BOB_FRAME_COLUMNS;
			frame.end_line = f->end_line;
			frame.col = f->col;
			frame.end_col = f->end_col;
		}
	}
	if (f->opcode != TACH_NO_OPCODE) {
		frame.flags |= BOB_FRAME_OPCODE;
		frame.opcode = (uint16_t)f->opcode;
	}
	id = bob_frame_put(t->dict, &frame);
	if (id == BOB_NO_ID)
		return BOB_FATAL;
	t->fid[t->n_fid++] = id;
	return BOB_OK;
}

static int
read_string(struct tach_tables *t, struct in *in, uint64_t to)
{
	const uint8_t *p;
	uint32_t len = 0;
	size_t n_head, n;
	int r = string_head(in, &len, &n_head);

	if (r == BOB_FATAL)
		return r;
	if (r == TACH_NUMBER_BAD)
		return tables_damaged(t, in->pos, "the length of string %lu "
		    "is no 32-bit number", (unsigned long)t->n_str);
	if (r == TACH_NUMBER_CUT || len > to - in->pos - n_head)
		return tables_damaged(t, in->pos, "string %lu does not end "
		    "before the table does", (unsigned long)t->n_str);
	if (in_peek(in, n_head + len, &p, &n) != BOB_OK)
		return BOB_FATAL;
	r = tables_add_string(t, (const char *)p + n_head, len, in->pos);
	in_consume(in, n_head + len);
	return r;
}

/* The frame at the window's start. BOB_EOF: the table ends inside it. */
static int
read_frame(struct tach_tables *t, struct in *in, unsigned fields)
{
	static const char *const field[] = { "file", "function", "line",
		"last line", "column", "last column", "opcode" };
	struct tach_frame frame = { 0 };
	const uint8_t *p, *q;
	unsigned n_fields;
	size_t n;
	int r;

	if (in_peek(in, FRAME_MAX, &p, &n) == BOB_FATAL)
		return BOB_FATAL;
	q = p;
	r = frame_get(&q, p + n, fields, &frame, &n_fields);
	if (r == TACH_NUMBER_BAD)
		return tables_damaged(t, in->pos, "the %s of frame %lu is no "
		    "32-bit number", field[n_fields], (unsigned long)t->n_fid);
	if (r == TACH_NUMBER_CUT && n_fields < 6)
		return BOB_EOF;
	if (r == TACH_NUMBER_CUT)
		err_diag(t->ctx, BOB_WARN, BOB_E_CORRUPT, in->pos + n,
		    "tach: byte %llu: the frame table ends before the opcode "
		    "of its last frame", (ull)(in->pos + n));
	r = tables_add_frame(t, &frame, fields, in->pos);
	in_consume(in, (size_t)(q - p));
	return r;
}

static int
warn_left_over(struct tach_tables *t, const char *what, const struct in *in,
    uint64_t to, uint32_t n_there, uint32_t n)
{
	if (t->is_tolerant)
		return BOB_OK;
	if (n_there < n)
		err_diag(t->ctx, BOB_WARN, BOB_E_CORRUPT, in->pos,
		    "tach: byte %llu: the table of %ss ends after %lu of %lu",
		    (ull)in->pos, what, (unsigned long)n_there,
		    (unsigned long)n);
	else if (in->pos != to)
		err_diag(t->ctx, BOB_WARN, BOB_E_CORRUPT, in->pos,
		    "tach: byte %llu: %llu more bytes behind the last of %lu "
		    "%ss", (ull)in->pos, (ull)(to - in->pos),
		    (unsigned long)n, what);
	return BOB_OK;
}

int
tables_read_strings(struct tach_tables *t, struct spool *s, uint64_t from,
    uint64_t to, uint64_t rest, uint32_t n)
{
	struct in *in;
	int r = spool_range(s, from, to, &in);

	if (r < 0)
		return r;
	while (r == BOB_OK && t->n_str < n && in->pos < to)
		r = read_string(t, in, to);
	if (r == BOB_OK && n > rest && !t->is_tolerant)
		r = tables_damaged(t, in->pos, "%lu strings are more than "
		    "the file could hold", (unsigned long)n);
	t->end = in->pos;
	if (r == BOB_OK)
		r = warn_left_over(t, "string", in, to, t->n_str, n);
	in_close(in);
	return r;
}

int
tables_read_frames(struct tach_tables *t, struct spool *s, uint64_t from,
    uint64_t to, uint64_t rest, uint32_t n, unsigned fields)
{
	struct in *in;
	int r = spool_range(s, from, to, &in);

	if (r < 0)
		return r;
	while (r == BOB_OK && t->n_fid < n && in->pos < to)
		r = read_frame(t, in, fields);
	if (r >= 0 && n > rest / fields && !t->is_tolerant)
		r = tables_damaged(t, in->pos, "%lu frames are more than "
		    "the file could hold", (unsigned long)n);
	if (r == BOB_EOF && t->is_tolerant)
		r = tables_damaged(t, in->pos,
		    "the table ends inside frame %lu",
		    (unsigned long)t->n_fid);
	t->end = in->pos;
	if (r >= 0)
		r = warn_left_over(t, "frame", in, to, t->n_fid, n);
	in_close(in);
	return r;
}
