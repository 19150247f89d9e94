/* The .rbt format's table. */
#include <string.h>

#include "format/rbt/rbt.h"

static int
rbt_bid(const uint8_t *p, size_t n)
{
	size_t i;

	if (n > 0 && memcmp(p, RBT_MAGIC, n < 4 ? n : 4) == 0)
		return BID_MAGIC;
	/* Damaged in front, but a segment begins further on. */
	for (i = 1; i + 4 < n; i++)
		if (memcmp(p + i, RBT_MAGIC "\x01", 5) == 0)
			return BID_DAMAGED;
	return BID_NO;
}

const struct format rbt_format = {
	.info = {
		.name = "rbt",
		.suffixes = ".rbt .rbt.gz",
		.summary = "reli's binary trace: segments, gzip, recovery",
		.caps = BOB_CAP_ORDER | BOB_CAP_TIMES | BOB_CAP_PIDS |
		    BOB_CAP_THREADS | BOB_CAP_ANNOTATIONS | BOB_CAP_META |
		    BOB_CAP_SEGMENTS | BOB_CAP_PERIOD | BOB_CAP_OPCODES |
		    BOB_CAP_NATIVE | BOB_CAP_UNKNOWN,
		.can_read = 1,
		.can_write = 1,
		.options = rbt_write_options,
	},
	.bid = rbt_bid,
	.source = &rbt_source,
	.sink = &rbt_sink,
	.segment_magic = RBT_MAGIC,
	.side_suffix = RBT_SIDE_SUFFIX,
	.side_offset_key = RBT_META_OFFSET,
};
