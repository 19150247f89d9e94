/* The plan of a conversion: what the target format cannot hold, in words. */
#include <stdio.h>

#include <bobbin/convert.h>

static const struct {
	uint32_t cap;
	const char *word;
} words[] = {
	{ BOB_CAP_ORDER, "order" },
	{ BOB_CAP_TIMES, "times" },
	{ BOB_CAP_PIDS, "pids" },
	{ BOB_CAP_THREADS, "threads" },
	{ BOB_CAP_STATUS, "thread status" },
	{ BOB_CAP_ANNOTATIONS, "annotations" },
	{ BOB_CAP_META, "metadata" },
	{ BOB_CAP_SEGMENTS, "segments" },
	{ BOB_CAP_PERIOD, "sampling periods" },
	{ BOB_CAP_OPCODES, "opcodes" },
	{ BOB_CAP_NATIVE, "native frames" },
	{ BOB_CAP_COLUMNS, "columns" },
	{ BOB_CAP_UNKNOWN, "unknown events" },
};

uint32_t
bob_plan(uint32_t from, uint32_t to, char *buf, size_t cap)
{
	uint32_t lost = from & ~to;
	size_t len = 0, i;

	if (cap > 0)
		buf[0] = '\0';
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!(lost & words[i].cap) || len >= cap)
			continue;
		len += (size_t)snprintf(buf + len, cap - len, "%s%s",
		    len > 0 ? ", " : "", words[i].word);
	}
	return lost;
}
