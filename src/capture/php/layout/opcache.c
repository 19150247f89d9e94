/*
 * Finds opcache's memory in the mappings of a process: it is the largest piece
 * of shared memory. See opcache.h.
 */
#include "capture/php/layout/opcache.h"

#include <string.h>

#include "capture/proc/maps.h"

#define FIRST_WAIT_US 10000

/* One piece of shared memory: adjacent mappings of the same inode. */
struct piece {
	uint64_t inode, start, end;
	int is_exec;
};

struct reading {
	struct piece now, largest;
};

static int
add_mapping(void *user, const struct map_line *l)
{
	struct reading *rd = user;
	struct piece *p = &rd->now;

	if (!maps_is_shared_memory(l))
		return BOB_OK;
	if (p->inode != l->inode)
		*p = (struct piece){ .inode = l->inode, .start = l->start };
	p->end = l->end;
	p->is_exec |= l->is_exec;
	if (p->end - p->start >= rd->largest.end - rd->largest.start)
		rd->largest = *p;
	return BOB_OK;
}

void
opcache_look(struct opcache *o, struct bob_ctx *ctx, int pid, uint64_t now_us)
{
	struct reading rd = { 0 };

	if (o->has_jit || now_us < o->t_look)
		return;
	o->t_look = now_us + o->wait_us;
	o->wait_us = o->wait_us > 0 ? 2 * o->wait_us : FIRST_WAIT_US;
	if (maps_each(ctx, pid, add_mapping, &rd) < 0)
		return;
	o->start = rd.largest.start;
	o->end = rd.largest.end;
	o->has_jit = rd.largest.is_exec;
}
