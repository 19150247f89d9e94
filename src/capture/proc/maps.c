/* Reading /proc/PID/maps. */
#include "capture/proc/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lines of ordinary processes are some 100 bytes; this is a hundred thousand
 * mappings. What is behind it is not looked at. */
#define MAX_BYTES ((size_t)16 << 20)

#define DELETED " (deleted)"

const char *
maps_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* A hexadecimal number; the byte behind it must be `end`. */
static int
take_hex(const char **at, char end, uint64_t *ret)
{
	uint64_t v = 0;
	const char *p = *at;
	int n;

	for (n = 0; n < 16; n++, p++) {
		if (*p >= '0' && *p <= '9')
			v = v << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			v = v << 4 | (uint64_t)(*p - 'a' + 10);
		else
			break;
	}
	if (n == 0 || *p != end)
		return 0;
	*at = p + 1;
	*ret = v;
	return 1;
}

static int
take_decimal(const char **at, uint64_t *ret)
{
	uint64_t v = 0;
	const char *p = *at;

	while (*p >= '0' && *p <= '9' && v < UINT64_MAX / 10 - 1)
		v = v * 10 + (uint64_t)(*p++ - '0');
	if (p == *at)
		return 0;
	*at = p;
	*ret = v;
	return 1;
}

/* `7f00-7f10 r-xp 00001000 fd:01 1234   /path`, ended by NUL. */
static int
parse_line(const char *s, struct map_file *f)
{
	uint64_t major, minor;

	memset(f, 0, sizeof(*f));
	if (!take_hex(&s, '-', &f->start) || !take_hex(&s, ' ', &f->end))
		return 0;
	if (strlen(s) < 5)
		return 0;
	f->is_exec = s[2] == 'x';
	s += 5;
	if (!take_hex(&s, ' ', &f->first_offset) ||
	    !take_hex(&s, ':', &major) || !take_hex(&s, ' ', &minor) ||
	    !take_decimal(&s, &f->inode))
		return 0;
	f->dev = major << 32 | minor;
	f->first_end = f->end;
	f->path = s + strspn(s, " ");
	return f->inode != 0 && *f->path == '/' && f->start < f->end;
}

static struct map_file *
find_file(struct maps *m, const struct map_file *f)
{
	size_t i;

	for (i = m->n_file; i > 0; i--) {
		struct map_file *old = &m->file[i - 1];

		if (old->inode == f->inode && old->dev == f->dev)
			return old;
	}
	return NULL;
}

static int
add_file(struct bob_ctx *ctx, struct maps *m, const struct map_file *f)
{
	size_t n = strlen(f->path), tail = strlen(DELETED);
	char *path;

	if (m->n_file == MAPS_MAX_FILES)
		return BOB_OK;
	path = arena_alloc(ctx, &m->text, n + 1);
	if (path == NULL || MEM_GROW(ctx, m, file, m->n_file + 1) < 0)
		return BOB_FAILED;
	memcpy(path, f->path, n + 1);
	m->file[m->n_file] = *f;
	m->file[m->n_file].path = path;
	if (n > tail && strcmp(path + n - tail, DELETED) == 0) {
		path[n - tail] = '\0';
		m->file[m->n_file].is_deleted = 1;
	}
	m->n_file++;
	return BOB_OK;
}

static int
take_line(struct bob_ctx *ctx, struct maps *m, const char *line)
{
	struct map_file f, *old;

	if (!parse_line(line, &f))
		return BOB_OK;
	old = find_file(m, &f);
	if (old == NULL)
		return add_file(ctx, m, &f);
	if (f.end > old->end)
		old->end = f.end;
	old->is_exec |= f.is_exec;
	return BOB_OK;
}

static int
parse(struct bob_ctx *ctx, struct maps *m, char *text)
{
	char *line = text, *end;
	int r = BOB_OK;

	while (r == BOB_OK && (end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		r = take_line(ctx, m, line);
		line = end + 1;
	}
	return r;
}

/* All of a descriptor, NUL-terminated; NULL and errno. */
static char *
read_all(struct bob_ctx *ctx, int fd)
{
	struct {
		char *text;
		size_t cap_text;
	} b = { NULL, 0 };
	size_t n = 0;
	ssize_t k = 1;

	while (k > 0 && n < MAX_BYTES) {
		if (MEM_GROW(ctx, &b, text, n + 65536) < 0) {
			errno = ENOMEM;
			k = -1;
			break;
		}
		k = read(fd, b.text + n, b.cap_text - n - 1);
		if (k < 0 && errno == EINTR)
			k = 1;
		else if (k > 0)
			n += (size_t)k;
	}
	if (k < 0) {
		free(b.text);
		return NULL;
	}
	b.text[n] = '\0';
	return b.text;
}

int
maps_read(struct bob_ctx *ctx, struct maps *m, int pid)
{
	char path[64], *text;
	int fd, r;

	memset(m, 0, sizeof(*m));
	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(ctx, BOB_FAILED, errno, "cannot read %s",
		    path);
	text = read_all(ctx, fd);
	if (text == NULL) {
		r = err_sys(ctx, BOB_FAILED, errno, "cannot read %s", path);
	} else {
		r = parse(ctx, m, text);
		free(text);
	}
	(void)close(fd);
	return r;
}

void
maps_done(struct maps *m)
{
	free(m->file);
	arena_free(&m->text);
	memset(m, 0, sizeof(*m));
}
