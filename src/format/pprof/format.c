/* The pprof format's table. */
#include "format/pprof/read.h"

const struct format pprof_format = {
	.info = {
		.name = "pprof",
		.suffixes = ".pb.gz .pprof .pprof.gz",
		.summary = "google/pprof's profile.proto, for go tool pprof "
		           "and many servers",
		.caps = BOB_CAP_PIDS | BOB_CAP_THREADS | BOB_CAP_META |
		    BOB_CAP_PERIOD,
		.can_read = 1,
		.can_write = 1,
		.options = pprof_write_options,
	},
	.bid = pprof_bid,
	.source = &pprof_source,
	.sink = &pprof_sink,
};
