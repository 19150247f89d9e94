/*
 * The main loop: draw, wait for keys, act. The model has all that is shown;
 * this file has what belongs to one run on one terminal.
 */
#include "explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "draw.h"
#include "model_inside.h"
#include "mouse.h"
#include "tui/prompt.h"

/* An Esc is a key of its own when nothing follows for this long. */
#define ESC_MS 40
/* How often a growing file is looked at. */
#define FOLLOW_MS 250

_Static_assert(PROMPT_TEXT <= MODEL_PATTERN, "what is typed is cut");

struct run {
	struct model model;
	struct canvas canvas;
	struct keymap keymap;
	struct keys keys;
	struct mouse mouse;
	struct prompt prompt;
	int has_prompt;
	char old_filter[MODEL_PATTERN]; /* from before the prompt */
	char why[MODEL_STATUS]; /* why what is typed is no pattern, or "" */
	const char *title;
	const char *quit; /* what quitting does, or NULL */
};

static uint64_t
now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int
run_resize(struct run *r)
{
	int cols, rows;

	tty_size(&cols, &rows);
	if (canvas_resize(&r->canvas, cols, rows) < 0)
		return -1;
	model_resize(&r->model, r->canvas.cols, r->canvas.rows);
	return 0;
}

static void
draw_all(struct run *r)
{
	struct screen s = { .canvas = &r->canvas, .model = &r->model,
		.keys = &r->keymap, .title = r->title, .quit = r->quit,
		.prompt = r->has_prompt ? &r->prompt : NULL,
		.prompt_error = r->why[0] != '\0' ? r->why : NULL };

	draw(&s);
	tty_show(&r->canvas, s.cursor_x, s.cursor_y);
}

/* Draws the rows at once, and stale strips only if no key is waiting. */
static void
run_show(struct run *r)
{
	struct model *m = &r->model;

	m->defers = 1;
	m->is_behind = 0;
	draw_all(r);
	m->defers = 0;
	if (m->is_behind && !tty_has_keys())
		draw_all(r);
}

/* Filters by what is typed so far. While that is no pattern, rows stay as they
 * were, and the prompt says why. */
static void
filter_as_typed(struct run *r)
{
	struct model *m = &r->model;

	r->why[0] = '\0';
	if (strcmp(r->prompt.text, m->filter) == 0)
		return;
	if (model_set_filter(m, r->prompt.text) < 0)
		(void)snprintf(r->why, sizeof(r->why), "%s", m->status);
	m->status[0] = '\0';
	m->is_error = 0;
}

/* Enter keeps a filter and Esc clears it; what is no pattern leaves the filter
 * from before the prompt. */
static void
end_filter(struct run *r, int is_kept)
{
	struct model *m = &r->model;

	if (is_kept && model_set_filter(m, r->prompt.text) == 0)
		return;
	if (is_kept) {
		(void)snprintf(r->why, sizeof(r->why), "%s", m->status);
		(void)model_set_filter(m, r->old_filter);
		model_say(m, 1, "%s", r->why);
	} else {
		(void)model_set_filter(m, "");
	}
}

static void
on_prompt_event(struct run *r, const struct event *e)
{
	struct model *m = &r->model;
	int what, is_filter = r->prompt.action == ACT_FILTER;

	if (is_filter && e->kind == EVENT_KEY &&
	    (strcmp(e->name, "Up") == 0 || strcmp(e->name, "Down") == 0)) {
		model_act(m, e->name[0] == 'U' ? ACT_UP : ACT_DOWN);
		return;
	}
	what = prompt_key(&r->prompt, e);
	if (what == PROMPT_GOES_ON)
		return;
	m->status[0] = '\0';
	r->has_prompt = 0;
	if (is_filter)
		end_filter(r, what == PROMPT_DONE);
	else if (what == PROMPT_DONE)
		(void)model_set_match(m, r->prompt.text);
	r->why[0] = '\0';
}

static void
open_prompt(struct run *r)
{
	struct model *m = &r->model;

	prompt_open(&r->prompt, m->wants_prompt, m->wants_prompt == ACT_FILTER
	    ? m->filter : m->match);
	(void)snprintf(r->old_filter, sizeof(r->old_filter), "%s", m->filter);
	r->has_prompt = 1;
	m->wants_prompt = 0;
}

static void
on_key_event(struct run *r, const struct event *e)
{
	struct model *m = &r->model;
	int action = keymap_action(&r->keymap, e);

	/* In the list of facets, the space bar ticks a box. */
	if (m->over == OVER_FACETS && strcmp(e->name, "Space") == 0)
		action = ACT_ENTER;
	if (action == ACT_QUIT && m->over == OVER_HELP &&
	    strcmp(e->name, "^C") != 0)
		action = ACT_CANCEL;
	model_act(m, action);
	if (m->wants_prompt != 0)
		open_prompt(r);
	if (m->wants_redraw) {
		tty_forget();
		m->wants_redraw = 0;
	}
	if (m->wants_suspend) {
		tty_suspend();
		m->wants_suspend = 0;
		(void)run_resize(r);
	}
}

static void
handle_events(struct run *r, int flush)
{
	struct event e;

	while (!r->model.wants_quit && keys_next(&r->keys, flush, &e)) {
		if (r->has_prompt)
			on_prompt_event(r, &e);
		else if (e.kind == EVENT_MOUSE)
			mouse_event(&r->mouse, &r->model, &e, now_ms());
		else
			on_key_event(r, &e);
	}
}

/* Handles all keys that have arrived before the screen is drawn again, so that
 * a held key does not queue up. */
static void
read_keys(struct run *r)
{
	char buf[256];
	size_t n;

	while ((n = tty_read(buf, keys_room(&r->keys))) > 0) {
		keys_feed(&r->keys, buf, n);
		handle_events(r, 0);
	}
	if (r->has_prompt && r->prompt.action == ACT_FILTER)
		filter_as_typed(r);
}

static int
run_loop(struct run *r)
{
	struct model *m = &r->model;
	uint64_t t_look = now_ms(), spent = 0;
	int news;

	if (run_resize(r) < 0)
		return -1;
	while (!m->wants_quit) {
		run_show(r);
		news = tty_wait(r->keys.n > 0 ? ESC_MS
		    : m->can_grow ? FOLLOW_MS
		                  : -1);
		if (news & TTY_GONE)
			break;
		if (news & TTY_RESIZE && run_resize(r) < 0)
			return -1;
		if (news & TTY_KEYS)
			read_keys(r);
		else
			handle_events(r, 1);
		/* Reading takes at most a fifth of the time. */
		if (m->can_grow &&
		    now_ms() - t_look >= FOLLOW_MS + 4 * spent) {
			t_look = now_ms();
			(void)model_refresh(m);
			spent = now_ms() - t_look;
			t_look += spent;
		}
	}
	return 0;
}

static int
load_keys(struct keymap *k, const struct explore_opts *o, char *err, size_t n)
{
	keymap_init(k);
	if (o->keymap == NULL)
		return 0;
	return keymap_load(k, o->keymap, o->warn, o->user, err, n);
}

/* Messages of the library go to the status line. */
static void
on_diag(void *user, const struct bob_error *diag)
{
	struct run *r = user;

	model_say(&r->model, diag->status == BOB_WARN, "%s", diag->text);
}

int
explore_run(const struct explore_opts *o, char *err, size_t n)
{
	static struct run r; /* too large for some stacks */
	struct model_opts mo = { .ctx = o->ctx, .profile = o->profile,
		.is_diff = o->is_diff, .can_grow = o->follows,
		.group = o->group, .annotation = o->annotation,
		.no_line = o->no_line, .idle = o->idle,
		.sources = o->sources };
	int code = -1;

	memset(&r, 0, sizeof(r));
	r.title = o->title;
	if (load_keys(&r.keymap, o, err, n) < 0)
		return -1;
	if (model_init(&r.model, &mo) < 0) {
		(void)snprintf(err, n, "%s", bob_ctx_error(o->ctx)->text);
	} else if (tty_open(&o->tty, err, n) == 0) {
		r.canvas.is_ascii = tty_is_ascii();
		bob_ctx_on_diag(o->ctx, on_diag, &r);
		code = run_loop(&r);
		bob_ctx_on_diag(o->ctx, NULL, NULL);
		tty_close();
		if (code < 0)
			(void)snprintf(err, n, "out of memory");
	}
	canvas_done(&r.canvas);
	model_done(&r.model);
	return code;
}

/* ---- Inside another program ---------------------------------------------- */

struct explore_live {
	struct run run;
	char title[256];
	int wants_show;
};

/* Chooses the process or thread of a track. */
static void
choose_track(struct model *m, bob_tid id, int is_thread)
{
	const struct bob_track *t = bob_track_get(bob_profile_dict(
	    m->profile), id);
	struct facet f = { .kind = is_thread && (t->flags & BOB_TRACK_TID) != 0
		    ? FACET_THREAD : FACET_PID };

	f.number = f.kind == FACET_THREAD ? t->tid : t->pid;
	if (facets_choose(&m->facets, m->profile, &f) > 0)
		model_requery(m);
}

struct explore_live *
explore_live_open(const struct explore_opts *o,
    const struct explore_start *at, char *err, size_t n)
{
	struct explore_live *x = calloc(1, sizeof(*x));
	struct model_opts mo = { .ctx = o->ctx, .profile = o->profile,
		.group = o->group, .annotation = o->annotation,
		.idle = o->idle };

	if (x == NULL) {
		(void)snprintf(err, n, "out of memory");
		return NULL;
	}
	keymap_init(&x->run.keymap);
	(void)snprintf(x->title, sizeof(x->title), "%s", o->title);
	x->run.title = x->title;
	x->run.quit = "back to top";
	if (model_init(&x->run.model, &mo) < 0) {
		(void)snprintf(err, n, "%s", bob_ctx_error(o->ctx)->text);
		explore_live_close(x);
		return NULL;
	}
	x->run.model.can_grow = 1;
	x->run.canvas.is_ascii = tty_is_ascii();
	if (at->track != 0)
		choose_track(&x->run.model, at->track, at->is_thread);
	if (at->focus != 0) {
		model_seek(&x->run.model, at->focus);
		model_go(&x->run.model, MODE_SANDWICH, LOOK_PANES, at->focus);
	}
	if (run_resize(&x->run) < 0) {
		(void)snprintf(err, n, "out of memory");
		explore_live_close(x);
		return NULL;
	}
	x->wants_show = 1;
	return x;
}

int
explore_live_step(struct explore_live *x)
{
	struct run *r = &x->run;
	int news = tty_wait(0);

	if (news & TTY_GONE)
		return 1;
	if (news & TTY_RESIZE) {
		if (run_resize(r) < 0)
			return 1;
		x->wants_show = 1;
	}
	if (news & TTY_KEYS || r->keys.n > 0) {
		if (news & TTY_KEYS)
			read_keys(r);
		else
			handle_events(r, 1);
		x->wants_show = 1;
	}
	if (x->wants_show && !r->model.wants_quit)
		run_show(r);
	x->wants_show = 0;
	return r->model.wants_quit;
}

void
explore_live_grew(struct explore_live *x)
{
	model_grew(&x->run.model);
	x->wants_show = 1;
}

void
explore_live_close(struct explore_live *x)
{
	if (x == NULL)
		return;
	canvas_done(&x->run.canvas);
	model_done(&x->run.model);
	free(x);
}

/* ---- --diagnose ---------------------------------------------------------- */

static void
diagnose_event(struct run *r, const struct event *e, char *line, size_t n)
{
	static const char *const kinds[] = { "", "press", "release", "drag",
		"wheel up", "wheel down" };
	char hex[3 * KEY_RAW + 1];
	int action = keymap_action(&r->keymap, e);

	(void)key_hex(e, hex, sizeof(hex));
	if (e->kind == EVENT_MOUSE)
		(void)snprintf(line, n, "%-30s mouse %s %d, column %d, row %d",
		    hex, kinds[e->mouse], e->button, e->x + 1, e->y + 1);
	else
		(void)snprintf(line, n, "%-30s %-12s %s", hex,
		    e->name[0] != '\0' ? e->name : "(no name)",
		    action != ACT_NONE ? action_info(action)->name
		                       : "(nothing)");
}

static void
diagnose_show(struct run *r, char lines[][256], size_t n)
{
	struct rect all = { 0, 0, r->canvas.cols, r->canvas.rows };
	size_t room = r->canvas.rows > 4 ? (size_t)r->canvas.rows - 4 : 1;
	size_t first = n > room ? n - room : 0, i;

	canvas_clear(&r->canvas);
	(void)canvas_str(&r->canvas, &all, 0, 0,
	    "bobbin explore — what keys and mouse send; q quits", STYLE_TITLE);
	(void)canvas_printf(&r->canvas, &all, 0, 2, STYLE_PANE,
	    "%-30s %-12s %s", "bytes", "key", "action");
	for (i = first; i < n; i++)
		(void)canvas_str(&r->canvas, &all, 0, 3 + (int)(i - first),
		    lines[i % CANVAS_MAX_ROWS], STYLE_PLAIN);
	tty_show(&r->canvas, -1, -1);
}

static int
diagnose_loop(struct run *r)
{
	static char lines[CANVAS_MAX_ROWS][256];
	struct event e;
	char buf[256];
	size_t n = 0, got;
	int news, flush;

	if (run_resize(r) < 0)
		return -1;
	for (;;) {
		diagnose_show(r, lines, n);
		news = tty_wait(r->keys.n > 0 ? ESC_MS : -1);
		if (news & TTY_GONE)
			return 0;
		if (news & TTY_RESIZE && run_resize(r) < 0)
			return -1;
		flush = !(news & TTY_KEYS);
		if ((got = tty_read(buf, keys_room(&r->keys))) > 0)
			keys_feed(&r->keys, buf, got);
		while (keys_next(&r->keys, flush, &e)) {
			if (strcmp(e.name, "q") == 0)
				return 0;
			diagnose_event(r, &e, lines[n++ % CANVAS_MAX_ROWS],
			    sizeof(lines[0]));
		}
	}
}

int
explore_diagnose(const struct explore_opts *o, char *err, size_t n)
{
	static struct run r;
	int code;

	memset(&r, 0, sizeof(r));
	if (load_keys(&r.keymap, o, err, n) < 0 ||
	    tty_open(&o->tty, err, n) < 0)
		return -1;
	r.canvas.is_ascii = tty_is_ascii();
	code = diagnose_loop(&r);
	tty_close();
	if (code < 0)
		(void)snprintf(err, n, "out of memory");
	canvas_done(&r.canvas);
	return code;
}
