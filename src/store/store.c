/* Opening a store and listing its segments; see bobbin/store.h. */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/convert.h>

#include "core/filelock.h"
#include "core/mem.h"
#include "store/seal.h"

/* DIR/HOST/POOL/SEGMENT, and no deeper: a wrong directory is then found before
 * a whole disk was read. */
#define MAX_DEPTH 2

struct scan {
	struct bob_store *s;
	const struct bob_store_opts *o;
	const char *prefix; /* of names: "" or "web1/" */
	int folder;
	int depth;
};

/* --- segments ------------------------------------------------------------- */

static char *
join(const char *prefix, const char *name, const char *suffix)
{
	size_t room = strlen(prefix) + strlen(name) + strlen(suffix) + 1;
	char *s = malloc(room);

	if (s != NULL)
		(void)snprintf(s, room, "%s%s%s", prefix, name, suffix);
	return s;
}

static int
is_trace(const char *name)
{
	const struct bob_format_info *f = bob_format_of_path(name);

	return f != NULL && f->can_read;
}

/* True if a writer has the file open. */
static int
is_open(const struct place *at)
{
	uint64_t unused;
	int fd = place_open_file(at, &unused), r;

	if (fd < 0)
		return 0;
	r = filelock_is_taken(fd);
	(void)close(fd);
	return r;
}

/* Fills in what is known of a segment now. */
static void
look(struct bob_ctx *ctx, struct segment *g, const struct place *at,
    uint64_t size)
{
	index_done(&g->index);
	if (seal_find(ctx, at, size, &g->index)) {
		g->index.info.state = BOB_SEGMENT_SEALED;
	} else {
		g->index.info.format = g->index.info.service =
		    g->index.info.host = "";
		g->index.info.size = size;
		g->index.info.state = is_open(at) ? BOB_SEGMENT_OPEN
		                                  : BOB_SEGMENT_LEFT;
	}
	g->index.info.name = g->name;
}

static int
add_segment(const struct scan *c, const char *name, uint64_t size)
{
	const struct place at = { c->folder, name };
	struct bob_store *s = c->s;
	struct segment *g;
	char *full = join(c->prefix, name, "");

	if (full == NULL || MEM_GROW(s->ctx, s, segment, s->n + 1) < 0) {
		free(full);
		return err_nomem(s->ctx);
	}
	if (c->o != NULL && c->o->only != NULL &&
	    !c->o->only(c->o->user, full)) {
		free(full);
		return BOB_OK;
	}
	g = &s->segment[s->n++];
	memset(g, 0, sizeof(*g));
	g->name = full;
	look(s->ctx, g, &at, size);
	return BOB_OK;
}

/* --- folders -------------------------------------------------------------- */

static int scan_folder(struct scan *c);

static int
scan_below(const struct scan *c, const char *name)
{
	struct scan below = *c;
	char *prefix;
	int r;

	if (c->depth >= MAX_DEPTH)
		return BOB_OK;
	below.depth++;
	below.folder = openat(c->folder, name, O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC);
	if (below.folder < 0)
		return BOB_OK; /* gone, or of others */
	prefix = join(c->prefix, name, "/");
	below.prefix = prefix;
	r = prefix != NULL ? scan_folder(&below) : err_nomem(c->s->ctx);
	free(prefix);
	(void)close(below.folder);
	return r;
}

static int
scan_name(struct scan *c, const char *name)
{
	struct stat st;

	if (name[0] == '.' ||
	    fstatat(c->folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return BOB_OK;
	if (S_ISDIR(st.st_mode))
		return scan_below(c, name);
	if (!S_ISREG(st.st_mode) || !is_trace(name))
		return BOB_OK;
	return add_segment(c, name, (uint64_t)st.st_size);
}

static int
scan_folder(struct scan *c)
{
	int fd = openat(c->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	int r = BOB_OK;

	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return err_sys(c->s->ctx, BOB_FAILED, errno, "%s/%s",
		    c->s->path, c->prefix);
	}
	while (r >= 0 && (e = readdir(dir)) != NULL)
		r = scan_name(c, e->d_name);
	(void)closedir(dir);
	return r;
}

static int
by_name(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* --- the public functions ------------------------------------------------- */

int
bob_store_open(struct bob_ctx *ctx, const char *dir,
    const struct bob_store_opts *opts, struct bob_store **ret)
{
	struct bob_store *s = calloc(1, sizeof(*s));
	struct scan c = { .s = s, .o = opts, .prefix = "" };
	int r = BOB_OK;

	if (s == NULL)
		return (void)err_nomem(ctx), BOB_FAILED;
	s->ctx = ctx;
	s->folder = -1;
	s->path = strdup(dir);
	if (s->path != NULL)
		s->folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->path == NULL)
		r = err_nomem(ctx);
	else if (s->folder < 0)
		r = err_sys(ctx, BOB_FAILED, errno, "%s", dir);
	c.folder = s->folder;
	if (r == BOB_OK)
		r = scan_folder(&c);
	if (r < 0) {
		bob_store_close(s);
		return err_set_status(ctx, BOB_FAILED);
	}
	if (s->n > 0)
		qsort(s->segment, s->n, sizeof(*s->segment), by_name);
	*ret = s;
	return BOB_OK;
}

void
bob_store_close(struct bob_store *s)
{
	if (s == NULL)
		return;
	while (s->n > 0) {
		struct segment *g = &s->segment[--s->n];

		index_done(&g->index);
		free(g->name);
	}
	free(s->segment);
	free(s->path);
	if (s->folder >= 0)
		(void)close(s->folder);
	free(s);
}

const struct bob_segment_info *
bob_store_get(const struct bob_store *s, size_t i)
{
	return i < s->n ? &s->segment[i].index.info : NULL;
}

size_t
bob_store_count(const struct bob_store *s)
{
	return s->n;
}

/* Opens the folder of a segment, for *at. Returns its descriptor; -1: the
 * context has the error. */
static int
open_place(const struct bob_store *s, size_t i, struct place *at)
{
	const char *name = s->segment[i].name, *slash = strrchr(name, '/');
	char *folder = slash == NULL ? strdup("")
	    : strndup(name, (size_t)(slash - name));

	if (folder == NULL) {
		(void)err_nomem(s->ctx);
		return -1;
	}
	at->name = slash == NULL ? name : slash + 1;
	at->folder = place_open_folder(s->folder, folder);
	free(folder);
	if (at->folder < 0)
		(void)err_sys(s->ctx, BOB_FAILED, errno, "%s/%s", s->path,
		    name);
	return at->folder;
}

static int
open_segment(const struct bob_store *s, const struct place *at, size_t i,
    uint64_t *size)
{
	int fd = place_open_file(at, size);

	if (fd < 0)
		(void)err_sys(s->ctx, BOB_FAILED, errno, "%s/%s", s->path,
		    s->segment[i].name);
	return fd;
}

int
bob_store_fd(const struct bob_store *s, size_t i)
{
	struct place at;
	uint64_t unused;
	int fd;

	if (open_place(s, i, &at) < 0)
		return -1;
	fd = open_segment(s, &at, i, &unused);
	(void)close(at.folder);
	return fd;
}

int
bob_store_seal(struct bob_store *s, size_t i, uint32_t flags)
{
	struct place at;
	struct stat st;
	int r;

	if (open_place(s, i, &at) < 0)
		return BOB_FAILED;
	r = seal_segment(s->ctx, &at, flags);
	if (fstatat(at.folder, at.name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		look(s->ctx, &s->segment[i], &at, (uint64_t)st.st_size);
	(void)close(at.folder);
	return r;
}

int
bob_store_learn(struct bob_store *s, size_t i)
{
	struct segment *g = &s->segment[i];
	struct index x;
	int state = g->index.info.state, fd, r;

	if (state == BOB_SEGMENT_SEALED)
		return BOB_OK;
	fd = bob_store_fd(s, i);
	if (fd < 0)
		return BOB_FAILED;
	r = seal_learn(s->ctx, fd, g->name, &x);
	(void)close(fd);
	if (r < 0)
		return r;
	index_done(&g->index);
	g->index = x;
	g->index.info.state = state;
	g->index.info.name = g->name;
	return BOB_OK;
}

int
bob_store_check(struct bob_store *s, size_t i)
{
	const struct bob_segment_info *g = &s->segment[i].index.info;
	uint8_t sha256[BOB_SHA256_BYTES];
	uint64_t size;
	int fd = bob_store_fd(s, i), r;

	if (fd < 0)
		return BOB_FAILED;
	r = seal_hash(s->ctx, fd, g->name, sha256, &size);
	(void)close(fd);
	if (r < 0 || (size == g->size && memcmp(sha256, g->sha256,
	        sizeof(sha256)) == 0))
		return r;
	return err_set(s->ctx, BOB_FAILED, BOB_E_CORRUPT, BOB_NO_OFFSET,
	    "%s/%s: it is not what was sealed: its bytes have changed",
	    s->path, g->name);
}
