/* A cache of texts by id; see the header. */
#include "core/textmemo.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

_Static_assert(TEXTMEMO_MAX <= UINT32_MAX, "a slot's start has 32 bits");

void
textmemo_done(struct textmemo *m)
{
	free(m->slot);
	free(m->text);
	memset(m, 0, sizeof(*m));
}

/* Empties the cache: all slots have another age now. Age 0 marks slots that
 * were never used, so it is skipped. */
static void
textmemo_forget(struct textmemo *m)
{
	m->len = 0;
	m->age++;
	if (m->age == 0) {
		memset(m->slot, 0, m->cap_slot * sizeof(*m->slot));
		m->age = 1;
	}
}

int
textmemo_put(struct textmemo *m, struct bob_ctx *ctx, uint32_t id,
    const char *p, size_t n)
{
	size_t old = m->cap_slot;

	if (n > TEXTMEMO_MAX_TEXT)
		return BOB_OK;
	if (MEM_GROW(ctx, m, slot, (size_t)id + 1) < 0)
		return BOB_FATAL;
	if (m->cap_slot > old)
		memset(m->slot + old, 0,
		    (m->cap_slot - old) * sizeof(*m->slot));
	if (m->age == 0 || m->len + n >= TEXTMEMO_MAX)
		textmemo_forget(m);
	/* One more: an empty text has an address, too. */
	if (MEM_GROW(ctx, m, text, m->len + n + 1) < 0)
		return BOB_FATAL;
	if (n > 0)
		memcpy(m->text + m->len, p, n);
	m->slot[id] = (struct textmemo_slot){ m->age, (uint32_t)m->len,
		(uint32_t)n };
	m->len += n;
	return BOB_OK;
}
