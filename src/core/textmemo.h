/*
 * A cache of formatted texts by id. Formatting a frame or a stack is slow,
 * copying its last text is not. The cache has a fixed size; when it is full, it
 * is emptied.
 */
#ifndef CORE_TEXTMEMO_H
#define CORE_TEXTMEMO_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

#define TEXTMEMO_MAX ((size_t)16 << 20)
#define TEXTMEMO_MAX_TEXT (TEXTMEMO_MAX / 16) /* longer ones are not kept */

struct textmemo_slot {
	uint32_t age; /* valid only if it equals the age of the memo */
	uint32_t start, len;
};

struct textmemo {
	struct textmemo_slot *slot; /* by id */
	char *text;
	size_t cap_slot, cap_text;
	size_t len;
	uint32_t age;
};

void textmemo_done(struct textmemo *m);

/* Stores n bytes for an id, unless they are too many. Returns BOB_OK or
 * FATAL. */
int textmemo_put(struct textmemo *m, struct bob_ctx *ctx, uint32_t id,
    const char *p, size_t n);

/* Returns the *n bytes of an id, valid until the next put; NULL if they are not
 * stored. */
static inline const char *
textmemo_get(const struct textmemo *m, uint32_t id, size_t *n)
{
	if (id >= m->cap_slot || m->slot[id].age != m->age || m->age == 0)
		return NULL;
	*n = m->slot[id].len;
	return m->text + m->slot[id].start;
}

#endif
