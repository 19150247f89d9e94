/* The public struct bob_out over an output, for bytes that are no trace. */
#include <stdlib.h>

#include "core/output.h"

struct bob_out {
	struct out *out;
};

int
bob_out_open(struct bob_ctx *ctx, const struct bob_target *target,
    struct bob_out **ret)
{
	struct bob_out *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return err_nomem(ctx), BOB_FAILED;
	if (out_open(ctx, target, &o->out) < 0) {
		free(o);
		return BOB_FAILED;
	}
	*ret = o;
	return BOB_OK;
}

int
bob_out_put(struct bob_out *out, const void *p, size_t n)
{
	return out_bytes(out->out, p, n);
}

int
bob_out_finish(struct bob_out *out)
{
	int r = out_finish(out->out);

	free(out);
	return r;
}

void
bob_out_discard(struct bob_out *out)
{
	if (out == NULL)
		return;
	out_discard(out->out);
	free(out);
}
