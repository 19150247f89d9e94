/*
 * Sealing. The steps are those of docs/store.md. Whatever step is the last, the
 * segment is as it was, and its index is valid or absent: the index gets its
 * name when it and its segment are on disk.
 *
 * SEGMENT.idx.part is locked by who writes it. One that a killed process has
 * left is used again.
 */
#include "store/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/convert.h>
#include <bobbin/read.h>
#include <bobbin/write.h>

#include "core/filelock.h"
#include "core/output.h"
#include "core/sha256.h"

#define HASH_CHUNK ((size_t)64 << 10)

int
seal_find(struct bob_ctx *ctx, const struct place *at, uint64_t size,
    struct index *ret)
{
	char *name = place_name_with(at->name, BOB_INDEX_SUFFIX);
	const struct place index = { at->folder, name };
	struct bob_error before = ctx->error;
	uint64_t unused;
	int fd, r;

	if (name == NULL)
		return 0;
	fd = place_open_file(&index, &unused);
	free(name);
	if (fd < 0)
		return 0;
	r = index_read(ctx, fd, ret);
	(void)close(fd);
	if (r < 0) {
		/* That there is no index is no error. */
		ctx->error = before;
		return 0;
	}
	if (ret->info.size == size)
		return 1;
	index_done(ret);
	return 0;
}

static int
failed(struct bob_ctx *ctx, const char *what, const char *name)
{
	return err_sys(ctx, BOB_FAILED, errno, "cannot %s %s", what, name);
}

/* --- reading the segment -------------------------------------------------- */

int
seal_hash(struct bob_ctx *ctx, int fd, const char *name,
    uint8_t ret[BOB_SHA256_BYTES], uint64_t *ret_size)
{
	uint8_t *buf = malloc(HASH_CHUNK);
	struct sha256 h;
	uint64_t at = 0;
	ssize_t n = 1;

	if (buf == NULL)
		return (void)err_nomem(ctx), BOB_FAILED;
	sha256_init(&h);
	while (n != 0) {
		n = pread(fd, buf, HASH_CHUNK, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		sha256_add(&h, buf, (size_t)n);
		at += (uint64_t)n;
	}
	free(buf);
	if (n < 0)
		return failed(ctx, "read", name);
	sha256_end(&h, ret);
	*ret_size = at;
	return BOB_OK;
}

static int
take_event(struct contents *c, const struct bob_event *ev)
{
	struct contents_run run;
	size_t i;

	if (ev->kind != BOB_EVENT_RUNS)
		return contents_event(c, ev);
	for (i = 0; i < ev->n_runs; i++)
		if (contents_run(c, &ev->runs[i], &run) < 0)
			return BOB_FATAL;
	return BOB_OK;
}

/* Reads all of a segment, past damage. Sets *format. */
static int
gather(struct bob_ctx *ctx, int fd, const char *name, struct bob_dict *dict,
    struct contents *c, const char **format)
{
	struct bob_read_opts o = { .size = sizeof(o),
		.flags = BOB_READ_RECOVER | BOB_READ_ONE_THREAD,
		.want = BOB_WANT_ALL & ~BOB_WANT_STATS, .dict = dict };
	struct bob_reader *in = NULL;
	struct bob_event ev;
	int r = BOB_FAILED;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return failed(ctx, "read", name);
	if (contents_init(c, ctx, dict) == BOB_OK)
		r = bob_open_fd(ctx, fd, name, &o, &in);
	while (r == BOB_OK && (r = bob_next(in, &ev)) == BOB_OK)
		r = take_event(c, &ev);
	if (in != NULL && bob_reader_is_incomplete(in))
		c->facts |= BOB_SEGMENT_CUT;
	*format = in != NULL && bob_reader_format(in) != NULL
	    ? bob_reader_format(in) : "";
	bob_close(in);
	return r == BOB_EOF ? BOB_OK : BOB_FAILED;
}

/* --- writing the index ---------------------------------------------------- */

/* An index that is being made. */
struct draft {
	struct bob_ctx *ctx;
	const struct place *segment;
	char *part, *name; /* before and after it is complete */
	int fd;            /* of part; -1: none */
};

/* True if the file that was opened and locked still has its name: another
 * sealer may have renamed it before it was locked here. */
static int
has_its_name(const struct draft *d)
{
	struct stat a, b;

	return fstat(d->fd, &a) == 0 && fstatat(d->segment->folder, d->part,
	    &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino;
}

/* Returns BOB_OK; AGAIN if another sealer is at work; FAILED. */
static int
draft_open(struct draft *d, mode_t mode)
{
	d->part = place_name_with(d->segment->name,
	    BOB_INDEX_SUFFIX BOB_PART_SUFFIX);
	d->name = place_name_with(d->segment->name, BOB_INDEX_SUFFIX);
	if (d->part == NULL || d->name == NULL)
		return (void)err_nomem(d->ctx), BOB_FAILED;
	d->fd = openat(d->segment->folder, d->part, O_RDWR | O_CREAT |
	    O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
	    (mode & 0666) | S_IWUSR);
	if (d->fd < 0)
		return failed(d->ctx, "create", d->part);
	if (!filelock_take(d->fd) || !has_its_name(d))
		return BOB_AGAIN;
	if (ftruncate(d->fd, 0) < 0)
		return failed(d->ctx, "empty", d->part);
	return BOB_OK;
}

static int
draft_write(struct draft *d, const uint8_t *p, size_t n)
{
	const struct bob_target to = { .fd = d->fd };
	struct out *out;
	int r;

	if (out_open(d->ctx, &to, &out) < 0)
		return BOB_FAILED;
	r = out_bytes(out, p, n);
	if (r == BOB_OK)
		r = out_barrier(out, 1);
	out_discard(out);
	return r < 0 ? err_set_status(d->ctx, BOB_FAILED) : BOB_OK;
}

/* Gives it its name, for good. */
static int
draft_publish(struct draft *d)
{
	int folder = d->segment->folder;

	if (renameat(folder, d->part, folder, d->name) < 0)
		return failed(d->ctx, "rename", d->part);
	/* Some file systems cannot sync folders. */
	if (fsync(folder) < 0 && errno != EINVAL && errno != ENOTSUP)
		return failed(d->ctx, "sync the folder of", d->name);
	return BOB_OK;
}

static void
draft_close(struct draft *d, int r)
{
	if (d->fd >= 0 && r < 0)
		(void)unlinkat(d->segment->folder, d->part, 0);
	if (d->fd >= 0)
		(void)close(d->fd);
	free(d->part);
	free(d->name);
}

/* --- the steps ------------------------------------------------------------ */

/* Appends the index of an opened segment to an output. Sets *ret_size to the
 * bytes of the segment. */
static int
encode_segment(struct bob_ctx *ctx, int fd, const char *name, struct out *to,
    uint64_t *ret_size)
{
	struct index_file file = { .format = "" };
	struct bob_dict *dict = bob_dict_new(ctx);
	struct contents c = { .ctx = ctx, .dict = dict };
	int r = dict == NULL ? BOB_FAILED
	    : seal_hash(ctx, fd, name, file.sha256, &file.size);

	/* A daemon that was killed may have left an empty file. */
	if (r == BOB_OK && file.size > 0)
		r = gather(ctx, fd, name, dict, &c, &file.format);
	else if (r == BOB_OK)
		r = contents_init(&c, ctx, dict);
	if (r == BOB_OK)
		r = index_encode(&c, &file, to);
	*ret_size = file.size;
	contents_done(&c);
	bob_dict_free(dict);
	return r < 0 ? err_set_status(ctx, BOB_FAILED) : BOB_OK;
}

/* Writes the index of an opened segment. */
static int
make_index(struct bob_ctx *ctx, struct draft *d, int fd)
{
	struct out *memory;
	const uint8_t *p;
	struct stat st;
	uint64_t size;
	size_t n;
	int r = out_open_memory(ctx, &memory);

	if (r < 0)
		return r;
	r = encode_segment(ctx, fd, d->segment->name, memory, &size);
	if (r == BOB_OK && (fstat(fd, &st) < 0 ||
	        (uint64_t)st.st_size != size))
		r = BOB_AGAIN; /* by somebody who takes no locks */
	p = out_memory_take(memory, &n);
	if (r == BOB_OK)
		r = draft_write(d, p, n);
	out_discard(memory);
	return r;
}

int
seal_learn(struct bob_ctx *ctx, int fd, const char *name, struct index *ret)
{
	struct out *memory;
	const uint8_t *p;
	uint64_t size;
	size_t n;
	int r = out_open_memory(ctx, &memory);

	if (r < 0)
		return r;
	r = encode_segment(ctx, fd, name, memory, &size);
	p = out_memory_take(memory, &n);
	if (r == BOB_OK)
		r = index_decode(ctx, p, n, ret);
	out_discard(memory);
	return r;
}

static int
seal_opened(struct bob_ctx *ctx, const struct place *at, int fd)
{
	struct draft d = { .ctx = ctx, .segment = at, .fd = -1 };
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return failed(ctx, "look at", at->name);
	r = draft_open(&d, st.st_mode);
	if (r == BOB_OK && fsync(fd) < 0)
		r = failed(ctx, "sync", at->name);
	if (r == BOB_OK)
		r = make_index(ctx, &d, fd);
	if (r == BOB_OK)
		r = draft_publish(&d);
	draft_close(&d, r);
	return r;
}

int
seal_segment(struct bob_ctx *ctx, const struct place *at, uint32_t flags)
{
	struct index x;
	uint64_t size;
	int fd = place_open_file(at, &size), r;

	if (fd < 0)
		return failed(ctx, "open", at->name);
	if (!filelock_share(fd)) {
		r = BOB_AGAIN;
	} else if ((flags & BOB_SEAL_AGAIN) == 0 &&
	    seal_find(ctx, at, size, &x)) {
		index_done(&x);
		r = BOB_OK;
	} else {
		r = seal_opened(ctx, at, fd);
	}
	(void)close(fd);
	return r;
}

int
bob_seal(struct bob_ctx *ctx, const char *path, uint32_t flags)
{
	struct bob_outdir d;
	struct place at;
	int sys = bob_outdir_open(&d, path, 1), r;

	if (sys != 0)
		return err_sys(ctx, BOB_FAILED, sys, "cannot open %s", path);
	at = (struct place){ d.fd, d.name };
	r = seal_segment(ctx, &at, flags);
	bob_outdir_close(&d);
	return r;
}
