/* The trace as pages carry it; see page.h. The writer of that format is used
 * through its table, like any other. */
#include <stdlib.h>

#include "format/page/page.h"

int
carry_open(struct carry *c, struct bob_ctx *ctx, const struct bob_dict *dict)
{
	const struct format *f = format_named(PAGE_CARRIES);
	struct sink *s = &c->sink;

	s->state = calloc(1, f->sink->state_size);
	if (s->state == NULL)
		return err_nomem(ctx);
	s->ops = f->sink;
	s->ctx = ctx;
	s->dict = dict;
	s->caps = f->info.caps;
	return out_open_temp(ctx, &s->out) < 0 || s->ops->open(s) < 0
	    ? BOB_FATAL : BOB_OK;
}

int
carry_end(struct carry *c)
{
	int r = c->sink.ops->finish(&c->sink);

	return r < 0 ? r : out_barrier(c->sink.out, 0);
}

void
carry_done(struct carry *c)
{
	if (c->sink.state == NULL)
		return;
	c->sink.ops->close(&c->sink);
	out_discard(c->sink.out);
	free(c->sink.state);
	c->sink.state = NULL;
	c->sink.out = NULL;
}
