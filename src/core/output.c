/*
 * Output: gathering, writing and patching bytes. The invariants are in the
 * header. output_open.c opens targets, output_end.c ends them.
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
#include "core/tempfile.h"

/* Values of `sys` that are no errno: above max_output, as written and before
 * packing. */
#define OUT_OVER_BUDGET (-1)
#define OUT_UNPACKED_OVER_BUDGET (-2)

#ifndef NDEBUG
/* The invariants of the header, as far as the fields show them. */
static void
out_check(const struct out *o)
{
	size_t i;

	assert(o->len <= o->cap_buf);
	assert(o->safe_at <= o->written);
	if (!o->is_temp && (o->fn != NULL || o->fd >= 0))
		assert(o->written <= o->max);
	if (o->failed < 0) {
		assert(o->len == 0 && o->chunk == 0 && o->buf == NULL);
		return;
	}
	assert(o->mark_at <= out_total(o));
	for (i = 0; i < o->n_notes; i++) {
		assert(o->note[i].at <= o->len);
		assert(i == 0 || (o->note[i - 1].at <= o->note[i].at &&
		    o->note[i - 1].n <= o->note[i].n));
	}
}
#else
static void
out_check(const struct out *o)
{
	(void)o;
}
#endif

static int
out_over_budget(struct out *o)
{
	const char *name = o->path != NULL ? o->path : "the output";

	if (o->is_temp && o->sys == OUT_OVER_BUDGET)
		return temp_over_budget(o->ctx);
	if (o->sys == OUT_UNPACKED_OVER_BUDGET)
		(void)err_budget(o->ctx, BOB_LIMIT_OUTPUT, BOB_NO_OFFSET,
		    "%s would have more than %llu bytes when it is unpacked, "
		    "the limit (max_output)",
		    o->final != NULL ? o->final : name,
		    (unsigned long long)o->max);
	else
		(void)err_budget(o->ctx, BOB_LIMIT_OUTPUT, BOB_NO_OFFSET,
		    "%s would have more than %llu bytes, the limit "
		    "(max_output)", o->final != NULL ? o->final : name,
		    (unsigned long long)o->max);
	return err_of_output(o->ctx);
}

int
out_expect(struct out *o, uint64_t n)
{
	if (n <= o->max && out_total(o) <= o->max - n)
		return BOB_OK;
	o->sys = OUT_OVER_BUDGET;
	return out_over_budget(o);
}

/* Records the error of the failed output again; `what` is a verb. */
static int
out_complain(struct out *o, const char *what)
{
	if (o->sys == OUT_OVER_BUDGET || o->sys == OUT_UNPACKED_OVER_BUDGET)
		return out_over_budget(o);
	if (o->is_temp)
		return err_sys(o->ctx, BOB_FATAL, o->sys,
		    "cannot %s a temporary file", what);
	if (o->is_cut)
		(void)err_set(o->ctx, BOB_FATAL, BOB_E_IO, BOB_NO_OFFSET,
		    "%s was cut by someone else", o->path);
	else if (o->path != NULL)
		(void)err_sys(o->ctx, BOB_FATAL, o->sys, "cannot %s %s",
		    what, o->path);
	else if (o->fn != NULL)
		(void)err_sys(o->ctx, BOB_FATAL, o->sys,
		    "cannot %s: the output function failed", what);
	else if (o->fd == STDOUT_FILENO)
		(void)err_sys(o->ctx, BOB_FATAL, o->sys,
		    "cannot %s standard output", what);
	else
		(void)err_sys(o->ctx, BOB_FATAL, o->sys,
		    "cannot %s descriptor %d", what, o->fd);
	return err_of_output(o->ctx);
}

/* Without a buffer no out_reserve succeeds. With a chunk of 0 every out_commit
 * calls out_write, which reports the error again. */
int
out_fail(struct out *o, int sys, const char *what)
{
	o->sys = sys;
	o->failed = out_complain(o, what);
	MEM_DROP(o->ctx, o, buf);
	o->buf = NULL;
	o->len = o->cap_buf = o->chunk = 0;
	out_check(o);
	return o->failed;
}

uint8_t *
out_make_room(struct out *o, size_t max)
{
	if (o->failed < 0) {
		(void)out_complain(o, "write");
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

/* Without memory for notes there are none. */
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

/* Everything was written: all samples up to the last mark are stored. */
static void
out_settle(struct out *o)
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

/* Only the first n bytes of the buffer were written, from byte `before` of the
 * output on: samples up to the last note in them are stored. */
static void
out_settle_part(struct out *o, uint64_t before, size_t n)
{
	size_t i = o->n_notes;

	while (i > 0 && o->note[i - 1].at > n)
		i--;
	if (i == 0)
		return;
	o->safe_at = before + o->note[i - 1].at;
	*o->stored = o->note[i - 1].n;
}

/* Cuts the file back to the last safe byte after a failed write, because the
 * bytes after it may hold samples that are not counted. If that fails too, the
 * file has more samples than *stored, never fewer. */
static void
cut_back(struct out *o, uint64_t before)
{
	if (o->stored == NULL || !o->is_file)
		return;
	out_settle_part(o, before, (size_t)(o->written - before));
	if (o->written != o->safe_at &&
	    ftruncate(o->fd, (off_t)o->safe_at) == 0)
		o->written = o->safe_at;
}

/* Calls write(2) until all is written. Short writes, signals and non-blocking
 * descriptors are no failures. */
static int
write_all(struct out *o, const uint8_t *p, size_t n)
{
	uint64_t before = o->written;
	int sys;

	assert(o->failed == 0);
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

/* True if the limits allow to write the buffer. */
static int
out_is_allowed(struct out *o)
{
	if (!o->is_temp)
		return o->written <= o->max && o->len <= o->max - o->written;
	if (!budget_take_temp(o->ctx->budget, o->len))
		return 0;
	o->taken += o->len;
	return 1;
}

/* If another program has made the file shorter, more bytes would come after a
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

	out_check(o);
	if (o->failed < 0)
		return out_complain(o, "write");
	if (o->len == 0)
		return BOB_OK;
	if (check_cut(o) < 0)
		return BOB_FATAL;
	if ((o->fn != NULL || o->fd >= 0) && !out_is_allowed(o))
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
	out_settle(o);
	out_check(o);
	return BOB_OK;
}

int
out_unpacked(struct out *o, uint64_t n)
{
	if (o->failed < 0)
		return out_complain(o, "write");
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

/* Overwrites bytes that the system has. */
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
		return out_complain(o, "write");
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
		/* NOLINT(clang-analyzer-core.NullPointerArithm): it has a
		 * buffer until it fails. */
		memcpy(o->buf + (at - o->written), from, n);
	return BOB_OK;
}
