/*
 * What runtimes do with a struct process: add runs and local variables, and
 * count. See runtime.h; secrets are in redact.c.
 */
#include <string.h>

#include "capture/runtime.h"
#include "core/mem.h"

struct bob_run *
process_add_run(struct process *p)
{
	struct bob_run *run;

	if (MEM_GROW(p->ctx, p, run, p->n_run + 1) < 0)
		return NULL;
	run = &p->run[p->n_run++];
	memset(run, 0, sizeof(*run));
	return run;
}

int
process_add_local(struct process *p, const struct bob_local *local)
{
	if (local->name == BOB_NO_ID || local->value == BOB_NO_ID)
		return BOB_FATAL;
	if (p->n_local >= BOB_MAX_CAPTURE_LOCALS) {
		p->has_more_locals = 1;
		return BOB_OK;
	}
	if (MEM_GROW(p->ctx, p, local, p->n_local + 1) < 0)
		return BOB_FATAL;
	p->local[p->n_local++] = *local;
	return BOB_OK;
}

static bob_fid
frame_of(const struct bob_dict *d, bob_stack stack)
{
	return bob_stack_get(d, stack).frame;
}

/* The merged stack has the interpreter's frames in the same order, with C
 * frames between them. So each frame is searched from where the last one was
 * found. */
void
process_settle_locals(struct process *p, size_t first, size_t run,
    bob_stack stack)
{
	const struct bob_dict *d = p->dict;
	bob_stack was = 0, at = stack, q = stack;
	size_t i;

	for (i = first; i < p->n_local; i++) {
		struct bob_local *x = &p->local[i];

		if (i == first || x->stack != was) {
			was = x->stack;
			for (q = at; q != 0 && q != was &&
			    frame_of(d, q) != frame_of(d, was);)
				q = bob_stack_get(d, q).parent;
			if (q != 0)
				at = bob_stack_get(d, q).parent;
		}
		x->stack = q;
		x->run = (uint32_t)run;
	}
}

int
process_is_running(struct process *p, struct oncpu *o, int tid)
{
	if (!oncpu_is_running(o, p->pid, tid, p->time_us))
		return 0;
	p->running = *o;
	return 1;
}

void
process_go(struct process *p, struct pause *pause)
{
	p->counts.stops++;
	p->counts.stopped_ns += pause_end(pause);
}

void
process_lose(struct process *p, enum bob_lost why)
{
	p->counts.lost++;
	p->counts.lost_by[why]++;
}

const char *
bob_lost_name(int why)
{
	static const char *const name[BOB_N_LOST] = { "read", "moved", "root",
		"name", "depth", "pause", "threads", "steps", "loading" };

	return why >= 0 && why < BOB_N_LOST ? name[why] : NULL;
}

const char *
bob_mode_name(int mode)
{
	static const char *const name[BOB_N_MODES] = { "wall", "cpu", "gil",
		"exception" };

	return mode >= 0 && mode < BOB_N_MODES ? name[mode] : NULL;
}
