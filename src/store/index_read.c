/* Decoding an index; see index.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "core/varint.h"
#include "store/index.h"

/* What is left to read. `bad` is set at the first field that does not fit, and
 * all fields behind it are 0 or "". */
struct cursor {
	const uint8_t *p, *end;
	int bad;
};

static uint64_t
get_u64(struct cursor *c)
{
	uint64_t v;

	if (!c->bad && varint_get(&c->p, c->end, &v))
		return v;
	c->bad = 1;
	return 0;
}

static const char *
get_text(struct cursor *c)
{
	uint64_t n = get_u64(c);
	const char *p = (const char *)c->p;

	if (c->bad || n >= (uint64_t)(c->end - c->p) || p[n] != '\0' ||
	    memchr(p, '\0', n) != NULL) {
		c->bad = 1;
		return "";
	}
	c->p += n + 1;
	return p;
}

static void
get_bytes(struct cursor *c, uint8_t *to, size_t n)
{
	if (c->bad || n > (size_t)(c->end - c->p)) {
		c->bad = 1;
		return;
	}
	memcpy(to, c->p, n);
	c->p += n;
}

/* A count of things that take at least `least` bytes each. */
static size_t
get_count(struct cursor *c, size_t least)
{
	uint64_t n = get_u64(c);

	if (n <= (uint64_t)(c->end - c->p) / least)
		return (size_t)n;
	c->bad = 1;
	return 0;
}

static void
get_facts(struct cursor *c, struct bob_segment_info *i)
{
	i->size = get_u64(c);
	get_bytes(c, i->sha256, sizeof(i->sha256));
	i->format = get_text(c);
	i->t_first = get_u64(c);
	i->t_last = get_u64(c);
	i->n_samples = get_u64(c);
	i->n_undated = get_u64(c);
	i->n_gaps = get_u64(c);
	i->n_lost = get_u64(c);
	i->n_unkept = get_u64(c);
	i->facts = (uint32_t)get_u64(c);
	i->service = get_text(c);
	i->host = get_text(c);
}

static int
get_processes(struct bob_ctx *ctx, struct cursor *c, struct index *x)
{
	size_t n = get_count(c, 5), i;

	x->process = calloc(n + 1, sizeof(*x->process));
	if (x->process == NULL)
		return err_nomem(ctx);
	for (i = 0; i < n; i++) {
		x->process[i].pid = get_u64(c);
		x->process[i].runtime = get_text(c);
		x->process[i].command = get_text(c);
		if (i > 0 && x->process[i].pid <= x->process[i - 1].pid)
			c->bad = 1;
	}
	x->info.processes = x->process;
	x->info.n_processes = n;
	return BOB_OK;
}

static int
get_routes(struct bob_ctx *ctx, struct cursor *c, struct index *x)
{
	size_t n = get_count(c, 3), i;

	x->route = calloc(n + 1, sizeof(*x->route));
	if (x->route == NULL)
		return err_nomem(ctx);
	for (i = 0; i < n; i++) {
		x->route[i].route = get_text(c);
		x->route[i].n_samples = get_u64(c);
		if (i > 0 && strcmp(x->route[i - 1].route,
		        x->route[i].route) >= 0)
			c->bad = 1;
	}
	x->info.routes = x->route;
	x->info.n_routes = n;
	return BOB_OK;
}

static int
is_sane(const struct bob_segment_info *i)
{
	return i->t_first <= i->t_last && i->n_samples <= BOB_MAX_COUNT &&
	    i->n_undated <= i->n_samples;
}

static int
corrupt(struct bob_ctx *ctx, const char *why)
{
	return err_set(ctx, BOB_FAILED, BOB_E_CORRUPT, BOB_NO_OFFSET,
	    "no valid index: %s", why);
}

/* Takes over x->head. */
static int
decode_head(struct bob_ctx *ctx, size_t n, struct index *x)
{
	struct cursor c = { x->head, x->head + n, 0 };

	get_facts(&c, &x->info);
	if (get_processes(ctx, &c, x) < 0 || get_routes(ctx, &c, x) < 0)
		return err_set_status(ctx, BOB_FAILED);
	if (c.bad || !is_sane(&x->info))
		return corrupt(ctx, "its head is damaged");
	return BOB_OK;
}

static uint64_t
get_le(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

/* Returns the length of the head, or 0: the context has the error. */
static size_t
check_prefix(struct bob_ctx *ctx, const uint8_t *p, size_t n)
{
	uint64_t length;

	if (n < INDEX_PREFIX || memcmp(p, INDEX_MAGIC, 7) != 0) {
		(void)corrupt(ctx, "it begins with other bytes");
		return 0;
	}
	if (memcmp(p, INDEX_MAGIC, 8) != 0) {
		(void)err_set(ctx, BOB_FAILED, BOB_E_FORMAT, BOB_NO_OFFSET,
		    "an index of another version");
		return 0;
	}
	length = get_le(p + 8, 4);
	if (length > 0 && length <= INDEX_MAX_HEAD && get_le(p + 12, 4) == 0)
		return (size_t)length;
	(void)corrupt(ctx, "the length of its head is impossible");
	return 0;
}

static int
check_and_decode(struct bob_ctx *ctx, const uint8_t *prefix, size_t n,
    struct index *x)
{
	int r;

	if (XXH3_64bits(x->head, n) != get_le(prefix + 16, 8))
		r = corrupt(ctx, "its checksum is wrong");
	else
		r = decode_head(ctx, n, x);
	if (r < 0)
		index_done(x);
	return r;
}

/* Allocates the head. Returns BOB_OK or FAILED. */
static int
make_room(struct bob_ctx *ctx, size_t n, struct index *x)
{
	memset(x, 0, sizeof(*x));
	x->head = malloc(n);
	if (x->head == NULL)
		(void)err_nomem(ctx);
	return x->head != NULL ? BOB_OK : err_set_status(ctx, BOB_FAILED);
}

int
index_decode(struct bob_ctx *ctx, const uint8_t *p, size_t n,
    struct index *ret)
{
	size_t length = check_prefix(ctx, p, n);

	if (length == 0)
		return BOB_FAILED;
	if (length > n - INDEX_PREFIX)
		return corrupt(ctx, "it is cut");
	if (make_room(ctx, length, ret) < 0)
		return BOB_FAILED;
	memcpy(ret->head, p + INDEX_PREFIX, length);
	return check_and_decode(ctx, p, length, ret);
}

/* Reads up to n bytes. Returns how many there are, or -1 and errno. */
static ssize_t
read_at(int fd, uint8_t *p, size_t n, off_t at)
{
	size_t done = 0;
	ssize_t k = 1;

	while (done < n && k != 0) {
		k = pread(fd, p + done, n - done, at + (off_t)done);
		if (k < 0 && errno != EINTR)
			return -1;
		done += k > 0 ? (size_t)k : 0;
	}
	return (ssize_t)done;
}

int
index_read(struct bob_ctx *ctx, int fd, struct index *ret)
{
	uint8_t first[4096];
	ssize_t n = read_at(fd, first, sizeof(first), 0), k;
	size_t length, have;
	struct stat st;

	if (n < 0 || fstat(fd, &st) < 0)
		return err_sys(ctx, BOB_FAILED, errno, "cannot read an index");
	length = check_prefix(ctx, first, (size_t)n);
	if (length == 0)
		return BOB_FAILED;
	if (!S_ISREG(st.st_mode) ||
	    st.st_size < (off_t)(INDEX_PREFIX + length))
		return corrupt(ctx, "it is cut");
	if (make_room(ctx, length, ret) < 0)
		return BOB_FAILED;
	have = (size_t)n - INDEX_PREFIX;
	have = have < length ? have : length;
	memcpy(ret->head, first + INDEX_PREFIX, have);
	k = read_at(fd, ret->head + have, length - have,
	    INDEX_PREFIX + (off_t)have);
	if (k >= 0 && (size_t)k == length - have)
		return check_and_decode(ctx, first, length, ret);
	index_done(ret);
	return k < 0 ? err_sys(ctx, BOB_FAILED, errno, "cannot read an index")
	             : corrupt(ctx, "it is cut");
}

void
index_done(struct index *x)
{
	free(x->head);
	free(x->process);
	free(x->route);
	memset(x, 0, sizeof(*x));
}
