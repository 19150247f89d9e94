/*
 * The door of the engine in a page: the functions that web/engine/worker.js
 * calls. A program of its own: it has one context, one profile and one view.
 *
 *     p = engine_room(n), n bytes are put there, engine_add(side)
 *     engine_begin(is_diff, hides_idle), with the title in the room
 *     text = engine_ask(), with the question in the room
 *
 * A question is a row of strings, each with a NUL behind it: its name, then
 * parameter and value by turns; an empty one ends it. The answer is the JSON
 * that the server of `bobbin view` gives, byte for byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/ask.h"

#define EXPORT(name) __attribute__((export_name(name), used))

static struct door {
	struct view view;
	char *room; /* what the caller hands over, NUL behind it */
	size_t n_room;
	char *title;
	struct answer answer;
} door;

/* A question in the room. */
struct asked {
	struct request rq;
	const char *pair; /* the first parameter */
};

static const char *
after(const char *s)
{
	return s + strlen(s) + 1;
}

static const char *
param(const struct request *rq, const char *name)
{
	const char *p = ((const struct asked *)rq)->pair;

	for (; *p != '\0'; p = after(after(p)))
		if (strcmp(p, name) == 0)
			return after(p);
	return NULL;
}

/* Room for n bytes, until the next call. Behind them are zeros, so that a row
 * of strings always ends. NULL without memory. */
EXPORT("engine_room") char *
engine_room(size_t n)
{
	free(door.room);
	door.room = n > SIZE_MAX - 4 ? NULL : malloc(n + 4);
	door.n_room = door.room != NULL ? n : 0;
	if (door.room != NULL)
		memset(door.room + n, 0, 4);
	return door.room;
}

static int
open_profile(void)
{
	struct bob_profile_opts o = { .size = sizeof(o),
		.flags = VIEW_FLAGS | BOB_PROFILE_RECOVER };

	if (door.view.ctx == NULL)
		door.view.ctx = bob_ctx_new();
	if (door.view.ctx == NULL)
		return BOB_FAILED;
	return door.view.profile != NULL ? BOB_OK
	    : bob_profile_new(door.view.ctx, &o, &door.view.profile);
}

/* Reads the trace in the room. Returns 0; -1: engine_error says why. */
EXPORT("engine_add") int
engine_add(int side)
{
	int r = open_profile();

	if (r == BOB_OK)
		r = bob_profile_add_memory(door.view.profile, door.room,
		    door.n_room, "the trace in this page", side);
	(void)engine_room(0);
	return r < BOB_WARN ? -1 : 0;
}

/* The last error of the library. */
EXPORT("engine_error") const char *
engine_error(void)
{
	return door.view.ctx != NULL ? bob_ctx_error(door.view.ctx)->text
	    : "out of memory";
}

/* Takes the title that is in the room. Returns 0; -1 without memory. */
EXPORT("engine_begin") int
engine_begin(int is_diff, int hides_idle)
{
	if (open_profile() != BOB_OK)
		return -1;
	door.title = strdup(door.room != NULL ? door.room : "");
	if (door.title == NULL)
		return -1;
	door.view.title = door.title;
	door.view.is_diff = is_diff;
	door.view.idle = hides_idle ? BOB_IDLE_HIDE : BOB_IDLE_KEEP;
	cache_init(&door.view.cache, door.view.profile);
	return 0;
}

/* Answers the question in the room. Returns JSON, valid until the next call;
 * NULL: there is no such question, or no memory. */
EXPORT("engine_ask") const char *
engine_ask(void)
{
	struct asked asked = { { .path = door.room, .param = param }, NULL };

	free(door.answer.text);
	door.answer.text = NULL;
	if (door.room == NULL)
		return NULL;
	asked.pair = after(door.room);
	if (view_ask(&door.view, door.room, &asked.rq, &door.answer) <= 0)
		return NULL;
	return door.answer.text;
}

/* Bytes of the last answer, and whether it says what is wrong. */
EXPORT("engine_answer_size") size_t
engine_answer_size(void)
{
	return door.answer.n;
}

EXPORT("engine_answer_is_error") int
engine_answer_is_error(void)
{
	return door.answer.is_error;
}
