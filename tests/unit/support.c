/* Helpers that all unit tests share; see the header. */
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <zlib.h>

static void
on_diag(void *user, const struct bob_error *diag)
{
	struct diags *d = user;

	if (diag->status == BOB_WARN)
		d->n_warnings++;
	else
		d->n_notes++;
	d->last = *diag;
}

struct bob_ctx *
ctx_with(struct diags *d)
{
	struct bob_ctx *ctx = bob_ctx_new();

	assert_non_null(ctx);
	memset(d, 0, sizeof(*d));
	bob_ctx_on_diag(ctx, on_diag, d);
	return ctx;
}

int
ctx_setup(void **state)
{
	*state = bob_ctx_new();
	return *state == NULL;
}

/* Whatever a test did: what was counted is given back. */
static int
holds_nothing(const struct bob_ctx *ctx)
{
	struct bob_limits l = { .size = sizeof(l) };

	bob_ctx_used(ctx, &l);
	if (l.max_memory == 0 && l.max_temp == 0)
		return 1;
	print_error("the budget still counts %llu bytes of memory and %llu "
	    "of temporary files\n", (unsigned long long)l.max_memory,
	    (unsigned long long)l.max_temp);
	return 0;
}

int
ctx_teardown(void **state)
{
	int is_clean = holds_nothing(*state);

	bob_ctx_free(*state);
	return is_clean ? 0 : -1;
}

int
own_dict_setup(void **state)
{
	static struct own_dict f;

	f.ctx = bob_ctx_new();
	f.d = f.ctx == NULL ? NULL : bob_dict_new(f.ctx);
	*state = &f;
	return f.d == NULL;
}

int
own_dict_teardown(void **state)
{
	struct own_dict *f = *state;

	bob_dict_free(f->d);
	bob_ctx_free(f->ctx);
	return 0;
}

int
own_folder_setup(void **state)
{
	struct own_folder *at = calloc(1, sizeof(*at));

	if (at == NULL)
		return -1;
	at->ctx = bob_ctx_new();
	(void)snprintf(at->dir, sizeof(at->dir), "/tmp/test-bobbin-XXXXXX");
	if (at->ctx == NULL || mkdtemp(at->dir) == NULL)
		return -1;
	(void)snprintf(at->path, sizeof(at->path), "%s/out", at->dir);
	(void)snprintf(at->part, sizeof(at->part), "%s.part", at->path);
	(void)snprintf(at->defs, sizeof(at->defs), "%s.defs", at->part);
	*state = at;
	return 0;
}

unsigned
own_folder_n_files(const struct own_folder *at, int remove_them)
{
	DIR *d = opendir(at->dir);
	struct dirent *e;
	unsigned n = 0;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		n++;
		if (remove_them)
			assert_int_equal(unlinkat(dirfd(d), e->d_name, 0), 0);
	}
	(void)closedir(d);
	return n;
}

int
own_folder_teardown(void **state)
{
	struct own_folder *at = *state;

	(void)own_folder_n_files(at, 1);
	(void)rmdir(at->dir);
	bob_ctx_free(at->ctx);
	free(at);
	return 0;
}

void
assert_file(const char *path, const char *want)
{
	char buf[4096];
	int fd = open(path, O_RDONLY);
	size_t n = strlen(want);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, buf, sizeof(buf)), n);
	assert_memory_equal(buf, want, n);
	(void)close(fd);
}

void
buf_free(struct buf *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

void
put_bytes(struct buf *b, const void *p, size_t n)
{
	if (n == 0)
		return;
	if (b->cap - b->n < n) {
		b->cap = (b->n + n) * 2;
		b->p = realloc(b->p, b->cap);
		if (b->p == NULL)
			abort();
	}
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

void
put_byte(struct buf *b, unsigned v)
{
	uint8_t byte = (uint8_t)v;

	put_bytes(b, &byte, 1);
}

void
put_text(struct buf *b, const char *s)
{
	put_bytes(b, s, strlen(s));
}

void
put_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(b, (unsigned)(v & 0x7f) | 0x80);
	put_byte(b, (unsigned)v);
}

struct buf
buf_noise(size_t n)
{
	struct buf b = { 0 };
	uint32_t v = 12345;
	size_t i;

	for (i = 0; i < n; i++) {
		v = v * 1664525 + 1013904223;
		put_byte(&b, v >> 24);
	}
	return b;
}

int
buf_file(const struct buf *b)
{
	char name[] = "/tmp/bobbin-test-XXXXXX";
	int fd = mkstemp(name);
	size_t n = 0;

	assert_true(fd >= 0);
	(void)unlink(name);
	while (n < b->n) {
		ssize_t w = write(fd, b->p + n, b->n - n);

		assert_true(w > 0);
		n += (size_t)w;
	}
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

void
put_gzip(struct buf *b, const void *p, size_t n)
{
	z_stream z = { 0 };
	uint8_t out[4096];
	int r;

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8,
	    Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	do {
		z.next_out = out;
		z.avail_out = sizeof(out);
		r = deflate(&z, Z_FINISH);
		put_bytes(b, out, sizeof(out) - z.avail_out);
	} while (r == Z_OK);
	assert_int_equal(r, Z_STREAM_END);
	(void)deflateEnd(&z);
}

void
put_header(struct buf *b, uint32_t period, unsigned flags)
{
	unsigned i;

	put_text(b, "RELI");
	put_byte(b, 1);
	put_byte(b, flags);
	put_bytes(b, "\0\0", 2);
	for (i = 0; i < 32; i += 8)
		put_byte(b, (period >> i) & 0xff);
	put_bytes(b, "\0\0\0\0", 4);
}

void
put_event(struct buf *b, unsigned type, const struct buf *payload)
{
	put_byte(b, type);
	put_varint(b, payload->n);
	put_bytes(b, payload->p, payload->n);
}

/* An event whose payload is a row of varints. */
static void
put_numbers(struct buf *b, unsigned type, const uint64_t *v, size_t n)
{
	struct buf payload = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		put_varint(&payload, v[i]);
	put_event(b, type, &payload);
	buf_free(&payload);
}

void
put_string(struct buf *b, uint64_t id, const char *s)
{
	struct buf payload = { 0 };

	put_varint(&payload, id);
	put_text(&payload, s);
	put_event(b, 0x0a, &payload);
	buf_free(&payload);
}

void
put_frame(struct buf *b, uint64_t id, uint64_t method, uint64_t file,
    uint64_t line)
{
	/* id, flags, namespace, class, method, file, line; string 0 is "". */
	uint64_t v[] = { id, 0, 0, 0, method, file, line };

	put_numbers(b, 0x01, v, COUNT_OF(v));
}

void
put_stack(struct buf *b, uint64_t id, const uint64_t *frames, size_t n)
{
	struct buf payload = { 0 };
	size_t i;

	put_varint(&payload, id);
	put_varint(&payload, n);
	for (i = 0; i < n; i++)
		put_varint(&payload, frames[i]);
	put_event(b, 0x02, &payload);
	buf_free(&payload);
}

void
put_compact(struct buf *b, uint64_t stack)
{
	put_byte(b, 0x08);
	put_varint(b, stack);
}

void
put_repeat(struct buf *b, uint64_t count)
{
	put_byte(b, 0x09);
	put_varint(b, count);
}

void
put_sample(struct buf *b, uint64_t stack, uint64_t delta)
{
	uint64_t v[] = { stack, delta };

	put_numbers(b, 0x03, v, COUNT_OF(v));
}

void
put_pid_sample(struct buf *b, uint64_t stack, uint64_t pid)
{
	uint64_t v[] = { stack, pid };

	put_numbers(b, 0x07, v, COUNT_OF(v));
}

void
put_annotation(struct buf *b, uint64_t key, uint64_t value)
{
	uint64_t v[] = { 1, key, value };

	put_numbers(b, 0x0b, v, COUNT_OF(v));
}

void
put_meta(struct buf *b, const char *key, const char *value)
{
	struct buf payload = { 0 };

	put_varint(&payload, strlen(key));
	put_text(&payload, key);
	put_varint(&payload, strlen(value));
	put_text(&payload, value);
	put_event(b, 0x06, &payload);
	buf_free(&payload);
}

void
put_checkpoint(struct buf *b, uint64_t frames, uint64_t stacks,
    uint64_t samples)
{
	uint64_t v[] = { frames, stacks, samples };

	put_numbers(b, 0x04, v, COUNT_OF(v));
}

void
put_end(struct buf *b)
{
	put_bytes(b, "\x05\0", 2);
}

void
put_small_segment(struct buf *b, uint32_t period, uint64_t n)
{
	static const uint64_t main_only[] = { 0 }, both[] = { 1, 0 };

	put_header(b, period, 0);
	put_string(b, 0, "");
	put_string(b, 1, "main");
	put_string(b, 2, "work");
	put_string(b, 3, "/app/a.php");
	put_frame(b, 0, 1, 3, 7);
	put_frame(b, 1, 2, 3, 42);
	put_stack(b, 0, main_only, 1);
	put_stack(b, 1, both, 2);
	put_compact(b, 0);
	if (n > 1)
		put_repeat(b, n - 1);
	put_compact(b, 1);
	put_checkpoint(b, 2, 2, n + 1);
	put_end(b);
}

long
chunks_read(void *user, void *buf, size_t cap)
{
	struct chunks *c = user;
	size_t n = c->step < cap ? c->step : cap;

	if (n > c->n)
		n = c->n;
	if (n == 0)
		return 0;
	c->has_given = c->stutter && !c->has_given;
	if (c->stutter && !c->has_given)
		return -2;
	memcpy(buf, c->p, n);
	c->p += n;
	c->n -= n;
	return (long)n;
}

struct chunks
trickle(const void *p, size_t n)
{
	return (struct chunks){ .p = p, .n = n, .step = 1, .stutter = 1 };
}
