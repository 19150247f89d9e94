/* Temporary files in memory: a module in a page has no others. What a page
 * carries is small enough. */
#include "core/tempfile.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* Files at once: one for each side of a comparison, and some to spare. */
#define MOST 8

static struct file {
	char *p;
	size_t cap_p;
	int is_open;
} file[MOST];

int
temp_open(struct tempfile *t, struct bob_ctx *ctx)
{
	int i;

	*t = (struct tempfile){ .ctx = ctx, .fd = -1 };
	for (i = 0; i < MOST && file[i].is_open; i++)
		;
	if (i == MOST)
		return err_nomem(ctx);
	file[i].is_open = 1;
	t->fd = i;
	return BOB_OK;
}

int
temp_write(struct tempfile *t, const char *what, const void *p, size_t n)
{
	struct file *f = &file[t->fd];

	(void)what;
	if (MEM_GROW(t->ctx, f, p, (size_t)t->size + n) < 0)
		return BOB_FATAL;
	memcpy(f->p + t->size, p, n);
	t->size += n;
	return BOB_OK;
}

int
temp_read(const struct tempfile *t, const char *what, void *p, size_t n,
    uint64_t at)
{
	(void)what;
	memcpy(p, file[t->fd].p + at, n);
	return BOB_OK;
}

int
temp_empty(struct tempfile *t)
{
	t->size = 0;
	return BOB_OK;
}

void
temp_close(struct tempfile *t)
{
	if (t->ctx == NULL || t->fd < 0)
		return;
	free(file[t->fd].p);
	file[t->fd] = (struct file){ .p = NULL };
	*t = (struct tempfile){ .fd = -1 };
}
