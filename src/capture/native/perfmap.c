/* Lines, and the search for an address; see the header. */
#include "capture/native/perfmap.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/hand.h"
#include "capture/proc/proc.h"

#define CHUNK 65536

/* Entries that begin below an address and end before it: pieces that lie in
 * each other are left over from code that was thrown away. */
#define MAX_STEPS 16

/* Entries that are sorted anew each time that there are more. */
#define MAX_NEW 4096

void
perfmap_init(struct perfmap *m, struct bob_ctx *ctx)
{
	memset(m, 0, sizeof(*m));
	m->ctx = ctx;
}

void
perfmap_done(struct perfmap *m)
{
	struct quota *quota = m->quota;

	free(m->v);
	free(m->spare);
	arena_free(&m->text);
	if (quota != NULL)
		quota->kept += m->kept;
	perfmap_init(m, m->ctx);
	m->quota = quota;
}

/* A number and the blank behind it. */
static int
take_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *p = *at;
	uint64_t v = 0;
	int n;

	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	for (n = 0; p < end && n <= 16; n++, p++) {
		unsigned c = (unsigned char)*p | 0x20;

		if (c >= '0' && c <= '9')
			v = v << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (c - 'a' + 10);
		else
			break;
	}
	if (n == 0 || n > 16 || p == end || *p != ' ')
		return 0;
	while (p < end && *p == ' ')
		p++;
	*at = p;
	*ret = v;
	return 1;
}

static int
may_keep(struct perfmap *m, uint64_t n)
{
	if (m->quota != NULL && (n > m->quota->kept ||
	    !quota_keep(m->quota, n)))
		return 0;
	m->kept += m->quota != NULL ? n : 0;
	return 1;
}

static int
take_line(struct perfmap *m, const char *p, const char *end)
{
	struct perfmap_entry e = { 0, 0, NULL, 0, 0 };
	char *name;

	if (!take_hex(&p, end, &e.at) || !take_hex(&p, end, &e.size) ||
	    p == end || e.size == 0 || e.at + e.size < e.at)
		return BOB_OK;
	e.n_name = (uint32_t)(end - p < PERFMAP_MAX_NAME ? end - p
	                                                 : PERFMAP_MAX_NAME);
	if (!may_keep(m, sizeof(e) + e.n_name))
		return BOB_OK;
	e.line = (uint32_t)m->n;
	name = arena_alloc(m->ctx, &m->text, e.n_name);
	if (name == NULL || MEM_GROW(m->ctx, m, v, m->n + 1) < 0)
		return BOB_FATAL;
	memcpy(name, p, e.n_name);
	e.name = name;
	m->v[m->n++] = e;
	m->is_sorted = 0;
	return BOB_OK;
}

int
perfmap_take(struct perfmap *m, const char *p, size_t n, size_t *ret_used)
{
	const char *begin = p, *end = p + n, *nl;
	int r = BOB_OK;

	while (r == BOB_OK && p < end &&
	    (nl = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		if (m->n < PERFMAP_MAX_LINES)
			r = take_line(m, p, nl);
		p = nl + 1;
	}
	*ret_used = (size_t)(p - begin);
	return r;
}

/* The first and the last of the numbers that follow `key` in a file of /proc;
 * as they were when there is none. */
static void
numbers(const char *status, const char *key, unsigned long *first,
    unsigned long *last)
{
	const char *p = strstr(status, key);
	int is_first;

	p = p != NULL ? p + strlen(key) : "";
	for (is_first = 1; ; is_first = 0) {
		while (*p == '\t' || *p == ' ')
			p++;
		if (*p < '0' || *p > '9')
			return;
		for (*last = 0; *p >= '0' && *p <= '9'; p++)
			*last = *last * 10 + (unsigned long)(*p - '0');
		if (is_first)
			*first = *last;
	}
}

/* The file in the process's own view of the file system, where its number may
 * be another one. Anybody can make files in /tmp: it must be of the process's
 * user. -1: there is none. */
static int
open_map(int pid)
{
	char path[64], root[64], status[4096];
	unsigned long inner = (unsigned long)pid, uid = ULONG_MAX, other;
	struct stat st;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (proc_read_small(path, status, sizeof(status)) < 0)
		return -1;
	numbers(status, "\nUid:", &uid, &other);
	/* The last of the numbers is that of the innermost namespace. */
	numbers(status, "\nNSpid:", &other, &inner);
	(void)snprintf(root, sizeof(root), "/proc/%d/root", pid);
	(void)snprintf(path, sizeof(path), "/tmp/perf-%lu.map", inner);
	fd = proc_open_below(root, path, O_NOFOLLOW);
	if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_uid != uid)) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

static int
read_on(struct perfmap *m, int fd)
{
	char *buf = malloc(CHUNK);
	uint64_t end = m->offset + PERFMAP_LOOK;
	size_t used = 1;
	ssize_t n;
	int r = BOB_OK;

	if (buf == NULL)
		return err_nomem(m->ctx);
	if (end > PERFMAP_MAX_BYTES)
		end = PERFMAP_MAX_BYTES;
	while (r == BOB_OK && m->offset < end) {
		if (m->quota != NULL && !quota_read(m->quota, CHUNK))
			break;
		hand_away();
		n = pread(fd, buf, CHUNK, (off_t)m->offset);
		if (hand_is_left()) {
			free(buf);
			(void)close(fd);
			hand_leave();
		}
		if (n <= 0)
			break;
		r = perfmap_take(m, buf, (size_t)n, &used);
		/* No line is this long: it is passed over. */
		if (used == 0 && n == CHUNK)
			used = CHUNK;
		if (used == 0)
			break;
		m->offset += used;
	}
	free(buf);
	return r;
}

int
perfmap_read(struct perfmap *m, int pid)
{
	struct stat st;
	int fd = open_map(pid), r = BOB_OK;

	if (fd < 0)
		return BOB_OK;
	if (fstat(fd, &st) == 0) {
		/* Another file, or written anew. */
		if (m->inode != (uint64_t)st.st_ino ||
		    m->dev != (uint64_t)st.st_dev ||
		    (uint64_t)st.st_size < m->offset)
			perfmap_done(m);
		m->inode = (uint64_t)st.st_ino;
		m->dev = (uint64_t)st.st_dev;
		r = read_on(m, fd);
	}
	(void)close(fd);
	return r;
}

static int
compare(const void *a, const void *b)
{
	const struct perfmap_entry *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Sorts those that are new, and puts them between the others when they have
 * become many: so each is moved a few times, however often a map grows. FATAL
 * without memory. */
static int
sort(struct perfmap *m)
{
	size_t n_new = m->n - m->n_sorted, i = 0, k = m->n_sorted, n = 0;
	struct perfmap_entry *old = m->v;
	size_t cap = m->cap_v;

	if (!m->is_sorted && n_new > 0)
		qsort(m->v + m->n_sorted, n_new, sizeof(*m->v), compare);
	m->is_sorted = 1;
	if (n_new <= MAX_NEW || n_new < m->n_sorted / 4)
		return BOB_OK;
	if (MEM_GROW(m->ctx, m, spare, m->n) < 0)
		return BOB_FATAL;
	while (n < m->n)
		m->spare[n++] = k == m->n || (i < m->n_sorted &&
		    compare(&old[i], &old[k]) < 0) ? old[i++] : old[k++];
	m->v = m->spare;
	m->cap_v = m->cap_spare;
	m->spare = old;
	m->cap_spare = cap;
	m->n_sorted = m->n;
	return BOB_OK;
}

/* The newest that covers an address, of the sorted ones from lo to hi. */
static const struct perfmap_entry *
search(const struct perfmap *m, size_t lo, size_t hi, uint64_t at,
    const struct perfmap_entry *best)
{
	size_t first = lo, i;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->v[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (i = 0; i < MAX_STEPS && lo > first; i++, lo--) {
		const struct perfmap_entry *e = &m->v[lo - 1];

		if (at - e->at < e->size &&
		    (best == NULL || e->line > best->line))
			best = e;
	}
	return best;
}

const struct perfmap_entry *
perfmap_find(struct perfmap *m, uint64_t at)
{
	const struct perfmap_entry *best;

	if (sort(m) < 0)
		return NULL;
	best = search(m, 0, m->n_sorted, at, NULL);
	return search(m, m->n_sorted, m->n, at, best);
}
