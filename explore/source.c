/* Reads a source file and splits it into lines; see the header. */
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
source_done(struct source_file *s)
{
	free(s->text);
	free(s->line);
	memset(s, 0, sizeof(*s));
}

static int
source_fail(char *err, size_t n, const char *path, const char *why)
{
	(void)snprintf(err, n, "%.200s: %s", path, why);
	return -1;
}

static size_t
read_all(int fd, char *buf, size_t n)
{
	size_t got = 0;
	ssize_t r;

	while (got < n && (r = read(fd, buf + got, n - got)) > 0)
		got += (size_t)r;
	return got;
}

static int
split_lines(struct source_file *s, size_t len)
{
	const char *p = s->text, *end = p + len;
	size_t n = 1, i;

	for (i = 0; i < len; i++)
		n += s->text[i] == '\n';
	if (n > SOURCE_MAX_LINES)
		n = SOURCE_MAX_LINES;
	s->line = calloc(n, sizeof(*s->line));
	if (s->line == NULL)
		return -1;
	for (s->n = 0; p < end && s->n < n; s->n++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl != NULL ? nl : end;

		s->line[s->n].p = p;
		s->line[s->n].n = (size_t)(stop - p) -
		    (stop > p && stop[-1] == '\r');
		p = stop + 1;
	}
	s->is_cut |= p < end;
	return 0;
}

static int
open_source(const struct bob_sources *from, const char *path, char *err,
    size_t n)
{
	int fd = bob_sources_open(from, path, strlen(path));

	if (fd >= 0)
		return fd;
	if (bob_sources_count(from) == 0) {
		(void)snprintf(err, n, "no source shown: give --source DIR");
		return -1;
	}
	return source_fail(err, n, path, fd == -EINVAL ? "not a regular file"
	    : fd == -ENOENT ? "not below any --source DIR" : strerror(-fd));
}

int
source_read(struct source_file *s, const struct bob_sources *from,
    const char *path, char *err, size_t n)
{
	int fd = open_source(from, path, err, n);
	size_t len;

	if (fd < 0)
		return -1;
	source_done(s);
	s->text = malloc(SOURCE_MAX + 1);
	if (s->text == NULL) {
		(void)close(fd);
		return source_fail(err, n, path, "out of memory");
	}
	len = read_all(fd, s->text, SOURCE_MAX + 1);
	(void)close(fd);
	s->is_cut = len > SOURCE_MAX;
	if (split_lines(s, len > SOURCE_MAX ? SOURCE_MAX : len) < 0) {
		source_done(s);
		return source_fail(err, n, path, "out of memory");
	}
	(void)snprintf(s->path, sizeof(s->path), "%s", path);
	return 0;
}
