/* Reads the samples or events of one profile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/speedscope/read.h"

typedef unsigned long long ull;

/* --- numbers ------------------------------------------------------------- */

/* Moves the clock to a time. Returns how many whole units went by. Each time is
 * rounded, not each difference, so that errors do not add up. */
static uint64_t
clock_to(struct speedscope_clock *c, uint64_t thousandths)
{
	uint64_t before = c->whole;

	c->thousandths = thousandths;
	c->whole = thousandths / 1000 + (thousandths % 1000 >= 500);
	return c->whole - before;
}

/* --- opening ------------------------------------------------------------- */

/* A cursor at the first piece of the array at `offset`. */
static int
open_array(struct speedscope_reader *rd, uint64_t offset, struct in **in,
    struct json_reader *j)
{
	int r = spool_range(rd->spool, offset, spool_size(rd->spool), in);

	if (r != BOB_OK)
		return r;
	json_begin(j, *in, "speedscope");
	return json_next(j);
}

int
speedscope_open_profile(struct speedscope_reader *rd,
    const struct speedscope_profile *profile)
{
	struct speedscope_cursor *c = &rd->cursor;
	int r;

	c->profile = profile;
	c->clock = (struct speedscope_clock){ 0 };
	c->n_open = 0;
	c->is_started = 0;
	c->track = 0;
	if (rd->src->want & BOB_WANT_TRACKS)
		c->track = speedscope_track(rd->src->dict, profile->name);
	if (c->track == BOB_NO_ID)
		return BOB_FATAL;
	r = open_array(rd, profile->events != 0 ? profile->events :
	    profile->samples, &c->in, &c->json);
	if (r == BOB_OK && profile->events == 0)
		r = open_array(rd, profile->weights, &c->weights_in,
		    &c->weights);
	return r;
}

void
speedscope_close_profile(struct speedscope_reader *rd)
{
	struct speedscope_cursor *c = &rd->cursor;

	json_done(&c->json);
	json_done(&c->weights);
	in_close(c->in);
	in_close(c->weights_in);
	c->in = c->weights_in = NULL;
}

/* --- frames and runs ----------------------------------------------------- */

/* Returns the frame of the current number; BOB_NO_ID: FATAL. A frame that does
 * not exist is named by its number. */
static bob_fid
get_frame(struct speedscope_reader *rd, const struct json_reader *j)
{
	const struct json_number *v = &j->number;
	uint64_t i = json_scaled(v, 0);
	char name[40];
	int n;

	if (j->kind == JSON_NUMBER && !v->is_negative && v->exponent == 0 &&
	    i < rd->n_frame)
		return rd->fid[i];
	n = j->kind == JSON_NUMBER ? snprintf(name, sizeof(name),
	    "frame %s%llu", v->is_negative ? "-" : "", (ull)i) :
	    snprintf(name, sizeof(name), "frame without a number");
	if (speedscope_damage(rd, j->offset, j->in->pos - j->offset, 0,
	    "%s does not exist", name) == BOB_FATAL)
		return BOB_NO_ID;
	return lang_put_frame(rd->src->dict, BOB_LANG_OTHER,
	    (struct bob_bytes){ name, (size_t)n }, 0, 0);
}

static int
too_deep(struct speedscope_reader *rd, const struct json_reader *j)
{
	return err_set(rd->src->ctx, BOB_FATAL, BOB_E_LIMIT, j->offset,
	    "speedscope: byte %llu: more than %u frames", (ull)j->offset,
	    BOB_MAX_DEPTH);
}

static void
add_run(struct speedscope_reader *rd, bob_stack stack, uint64_t whole)
{
	uint64_t unit = rd->is_time && rd->period_us > 1 ? rd->period_us : 1;

	if (whole / unit == 0)
		return;
	rd->run[rd->n_run++] = (struct bob_run){ .count = whole / unit,
		.stack = stack, .track = rd->cursor.track };
}

/* --- sampled ------------------------------------------------------------- */

/* The frames of a sample whose array has begun, root first. */
static int
read_stack(struct speedscope_reader *rd, bob_stack *ret)
{
	struct json_reader *j = &rd->cursor.json;
	size_t depth = 0;
	bob_fid frame;
	int r;

	*ret = 0;
	while ((r = json_element(j)) == BOB_OK) {
		if (depth++ == BOB_MAX_DEPTH)
			return too_deep(rd, j);
		frame = get_frame(rd, j);
		r = json_skip(j);
		if (r != BOB_OK)
			return r;
		*ret = frame == BOB_NO_ID ? BOB_NO_ID :
		    bob_stack_push(rd->src->dict, *ret, frame);
		if (*ret == BOB_NO_ID)
			return BOB_FATAL;
	}
	return r == BOB_EOF ? BOB_OK : r;
}

/* The weight at hand, in whole ones. */
static uint64_t
read_weight(struct speedscope_reader *rd, struct speedscope_clock *clock,
    const struct speedscope_profile *p, const struct json_reader *j)
{
	if (j->kind != JSON_NUMBER || j->number.is_negative) {
		rd->n_negative += rd->phase == SPEEDSCOPE_IN_PROFILE;
		return 0;
	}
	return clock_to(clock, count_add(clock->thousandths,
	    json_scaled(&j->number, p->power)));
}

static int
read_sample(struct speedscope_reader *rd)
{
	struct speedscope_cursor *c = &rd->cursor;
	bob_stack stack = 0;
	uint64_t whole;
	int r = json_element(&c->json), w = json_element(&c->weights);

	if (r == BOB_FATAL || w == BOB_FATAL)
		return BOB_FATAL;
	if (r != w)
		return speedscope_damage(rd, r == BOB_EOF ? c->weights.offset :
		    c->json.offset, 1, 1, "a profile has %s than weights",
		    r == BOB_EOF ? "fewer samples" : "more samples") ==
		    BOB_FATAL ? BOB_FATAL : BOB_EOF;
	if (r == BOB_EOF)
		return r;
	whole = read_weight(rd, &c->clock, c->profile, &c->weights);
	r = json_skip(&c->weights);
	if (r == BOB_OK)
		r = c->json.kind == JSON_ARRAY ? read_stack(rd, &stack) :
		    json_skip(&c->json);
	if (r == BOB_OK)
		add_run(rd, stack, whole);
	return r;
}

/* --- evented ------------------------------------------------------------- */

struct event {
	uint64_t offset;
	uint64_t at; /* thousandths */
	bob_fid frame;
	char type; /* O opens, C closes; 0: neither */
	int has_at;
};

static int
read_member(struct speedscope_reader *rd, struct json_reader *j,
    const struct speedscope_profile *p, struct event *ev)
{
	int is_type = json_is(j, "type"), is_frame = json_is(j, "frame");
	int is_at = json_is(j, "at"), r;

	if (!is_type && !is_frame && !is_at)
		return json_skip(j);
	r = json_next(j);
	if (r != BOB_OK)
		return r;
	if (is_type && j->kind == JSON_STRING && j->n_text == 1)
		ev->type = j->text[0];
	/* The round that looks at times alone has no frames to report. */
	if (is_frame && rd->phase == SPEEDSCOPE_IN_PROFILE) {
		ev->frame = get_frame(rd, j);
		if (ev->frame == BOB_NO_ID)
			return BOB_FATAL;
	}
	if (is_at && j->kind == JSON_NUMBER && !j->number.is_negative) {
		ev->at = json_scaled(&j->number, p->power);
		ev->has_at = 1;
	}
	return json_skip(j);
}

/* BOB_OK; EOF at the end of the array; FATAL. */
static int
read_event(struct speedscope_reader *rd, struct json_reader *j,
    const struct speedscope_profile *p, struct event *ev)
{
	int r = json_element(j);

	*ev = (struct event){ .offset = j->offset };
	if (r != BOB_OK || j->kind != JSON_OBJECT)
		return r != BOB_OK ? r : json_skip(j);
	while ((r = json_member(j)) == BOB_OK) {
		r = read_member(rd, j, p, ev);
		if (r != BOB_OK)
			return r;
	}
	return r == BOB_EOF ? BOB_OK : r;
}

static int
open_frame(struct speedscope_reader *rd, const struct event *ev)
{
	struct speedscope_cursor *c = &rd->cursor;
	struct bob_ctx *ctx = rd->src->ctx;
	bob_stack s;

	if (c->n_open == BOB_MAX_DEPTH)
		return too_deep(rd, &c->json);
	s = bob_stack_push(rd->src->dict,
	    c->n_open == 0 ? 0 : c->open[c->n_open - 1], ev->frame);
	if (s == BOB_NO_ID || MEM_TAKE(ctx, c, open, c->n_open + 1) < 0 ||
	    MEM_TAKE(ctx, c, open_frame, c->n_open + 1) < 0)
		return BOB_FATAL;
	c->open[c->n_open] = s;
	c->open_frame[c->n_open++] = ev->frame;
	return BOB_OK;
}

/* An event that cannot be. */
static int
bad_event(struct speedscope_reader *rd, const struct event *ev,
    const char *why)
{
	return speedscope_damage(rd, ev->offset,
	    rd->cursor.in->pos - ev->offset, 0, "%s", why) == BOB_FATAL ?
	    BOB_FATAL : BOB_OK;
}

static int
close_frame(struct speedscope_reader *rd, const struct event *ev)
{
	struct speedscope_cursor *c = &rd->cursor;

	if (c->n_open == 0 || c->open_frame[c->n_open - 1] != ev->frame)
		return bad_event(rd, ev, "a frame is closed that is not the "
		    "innermost open one");
	c->n_open--;
	return BOB_OK;
}

/* What was open runs until this time. */
static void
run_until(struct speedscope_reader *rd, uint64_t at)
{
	struct speedscope_cursor *c = &rd->cursor;
	uint64_t whole = clock_to(&c->clock, at);

	if (c->n_open > 0)
		add_run(rd, c->open[c->n_open - 1], whole);
}

static int
apply_event(struct speedscope_reader *rd)
{
	struct speedscope_cursor *c = &rd->cursor;
	struct event ev;
	int r = read_event(rd, &c->json, c->profile, &ev);

	if (r == BOB_EOF && c->n_open > 0 && c->profile->has_end &&
	    !c->profile->end.is_negative) {
		ev.at = json_scaled(&c->profile->end, c->profile->power);
		if (ev.at > c->clock.thousandths)
			run_until(rd, ev.at);
	}
	if (r != BOB_OK)
		return r;
	if ((ev.type != 'O' && ev.type != 'C') || !ev.has_at || ev.frame == 0)
		return bad_event(rd, &ev, "not an event");
	if (c->is_started && ev.at < c->clock.thousandths)
		return bad_event(rd, &ev, "an event is older than the one "
		    "before it");
	c->is_started = 1;
	run_until(rd, ev.at);
	return ev.type == 'O' ? open_frame(rd, &ev) : close_frame(rd, &ev);
}

/* --- all of a profile ---------------------------------------------------- */

int
speedscope_read_runs(struct speedscope_reader *rd)
{
	const struct speedscope_profile *p = rd->cursor.profile;
	int r = BOB_OK;

	while (r == BOB_OK && rd->n_run < SPEEDSCOPE_BATCH &&
	    !gaps_has(&rd->gaps))
		r = p->events != 0 ? apply_event(rd) : read_sample(rd);
	return r;
}

/* The next time of the profile, in whole ones. BOB_OK; EOF; FATAL. */
static int
next_time(struct speedscope_reader *rd, struct json_reader *j,
    const struct speedscope_profile *p, struct speedscope_clock *clock,
    uint64_t *ret)
{
	struct event ev;
	int r;

	*ret = 0;
	if (p->events == 0) {
		r = json_element(j);
		if (r != BOB_OK)
			return r;
		*ret = read_weight(rd, clock, p, j);
		return json_skip(j);
	}
	r = read_event(rd, j, p, &ev);
	if (r == BOB_OK && ev.has_at && ev.at >= clock->thousandths)
		*ret = clock_to(clock, ev.at);
	if (r == BOB_EOF && p->has_end && !p->end.is_negative &&
	    json_scaled(&p->end, p->power) > clock->thousandths)
		*ret = clock_to(clock, json_scaled(&p->end, p->power));
	return r;
}

int
speedscope_divide(struct speedscope_reader *rd,
    const struct speedscope_profile *p, uint64_t *gcd)
{
	struct speedscope_clock clock = { 0 };
	struct json_reader j = { 0 };
	struct in *in = NULL;
	uint64_t whole, n = 0;
	int r = open_array(rd, p->events != 0 ? p->events : p->weights, &in,
	    &j);

	/* The time of the first event is when the clock starts. */
	while (r == BOB_OK && *gcd != 1) {
		r = next_time(rd, &j, p, &clock, &whole);
		if (r != BOB_FATAL && (p->events == 0 || n++ > 0))
			*gcd = count_gcd(*gcd, whole);
	}
	json_done(&j);
	in_close(in);
	return r == BOB_EOF ? BOB_OK : r;
}
