/*
 * Who was sampled, by the name of a profile. Our own writer's names are taken
 * apart, in the words it uses and any part of them; any other name is kept as
 * that of a thread.
 */
#include <string.h>

#include "core/text.h"
#include "format/speedscope/read.h"

/* Takes `WORD NUMBER` off the front of s, with a space before it unless it is
 * the first. 1, or 0 when something else stands there. */
static int
take_number(struct bob_bytes *s, const char *word, int is_first, uint64_t *ret)
{
	size_t n = strlen(word), at = is_first ? 0 : 1, digits;

	if (s->n < at + n + 2 || (!is_first && *s->p != ' ') ||
	    memcmp(s->p + at, word, n) != 0 || s->p[at + n] != ' ')
		return 0;
	at += n + 1;
	digits = text_n_digits(s->p + at, s->n - at);
	if (!text_get_u64(s->p + at, digits, ret))
		return 0;
	s->p += at + digits;
	s->n -= at + digits;
	return 1;
}

/* Numbers, and behind them a name in brackets. */
static int
split_track(struct bob_dict *d, struct bob_bytes s, struct bob_track *t)
{
	uint64_t interp;

	if (take_number(&s, "pid", t->flags == 0, &t->pid))
		t->flags |= BOB_TRACK_PID;
	if (take_number(&s, "thread", t->flags == 0, &t->tid))
		t->flags |= BOB_TRACK_TID;
	if (take_number(&s, "interpreter", t->flags == 0, &interp)) {
		if (interp > UINT32_MAX)
			return 0;
		t->interp = (uint32_t)interp;
		t->flags |= BOB_TRACK_INTERP;
	}
	if (t->flags == 0)
		return 0;
	if (s.n > 3 && memcmp(s.p, " (", 2) == 0 && s.p[s.n - 1] == ')') {
		t->name = bob_str_put(d, s.p + 2, s.n - 3);
		return 1;
	}
	return s.n == 0;
}

/* A name without what it says of the process. */
static struct bob_bytes
cut_process(struct bob_bytes s)
{
	size_t n = sizeof(SPEEDSCOPE_PROCESS) - 1, i;

	for (i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, SPEEDSCOPE_PROCESS, n) == 0)
			s.n = i;
	return s;
}

bob_tid
speedscope_track(struct bob_dict *d, bob_str name)
{
	static const char nobody[] = "all samples";
	struct bob_bytes s = cut_process(bob_str_get(d, name));
	struct bob_track t = { 0 };

	if (s.n == 0 || (s.n == sizeof(nobody) - 1 &&
	    memcmp(s.p, nobody, s.n) == 0))
		return 0;
	if (!split_track(d, s, &t))
		t = (struct bob_track){ .name = name };
	return t.name == BOB_NO_ID ? BOB_NO_ID : bob_track_put(d, &t);
}
