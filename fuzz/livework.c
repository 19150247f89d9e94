/* Comparing steps with the bytes read; see the header. */
#include "livework.h"

#include <bobbin/limits.h>

#include "work.h"

/* A short read may cause as much work as one of this many bytes. */
#define SPAN 64

/* Steps for each byte, and for any sample. */
#define RATE 16
#define ONCE 100000

void
livework_begin(struct mem *m)
{
	mem_allow(m, BOB_MAX_LIVE_READS, BOB_MAX_LIVE_BYTES);
	work_begin();
}

void
livework_check(const struct mem *m)
{
	uint64_t spans = BOB_MAX_LIVE_READS - m->spans_left;
	uint64_t bytes = BOB_MAX_LIVE_BYTES - m->bytes_left;

	work_check(bytes + SPAN * spans, RATE, ONCE);
}
