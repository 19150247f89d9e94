/*
 * Text: building lines of output, escaping bytes, reading numbers.
 *
 * A `struct text` gathers bytes and passes them to an output as one commit. The
 * functions that add bytes return nothing. The first failure is kept, and
 * text_commit returns it. A text that grows beyond TEXT_SPILL is passed on
 * early; only then a line takes more than one commit.
 *
 *     text_begin(t, out);
 *     text_u64(t, count);
 *     text_byte(t, '\t');
 *     text_escaped(t, name.p, name.n, TEXT_CTL | TEXT_SPACE);
 *     return text_commit(t);
 *
 * Bytes that a format cannot hold are escaped as %HH, with upper case digits. A
 * '%' is written as %25 only where it would look like an escape. Reading undoes
 * only escapes of bytes that may have been escaped. So "100%" is written as it
 * is, and "%41" in a file of another program is read as it is.
 */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"

#define TEXT_SPILL ((size_t)1 << 20)

/* Kinds of bytes, as bits of text_kinds[]. */
enum {
	TEXT_CTL = 1 << 0,     /* BOB_CHAR_ACTS: see bobbin/chars.h */
	TEXT_SPACE = 1 << 1,
	TEXT_SEMI = 1 << 2,    /* ; */
	TEXT_COLON = 1 << 3,   /* : */
	TEXT_PERCENT = 1 << 4, /* % */
	TEXT_HASH = 1 << 5,    /* # */
	TEXT_LISTING = 1 << 6, /* outside 0x21..0x7e, and % , ; = */
	/* In the table: the first byte of a character of BOB_CHAR_ACTS. */
	TEXT_LEAD = 1 << 7,
	/* No kind: never escape '%', for text that is not read back. */
	TEXT_ONE_WAY = 1 << 8,
	/* The kinds that text_unescape undoes. */
	TEXT_ESCAPES = TEXT_CTL | TEXT_SPACE | TEXT_SEMI | TEXT_COLON |
	    TEXT_PERCENT | TEXT_HASH
};

extern const uint8_t text_kinds[256];

struct text {
	struct out *out;
	struct bob_ctx *ctx;
	char *p;
	size_t n, cap_p;
	int r;          /* first failure, or BOB_OK */
	int is_spilled; /* the beginning is no longer in p */
};

/* Begins a text for `out`; memory of an earlier one is reused. Free it with
 * text_done. */
static inline void
text_begin(struct text *t, struct out *out)
{
	t->out = out;
	t->ctx = out->ctx;
	t->n = 0;
	t->r = BOB_OK;
	t->is_spilled = 0;
}

void text_done(struct text *t);

/* Returns room for n more bytes (at most TEXT_SPILL), or NULL after a failure.
 * The caller fills them and adds to t->n. text_room_slow is its slow path. */
char *text_room_slow(struct text *t, size_t n);

static inline char *
text_room(struct text *t, size_t n)
{
	assert(n <= TEXT_SPILL);
	if (t->n + n <= t->cap_p && t->n + n <= TEXT_SPILL && t->r == BOB_OK)
		return t->p + t->n;
	return text_room_slow(t, n);
}

static inline void
text_byte(struct text *t, char c)
{
	char *p = text_room(t, 1);

	if (p != NULL) {
		*p = c;
		t->n++;
	}
}

/* Writes the decimal digits of v to `to`, which has room for TEXT_MAX_U64
 * bytes. Returns their number. */
#define TEXT_MAX_U64 20
size_t text_format_u64(char *to, uint64_t v);

/* Writes a short decimal that reads back as v, with a '.' in any locale, to
 * `to`, which has TEXT_MAX_DECIMAL bytes. Ends it with a NUL. */
#define TEXT_MAX_DECIMAL 32
void text_format_decimal(char *to, double v);

void text_bytes(struct text *t, const void *p, size_t n);
void text_str(struct text *t, const char *s);
void text_u64(struct text *t, uint64_t v);
void text_i64(struct text *t, int64_t v);
void text_hex(struct text *t, uint64_t v); /* lower case, no 0x */

/* Adds v with exactly n digits (at most 20), with leading zeros. */
void text_digits(struct text *t, uint64_t v, unsigned n);

/* Adds n bytes, with bytes of any kind in `kinds` as %HH. */
void text_escaped(struct text *t, const char *p, size_t n, unsigned kinds);

/* Commits what was gathered. Returns BOB_OK or the first failure. */
int text_commit(struct text *t);

/* The same with n more bytes at the end, which are copied only once. */
int text_commit_with(struct text *t, const void *p, size_t n);

/* Undoes the escapes in n bytes at p. Writes at most n bytes to `to`, which may
 * be p. Returns their number. */
size_t text_unescape(char *to, const char *p, size_t n);

/*
 * Parse all n bytes at p as a number. Return 1 and set *ret; 0 if they are no
 * number, or it is too large. Signed numbers may begin with '-'.
 */
int text_get_u64(const char *p, size_t n, uint64_t *ret);
int text_get_i64(const char *p, size_t n, int64_t *ret);
int text_get_hex(const char *p, size_t n, uint64_t *ret);

/* Returns how many decimal digits the n bytes at p begin with. */
static inline size_t
text_n_digits(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] >= '0' && p[i] <= '9')
		i++;
	return i;
}

/* True if the n bytes at p end with the string s. */
static inline int
text_ends_in(const char *p, size_t n, const char *s)
{
	size_t len = strlen(s);

	return n >= len && memcmp(p + n - len, s, len) == 0;
}

#endif
