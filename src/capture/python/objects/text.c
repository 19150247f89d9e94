/* Reads compact strings of one, two or four bytes per character. */
#include "capture/python/objects/text.h"

#include <assert.h>
#include <errno.h>

#define CUT "..."

/* Characters that are read. A longer string is cut anyway. */
#define MAX_CHARS PY_MAX_TEXT

static uint32_t
char_at(const uint8_t *from, size_t i, unsigned kind)
{
	uint16_t two;

	if (kind == 1)
		return from[i];
	if (kind == 4)
		return mem_u32(from, 4 * i);
	memcpy(&two, from + 2 * i, sizeof(two));
	return two;
}

/* Writes 1 to 4 bytes of UTF-8 and returns how many. What is not a character of
 * Unicode becomes U+FFFD. */
static size_t
utf8_put(uint32_t c, char *to)
{
	if (c > 0x10ffff)
		c = 0xfffd;
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

size_t
py_text_utf8(const uint8_t *from, size_t *n, unsigned kind, char *to,
    size_t cap)
{
	size_t len = 0, i, k;
	char one[4];

	assert(kind == 1 || kind == 2 || kind == 4);
	for (i = 0; i < *n; i++) {
		k = utf8_put(char_at(from, i, kind), one);
		if (k > cap - len)
			break;
		memcpy(to + len, one, k);
		len += k;
	}
	*n = i;
	return len;
}

int
py_text_shape(const struct py_offsets *o, const uint8_t *head,
    struct py_text_shape *ret)
{
	uint32_t state = mem_u32(head, o->str_state) >> 2;

	assert(o->str_state + 4 <= o->str_ascii);
	/* In free-threaded builds the interned state has a byte of its own. */
	if (o->is_free_threaded && (state & 7) == 0)
		state >>= 6;
	ret->length = mem_u64(head, o->str_length);
	ret->kind = state & 7;
	if ((ret->kind != 1 && ret->kind != 2 && ret->kind != 4) ||
	    (state >> 3 & 1) == 0 || ret->length > (uint64_t)1 << 40)
		return -EINVAL;
	ret->data = (state >> 4 & 1) != 0 ? o->str_ascii : o->str_compact;
	return 0;
}

int
py_text_is(struct mem *m, const struct py_offsets *o, uint64_t at,
    const char *text)
{
	size_t n = strlen(text);
	uint8_t head[PY_TEXT_FIRST];
	struct py_text_shape s;

	assert(o->str_compact <= PY_TEXT_FIRST);
	if (n > PY_TEXT_FIRST - o->str_compact ||
	    mem_read(m, at, head, o->str_ascii + n) < 0 ||
	    py_text_shape(o, head, &s) < 0)
		return 0;
	return s.kind == 1 && s.data == o->str_ascii && s.length == n &&
	    memcmp(head + s.data, text, n) == 0;
}

int
py_text_read(struct mem *m, const struct py_offsets *o, uint64_t at,
    char *buf)
{
	uint8_t raw[4 * MAX_CHARS], head[PY_TEXT_FIRST];
	struct py_text_shape s;
	size_t n, len, have;
	long k = mem_read_some(m, at, head, sizeof(head));
	int r;

	if (k < 0)
		return (int)k;
	if ((size_t)k < o->str_compact)
		return -EFAULT;
	r = py_text_shape(o, head, &s);
	if (r < 0)
		return r;
	n = s.length < MAX_CHARS ? (size_t)s.length : MAX_CHARS;
	have = (size_t)k - s.data; /* data <= str_compact <= k */
	if (have >= n * s.kind) {
		memcpy(raw, head + s.data, n * s.kind);
	} else {
		r = mem_read(m, at + s.data, raw, n * s.kind);
		if (r < 0)
			return r;
	}
	len = py_text_utf8(raw, &n, s.kind, buf, PY_MAX_TEXT - sizeof(CUT));
	if (s.length > n) {
		memcpy(buf + len, CUT, sizeof(CUT) - 1);
		len += sizeof(CUT) - 1;
	}
	return (int)len;
}
