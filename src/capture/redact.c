/*
 * Replaces secrets in values by ***, before the values get into a dictionary.
 *
 * If a value was cut, a match that might go on behind its end counts as a
 * match. If the pattern takes too long, the whole value is replaced.
 */
#include <string.h>

#include "capture/runtime.h"
#include "core/pattern.h"

#define STARS "***"

struct output {
	char *p;
	size_t n, cap;
};

static void
put_bytes(struct output *o, const char *s, size_t n)
{
	if (n > o->cap - o->n)
		n = o->cap - o->n;
	memcpy(o->p + o->n, s, n);
	o->n += n;
}

size_t
process_redact(struct process *p, const char *s, size_t n, int is_cut,
    char *buf, size_t cap)
{
	struct output o = { buf, 0, cap };
	size_t at = 0, told = 0, begin, end;

	while (p->redact != NULL && at <= n) {
		int r = pattern_find(p->redact, s, n, at, is_cut, &begin,
		    &end);

		if (r < 0)
			return REDACT_FATAL;
		if (r == PATTERN_NONE)
			break;
		if (r == PATTERN_GAVE_UP) {
			o.n = 0;
			put_bytes(&o, STARS, strlen(STARS));
			return o.n;
		}
		/* An empty match hides nothing. */
		if (end > begin) {
			put_bytes(&o, s + told, begin - told);
			put_bytes(&o, STARS, strlen(STARS));
			told = end;
		}
		at = end > begin ? end : end + 1;
	}
	put_bytes(&o, s + told, n - told);
	return o.n;
}

bob_str
process_put_value(struct process *p, const char *s, size_t n, int is_cut)
{
	char buf[REDACT_MAX_BYTES * (sizeof(STARS) - 1)];
	size_t k;

	if (p->redact == NULL)
		return bob_str_put(p->dict, s, n);
	k = process_redact(p, s, n, is_cut, buf, sizeof(buf));
	return k != REDACT_FATAL ? bob_str_put(p->dict, buf, k) : BOB_NO_ID;
}
