/*
 * Who was sampled. A sample has one number for it: the tid where there is
 * one, else the pid (kernels take both from one row of numbers), else, or when
 * that number stands for another track already, a free one far above. What
 * the number alone does not say is written as metadata before its first
 * sample in a segment; see track.h. A plain pid needs none.
 *
 * Also what was sampled of a thread, its status, as an annotation.
 */
#include <stdio.h>
#include <string.h>

#include "format/rbt/track.h"
#include "format/rbt/write.h"

int
rbt_reserve_tracks(struct rbt_writer *w)
{
	size_t old = w->cap_track;

	if (MEM_GROW(w->ctx, w, track, w->dict->n.n_track) < 0)
		return BOB_FATAL;
	memset(w->track + old, 0, (w->cap_track - old) * sizeof(*w->track));
	if (!w->o.changes)
		return BOB_OK;
	old = w->cap_told;
	if (MEM_GROW(w->ctx, w, told, w->dict->n.n_track) < 0)
		return BOB_FATAL;
	memset(w->told + old, 0, (w->cap_told - old) * sizeof(*w->told));
	return BOB_OK;
}

static int
is_taken(const struct rbt_writer *w, uint64_t number)
{
	return idmap_get(&w->taken, number) != IDMAP_NONE;
}

static uint64_t
choose_number(struct rbt_writer *w, const struct bob_track *t)
{
	uint64_t number = t->flags & BOB_TRACK_TID ? t->tid : t->pid;

	if ((t->flags & (BOB_TRACK_TID | BOB_TRACK_PID)) == 0 ||
	    is_taken(w, number))
		do
			number = RBT_FREE_NUMBERS + w->n_free++;
		while (is_taken(w, number));
	return number;
}

static int
write_track(struct rbt_writer *w, uint64_t number, size_t len)
{
	char key[RBT_TRACK_KEY];
	int n = snprintf(key, sizeof(key), RBT_META_TRACK "%llu",
	    (unsigned long long)number);

	return rbt_write_metadata(w, (struct bob_bytes){ key, (size_t)n },
	    (struct bob_bytes){ w->text, len });
}

int
rbt_define_track(struct rbt_writer *w, bob_tid id)
{
	const struct bob_track *t = &w->dict->track[id];
	struct bob_bytes name = bob_str_get(w->dict, t->name);
	uint64_t number;
	size_t len;

	if (MEM_GROW(w->ctx, w, text, RBT_TRACK_VALUE + 3 * name.n) < 0)
		return BOB_FATAL;
	len = rbt_track_format(t, name, w->text);
	if (len == 0)
		return BOB_OK;
	number = choose_number(w, t);
	if (idmap_set(w->ctx, &w->taken, number, id) < 0)
		return BOB_FATAL;
	w->track[id] = (struct wire_track){ number, w->generation };
	if (t->flags == BOB_TRACK_PID && name.n == 0 && number == t->pid)
		return BOB_OK;
	return write_track(w, number, len);
}

/* Bits in words, as "gil|main"; those without a name in hex. */
static void
status_text(uint8_t status, char *buf, size_t cap)
{
	static const char *const name[] = { "gil", "cpu", "unknown",
		"gil-wait", "exception", "main" };
	size_t n = 0;
	unsigned i;

	(void)snprintf(buf, cap, "-");
	for (i = 0; i < 6; i++)
		if (status >> i & 1)
			n += (size_t)snprintf(buf + n, cap - n, "%s%s",
			    n > 0 ? "|" : "", name[i]);
	if (status >> 6 != 0)
		(void)snprintf(buf + n, cap - n, "%s0x%x", n > 0 ? "|" : "",
		    status & 0xc0u);
}

int
rbt_define_status(struct rbt_writer *w, uint8_t status, uint32_t *key,
    uint32_t *value)
{
	uint32_t own = RBT_OWN_STATUS + (uint32_t)status;
	char text[64];

	if (rbt_define_own(w, RBT_OWN_STATUS_KEY, "status", key) < 0)
		return BOB_FATAL;
	if (rbt_find_own(w, own, value))
		return BOB_OK;
	status_text(status, text, sizeof(text));
	return rbt_define_own(w, own, text, value);
}
