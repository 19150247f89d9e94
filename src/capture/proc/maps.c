/* Reads and parses /proc/PID/maps; see maps.h. */
#include "capture/proc/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/hand.h"

/* Limit of the file; the rest is ignored. A usual line has some 100 bytes, so
 * this is a hundred thousand mappings. */
#define MAX_BYTES ((size_t)16 << 20)

#define DELETED " (deleted)"

const char *
maps_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Parses a hexadecimal number and the byte `end` behind it. Returns 1, or 0. */
static int
parse_hex(const char **at, char end, uint64_t *ret)
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
parse_decimal(const char **at, uint64_t *ret)
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

/* Parses `7f00-7f10 r-xp 00001000 fd:01 1234   /path`, ended by NUL. */
static int
parse_line(const char *s, struct map_line *l)
{
	uint64_t major, minor;

	memset(l, 0, sizeof(*l));
	if (!parse_hex(&s, '-', &l->start) || !parse_hex(&s, ' ', &l->end))
		return 0;
	if (strlen(s) < 5)
		return 0;
	l->is_exec = s[2] == 'x';
	s += 5;
	if (!parse_hex(&s, ' ', &l->offset) || !parse_hex(&s, ':', &major) ||
	    !parse_hex(&s, ' ', &minor) || !parse_decimal(&s, &l->inode))
		return 0;
	l->dev = major << 32 | minor;
	l->path = s + strspn(s, " ");
	return l->start < l->end;
}

int
maps_is_deleted(const char *path, size_t *ret_len)
{
	size_t n = strlen(path), tail = strlen(DELETED);

	if (n <= tail || strcmp(path + n - tail, DELETED) != 0)
		return 0;
	*ret_len = n - tail;
	return 1;
}

int
maps_is_shared_memory(const struct map_line *l)
{
	return l->inode != 0 && strcmp(l->path, "/dev/zero" DELETED) == 0;
}

/* Returns the file under the key of a mapping, or NULL. By a table, as a
 * process may have thousands of files. Of two files with the same key the later
 * one is left out. */
static struct map_file *
find_file(struct maps *m, const struct map_line *l)
{
	uint32_t i = ptrmap_get(&m->file_of,
	    maps_file_key(l->dev, l->inode, 0));

	return i != PTRMAP_NONE ? &m->file[i] : NULL;
}

static int
add_file(struct bob_ctx *ctx, struct maps *m, const struct map_line *l)
{
	size_t n = strlen(l->path);
	struct map_file f = { .start = l->start, .end = l->end,
		.first_end = l->end, .first_offset = l->offset,
		.dev = l->dev, .inode = l->inode, .is_exec = l->is_exec };
	char *path;

	if (m->n_file == MAPS_MAX_FILES)
		return BOB_OK;
	f.is_deleted = maps_is_deleted(l->path, &n);
	path = arena_alloc(ctx, &m->text, n + 1);
	if (path == NULL || MEM_GROW(ctx, m, file, m->n_file + 1) < 0 ||
	    ptrmap_put(ctx, &m->file_of, maps_file_key(l->dev, l->inode, 0),
	        (uint32_t)m->n_file) < 0)
		return BOB_FAILED;
	memcpy(path, l->path, n);
	path[n] = '\0';
	f.path = path;
	m->file[m->n_file++] = f;
	return BOB_OK;
}

struct reading {
	struct bob_ctx *ctx;
	struct maps *m;
};

static int
add_mapping(void *user, const struct map_line *l)
{
	struct reading *rd = user;
	struct map_file *old;

	if (l->inode == 0 || *l->path != '/')
		return BOB_OK;
	old = find_file(rd->m, l);
	if (old == NULL)
		return add_file(rd->ctx, rd->m, l);
	if (old->inode != l->inode || old->dev != l->dev)
		return BOB_OK;
	if (l->end > old->end)
		old->end = l->end;
	old->is_exec |= l->is_exec;
	return BOB_OK;
}

/* Returns everything that can be read from a descriptor, NUL-terminated; NULL
 * and errno. */
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
		hand_away();
		k = read(fd, b.text + n, b.cap_text - n - 1);
		if (hand_is_left()) {
			free(b.text);
			(void)close(fd);
			hand_leave();
		}
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

static int
parse_lines(char *text, int (*fn)(void *user, const struct map_line *l),
    void *user)
{
	char *line = text, *end;
	struct map_line l;
	int r = BOB_OK;

	while (r == BOB_OK && (end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		if (parse_line(line, &l))
			r = fn(user, &l);
		line = end + 1;
	}
	return r;
}

int
maps_each(struct bob_ctx *ctx, int pid,
    int (*fn)(void *user, const struct map_line *l), void *user)
{
	char path[64], *text;
	int fd, r;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(ctx, BOB_FAILED, errno, "cannot read %s",
		    path);
	text = read_all(ctx, fd);
	if (text == NULL) {
		r = err_sys(ctx, BOB_FAILED, errno, "cannot read %s", path);
	} else {
		r = parse_lines(text, fn, user);
		free(text);
	}
	(void)close(fd);
	return r;
}

int
maps_read(struct bob_ctx *ctx, struct maps *m, int pid)
{
	struct reading rd = { ctx, m };

	memset(m, 0, sizeof(*m));
	return maps_each(ctx, pid, add_mapping, &rd);
}

void
maps_done(struct maps *m)
{
	free(m->file);
	arena_free(&m->text);
	ptrmap_free(&m->file_of);
	memset(m, 0, sizeof(*m));
}
