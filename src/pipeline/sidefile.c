/* Finds the side file of a dead writer; see the header. */
#include "pipeline/sidefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bobbin/read.h>

#include "core/regular.h"
#include "format/format.h"

/* Returns a string of digits as a number, or 0 when it is not one. */
static uint64_t
parse_offset(struct bob_bytes text)
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

/* Reads metadata up to the first sample. Returns BOB_OK and sets *ret to the
 * number that the key of the format has; BOB_EOF when it is missing, or nothing
 * can be read; FAILED when memory is out. */
static int
find_offset(struct bob_ctx *ctx, const struct format *f, int fd,
    const char *name, uint64_t *ret)
{
	const char *key = f->side_offset_key;
	struct bob_read_opts o = { .size = sizeof(o),
		.format = f->info.name, .flags = BOB_READ_RECOVER };
	struct bob_reader *rd;
	struct bob_event ev;
	struct bob_bytes found_key;
	int r, found = 0;

	r = bob_open_fd(ctx, fd, name, &o, &rd);
	if (r < 0)
		return r;
	while (!found && (r = bob_next(rd, &ev)) == BOB_OK &&
	    ev.kind != BOB_EVENT_RUNS) {
		if (ev.kind != BOB_EVENT_MARK ||
		    ev.mark->kind != BOB_MARK_META)
			continue;
		found_key = bob_str_get(bob_reader_dict(rd), ev.mark->key);
		found = found_key.n == strlen(key) &&
		    memcmp(found_key.p, key, found_key.n) == 0;
		*ret = parse_offset(bob_str_get(bob_reader_dict(rd),
		    ev.mark->value));
	}
	bob_close(rd);
	if (r < 0 && bob_ctx_error(ctx)->code == BOB_E_NOMEM)
		return BOB_FAILED;
	return found ? BOB_OK : BOB_EOF;
}

/* As sidefile_open, for one format. */
static int
open_for_format(struct bob_ctx *ctx, const struct format *f, const char *path,
    int *ret_fd, uint64_t *ret_offset)
{
	size_t n = strlen(path) + strlen(f->side_suffix) + 1;
	char *name = malloc(n);
	int fd, r;

	if (name == NULL)
		return err_nomem(ctx), BOB_FAILED;
	(void)snprintf(name, n, "%s%s", path, f->side_suffix);
	fd = regular_open_side(name);
	r = fd < 0 ? BOB_EOF
	           : find_offset(ctx, f, fd, name, ret_offset);
	if (r == BOB_OK && lseek(fd, 0, SEEK_SET) < 0)
		r = BOB_EOF;
	if (r == BOB_OK)
		*ret_fd = fd;
	else if (fd >= 0)
		(void)close(fd);
	free(name);
	return r;
}

int
sidefile_open(struct bob_ctx *ctx, const char *path, int *ret_fd,
    uint64_t *ret_offset)
{
	int r = BOB_EOF;
	size_t i;

	for (i = 0; r == BOB_EOF && formats[i] != NULL; i++)
		if (formats[i]->side_suffix != NULL)
			r = open_for_format(ctx, formats[i], path, ret_fd,
			    ret_offset);
	return r;
}
