/* Comparing steps with the bytes read; see the header. */
#include "samplework.h"

#include <bobbin/limits.h>

#include "work.h"

/* A short read may cause as much work as one of this many bytes. */
#define SPAN 64

/* Steps for each byte, and for any sample. */
#define RATE 16
#define ONCE 100000

void
samplework_begin(struct mem *m)
{
	mem_allow(m, BOB_MAX_CAPTURE_READS, BOB_MAX_CAPTURE_BYTES);
	work_begin();
}

void
samplework_check(const struct mem *m)
{
	uint64_t spans = BOB_MAX_CAPTURE_READS - m->spans_left;
	uint64_t bytes = BOB_MAX_CAPTURE_BYTES - m->bytes_left;

	work_check(bytes + SPAN * spans, RATE, ONCE);
}
