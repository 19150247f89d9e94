/*
 * Output: gathering, writing, and going back. The invariants are in the
 * header; how targets are opened is in output_open.c, how they end in
 * output_end.c.
 */
#include "core/output.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"

/* No errno: what is written, and what it is when it is unpacked. */
#define OUT_OVER_BUDGET (-1)
#define OUT_UNPACKED_OVER_BUDGET (-2)

static int
over_budget(struct out *o)
{
	const char *name = o->path != NULL ? o->path : "the output";

	if (o->sys == OUT_UNPACKED_OVER_BUDGET)
		return err_set(o->ctx, BOB_FATAL, BOB_E_BUDGET, BOB_NO_OFFSET,
		    "%s would have more than %llu bytes when it is unpacked, "
		    "the limit (max_output)",
		    o->final != NULL ? o->final : name,
		    (unsigned long long)o->max);
	if (o->is_temp)
		return err_set(o->ctx, BOB_FATAL, BOB_E_BUDGET, BOB_NO_OFFSET,
		    "more than %llu bytes are needed in temporary files, the "
		    "limit (max_temp)", (unsigned long long)
		    o->ctx->budget->limits.max_temp);
	return err_set(o->ctx, BOB_FATAL, BOB_E_BUDGET, BOB_NO_OFFSET,
	    "%s would have more than %llu bytes, the limit (max_output)",
	    o->final != NULL ? o->final : name, (unsigned long long)o->max);
}

int
out_expect(struct out *o, uint64_t n)
{
	if (n <= o->max && out_total(o) <= o->max - n)
		return BOB_OK;
	o->sys = OUT_OVER_BUDGET;
	return over_budget(o);
}

/* Says what failed; `what` is a verb. */
static int
complain(struct out *o, const char *what)
{
	if (o->sys == OUT_OVER_BUDGET || o->sys == OUT_UNPACKED_OVER_BUDGET)
		return over_budget(o);
	if (o->is_cut)
		return err_set(o->ctx, BOB_FATAL, BOB_E_IO, BOB_NO_OFFSET,
		    "%s was cut by someone else", o->path);
	if (o->path != NULL)
		return err_sys(o->ctx, BOB_FATAL, o->sys, "cannot %s %s",
		    what, o->path);
	if (o->is_temp)
		return err_sys(o->ctx, BOB_FATAL, o->sys,
		    "cannot %s a temporary file", what);
	if (o->fn != NULL)
		return err_sys(o->ctx, BOB_FATAL, o->sys,
		    "cannot %s: the output function failed", what);
	if (o->fd == STDOUT_FILENO)
		return err_sys(o->ctx, BOB_FATAL, o->sys,
		    "cannot %s standard output", what);
	return err_sys(o->ctx, BOB_FATAL, o->sys, "cannot %s descriptor %d",
	    what, o->fd);
}

/* From here on the output is dead. Without a buffer no reserve succeeds, and
 * with a chunk of 0 every commit comes to out_write, which repeats this. */
int
out_fail(struct out *o, int sys, const char *what)
{
	o->sys = sys;
	o->failed = complain(o, what);
	MEM_DROP(o->ctx, o, buf);
	o->buf = NULL;
	o->len = o->cap_buf = o->chunk = 0;
	return o->failed;
}

uint8_t *
out_make_room(struct out *o, size_t max)
{
	if (o->failed < 0) {
		(void)complain(o, "write");
		return NULL;
	}
	if (max >= SIZE_MAX / 2 - o->len) {
		(void)err_nomem(o->ctx);
		return NULL;
	}
	if (mem_take(o->ctx, &o->buf, &o->cap_buf, o->len + max + 1, 1) < 0)
		return NULL;
	return o->buf + o->len;
}

static int
wait_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	while (poll(&p, 1, -1) < 0)
		if (errno != EINTR)
			return -1;
	return 0;
}

/* Without room for notes there are none. */
void
out_take_note(struct out *o)
{
	if (o->stored != NULL && o->note == NULL)
		o->note = calloc(OUT_NOTES, sizeof(*o->note));
	if (o->note == NULL || o->n_notes == OUT_NOTES) {
		o->next_note = SIZE_MAX;
		return;
	}
	o->note[o->n_notes++] = (struct out_note){ o->len, o->n_samples };
	o->next_note = o->len + OUT_NOTE_STEP;
}

static void
forget_notes(struct out *o)
{
	o->n_notes = 0;
	o->next_note = OUT_NOTE_STEP;
}

/* What the system has now is safe, up to the last mark. */
static void
settle(struct out *o)
{
	forget_notes(o);
	if (o->stored == NULL)
		return;
	if (!o->by_marks) {
		o->mark_at = o->written;
		o->mark_n = o->n_samples;
	}
	o->safe_at = o->mark_at;
	*o->stored = o->mark_n;
}

/* The last note that is within the first n bytes of the buffer. */
static void
settle_part(struct out *o, uint64_t before, size_t n)
{
	size_t i = o->n_notes;

	while (i > 0 && o->note[i - 1].at > n)
		i--;
	if (i == 0)
		return;
	o->safe_at = before + o->note[i - 1].at;
	*o->stored = o->note[i - 1].n;
}

/* Takes back what a failed write has left behind the last safe byte: there may
 * be samples in it that nobody counts. Where that fails too, the file has more
 * than was said, never less. */
static void
cut_back(struct out *o, uint64_t before)
{
	if (o->stored == NULL || !o->is_file)
		return;
	settle_part(o, before, (size_t)(o->written - before));
	if (o->written != o->safe_at &&
	    ftruncate(o->fd, (off_t)o->safe_at) == 0)
		o->written = o->safe_at;
}

/* write(2) until all is written: short writes, signals and descriptors that
 * do not block are no failures. */
static int
write_all(struct out *o, const uint8_t *p, size_t n)
{
	uint64_t before = o->written;
	int sys;

	while (n > 0) {
		ssize_t k = write(o->fd, p, n);

		if (k > 0) {
			p += k;
			n -= (size_t)k;
			o->written += (uint64_t)k;
			continue;
		}
		if (k == 0)
			errno = EIO;
		else if (errno == EINTR)
			continue;
		else if (errno == EAGAIN && wait_writable(o->fd) == 0)
			continue;
		sys = errno;
		cut_back(o, before);
		return out_fail(o, sys, "write");
	}
	return BOB_OK;
}

/* True when what has gathered may be written. */
static int
is_allowed(struct out *o)
{
	if (!o->is_temp)
		return o->written <= o->max && o->len <= o->max - o->written;
	if (!budget_take_temp(o->ctx->budget, o->len))
		return 0;
	o->taken += o->len;
	return 1;
}

/* Where somebody has made the file shorter, more bytes would stand behind a
 * hole. */
static int
check_cut(struct out *o)
{
	struct stat st;

	if (o->stored == NULL || !out_is_live(o) || fstat(o->fd, &st) < 0 ||
	    (uint64_t)st.st_size >= o->written)
		return BOB_OK;
	o->is_cut = 1;
	return out_fail(o, ESTALE, "write");
}

int
out_write(struct out *o)
{
	int r;

	if (o->failed < 0)
		return complain(o, "write");
	if (o->len == 0)
		return BOB_OK;
	if (check_cut(o) < 0)
		return BOB_FATAL;
	if ((o->fn != NULL || o->fd >= 0) && !is_allowed(o))
		return out_fail(o, OUT_OVER_BUDGET, "write");
	if (o->fn != NULL) {
		errno = 0;
		if (o->fn(o->user, o->buf, o->len) < 0)
			return out_fail(o, errno == 0 ? EIO : errno, "write");
		o->written += o->len;
	} else if (o->fd >= 0) {
		r = write_all(o, o->buf, o->len);
		if (r < 0)
			return r;
	} else {
		return BOB_OK;
	}
	o->len = 0;
	settle(o);
	return BOB_OK;
}

int
out_unpacked(struct out *o, uint64_t n)
{
	if (o->failed < 0)
		return complain(o, "write");
	if (n > o->max || o->unpacked > o->max - n)
		return out_fail(o, OUT_UNPACKED_OVER_BUDGET, "write");
	o->unpacked += n;
	return BOB_OK;
}

int
out_bytes(struct out *o, const void *p, size_t n)
{
	uint8_t *to = out_reserve(o, n);

	if (to == NULL)
		return BOB_FATAL;
	if (n > 0)
		memcpy(to, p, n);
	return out_commit(o, n);
}

int
out_str(struct out *o, const char *s)
{
	return out_bytes(o, s, strlen(s));
}

const uint8_t *
out_memory_take(struct out *o, size_t *n)
{
	*n = o->len;
	o->written += o->len;
	o->len = 0;
	return o->buf;
}

int
out_barrier(struct out *o, int durable)
{
	int r = out_write(o);

	if (r < 0 || !durable || o->fd < 0)
		return r;
	/* Pipes and terminals have no disk to reach. */
	if (fdatasync(o->fd) < 0 && errno != EINVAL && errno != ENOTSUP &&
	    errno != EROFS)
		return out_fail(o, errno, "sync");
	return BOB_OK;
}

int
out_is_gone(const struct out *o)
{
	struct stat st;

	return out_is_live(o) && o->fd >= 0 && (o->is_cut ||
	    (fstat(o->fd, &st) == 0 && (st.st_nlink == 0 ||
	        (uint64_t)st.st_size < o->written)));
}

int
out_can_patch(const struct out *o)
{
	if (o->fn != NULL)
		return o->patch != NULL;
	return o->fd < 0 || o->can_seek;
}

/* Overwrites what is with the system already. */
static int
patch_written(struct out *o, uint64_t at, const uint8_t *p, size_t n)
{
	if (!out_can_patch(o) || (o->fn == NULL && o->fd < 0))
		return out_fail(o, ESPIPE, "go back in");
	if (o->fn != NULL) {
		errno = 0;
		if (o->patch(o->user, at, p, n) < 0)
			return out_fail(o, errno == 0 ? EIO : errno, "write");
		return BOB_OK;
	}
	while (n > 0) {
		ssize_t k = pwrite(o->fd, p, n, (off_t)(o->base + at));

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return out_fail(o, k < 0 ? errno : EIO, "write");
		p += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return BOB_OK;
}

int
out_patch(struct out *o, uint64_t at, const void *p, size_t n)
{
	const uint8_t *from = p;
	size_t k;
	int r;

	if (o->failed < 0)
		return complain(o, "write");
	assert(at <= out_total(o) && n <= out_total(o) - at);
	if (n > 0 && at < o->written) {
		k = n < o->written - at ? n : (size_t)(o->written - at);
		r = patch_written(o, at, from, k);
		if (r < 0)
			return r;
		at += k;
		from += k;
		n -= k;
	}
	if (n > 0)
		memcpy(o->buf + (at - o->written), from, n);
	return BOB_OK;
}
