/* ClickHouse as a target; see target.h. */
#include <stdlib.h>

#include "core/clock.h"
#include "ship/ch_send.h"
#include "ship/targets.h"

/* The settings of a fleet are read again after that, and after a failure. */
#define SETTINGS_NS ((uint64_t)600 * 1000000000)

struct ch_state {
	struct ch *c;
	struct idset stacks;
	uint64_t settings_at; /* when they were read; 0: they must be */
};

static void
state_close(void *state)
{
	struct ch_state *s = state;

	if (s == NULL)
		return;
	ch_close(s->c);
	idset_done(&s->stacks);
	free(s);
}

static int
state_open(struct bob_ctx *ctx, const struct bob_target_opts *opts,
    void **ret)
{
	struct ch_state *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return err_nomem(ctx), BOB_FAILED;
	if (idset_init(&s->stacks, ctx) < 0 || ch_open(ctx, opts, &s->c) < 0) {
		state_close(s);
		return err_set_status(ctx, BOB_FAILED);
	}
	*ret = s;
	return BOB_OK;
}

/* Finds out what server it is, and how its tables are. */
static int
prepare(struct ch_state *s)
{
	uint64_t now = clock_ns();

	if (s->settings_at != 0 && now - s->settings_at < SETTINGS_NS)
		return BOB_OK;
	s->c->version = 0;
	if (ch_hello(s->c) < 0)
		return BOB_FAILED;
	/* 60: no such table, 81: no such database. */
	if (ch_settings(s->c) < 0 && s->c->exception != 60 &&
	    s->c->exception != 81)
		return BOB_FAILED;
	if (s->c->schema == 0) {
		s->c->why = SHIP_SETUP;
		return err_set(s->c->ctx, BOB_FAILED, BOB_E_UNSUPPORTED,
		    BOB_NO_OFFSET, "the server has no tables for samples; "
		    "bobbin fleet init makes them");
	}
	s->settings_at = now;
	return BOB_OK;
}

static int
state_send(void *state, const struct block_source *src,
    struct send_result *ret)
{
	struct ch_state *s = state;
	int r = prepare(s);

	if (r < 0)
		*ret = (struct send_result){ .why = s->c->why,
			.retry_after_s = s->c->retry_after_s };
	else
		r = ch_send(s->c, src, &s->stacks, ret);
	/* After a failure it may be another server, or one with other tables,
	 * that has lost what it had. */
	if (r < 0) {
		s->settings_at = 0;
		idset_clear(&s->stacks);
	}
	return r;
}

const struct target_ops ch_target = {
	.open = state_open,
	.send = state_send,
	.close = state_close,
};
