/*
 * Texts by id, remembered within a fixed amount of memory: formatting a frame
 * or a stack is dear, copying what it looked like last time is not. When the
 * memory is full everything is forgotten and learned again.
 */
#ifndef CORE_TEXTMEMO_H
#define CORE_TEXTMEMO_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

#define TEXTMEMO_MAX ((size_t)16 << 20)
#define TEXTMEMO_MAX_TEXT (TEXTMEMO_MAX / 16) /* longer ones are not kept */

struct textmemo_slot {
	uint32_t age; /* of the memo when it was put; another one: forgotten */
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

/* Remembers n bytes for an id. BOB_OK (also when they are too many) or
 * FATAL. */
int textmemo_put(struct textmemo *m, struct bob_ctx *ctx, uint32_t id,
    const char *p, size_t n);

/* The text of an id, valid until the next put, or NULL. */
static inline const char *
textmemo_get(const struct textmemo *m, uint32_t id, size_t *n)
{
	if (id >= m->cap_slot || m->slot[id].age != m->age || m->age == 0)
		return NULL;
	*n = m->slot[id].len;
	return m->text + m->slot[id].start;
}

#endif
