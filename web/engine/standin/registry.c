/* The formats of the engine in a page: it reads what pages carry, and writes
 * nothing. */
#include "format/rbt/rbt.h"

const struct format *const formats[] = {
	&rbt_format,
	NULL,
};

/* The table of rbt names its writer, which stays outside. */
const struct sink_ops rbt_sink = { .state_size = 0 };
const struct bob_option_info rbt_write_options[] = { { NULL, NULL, NULL } };
