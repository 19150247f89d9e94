/* What metadata says about tracks; see the header. */
#include "format/rbt/track.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"

/* What a name cannot hold as it is. */
#define ESCAPED (TEXT_CTL | TEXT_SPACE | TEXT_PERCENT)

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* True when the name is one that rbt_track_format writes. */
static int
is_name(struct bob_bytes s)
{
	size_t i;

	for (i = 0; i < s.n; i++) {
		uint8_t c = (uint8_t)s.p[i];

		if (c == '%') {
			if (s.n - i < 3 || hex_value(s.p[i + 1]) < 0 ||
			    hex_value(s.p[i + 2]) < 0)
				return 0;
			i += 2;
		} else if (text_kinds[c] & ESCAPED) {
			return 0;
		}
	}
	return s.n > 0;
}

size_t
rbt_track_unescape(char *p, size_t n)
{
	size_t from, to = 0;

	for (from = 0; from < n; from++) {
		if (p[from] == '%') {
			p[to++] = (char)(hex_value(p[from + 1]) << 4 |
			    hex_value(p[from + 2]));
			from += 2;
		} else {
			p[to++] = p[from];
		}
	}
	return to;
}

/* Takes the word at *s if it begins with `label`. Returns 1, sets *ret to what
 * follows the label and moves *s to the next word; else 0. */
static int
take_word(struct bob_bytes *s, const char *label, struct bob_bytes *ret)
{
	size_t n = strlen(label);
	const char *end = s->p + s->n, *space;

	if (s->n < n || memcmp(s->p, label, n) != 0)
		return 0;
	*ret = (struct bob_bytes){ s->p + n, s->n - n };
	space = memchr(ret->p, ' ', ret->n);
	if (space != NULL)
		ret->n = (size_t)(space - ret->p);
	/* A space is only good with a word behind it. */
	s->p = ret->p + ret->n;
	s->p += space != NULL && space + 1 < end;
	s->n = (size_t)(end - s->p);
	return 1;
}

/* The same for a number. Returns 1, 0 when the word has another label, or -1
 * when it is no number. */
static int
take_number(struct bob_bytes *s, const char *label, uint64_t *ret)
{
	struct bob_bytes word;

	if (!take_word(s, label, &word))
		return 0;
	return text_get_u64(word.p, word.n, ret) ? 1 : -1;
}

static int
parse_value(struct bob_bytes s, struct bob_track *t, struct bob_bytes *name)
{
	uint64_t interp = 0;
	int pid = take_number(&s, "pid=", &t->pid);
	int tid = take_number(&s, "tid=", &t->tid);
	int in = take_number(&s, "interp=", &interp);

	*name = (struct bob_bytes){ "", 0 };
	if (pid < 0 || tid < 0 || in < 0 || interp > UINT32_MAX)
		return 0;
	t->interp = (uint32_t)interp;
	t->flags = (pid ? BOB_TRACK_PID : 0u) | (tid ? BOB_TRACK_TID : 0u) |
	    (in ? BOB_TRACK_INTERP : 0u);
	if (take_word(&s, "name=", name) && !is_name(*name))
		return 0;
	return s.n == 0 && (t->flags != 0 || name->n > 0);
}

int
rbt_track_parse(struct bob_bytes key, struct bob_bytes value,
    uint64_t *number, struct bob_track *ret, struct bob_bytes *name)
{
	size_t n = strlen(RBT_META_TRACK);

	*ret = (struct bob_track){ 0 };
	return key.n > n && memcmp(key.p, RBT_META_TRACK, n) == 0 &&
	    text_get_u64(key.p + n, key.n - n, number) &&
	    parse_value(value, ret, name);
}

static size_t
put_number(char *buf, size_t n, const char *label, uint64_t v)
{
	return n + (size_t)snprintf(buf + n, RBT_TRACK_VALUE - n, "%s%s%llu",
	    n > 0 ? " " : "", label, (unsigned long long)v);
}

size_t
rbt_track_format(const struct bob_track *t, struct bob_bytes name, char *buf)
{
	size_t n = 0, i;

	/* Three labels, 20 digits each, and what is in between. */
	_Static_assert(RBT_TRACK_VALUE > 3 * (20 + 8) + 6, "no name yet");
	if (t->flags & BOB_TRACK_PID)
		n = put_number(buf, n, "pid=", t->pid);
	if (t->flags & BOB_TRACK_TID)
		n = put_number(buf, n, "tid=", t->tid);
	if (t->flags & BOB_TRACK_INTERP)
		n = put_number(buf, n, "interp=", t->interp);
	if (name.n == 0)
		return n;
	n += (size_t)snprintf(buf + n, RBT_TRACK_VALUE - n, "%sname=",
	    n > 0 ? " " : "");
	for (i = 0; i < name.n; i++) {
		uint8_t c = (uint8_t)name.p[i];

		if (text_kinds[c] & ESCAPED) {
			buf[n++] = '%';
			buf[n++] = "0123456789ABCDEF"[c >> 4];
			buf[n++] = "0123456789ABCDEF"[c & 15];
		} else {
			buf[n++] = (char)c;
		}
	}
	return n;
}
