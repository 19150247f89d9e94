/*
 * What the terminal sends, as events: a key or something done with the mouse.
 *
 * Bytes go in, events come out; no terminal is needed for it. A key has a
 * name: itself when it can be printed, "^F" for a control character, or one of
 * Up, Down, Left, Right, PgUp, PgDn, Home, End, Insert, Delete, Tab,
 * Shift-Tab, Enter, Backspace, Space, Esc, F1 .. F12. What has none is known
 * by its bytes alone.
 */
#ifndef TUI_KEY_H
#define TUI_KEY_H

#include <stddef.h>

#define KEY_RAW 32 /* longest sequence of a key */
#define KEY_NAME 16

enum event_kind { EVENT_KEY = 1, EVENT_MOUSE };

enum mouse_kind {
	MOUSE_PRESS = 1,
	MOUSE_RELEASE,
	MOUSE_DRAG,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN
};

struct event {
	int kind;
	char name[KEY_NAME]; /* of a key; "" when it has none */
	char raw[KEY_RAW];   /* as it came; NUL bytes are possible */
	size_t n_raw;
	int mouse;           /* enum mouse_kind */
	int button;          /* 0 left, 1 middle, 2 right */
	int x, y;            /* from 0 */
};

struct keys {
	char buf[256];
	size_t n;
};

/* Room for more bytes; 0 when it is full. */
size_t keys_room(const struct keys *k);

/* Takes bytes; no more than there is room for. */
void keys_feed(struct keys *k, const char *p, size_t n);

/*
 * The next event: 1, or 0 when more bytes are needed. With `flush` nothing
 * more is coming for now: an Esc is then a key of its own.
 */
int keys_next(struct keys *k, int flush, struct event *ret);

/* The bytes of an event as "1b 5b 41"; returns buf, which takes n bytes. */
const char *key_hex(const struct event *e, char *buf, size_t n);

#endif
