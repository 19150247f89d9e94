/*
 * Places to cut an .rbt file for several threads: from evenly spread offsets,
 * the next bytes that look like a segment header. A string may hold such
 * bytes too, so a cut is a guess until the decoder before it lands there.
 */
#include <sys/types.h>
#include <unistd.h>

#include "format/rbt/cuts.h"
#include "format/rbt/read.h"

/* Returns the offset of the first header candidate in [from, to), or `to`. */
static uint64_t
find_header(int fd, uint64_t from, uint64_t to)
{
	uint8_t buf[4096];
	ssize_t got;
	size_t n, i;

	/* Windows overlap by a header and the type byte behind it. */
	for (; from < to; from += sizeof(buf) - RBT_HEADER - 1) {
		got = pread(fd, buf, sizeof(buf), (off_t)from);
		if (got <= RBT_HEADER)
			return to;
		n = (size_t)got;
		for (i = 0; i + RBT_HEADER < n; i++)
			if (buf[i] == RBT_RESERVED &&
			    rbt_is_header(buf + i, n - i))
				return from + i < to ? from + i : to;
		if (n < sizeof(buf))
			return to;
	}
	return to;
}

size_t
rbt_cuts(int fd, uint64_t size, uint64_t *cut, size_t n)
{
	size_t n_found = 0, i;
	uint64_t at, end;

	for (i = 1; i <= n; i++) {
		at = size / (n + 1) * i;
		end = size / (n + 1) * (i + 1);
		at = find_header(fd, at, end);
		if (at < end)
			cut[n_found++] = at;
	}
	return n_found;
}
