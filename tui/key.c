/*
 * Decodes bytes of a terminal into keys and mouse events. A sequence that never
 * ends is cut at KEY_RAW bytes, so that no input can make it wait for ever.
 */
#include "key.h"

#include <stdio.h>
#include <string.h>

#include <bobbin/chars.h>

size_t
keys_room(const struct keys *k)
{
	return sizeof(k->buf) - k->n;
}

void
keys_feed(struct keys *k, const char *p, size_t n)
{
	if (n > keys_room(k))
		n = keys_room(k);
	memcpy(k->buf + k->n, p, n);
	k->n += n;
}

/* The length of a sequence that begins with ESC [ or ESC O; 0 if more bytes are
 * needed. */
static size_t
csi_length(const char *p, size_t n)
{
	size_t i;

	if (n < 3)
		return 0;
	if (p[1] == 'O')
		return (unsigned char)p[2] < 0x20 ? 2 : 3;
	if (p[2] == '[') /* the Linux console: ESC [ [ A */
		return n >= 4 ? 4 : 0;
	for (i = 2; i < n && i < KEY_RAW; i++) {
		if (p[i] >= 0x40 && p[i] <= 0x7e)
			return i + 1;
		if (p[i] < 0x20 || p[i] > 0x7e) /* something else begins */
			return i;
	}
	return i == KEY_RAW ? KEY_RAW : 0;
}

/* The length of the next key; 0 if more bytes are needed. */
static size_t
chunk_length(const char *p, size_t n, int flush)
{
	size_t len;
	uint32_t cp;

	if (p[0] == '\033') {
		if (n > 1 && (p[1] == '[' || p[1] == 'O')) {
			len = csi_length(p, n);
			return len > 0 || !flush ? len : 1;
		}
		return n > 1 || flush ? 1 : 0;
	}
	len = bob_char_take(p, n, &cp);
	if (len > 0)
		return len;
	/* The beginning of a character, perhaps. */
	return n < 4 && !flush && ((unsigned char)p[0] & 0xc0) == 0xc0 ? 0 : 1;
}

static const struct {
	const char *raw, *name;
} sequences[] = {
	{ "\033[A", "Up" }, { "\033OA", "Up" },
	{ "\033[B", "Down" }, { "\033OB", "Down" },
	{ "\033[C", "Right" }, { "\033OC", "Right" },
	{ "\033[D", "Left" }, { "\033OD", "Left" },
	{ "\033[H", "Home" }, { "\033OH", "Home" },
	{ "\033[1~", "Home" }, { "\033[7~", "Home" },
	{ "\033[F", "End" }, { "\033OF", "End" },
	{ "\033[4~", "End" }, { "\033[8~", "End" },
	{ "\033[5~", "PgUp" }, { "\033[6~", "PgDn" },
	{ "\033[2~", "Insert" }, { "\033[3~", "Delete" },
	{ "\033[Z", "Shift-Tab" }, { "\033OM", "Enter" },
	{ "\033OP", "F1" }, { "\033OQ", "F2" },
	{ "\033OR", "F3" }, { "\033OS", "F4" },
	{ "\033[[A", "F1" }, { "\033[[B", "F2" },
	{ "\033[[C", "F3" }, { "\033[[D", "F4" },
	{ "\033[[E", "F5" }, { "\033[11~", "F1" },
	{ "\033[12~", "F2" }, { "\033[13~", "F3" },
	{ "\033[14~", "F4" }, { "\033[15~", "F5" },
	{ "\033[17~", "F6" }, { "\033[18~", "F7" },
	{ "\033[19~", "F8" }, { "\033[20~", "F9" },
	{ "\033[21~", "F10" }, { "\033[23~", "F11" },
	{ "\033[24~", "F12" },
	{ "\t", "Tab" }, { "\r", "Enter" }, { "\n", "Enter" },
	{ "\177", "Backspace" }, { "\b", "Backspace" },
	{ " ", "Space" }, { "\033", "Esc" },
};

static void
name_key(struct event *e)
{
	unsigned char c = (unsigned char)e->raw[0];
	size_t i;

	for (i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		if (strlen(sequences[i].raw) == e->n_raw &&
		    memcmp(sequences[i].raw, e->raw, e->n_raw) == 0) {
			(void)snprintf(e->name, sizeof(e->name), "%s",
			    sequences[i].name);
			return;
		}
	}
	if (c == '\033')
		return;
	if (c < 0x20)
		(void)snprintf(e->name, sizeof(e->name), "^%c", c + '@');
	else if (c < 0x80 || e->n_raw > 1)
		(void)snprintf(e->name, sizeof(e->name), "%.*s",
		    (int)e->n_raw, e->raw);
}

/* Reads a decimal number of at most 6 digits and moves *p behind it; -1 if
 * there is none. */
static int
parse_number(const char **p, const char *end)
{
	const char *begin = *p;
	int v = 0;

	while (*p < end && **p >= '0' && **p <= '9' && *p - begin < 6)
		v = v * 10 + (*(*p)++ - '0');
	return *p > begin ? v : -1;
}

/* ESC [ < button ; column ; row, then M or m. Returns 1 and fills the event; 0
 * if it is something else. */
static int
parse_mouse(struct event *e)
{
	const char *p = e->raw + 3, *end = e->raw + e->n_raw - 1;
	int button, x, y;

	if (e->n_raw < 9 || memcmp(e->raw, "\033[<", 3) != 0 ||
	    (*end != 'M' && *end != 'm'))
		return 0;
	button = parse_number(&p, end);
	if (button < 0 || p == end || *p++ != ';')
		return 0;
	x = parse_number(&p, end);
	if (x < 1 || p == end || *p++ != ';')
		return 0;
	y = parse_number(&p, end);
	if (y < 1 || p != end)
		return 0;
	e->kind = EVENT_MOUSE;
	e->x = x - 1;
	e->y = y - 1;
	e->button = button & 3;
	if (button & 64)
		e->mouse = button & 1 ? MOUSE_WHEEL_DOWN : MOUSE_WHEEL_UP;
	else if (button & 32)
		e->mouse = MOUSE_DRAG;
	else
		e->mouse = *end == 'M' ? MOUSE_PRESS : MOUSE_RELEASE;
	return 1;
}

int
keys_next(struct keys *k, int flush, struct event *ret)
{
	size_t len = k->n > 0 ? chunk_length(k->buf, k->n, flush) : 0;

	if (len == 0)
		return 0;
	memset(ret, 0, sizeof(*ret));
	ret->kind = EVENT_KEY;
	memcpy(ret->raw, k->buf, len);
	ret->n_raw = len;
	k->n -= len;
	memmove(k->buf, k->buf + len, k->n);
	if (!parse_mouse(ret))
		name_key(ret);
	return 1;
}

const char *
key_hex(const struct event *e, char *buf, size_t n)
{
	size_t i, at = 0;

	buf[0] = '\0';
	for (i = 0; i < e->n_raw && at + 4 <= n; i++)
		at += (size_t)snprintf(buf + at, n - at, "%s%02x",
		    i > 0 ? " " : "", (unsigned char)e->raw[i]);
	return buf;
}
