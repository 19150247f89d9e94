/* Digests: a profile on the dictionary of a conversion; see the header. */
#include "pipeline/digest.h"

#include <stdlib.h>

#include "analyze/inputs.h"

struct digest {
	struct bob_profile *p;
};

int
digest_new(struct bob_ctx *ctx, struct bob_dict *dict,
    const struct bob_filter *filter, struct digest **ret)
{
	struct bob_profile_opts o = { .size = sizeof(o), .filter = filter };
	struct digest *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return err_nomem(ctx);
	if (profile_new_on(ctx, &o, dict, &d->p) < 0) {
		digest_free(d);
		return BOB_FAILED;
	}
	*ret = d;
	return BOB_OK;
}

int
digest_event(struct digest *d, const struct bob_event *event)
{
	struct input *in = inputs_fed(d->p, 0);

	return in == NULL ? BOB_FATAL : gather_event(d->p, in, event);
}

int
digest_next_input(struct digest *d)
{
	return inputs_end_fed(d->p, 0);
}

int
digest_end(struct digest *d, struct format_digest *ret)
{
	struct bob_profile_info info;

	*ret = (struct format_digest){ .times = { .size =
	    sizeof(ret->times) } };
	if (inputs_end_fed(d->p, 0) < 0 ||
	    bob_profile_times(d->p, 0, NULL, &ret->times) < 0)
		return BOB_FATAL;
	ret->cell = bob_profile_cells(d->p, &ret->n_cell);
	if (ret->cell == NULL)
		return BOB_FATAL;
	info = bob_profile_info(d->p, 0);
	ret->by_time = info.has_several_periods;
	return BOB_OK;
}

void
digest_free(struct digest *d)
{
	if (d == NULL)
		return;
	bob_profile_free(d->p);
	free(d);
}
