/*
 * The full screen of top: two lines of facts, a table, a line of keys.
 *
 *     screen.c  opens and closes it, and reads keys
 *     draw.c    draws it
 *     act.c     does what keys stand for
 */
#ifndef CLI_TOP_SCREEN_H
#define CLI_TOP_SCREEN_H

#include "top.h"
#include "tui/canvas.h"
#include "tui/cursor.h"
#include "tui/key.h"
#include "tui/prompt.h"

#define TOP_HEAD 3 /* lines above the rows */
#define TOP_FOOT 1

struct top_screen {
	struct canvas canvas;
	struct keys keys;
	struct prompt prompt;
	int has_prompt, has_help;
	struct cursor cursor;
	char why[BOB_MAX_TEXT]; /* why what is typed is no pattern, or "" */
};

/* Adapts the canvas to the terminal. Returns 0; -1 without memory. */
int top_screen_resize(struct top_screen *s);

/* Draws all of it. */
void top_draw(struct top *t);

/* True if rows have samples of their own: they are no processes or threads. */
int top_has_own(const struct top *t);

/* Does an action (enum top_action). Returns 1 if top ends. */
int top_act(struct top *t, int action, int value);

/* A key that is typed while the prompt is open. */
void top_prompt_key(struct top *t, const struct event *e);

/* Moves the cursor by so many rows. */
void top_move_cursor(const struct top *t, long by);

#endif
