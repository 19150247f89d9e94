/* What annotations say of a run: its request, its task; see gather.h. */
#include "analyze/gather.h"
#include "core/mem.h"
#include "core/memo.h"

/* Sets *ret to the annotation set without the request id, because with it there
 * would be rows for each request. */
static int
find_rest(struct bob_profile *p, bob_annot annot, bob_annot *ret)
{
	size_t n, i, n_rest = 0;
	const struct bob_pair *v = bob_annot_get(p->dict, annot, &n);

	if (MEM_GROW(p->ctx, p, rest, n) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		if (!bytes_are(bob_str_get(p->dict, v[i].key), REQUESTS_ID))
			p->rest[n_rest++] = v[i];
	*ret = n_rest == n ? annot : bob_annot_put(p->dict, p->rest, n_rest);
	return *ret == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static int
find_note(struct bob_profile *p, bob_annot annot, struct note *note)
{
	*note = (struct note){ .rest = annot, .is_known = 1 };
	note->id = requests_id(p->dict, annot);
	note->is_task = requests_is_task(p->dict, annot);
	note->is_together = note->id != 0 &&
	    requests_are_together(p->dict, annot);
	if (note->id == 0 || (p->flags & BOB_PROFILE_REQUEST_IDS))
		return BOB_OK;
	return find_rest(p, annot, &note->rest);
}

int
gather_learn_note(struct bob_profile *p, bob_annot annot)
{
	struct note note;

	if (MEMO_GROW(p->ctx, p, note, (size_t)annot + 1) < 0)
		return BOB_FATAL;
	if (find_note(p, annot, &note) < 0)
		return BOB_FATAL;
	p->note[annot] = note;
	return BOB_OK;
}

static uint64_t
pid_of(const struct bob_profile *p, const struct input *in, bob_tid track)
{
	const struct bob_track *t = bob_track_get(p->dict, track);

	return t->flags & BOB_TRACK_PID ? t->pid : in->has_pid ? in->pid : 0;
}

int
gather_together(struct bob_profile *p, struct input *in,
    struct gather_run *place, bob_str id)
{
	const struct bob_run *run = place->run;
	uint64_t pid = pid_of(p, in, run->track);
	uint32_t old;

	while ((old = together_old(&in->together, run, pid, id)) !=
	    TOGETHER_NONE)
		if (requests_drop(&p->requests[BY_CLOCK],
		        &in->requests[BY_CLOCK], old) < 0 ||
		    requests_drop(&p->requests[BY_PERIOD],
		        &in->requests[BY_PERIOD], old) < 0)
			return BOB_FATAL;
	if (together_take(p->ctx, &in->together, &in->pace, run, pid, id,
	        &place->shared, &place->shared_us) < 0)
		return BOB_FATAL;
	place->request = in->together.v[place->shared].number;
	return BOB_OK;
}
