/* What a module in a page has no files for. The trace is unpacked before it
 * comes here (worker.js), and its samples are taken as they stand. */
#include <bobbin/write.h>

#include "core/input.h"
#include "core/regular.h"
#include "pipeline/order.h"
#include "pipeline/sidefile.h"

int
in_open_unpack(struct in *below, in_segment_fn *begins_segment, int tolerant,
    struct in **ret)
{
	(void)begins_segment;
	(void)tolerant;
	*ret = below;
	return BOB_OK;
}

int
in_unpack_is_cut(const struct in *in)
{
	(void)in;
	return 0;
}

int
regular_open(const char *path)
{
	(void)path;
	return -1;
}

size_t
bob_part_stem(const char *path)
{
	(void)path;
	return 0;
}

int
sidefile_open(struct bob_ctx *ctx, const char *path, int *ret_fd,
    uint64_t *ret_offset)
{
	(void)ctx;
	(void)path;
	(void)ret_fd;
	(void)ret_offset;
	return BOB_EOF;
}

struct order *
order_new(struct bob_ctx *ctx, size_t limit)
{
	(void)limit;
	(void)err_nomem(ctx);
	return NULL;
}

int
order_next(struct order *o, struct source *src, struct bob_event *ret)
{
	(void)o;
	return src->ops->next(src, ret);
}

void
order_free(struct order *o)
{
	(void)o;
}
