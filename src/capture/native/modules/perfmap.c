/* Reads, merges and searches perf maps; see perfmap.h. */
#include "capture/native/modules/perfmap.h"

#include <assert.h>
#include <fcntl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/proc/proc.h"
#include "capture/proc/status.h"
#include "capture/proc/tids.h"

#define CHUNK 65536

/* How many entries below an address are tried. Entries overlap if some are left
 * over from code that was freed. */
#define MAX_STEPS 16

/* Up to so many names are copied; the blocks of more are taken over. */
#define FEW 1024

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

	while (m->n_part > 0)
		free(m->part[--m->n_part].v);
	free(m->v);
	arena_free(&m->text);
	if (quota != NULL)
		quota->kept += m->kept;
	perfmap_init(m, m->ctx);
	m->quota = quota;
}

void
perfmap_init_more(struct perfmap *more, struct bob_ctx *ctx,
    const struct perfmap *m)
{
	perfmap_init(more, ctx);
	more->n = m->n;
	more->offset = m->offset;
	more->dev = m->dev;
	more->inode = m->inode;
	more->kept_before = m->kept;
}

/* Parses a hexadecimal number and the blanks behind it. Returns 1, or 0. */
static int
parse_hex(const char **at, const char *end, uint64_t *ret)
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
parse_line(struct perfmap *m, const char *p, const char *end)
{
	struct perfmap_entry e = { 0, 0, NULL, 0, 0 };
	char *name;

	if (!parse_hex(&p, end, &e.at) || !parse_hex(&p, end, &e.size) ||
	    p == end || e.size == 0 || e.at + e.size < e.at)
		return BOB_OK;
	e.n_name = (uint32_t)(end - p < PERFMAP_MAX_NAME ? end - p
	                                                 : PERFMAP_MAX_NAME);
	if (!may_keep(m, sizeof(e) + e.n_name))
		return BOB_OK;
	e.line = (uint32_t)m->n;
	name = arena_alloc(m->ctx, &m->text, e.n_name);
	if (name == NULL || MEM_GROW(m->ctx, m, v, m->n_v + 1) < 0)
		return BOB_FATAL;
	memcpy(name, p, e.n_name);
	e.name = name;
	m->v[m->n_v++] = e;
	m->n++;
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
			r = parse_line(m, p, nl);
		p = nl + 1;
	}
	*ret_used = (size_t)(p - begin);
	return r;
}

/* Opens the map, with the mounts and the pid that the process has in its own
 * namespaces. Anybody can make files in /tmp, so it must belong to the user of
 * the process. Returns a descriptor; -1 if there is none. */
static int
open_map(int pid)
{
	char path[64], root[64];
	struct proc_status status;
	struct stat st;
	int fd, inner = tids_own(pid);

	if (inner == 0 || proc_status(pid, &status) < 0)
		return -1;
	(void)snprintf(root, sizeof(root), "/proc/%d/root", pid);
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", inner);
	fd = proc_open_below(root, path, O_NOFOLLOW);
	if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_uid != status.uid[0])) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

static int
read_more(struct perfmap *m, int fd)
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
		n = pread(fd, buf, CHUNK, (off_t)m->offset);
		if (n <= 0)
			break;
		r = perfmap_take(m, buf, (size_t)n, &used);
		/* A line that is too long is skipped. */
		if (used == 0 && n == CHUNK)
			used = CHUNK;
		if (used == 0)
			break;
		m->offset += used;
	}
	free(buf);
	return r;
}

static void
begin_anew(struct perfmap *m)
{
	uint64_t before = m->kept_before;

	perfmap_done(m);
	if (m->quota != NULL)
		m->quota->kept += before;
	m->is_anew = 1;
}

int
perfmap_read(struct perfmap *m, int pid)
{
	struct stat st;
	int fd = open_map(pid), r = BOB_OK;

	if (fd < 0)
		return BOB_OK;
	if (fstat(fd, &st) == 0) {
		/* It is another file, or was truncated. */
		if (m->inode != (uint64_t)st.st_ino ||
		    m->dev != (uint64_t)st.st_dev ||
		    (uint64_t)st.st_size < m->offset)
			begin_anew(m);
		m->inode = (uint64_t)st.st_ino;
		m->dev = (uint64_t)st.st_dev;
		r = read_more(m, fd);
	}
	(void)close(fd);
	return r;
}

static int
compare_entries(const void *a, const void *b)
{
	const struct perfmap_entry *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Merges the last two parts. Returns BOB_OK or FATAL. */
static int
merge_last(struct perfmap *m)
{
	struct perfmap_part *a = &m->part[m->n_part - 2], *b = a + 1;
	size_t n = a->n + b->n, i = 0, k = 0, at;
	struct perfmap_entry *v = malloc(n * sizeof(*v));

	if (v == NULL)
		return err_nomem(m->ctx);
	for (at = 0; at < n; at++)
		v[at] = k == b->n || (i < a->n &&
		        compare_entries(&a->v[i], &b->v[k]) < 0)
		    ? a->v[i++] : b->v[k++];
	free(a->v);
	free(b->v);
	*a = (struct perfmap_part){ v, n };
	m->n_part--;
	m->n_moved += n;
	return BOB_OK;
}

/* Adds a part, which belongs to the map from here on, also on failure. */
static int
add_part(struct perfmap *m, struct perfmap_entry *v, size_t n)
{
	const struct perfmap_part *last;
	int r = m->n_part == PERFMAP_PARTS ? merge_last(m) : BOB_OK;

	if (r < 0) {
		free(v);
		return r;
	}
	m->part[m->n_part++] = (struct perfmap_part){ v, n };
	while (r == BOB_OK && m->n_part > 1) {
		last = &m->part[m->n_part - 1];
		if (last[-1].n > 2 * last->n ||
		    last[-1].n + last->n > PERFMAP_MERGED)
			break;
		r = merge_last(m);
	}
	return r;
}

int
perfmap_seal(struct perfmap *m)
{
	struct perfmap_entry *v = m->v;
	size_t n = m->n_v;

	if (n == 0)
		return BOB_OK;
	qsort(v, n, sizeof(*v), compare_entries);
	m->v = NULL;
	m->n_v = m->cap_v = 0;
	return add_part(m, v, n);
}

/* Copies the names of a part into blocks of the map. So a map that grows line
 * by line has not a block for each. */
static int
move_names(struct perfmap *m, struct perfmap_part *p)
{
	size_t i;
	char *name;

	for (i = 0; i < p->n; i++) {
		name = arena_alloc(m->ctx, &m->text, p->v[i].n_name);
		if (name == NULL)
			return BOB_FATAL;
		memcpy(name, p->v[i].name, p->v[i].n_name);
		p->v[i].name = name;
	}
	return BOB_OK;
}

int
perfmap_join(struct perfmap *m, struct perfmap *more)
{
	int r = BOB_OK, few = more->n_part == 1 && more->part[0].n <= FEW;
	size_t i;

	assert(more->n_v == 0);
	if (more->is_anew)
		perfmap_done(m);
	if (few)
		r = move_names(m, &more->part[0]);
	for (i = 0; i < more->n_part; i++)
		if (r == BOB_OK)
			r = add_part(m, more->part[i].v, more->part[i].n);
		else
			free(more->part[i].v);
	if (!few)
		arena_join(m->ctx, &m->text, &more->text);
	m->n = more->n;
	m->kept += more->kept;
	m->offset = more->offset;
	m->dev = more->dev;
	m->inode = more->inode;
	more->n_part = 0;
	more->kept = 0;
	return r;
}

/* Returns the newest of the entries of a part that cover an address and of
 * `best`, which may be NULL. */
static const struct perfmap_entry *
search_part(const struct perfmap_part *p, uint64_t at,
    const struct perfmap_entry *best)
{
	size_t lo = 0, hi = p->n, i;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->v[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (i = 0; i < MAX_STEPS && lo > 0; i++, lo--) {
		const struct perfmap_entry *e = &p->v[lo - 1];

		if (at - e->at < e->size &&
		    (best == NULL || e->line > best->line))
			best = e;
	}
	return best;
}

const struct perfmap_entry *
perfmap_find(struct perfmap *m, uint64_t at)
{
	const struct perfmap_entry *best = NULL;
	size_t i;

	if (perfmap_seal(m) < 0)
		return NULL;
	for (i = 0; i < m->n_part; i++)
		best = search_part(&m->part[i], at, best);
	return best;
}
