/*
 * What a terminal sends, as events: keys and the mouse. Bytes go in, events
 * come out; it needs no terminal.
 *
 * The name of a key is the character itself when it can be printed, "^F" for a
 * control character, or one of Up, Down, Left, Right, PgUp, PgDn, Home, End,
 * Insert, Delete, Tab, Shift-Tab, Enter, Backspace, Space, Esc, F1 .. F12.
 * Other keys have no name, only their bytes.
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
	char raw[KEY_RAW];   /* its bytes; may contain NUL */
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

/* Adds bytes; those beyond keys_room are dropped. */
void keys_feed(struct keys *k, const char *p, size_t n);

/*
 * Returns 1 and sets *ret to the next event; 0 if more bytes are needed. With
 * `flush` no more bytes are coming for now, so that an Esc is a key of its own.
 */
int keys_next(struct keys *k, int flush, struct event *ret);

/* Writes the bytes of an event as "1b 5b 41" to buf (n bytes); returns buf. */
const char *key_hex(const struct event *e, char *buf, size_t n);

#endif
