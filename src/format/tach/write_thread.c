/*
 * Threads of the file. What the model calls a track becomes a thread id and
 * an interpreter: tracks that differ only in something else are one thread.
 * Without a thread id, the process id takes its place.
 */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/tach/write.h"

static void
put_head(const struct tach_writer *w, const struct bob_track *track,
    uint8_t *head)
{
	uint64_t id = track->flags & BOB_TRACK_TID ? track->tid
	    : track->flags & BOB_TRACK_PID         ? track->pid
	                                           : 0;

	tach_put_u64(head, id, w->o.is_swapped);
	tach_put_u32(head + 8, track->interp, w->o.is_swapped);
}

static int
add_thread(struct tach_writer *w, const uint8_t *head)
{
	struct tach_threads *t = &w->threads;

	if (tach_check_count(w->ctx, t->n, "threads") < 0 ||
	    MEM_GROW(w->ctx, t, v, (size_t)t->n + 1) < 0)
		return BOB_FATAL;
	t->v[t->n] = (struct tach_thread){ .t = w->start_us,
		.node = TACH_NO_FRAMES };
	memcpy(t->v[t->n].head, head, sizeof(t->v[t->n].head));
	t->n++;
	return BOB_OK;
}

int
tach_thread_add(struct tach_writer *w, bob_tid track)
{
	struct tach_threads *t = &w->threads;
	uint8_t head[sizeof(t->v->head)];
	uint32_t at, i;
	uint64_t h;

	put_head(w, &w->dict->track[track], head);
	h = XXH3_64bits_withSeed(head, sizeof(head), w->dict->seed);
	at = (uint32_t)(h >> 32);
	if (intern_reserve(w->ctx, &t->by_head) < 0)
		return BOB_FATAL;
	while ((i = intern_probe(&t->by_head, h, &at)) != 0)
		if (memcmp(t->v[i - 1].head, head, sizeof(head)) == 0)
			break;
	if (i == 0) {
		if (add_thread(w, head) < 0)
			return BOB_FATAL;
		i = t->n;
		intern_add(&t->by_head, h, at, i);
	}
	t->of_track[track] = i;
	return BOB_OK;
}

void
tach_threads_free(struct tach_threads *t)
{
	uint32_t i;

	for (i = 0; i < t->n; i++)
		free(t->v[i].pairs);
	free(t->v);
	free(t->of_track);
	intern_free(&t->by_head);
}
