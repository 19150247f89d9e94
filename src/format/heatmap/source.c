/* The text of source files; see heatmap.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "format/heatmap/heatmap.h"

/* No source that people read is larger. */
#define MAX_SOURCE ((off_t)4 << 20)

static int
looks_like_source(struct bob_bytes name)
{
	static const char *const suffixes[] = { ".php", ".phtml", ".inc",
		".py", ".pyx", ".pyi" };
	size_t i;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (text_ends_in(name.p, name.n, suffixes[i]))
			return 1;
	return 0;
}

/* Opens a file of a size that can be shown; -1: it is none. */
static int
open_source(const struct bob_sources *sources, struct bob_bytes name,
    size_t max, size_t *ret_size)
{
	struct stat st;
	int fd = bob_sources_open(sources, name.p, name.n);

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_size <= MAX_SOURCE &&
	    (size_t)st.st_size <= max) {
		*ret_size = (size_t)st.st_size;
		return fd;
	}
	(void)close(fd);
	return -1;
}

static size_t
read_all(int fd, char *p, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t k = read(fd, p + got, n - got);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		got += (size_t)k;
	}
	return got;
}

static int
find_lines(struct bob_ctx *ctx, struct source_text *s)
{
	size_t i, n = 1;

	for (i = 0; i < s->n; i++)
		n += s->p[i] == '\n';
	s->start = malloc((n + 1) * sizeof(*s->start));
	if (s->start == NULL)
		return err_nomem(ctx);
	s->start[0] = 0;
	for (i = 0, n = 1; i < s->n; i++)
		if (s->p[i] == '\n')
			s->start[n++] = i + 1;
	s->start[n] = s->n + 1;
	s->n_line = n;
	return BOB_OK;
}

int
source_text_load(struct bob_ctx *ctx, struct source_text *s,
    const struct bob_sources *sources, struct bob_bytes name, size_t *left)
{
	size_t size;
	int fd;

	memset(s, 0, sizeof(*s));
	if (*left == 0 || !looks_like_source(name))
		return BOB_OK;
	fd = open_source(sources, name, *left, &size);
	if (fd < 0)
		return BOB_OK;
	*left -= size;
	s->p = malloc(size + 1);
	if (s->p != NULL)
		s->n = read_all(fd, s->p, size);
	(void)close(fd);
	return s->p == NULL ? err_nomem(ctx) : find_lines(ctx, s);
}

void
source_text_done(struct source_text *s)
{
	free(s->p);
	free(s->start);
}

struct bob_bytes
source_text_line(const struct source_text *s, int64_t line)
{
	size_t i = (size_t)line - 1, n;

	if (line < 1 || i >= s->n_line)
		return (struct bob_bytes){ "", 0 };
	n = s->start[i + 1] - 1 - s->start[i];
	if (n > 0 && s->p[s->start[i] + n - 1] == '\r')
		n--;
	return (struct bob_bytes){ s->p + s->start[i], n };
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

struct source_between
source_between(const struct source_text *s, int64_t after, int64_t before)
{
	int64_t end = (int64_t)s->n_line + 1;
	struct source_between b = { 0 };

	/* Lines may be anything: nothing is added before it is known to be
	 * of the file. */
	if (s->n_line == 0 || before <= after || after >= end)
		return b;
	after = after < 0 ? 0 : after;
	end = least(end, before);
	b.first = after + 1;
	b.first_end = after > 0 ? least(end, b.first + HEATMAP_CONTEXT)
	                        : b.first;
	b.second = before > HEATMAP_CONTEXT ? before - HEATMAP_CONTEXT : 1;
	if (b.second < b.first_end)
		b.second = b.first_end;
	b.second_end = end;
	return b;
}
