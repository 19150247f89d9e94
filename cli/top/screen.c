/*
 * The screen and the keys of top; see the header. Keys are looked at between
 * samples. While the explorer is open it has all of the screen (live.c).
 */
#include "screen.h"

#include <stdlib.h>
#include <string.h>

#include "print/msg.h"
#include "tui/tty.h"

int
top_screen_resize(struct top_screen *s)
{
	int cols, rows;

	tty_size(&cols, &rows);
	return canvas_resize(&s->canvas, cols, rows);
}

int
top_has_screen(void)
{
	return 1;
}

int
top_screen_open(struct top *t)
{
	const char *color = args_value(t->args, OPT_COLOR);
	struct tty_opts o = { .no_color = color != NULL &&
	    strcmp(color, "never") == 0 };
	char err[256];

	t->screen = calloc(1, sizeof(*t->screen));
	if (t->screen == NULL) {
		msg_error("out of memory");
		return -1;
	}
	if (tty_open(&o, err, sizeof(err)) < 0) {
		msg_error("top: %s", err);
		msg_hint("'bobbin top --count N' prints tables instead");
		free(t->screen);
		return -1;
	}
	t->screen->canvas.is_ascii = tty_is_ascii();
	if (top_screen_resize(t->screen) == 0)
		return 0;
	top_screen_close(t);
	msg_error("out of memory");
	return -1;
}

void
top_screen_close(struct top *t)
{
	tty_close();
	canvas_done(&t->screen->canvas);
	free(t->screen);
	t->screen = NULL;
}

void
top_screen_show(struct top *t)
{
	if (t->live != NULL)
		top_live_grew(t);
	else
		top_draw(t);
}

static int
on_key(struct top *t, const struct event *e)
{
	size_t i;

	if (t->screen->has_prompt) {
		top_prompt_key(t, e);
		return 0;
	}
	t->notice[0] = '\0';
	t->procs.refusal[0] = '\0';
	if (e->kind == EVENT_MOUSE) {
		if (e->mouse == MOUSE_WHEEL_UP || e->mouse == MOUSE_WHEEL_DOWN)
			top_move_cursor(t, e->mouse == MOUSE_WHEEL_UP ? -3 : 3);
		return 0;
	}
	if (t->screen->has_help && (strcmp(e->name, "Esc") == 0 ||
	    strcmp(e->name, "q") == 0)) {
		t->screen->has_help = 0;
		return 0;
	}
	for (i = 0; i < top_n_keys; i++)
		if (strcmp(top_keys[i].key, e->name) == 0)
			return top_act(t, top_keys[i].action,
			    top_keys[i].value);
	return 0;
}

int
top_screen_keys(struct top *t)
{
	struct event e;
	char buf[256];
	size_t n;
	int news, is_over = 0;

	if (t->live != NULL) {
		if (top_live_step(t)) {
			top_live_close(t);
			(void)top_screen_resize(t->screen);
			t->wants_show = 1;
		}
		return 0;
	}
	news = tty_wait(0);
	if (news & TTY_GONE)
		return 1;
	if (news & TTY_RESIZE) {
		if (top_screen_resize(t->screen) < 0)
			return 1;
		t->wants_show = 1;
	}
	while ((n = tty_read(buf, keys_room(&t->screen->keys))) > 0)
		keys_feed(&t->screen->keys, buf, n);
	/* All bytes of a key come at once. */
	while (!is_over && t->live == NULL &&
	    keys_next(&t->screen->keys, 1, &e)) {
		is_over = on_key(t, &e);
		t->wants_show = 1;
	}
	return is_over;
}
