/* Loading the files of a live writer; see the header. */
#include "salvage.h"

#include <fcntl.h>
#include <unistd.h>

void
load_file(const char *path, struct buf *ret)
{
	uint8_t part[4096];
	ssize_t n;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return;
	while ((n = read(fd, part, sizeof(part))) > 0)
		put_bytes(ret, part, (size_t)n);
	(void)close(fd);
}

/* Where the side file says that it belongs: its first event is metadata,
 * 06 LEN 0d "bobbin.offset" LEN DIGITS. */
static size_t
side_offset(const struct buf *side)
{
	size_t i, offset = 0;

	assert_true(side->n > 16 + 17);
	assert_memory_equal(side->p + 18, "\x0d" "bobbin.offset", 14);
	for (i = 0; i < side->p[32]; i++)
		offset = offset * 10 + (side->p[33 + i] - '0');
	return offset;
}

void
salvage(const char *path, struct buf *ret)
{
	struct buf side = { 0 };
	size_t before = ret->n, offset;
	char name[512];

	(void)snprintf(name, sizeof(name), "%s.live", path);
	load_file(path, ret);
	load_file(name, &side);
	if (side.n > 0) {
		offset = side_offset(&side);
		assert_true(before + offset <= ret->n);
		ret->n = before + offset;
		put_bytes(ret, side.p, side.n);
	}
	buf_free(&side);
}
