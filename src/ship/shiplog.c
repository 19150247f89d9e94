/* The journal of a spool; see the header. */
#include "ship/shiplog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/text.h"

#define NAME "journal"
#define NEXT "journal.next"
#define SUM 9 /* characters of a checksum and the blank behind it */

static uint32_t
sum_of(const char *p, size_t n)
{
	return (uint32_t)XXH3_64bits(p, n);
}

static int
fail(struct shiplog *j, const char *what)
{
	return err_sys(j->ctx, BOB_FAILED, errno, "cannot %s the journal of "
	    "the spool", what);
}

/* --- reading ------------------------------------------------------------- */

/* Checks a line of n bytes. Returns 1 if it is whole. */
static int
is_whole(const char *p, size_t n)
{
	uint64_t sum;

	return n > SUM && p[SUM - 1] == ' ' &&
	    text_get_hex(p, SUM - 1, &sum) &&
	    sum == sum_of(p + SUM, n - SUM);
}

/* Reads from the beginning of fd; sets the end of the whole lines. */
static int
read_lines(struct shiplog *j, int fd, shiplog_fn *fn, void *user)
{
	char *line = malloc(SHIPLOG_LINE);
	FILE *f = NULL;
	int own = dup(fd), r = BOB_OK;

	if (line == NULL || own < 0 || (f = fdopen(own, "r")) == NULL) {
		if (own >= 0)
			(void)close(own);
		free(line);
		return err_nomem(j->ctx), BOB_FAILED;
	}
	while (r == BOB_OK && fgets(line, SHIPLOG_LINE, f) != NULL) {
		size_t n = strlen(line);

		if (n == 0 || line[n - 1] != '\n' || !is_whole(line, n - 1))
			break;
		line[n - 1] = '\0';
		r = fn(user, line + SUM, n - 1 - SUM);
		j->n_lines++;
		j->end += n;
	}
	if (r == BOB_OK && ferror(f))
		r = fail(j, "read");
	(void)fclose(f);
	free(line);
	return r < 0 ? BOB_FAILED : BOB_OK;
}

int
shiplog_read(struct bob_ctx *ctx, int dir, shiplog_fn *fn, void *user)
{
	struct shiplog j = { .ctx = ctx };
	int fd = openat(dir, NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), r;

	if (fd < 0)
		return fail(&j, "open");
	r = read_lines(&j, fd, fn, user);
	(void)close(fd);
	return r;
}

/* --- writing ------------------------------------------------------------- */

int
shiplog_open(struct shiplog *j, struct bob_ctx *ctx, int dir, shiplog_fn *fn,
    void *user)
{
	memset(j, 0, sizeof(*j));
	j->ctx = ctx;
	j->dir = dir;
	j->next = -1;
	j->fd = openat(dir, NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
	    0600);
	if (j->fd < 0)
		return fail(j, "open");
	if (read_lines(j, j->fd, fn, user) < 0)
		return BOB_FAILED;
	if (ftruncate(j->fd, (off_t)j->end) < 0 || fsync(j->fd) < 0 ||
	    fsync(dir) < 0)
		return fail(j, "write");
	return BOB_OK;
}

void
shiplog_close(struct shiplog *j)
{
	if (j->ctx == NULL)
		return;
	if (j->fd >= 0)
		(void)close(j->fd);
	if (j->next >= 0)
		(void)close(j->next);
	j->fd = j->next = -1;
}

/* Makes a line with its checksum. Returns its length; 0 if it is too long. */
static size_t
make_line(char line[SHIPLOG_LINE], const char *fmt, va_list ap)
{
	int n = vsnprintf(line + SUM, SHIPLOG_LINE - SUM - 1, fmt, ap);
	char sum[SUM + 1];

	if (n < 0 || n >= SHIPLOG_LINE - SUM - 1)
		return 0;
	(void)snprintf(sum, sizeof(sum), "%08x ", sum_of(line + SUM,
	    (size_t)n));
	memcpy(line, sum, SUM);
	line[SUM + n] = '\n';
	return (size_t)n + SUM + 1;
}

/* Writes all bytes at an offset. Returns 0 or -1 with errno. */
static int
write_at(int fd, const char *p, size_t n, uint64_t at)
{
	while (n > 0) {
		ssize_t k = pwrite(fd, p, n, (off_t)at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			errno = k == 0 ? EIO : errno;
			return -1;
		}
		p += k;
		n -= (size_t)k;
		at += (size_t)k;
	}
	return 0;
}

/* Part of a line may stay when writing fails: the next one is written over
 * it. */
static int
add(struct shiplog *j, int fd, uint64_t *end, uint64_t *n_lines,
    const char *fmt, va_list ap)
{
	char line[SHIPLOG_LINE];
	size_t n = make_line(line, fmt, ap);

	if (n == 0)
		return err_set(j->ctx, BOB_FAILED, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "a line of the journal of the spool is too long");
	if (write_at(fd, line, n, *end) < 0)
		return fail(j, "write");
	*end += n;
	(*n_lines)++;
	return BOB_OK;
}

int
shiplog_add(struct shiplog *j, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = add(j, j->fd, &j->end, &j->n_lines, fmt, ap);
	va_end(ap);
	if (r == BOB_OK && fdatasync(j->fd) < 0)
		r = fail(j, "write");
	return r;
}

int
shiplog_begin_next(struct shiplog *j)
{
	if (j->next >= 0)
		(void)close(j->next);
	j->next_end = j->next_lines = 0;
	j->next = openat(j->dir, NEXT, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	return j->next < 0 ? fail(j, "write") : BOB_OK;
}

int
shiplog_add_next(struct shiplog *j, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = add(j, j->next, &j->next_end, &j->next_lines, fmt, ap);
	va_end(ap);
	return r;
}

int
shiplog_end_next(struct shiplog *j)
{
	if (fsync(j->next) < 0 ||
	    renameat(j->dir, NEXT, j->dir, NAME) < 0 || fsync(j->dir) < 0)
		return fail(j, "replace");
	(void)close(j->fd);
	j->fd = j->next;
	j->end = j->next_end;
	j->n_lines = j->next_lines;
	j->next = -1;
	return BOB_OK;
}

/* --- fields -------------------------------------------------------------- */

void
shiplog_escape(char *to, const char *s)
{
	static const char digits[] = "0123456789ABCDEF";

	*to++ = '=';
	for (; *s != '\0'; s++) {
		uint8_t c = (uint8_t)*s;

		if (c > ' ' && c <= '~' && c != '%') {
			*to++ = (char)c;
			continue;
		}
		*to++ = '%';
		*to++ = digits[c >> 4];
		*to++ = digits[c & 15];
	}
	*to = '\0';
}

int
shiplog_number(const char **p, uint64_t *ret)
{
	size_t n = text_n_digits(*p, strlen(*p));

	if (!text_get_u64(*p, n, ret))
		return 0;
	*p += n;
	*p += **p == ' ';
	return 1;
}

int
shiplog_string(const char **p, char *to, size_t cap)
{
	size_t n = strcspn(*p, " "), i, len = 0;
	uint64_t c;

	if (**p != '=' || n > cap)
		return 0;
	for (i = 1; i < n; i++) {
		if ((*p)[i] != '%') {
			to[len++] = (*p)[i];
			continue;
		}
		if (i + 2 >= n || !text_get_hex(*p + i + 1, 2, &c) || c == 0)
			return 0;
		to[len++] = (char)c;
		i += 2;
	}
	to[len] = '\0';
	*p += n;
	*p += **p == ' ';
	return 1;
}
