/* The kinds of targets; see the header. */
#include "ship/target.h"

#include "ship/targets.h"

const struct target_ops *
target_ops_of(enum ship_kind kind)
{
	static const struct target_ops *const ops[] = {
		[SHIP_CLICKHOUSE] = &ch_target,
		[SHIP_DIR] = &dir_target,
		[SHIP_S3] = &s3_target,
	};

	return ops[kind];
}
