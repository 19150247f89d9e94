/* Finding the side file of a dead writer; see the header. */
#include "pipeline/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bobbin/read.h>

#include "core/regular.h"

/* A string of digits as a number; 0 when it is not one. */
static uint64_t
number(struct bob_bytes text)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9' || i > 18)
			return 0;
		v = v * 10 + (uint64_t)(text.p[i] - '0');
	}
	return v;
}

/* The offset that a side file names; BOB_EOF when it names none. */
static int
find_offset(struct bob_ctx *ctx, int fd, const char *name, uint64_t *ret)
{
	struct bob_read_opts o = { .size = sizeof(o),
		.flags = BOB_READ_RECOVER };
	struct bob_reader *rd;
	struct bob_event ev;
	struct bob_bytes key;
	int r, found = 0;

	r = bob_open_fd(ctx, fd, name, &o, &rd);
	if (r < 0)
		return r;
	while (!found && (r = bob_next(rd, &ev)) == BOB_OK &&
	    ev.kind != BOB_EVENT_RUNS) {
		if (ev.kind != BOB_EVENT_MARK ||
		    ev.mark->kind != BOB_MARK_META)
			continue;
		key = bob_str_get(bob_reader_dict(rd), ev.mark->key);
		found = key.n == strlen(LIVE_OFFSET) &&
		    memcmp(key.p, LIVE_OFFSET, key.n) == 0;
		*ret = number(bob_str_get(bob_reader_dict(rd),
		    ev.mark->value));
	}
	bob_close(rd);
	if (r < 0)
		return r;
	return found ? BOB_OK : BOB_EOF;
}

int
live_open(struct bob_ctx *ctx, const char *path, int *ret_fd,
    uint64_t *ret_offset)
{
	size_t n = strlen(path) + sizeof(LIVE_SUFFIX);
	char *name = malloc(n);
	int fd, r;

	if (name == NULL)
		return err_nomem(ctx), BOB_FAILED;
	(void)snprintf(name, n, "%s%s", path, LIVE_SUFFIX);
	fd = regular_open_side(name);
	r = fd < 0 ? BOB_EOF : find_offset(ctx, fd, name, ret_offset);
	if (r == BOB_OK && lseek(fd, 0, SEEK_SET) < 0)
		r = BOB_EOF;
	if (r == BOB_OK)
		*ret_fd = fd;
	else if (fd >= 0)
		(void)close(fd);
	free(name);
	return r;
}
