/* TACH's two entries in the list of formats: as CPython writes it, and as the
 * published draft has it. Reading finds the dialect by itself. */
#include <string.h>

#include "format/tach/tach.h"

#define CAPS_V2                                                              \
	(BOB_CAP_ORDER | BOB_CAP_TIMES | BOB_CAP_THREADS | BOB_CAP_STATUS |  \
	    BOB_CAP_PERIOD)

const struct bob_option_info tach_read_options[] = {
	{ "dialect", "v2|early-1|1a|1b|1c",
	    "which layout the file has, when it could be several" },
	{ NULL, NULL, NULL },
};

static int
tach_bid(const uint8_t *p, size_t n)
{
	static const uint8_t zero[TACH_HEADER];
	static const uint8_t little[] = { 'H', 'C', 'A', 'T' };
	static const uint8_t big[] = { 'T', 'A', 'C', 'H' };
	size_t n_magic = n < 4 ? n : 4;

	if (n > 0 && (memcmp(p, little, n_magic) == 0 ||
	    memcmp(p, big, n_magic) == 0))
		return BID_MAGIC;
	/* A writer that was killed leaves its header empty. */
	if (n >= TACH_HEADER && memcmp(p, zero, TACH_HEADER) == 0)
		return BID_DAMAGED;
	return BID_NO;
}

static int
no_bid(const uint8_t *p, size_t n)
{
	(void)p;
	(void)n;
	return BID_NO;
}

const struct format tach_format = {
	.info = {
		.name = "tach",
		.suffixes = ".tach .bin",
		.summary = "CPython's binary profile, in all its dialects",
		.caps = CAPS_V2 | BOB_CAP_OPCODES | BOB_CAP_COLUMNS,
		.can_read = 1,
		.can_write = 1,
		.options = tach_write_options,
		.read_options = tach_read_options,
	},
	.bid = tach_bid,
	.has_magic = 1,
	.source = &tach_source,
	.sink = &tach_sink,
};

const struct format tach_v2_format = {
	.info = {
		.name = "tach-v2",
		.suffixes = ".tach2",
		.summary = "the same as the published draft has it",
		.caps = CAPS_V2,
		.can_read = 1,
		.can_write = 1,
		.options = tach_v2_write_options,
		.read_options = tach_read_options,
	},
	.bid = no_bid,
	.source = &tach_source,
	.sink = &tach_v2_sink,
};
