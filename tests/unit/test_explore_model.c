/*
 * The explorer's model: what actions do, without a terminal. Weights are
 * compared with those of the samples themselves, which are few enough to be
 * counted by hand.
 */
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "explore/action.h"
#include "explore/draw.h"
#include "explore/layout.h"
#include "explore/mouse.h"

#include "fault.h"
#include "support.h"

/* main calls a and b; a calls c, b calls c and itself. Lines differ. */
static const char folded[] =
    "main /x.php:1;a /x.php:10;c /x.php:30 6\n"
    "main /x.php:1;a /x.php:11 3\n"
    "main /x.php:1;b /x.php:20;c /x.php:30 4\n"
    "main /x.php:1;b /x.php:20;b /x.php:21 2\n"
    "main /x.php:1 1\n";
#define SAMPLES 16

static const char after[] =
    "main /x.php:1;a /x.php:10;c /x.php:30 12\n"
    "main /x.php:1;d /x.php:40 4\n";

struct rig {
	struct bob_ctx *ctx;
	struct bob_profile *profile;
	struct model m;
	struct canvas canvas;
	struct keymap keys;
	char path[2][32];
};

static void
write_trace(char path[32], const char *text)
{
	int fd;

	(void)snprintf(path, 32, "model-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
}

static struct rig *
rig_new(int is_diff)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct bob_profile_opts po = { .size = sizeof(po),
		.format = "folded" };
	struct model_opts mo = { 0 };

	r->ctx = bob_ctx_new();
	write_trace(r->path[0], folded);
	write_trace(r->path[1], after);
	assert_status(r->ctx, BOB_OK, bob_profile_new(r->ctx, &po,
	    &r->profile));
	assert_status(r->ctx, BOB_OK, bob_profile_add(r->profile, r->path[0],
	    0));
	if (is_diff)
		assert_status(r->ctx, BOB_OK, bob_profile_add(r->profile,
		    r->path[1], 1));
	mo.ctx = r->ctx;
	mo.profile = r->profile;
	mo.is_diff = is_diff;
	assert_int_equal(model_init(&r->m, &mo), 0);
	keymap_init(&r->keys);
	return r;
}

static void
rig_free(struct rig *r)
{
	model_done(&r->m);
	bob_profile_free(r->profile);
	bob_ctx_free(r->ctx);
	canvas_done(&r->canvas);
	(void)unlink(r->path[0]);
	(void)unlink(r->path[1]);
	free(r);
}

static void
act(struct rig *r, const char *keys)
{
	struct keys k = { .n = 0 };
	struct event e;

	keys_feed(&k, keys, strlen(keys));
	while (keys_next(&k, 1, &e))
		model_act(&r->m, keymap_action(&r->keys, &e));
}

static void
show(struct rig *r, int cols, int rows)
{
	struct screen s = { .canvas = &r->canvas, .model = &r->m,
		.keys = &r->keys, .title = "t" };

	assert_int_equal(canvas_resize(&r->canvas, cols, rows), 0);
	model_resize(&r->m, cols, rows);
	draw(&s);
}

/* The name of a key; "" for none. */
static const char *
name(struct rig *r, uint32_t key)
{
	static char buf[64];
	struct bob_bytes text = draw_key_text(&r->m, key, "");

	(void)snprintf(buf, sizeof(buf), "%.*s", (int)text.n, text.p);
	return buf;
}

#define assert_at(r, text)                                                   \
	assert_string_equal(name(r, model_cursor_key(&(r)->m)), text)
#define assert_focus(r, text) assert_string_equal(name(r, (r)->m.focus), text)

static void
lists_are_sorted_by_self_and_total(void **state)
{
	struct rig *r = rig_new(0);
	struct table *t = model_list(&r->m);

	(void)state;
	assert_int_equal(t->n, 6); /* b:20 has no self, and is the last */
	assert_int_equal(t->item[5].self, 0);
	assert_int_equal(t->item[0].total, 10);
	assert_int_equal(t->item[0].w[1], 10);
	assert_at(r, "c /x.php:30");
	assert_int_equal(r->m.total[1], SAMPLES);
	act(r, "t");
	t = model_list(&r->m);
	assert_int_equal(t->n, 6);
	assert_at(r, "main /x.php:1");
	assert_int_equal(t->item[0].w[1], SAMPLES);
	act(r, "G");
	assert_int_equal(t->c.at, 5);
	act(r, "\002\002g");
	assert_int_equal(t->c.at, 0);
	act(r, "n");
	t = model_list(&r->m);
	assert_int_equal(t->n, 4); /* main, a, b, c */
	assert_at(r, "main /x.php");
	rig_free(r);
}

static void
enter_and_back_return_to_the_same_place(void **state)
{
	struct rig *r = rig_new(0);

	(void)state;
	act(r, "tj\r"); /* c is second by total */
	assert_int_equal(r->m.mode, MODE_SANDWICH);
	assert_focus(r, "c /x.php:30");
	assert_int_equal(model_callers(&r->m)->n, 2);
	assert_int_equal(r->m.callers.item[0].w[1], 6);
	assert_int_equal(model_callees(&r->m)->n, 1);
	assert_int_equal(r->m.callees.item[0].key, 0); /* a leaf */
	act(r, "hj\r"); /* its second caller */
	assert_focus(r, "b /x.php:20");
	assert_int_equal(r->m.n_history, 2);
	act(r, "u");
	assert_focus(r, "c /x.php:30");
	assert_int_equal(r->m.pane, PANE_CALLERS);
	assert_int_equal(r->m.callers.c.at, 1);
	act(r, "u");
	assert_int_equal(r->m.mode, MODE_LIST);
	assert_at(r, "c /x.php:30");
	act(r, "u"); /* no further */
	assert_int_equal(r->m.mode, MODE_LIST);
	assert_true(r->m.status[0] != '\0');
	rig_free(r);
}

static void
back_crosses_groupings(void **state)
{
	struct rig *r = rig_new(0);

	(void)state;
	act(r, "tj\r");
	act(r, "O");
	assert_int_equal(r->m.group, BOB_GROUP_NAME);
	assert_at(r, "c");
	act(r, "j\r");
	assert_int_equal(r->m.mode, MODE_SANDWICH);
	act(r, "uu");
	assert_int_equal(r->m.group, BOB_GROUP_LINE);
	assert_focus(r, "c /x.php:30");
	rig_free(r);
}

static void
views_carry_the_cursor_along(void **state)
{
	struct rig *r = rig_new(0);

	(void)state;
	act(r, "t>"); /* main */
	assert_focus(r, "main /x.php:1");
	assert_int_equal(model_tree(&r->m, BOB_CALLEES)->node[0].w[1],
	    SAMPLES);
	act(r, "jS"); /* what it calls most */
	assert_focus(r, "a /x.php:10");
	assert_int_equal(r->m.look, LOOK_FLAME);
	act(r, "j<");
	assert_focus(r, "c /x.php:30");
	assert_int_equal(r->m.look, LOOK_CALLERS);
	act(r, "jP");
	assert_focus(r, "a /x.php:10");
	assert_int_equal(r->m.look, LOOK_PANES);
	assert_int_equal(r->m.n_history, 4);
	rig_free(r);
}

static void
trees_fold_and_unfold(void **state)
{
	struct rig *r = rig_new(0);
	struct tree *t;

	(void)state;
	act(r, "t>");
	t = model_tree(&r->m, BOB_CALLEES);
	assert_int_equal(t->n, 7);
	assert_int_equal(t->n_lines, 7);
	act(r, "jh"); /* a:10 */
	assert_int_equal(t->n_lines, 6);
	act(r, "h"); /* to its parent */
	assert_int_equal(t->c.at, 0);
	act(r, "H");
	assert_int_equal(t->n_lines, 1);
	act(r, "l");
	assert_int_equal(t->n_lines, 4);
	act(r, "L");
	assert_int_equal(t->n_lines, 7);
	assert_int_equal(model_set_filter(&r->m, "c "), 0);
	t = model_tree(&r->m, BOB_CALLEES);
	assert_int_equal(t->n_lines, 5); /* main, a, c, b, c */
	rig_free(r);
}

static void
recursion_counts_once(void **state)
{
	struct rig *r = rig_new(0);
	uint64_t self[2], total[2];

	(void)state;
	act(r, "n"); /* b and b are one */
	act(r, "t");
	assert_int_equal(table_find(model_list(&r->m), 0), 0);
	while (strcmp(name(r, model_cursor_key(&r->m)), "b /x.php") != 0)
		act(r, "j");
	model_row(&r->m, model_cursor_key(&r->m), self, total);
	assert_int_equal(total[1], 6);
	assert_int_equal(self[1], 2);
	act(r, ">");
	assert_int_equal(model_tree(&r->m, BOB_CALLEES)->node[0].w[1], 6);
	rig_free(r);
}

static void
boxes_fit_into_their_parents(void **state)
{
	struct rig *r = rig_new(0);
	struct flame *f;
	int width;
	size_t i;

	(void)state;
	act(r, "t>S"); /* main */
	for (width = 1; width < 130; width++) {
		f = model_flame(&r->m, width);
		assert_int_equal(f->box[0].w, width);
		for (i = 1; i < f->n; i++) {
			const struct box *b = &f->box[i];
			const struct box *p = &f->box[b->parent];

			assert_true(b->w > 0);
			assert_true(b->x >= p->x);
			assert_true(b->x + b->w <= p->x + p->w);
			assert_int_equal(flame_find(f, b->x, b->level), i);
		}
	}
	f = model_flame(&r->m, 64);
	assert_int_equal(f->down, 2);
	assert_int_equal(f->up, 0);
	rig_free(r);
}

static void
filters_narrow_and_clear(void **state)
{
	struct rig *r = rig_new(0);

	(void)state;
	assert_int_equal(model_set_match(&r->m, "^b "), 0);
	assert_int_equal(r->m.total[1], 6);
	assert_int_equal(model_set_filter(&r->m, "^c"), 0);
	assert_int_equal(model_list(&r->m)->n, 1);
	assert_int_equal(r->m.list.item[0].w[1], 4);
	/* What is no pattern changes nothing. */
	assert_int_equal(model_set_match(&r->m, "("), -1);
	assert_true(r->m.is_error);
	assert_string_equal(r->m.match, "^b ");
	assert_int_equal(model_set_filter(&r->m, "["), -1);
	assert_string_equal(r->m.filter, "^c");
	assert_int_equal(model_list(&r->m)->n, 1);
	act(r, "\033"); /* the filter, not the match */
	assert_string_equal(r->m.filter, "");
	assert_int_equal(r->m.total[1], 6);
	act(r, "x");
	assert_int_equal(r->m.total[1], SAMPLES);
	assert_int_equal(model_list(&r->m)->n, 6);
	assert_int_equal(model_set_match(&r->m, "nobody"), 0);
	assert_int_equal(r->m.total[1], 0);
	show(r, 80, 24); /* nothing at all can be drawn too */
	rig_free(r);
}

static void
sides_are_compared(void **state)
{
	struct rig *r = rig_new(1);
	struct table *t = model_list(&r->m);
	size_t i;

	(void)state;
	assert_int_equal(r->m.total[0], SAMPLES);
	assert_int_equal(r->m.total[1], 16);
	assert_int_equal(t->n, 7);
	/* d: 0 -> 4 of 16, a:11: 3 -> 0; c: 10 -> 12 changed less. */
	assert_string_equal(name(r, t->item[0].key), "d /x.php:40");
	assert_int_equal(t->item[0].w[0], 0);
	assert_int_equal(t->item[0].w[1], 4);
	for (i = 0; strcmp(name(r, t->item[i].key), "a /x.php:11") != 0; i++)
		assert_true(i < t->n);
	assert_int_equal(t->item[i].w[0], 3);
	assert_int_equal(t->item[i].w[1], 0);
	act(r, "tdg");
	act(r, ">"); /* main, both sides in one tree */
	assert_int_equal(model_tree(&r->m, BOB_CALLEES)->n, 8);
	rig_free(r);
}

static void
layouts_hold_from_small_to_large(void **state)
{
	static const int cols[] = { 1, 39, 40, 60, 80, 99, 100, 119, 120, 200,
		500 };
	static const int rows[] = { 1, 9, 10, 13, 19, 20, 24, 40, 200 };
	static const char *const views[] = { "", "\r", "S", ">", "<", "?",
		"\033", "a" };
	struct rig *r = rig_new(0);
	size_t i, j, k;

	(void)state;
	for (k = 0; k < COUNT_OF(views); k++) {
		act(r, views[k]);
		for (i = 0; i < COUNT_OF(cols); i++) {
			for (j = 0; j < COUNT_OF(rows); j++) {
				struct layout l;

				show(r, cols[i], rows[j]);
				layout_make(&r->m, &l);
				assert_int_equal(l.is_too_small,
				    cols[i] < 40 || rows[j] < 10);
				if (l.is_too_small)
					continue;
				assert_true(l.body.w >= 30);
				assert_true(l.body.h >= 6);
				assert_true(l.body.y + l.body.h <=
				    rows[j] - 1);
			}
		}
	}
	rig_free(r);
}

static void
overview_needs_its_columns(void **state)
{
	struct rig *r = rig_new(0);
	struct layout l;

	(void)state;
	act(r, "\r");
	show(r, 119, 30);
	assert_false(model_has_overview(&r->m));
	act(r, "o");
	assert_true(model_has_overview(&r->m));
	show(r, 99, 30);
	assert_false(model_has_overview(&r->m));
	r->m.overview_set = -1;
	show(r, 120, 30);
	assert_true(model_has_overview(&r->m));
	layout_make(&r->m, &l);
	assert_int_equal(l.overview.w, 33); /* 28 % */
	show(r, 400, 30);
	layout_make(&r->m, &l);
	assert_int_equal(l.overview.w, 50);
	act(r, "s"); /* there, and the cursor too */
	assert_int_equal(r->m.pane, PANE_OVERVIEW);
	show(r, 80, 24);
	assert_int_equal(r->m.pane, PANE_CALLEES);
	rig_free(r);
}

static void
double_clicks_are_quick(void **state)
{
	struct rig *r = rig_new(0);
	struct mouse mouse = { .t_press = 0 };
	struct event e = { .kind = EVENT_MOUSE, .mouse = MOUSE_PRESS,
		.x = 20, .y = 3 };

	(void)state;
	show(r, 60, 12);
	mouse_event(&mouse, &r->m, &e, 10000);
	assert_int_equal(r->m.list.c.at, 1);
	mouse_event(&mouse, &r->m, &e, 10401);
	assert_int_equal(r->m.mode, MODE_LIST);
	mouse_event(&mouse, &r->m, &e, 10801);
	assert_int_equal(r->m.mode, MODE_SANDWICH);
	rig_free(r);
}

static void
drags_choose_a_range_of_time(void **state)
{
	struct rig *r = rig_new(0);
	struct mouse mouse = { .t_press = 0 };
	struct event e = { .kind = EVENT_MOUSE, .mouse = MOUSE_PRESS };
	struct layout l;

	(void)state;
	show(r, 80, 24);
	layout_make(&r->m, &l);
	assert_int_equal(l.time.w, 54); /* between its label and its end */
	e.x = l.time.x;
	e.y = l.time.y;
	mouse_event(&mouse, &r->m, &e, 1000);
	e.mouse = MOUSE_DRAG;
	e.x = l.time.x + 26;
	mouse_event(&mouse, &r->m, &e, 1010);
	assert_true(r->m.time.is_dragged);
	e.mouse = MOUSE_RELEASE;
	mouse_event(&mouse, &r->m, &e, 1020);
	assert_true(r->m.has_range);
	assert_int_equal(r->m.from, 0);
	assert_in_range(r->m.total[1], SAMPLES / 2 - 1, SAMPLES / 2 + 1);
	act(r, "r");
	assert_int_equal(r->m.total[1], SAMPLES);
	/* The strip goes away while it is dragged on. */
	e.mouse = MOUSE_PRESS;
	mouse_event(&mouse, &r->m, &e, 2000);
	act(r, "T");
	e.mouse = MOUSE_DRAG;
	mouse_event(&mouse, &r->m, &e, 2010);
	e.mouse = MOUSE_RELEASE;
	mouse_event(&mouse, &r->m, &e, 2020);
	assert_false(r->m.has_range);
	rig_free(r);
}

/* The text of a row of the canvas. */
static const char *
row(struct rig *r, int y)
{
	static char buf[512];
	int x, n = 0;

	for (x = 0; x < r->canvas.cols && n < 500; x++) {
		uint32_t ch = r->canvas.cell[y * r->canvas.cols + x].ch[0];

		buf[n++] = ch < 0x80 && ch != 0 ? (char)ch : '?';
	}
	buf[n] = '\0';
	return buf;
}

static void
whole_program_needs_no_focus(void **state)
{
	struct rig *r = rig_new(0);
	struct flame *f;

	(void)state;
	act(r, "S"); /* c, the first by self, stays selected */
	f = model_flame(&r->m, 64);
	assert_true(r->m.is_whole);
	assert_int_equal(r->m.focus, 0);
	assert_int_equal(f->box[0].weight[1], SAMPLES);
	assert_int_equal(f->box[0].w, 64);
	assert_int_equal(f->up, 0);
	assert_at(r, "c /x.php:30");
	show(r, 80, 24);
	act(r, "\r"); /* its own flame */
	assert_false(r->m.is_whole);
	assert_focus(r, "c /x.php:30");
	act(r, "u");
	assert_true(r->m.is_whole);
	act(r, "kkkkkkk");
	assert_int_equal(model_cursor_key(&r->m), 0);
	act(r, "P"); /* callers of everything are nothing */
	assert_int_equal(r->m.look, LOOK_FLAME);
	act(r, ">");
	assert_int_equal(model_tree(&r->m, BOB_CALLEES)->node[0].w[1],
	    SAMPLES);
	show(r, 80, 24);
	act(r, "n"); /* another grouping has a whole as well */
	assert_true(r->m.is_whole);
	assert_int_equal(r->m.mode, MODE_SANDWICH);
	act(r, "bbbbbbb");
	show(r, 80, 24);
	rig_free(r);
}

static void
noise_is_grey_and_comes_last(void **state)
{
	struct rig *r = rig_new(1);
	const struct verdict *v = model_verdict(&r->m);

	(void)state;
	/* 16 samples a side: nothing is certain. */
	assert_true(v->is_known);
	assert_int_equal(v->n_changed, 0);
	assert_int_equal(draw_change_style(&r->m, model_list(&r->m)->
	    item[0].key, 1, 0.25), STYLE_DIM);
	show(r, 80, 24);
	assert_true(strncmp(row(r, 4), "Nothing changed", 15) == 0);
	rig_free(r);
}

/* b grew, and all of that below y: the samples of b below x are as many as
 * before, so they are no change. */
static void
parts_of_a_change_are_compared_with_its_error(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct bob_profile_opts po = { .size = sizeof(po),
		.format = "folded" };
	struct model_opts mo = { .group = BOB_GROUP_NAME, .is_diff = 1 };
	struct flame *f;
	size_t i;
	int n_red = 0, n_grey = 0;

	(void)state;
	r->ctx = bob_ctx_new();
	write_trace(r->path[0], "m;x;b 1000\nm;y;b 1000\nm;z 8000\n");
	write_trace(r->path[1], "m;x;b 1010\nm;y;b 3000\nm;z 5990\n");
	assert_status(r->ctx, BOB_OK, bob_profile_new(r->ctx, &po,
	    &r->profile));
	assert_status(r->ctx, BOB_OK, bob_profile_add(r->profile, r->path[0],
	    0));
	assert_status(r->ctx, BOB_OK, bob_profile_add(r->profile, r->path[1],
	    1));
	mo.ctx = r->ctx;
	mo.profile = r->profile;
	assert_int_equal(model_init(&r->m, &mo), 0);
	keymap_init(&r->keys);
	act(r, "w");
	f = model_flame(&r->m, 100);
	for (i = 1; i < f->n; i++) {
		double d = model_share(&r->m, 1, f->box[i].weight[1]) -
		    model_share(&r->m, 0, f->box[i].weight[0]);

		if (strcmp(name(r, f->box[i].key), "b") != 0)
			continue;
		if (model_is_significant(&r->m, f->box[i].key, 0, d))
			n_red++;
		else
			n_grey++;
	}
	assert_int_equal(n_red, 1);
	assert_int_equal(n_grey, 1);
	show(r, 80, 24);
	rig_free(r);
}

static void
headings_sort(void **state)
{
	struct rig *r = rig_new(0);
	struct mouse mouse = { .t_press = 0 };
	struct event e = { .kind = EVENT_MOUSE, .mouse = MOUSE_PRESS,
		.x = 12, .y = 1 };

	(void)state;
	show(r, 60, 12);
	assert_non_null(strstr(row(r, 1), "self"));
	assert_non_null(strstr(row(r, 1), "total"));
	mouse_event(&mouse, &r->m, &e, 1000);
	assert_int_equal(r->m.order, BOB_BY_TOTAL);
	e.x = 4;
	mouse_event(&mouse, &r->m, &e, 2000);
	assert_int_equal(r->m.order, BOB_BY_SELF);
	e.x = 30;
	mouse_event(&mouse, &r->m, &e, 3000);
	assert_int_equal(r->m.order, BOB_BY_SELF);
	rig_free(r);
}

/* A thread of a pool waits; the other one works. */
static void
idle_is_set_aside(void **state)
{
	static const char text[] =
	    "main /x.py:1;_worker /lib/python3.11/concurrent/futures/"
	    "thread.py:81 30\n"
	    "main /x.py:1;work /x.py:9 10\n";
	struct rig *r = calloc(1, sizeof(*r));
	struct bob_profile_opts po = { .size = sizeof(po),
		.format = "folded" };
	struct model_opts mo = { .group = BOB_GROUP_FUNCTION,
		.idle = BOB_IDLE_HIDE };

	(void)state;
	r->ctx = bob_ctx_new();
	write_trace(r->path[0], text);
	write_trace(r->path[1], "");
	assert_status(r->ctx, BOB_OK, bob_profile_new(r->ctx, &po,
	    &r->profile));
	assert_status(r->ctx, BOB_OK, bob_profile_add(r->profile, r->path[0],
	    0));
	mo.ctx = r->ctx;
	mo.profile = r->profile;
	assert_int_equal(model_init(&r->m, &mo), 0);
	keymap_init(&r->keys);
	assert_int_equal(r->m.total[1], 10);
	assert_int_equal(model_list(&r->m)->n, 2);
	show(r, 100, 24);
	assert_non_null(strstr(row(r, 0), "no idle"));
	assert_non_null(strstr(row(r, 0), "10 samples"));
	assert_null(strstr(row(r, 0), "selected"));
	act(r, "i");
	assert_int_equal(r->m.total[1], 40);
	assert_int_equal(model_list(&r->m)->n, 3);
	assert_non_null(strstr(r->m.status, "shown"));
	show(r, 100, 24);
	assert_non_null(strstr(row(r, 0), "with idle"));
	act(r, "i");
	assert_int_equal(r->m.total[1], 10);
	rig_free(r);
}

/* Every allocation of a walk through the views fails once; what it does then
 * is its business, as long as it goes on. */
static void
out_of_memory_is_survived(void **state)
{
	static const char walk[] = "S>utj\rS>L<PnOu\rca\rax%";
	unsigned long n;
	size_t i;
	int is_over;

	(void)state;
	for (n = 1;; n += 7) {
		struct rig *r = rig_new(0);

		show(r, 120, 40);
		fault_arm(n);
		for (i = 0; walk[i] != '\0'; i++) {
			char key[2] = { walk[i], '\0' };
			struct screen s = { .canvas = &r->canvas,
				.model = &r->m, .keys = &r->keys,
				.title = "t" };

			act(r, key);
			draw(&s);
		}
		is_over = !fault_happened();
		fault_arm(0);
		rig_free(r);
		if (is_over)
			return;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_sorted_by_self_and_total),
		cmocka_unit_test(enter_and_back_return_to_the_same_place),
		cmocka_unit_test(back_crosses_groupings),
		cmocka_unit_test(views_carry_the_cursor_along),
		cmocka_unit_test(trees_fold_and_unfold),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(boxes_fit_into_their_parents),
		cmocka_unit_test(filters_narrow_and_clear),
		cmocka_unit_test(sides_are_compared),
		cmocka_unit_test(layouts_hold_from_small_to_large),
		cmocka_unit_test(overview_needs_its_columns),
		cmocka_unit_test(double_clicks_are_quick),
		cmocka_unit_test(drags_choose_a_range_of_time),
		cmocka_unit_test(whole_program_needs_no_focus),
		cmocka_unit_test(noise_is_grey_and_comes_last),
		cmocka_unit_test(
		    parts_of_a_change_are_compared_with_its_error),
		cmocka_unit_test(headings_sort),
		cmocka_unit_test(idle_is_set_aside),
		cmocka_unit_test(out_of_memory_is_survived),
	};

	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		return 77; /* meson: skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
