/*
 * What the unit tests share: contexts that remember their warnings, folders to
 * write to, inputs that trickle, and .rbt bytes put together by hand, event by
 * event, without any code of the library.
 */
#ifndef UNIT_SUPPORT_H
#define UNIT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <bobbin/bobbin.h>

#define COUNT_OF(v) (sizeof(v) / sizeof((v)[0]))

/* Fails with the context's error when the call did not return `want`. */
#define assert_status(ctx, want, call)                                       \
	do {                                                                 \
		int got_ = (call);                                           \
                                                                             \
		if (got_ != (want))                                          \
			print_error("error: %s\n", bob_ctx_error(ctx)->text); \
		assert_int_equal(got_, (want));                              \
	} while (0)

/* Warnings and notes that a context gave. */
struct diags {
	unsigned n_warnings, n_notes;
	struct bob_error last;
};

struct bob_ctx *ctx_with(struct diags *d);

/* A cmocka setup and teardown pair: *state is a new context. */
int ctx_setup(void **state);
int ctx_teardown(void **state);

/* A context with a dictionary, for each test. */
struct own_dict {
	struct bob_ctx *ctx;
	struct bob_dict *d;
};

/* The same for *state as one of these. */
int own_dict_setup(void **state);
int own_dict_teardown(void **state);

/* A folder of its own for each test, and names in it: an output, and what it
 * is called with its side file while it is a part file. */
struct own_folder {
	struct bob_ctx *ctx;
	char dir[64], path[128], part[160], defs[192];
};

/* The same for *state as a folder of its own. */
int own_folder_setup(void **state);
int own_folder_teardown(void **state);

/* How many files are in it; they may be removed. */
unsigned own_folder_n_files(const struct own_folder *at, int remove_them);

/* Fails unless the file holds that text and nothing else. */
void assert_file(const char *path, const char *want);

/* Bytes that grow. Out of memory ends the test program. */
struct buf {
	uint8_t *p;
	size_t n, cap;
};

void buf_free(struct buf *b);
void put_bytes(struct buf *b, const void *p, size_t n);
void put_byte(struct buf *b, unsigned v);
void put_text(struct buf *b, const char *s);
void put_varint(struct buf *b, uint64_t v);

/* n bytes without a pattern that a shifted window could repeat. */
struct buf buf_noise(size_t n);

/* A file without a name that holds the bytes, from its beginning. */
int buf_file(const struct buf *b);

/* The bytes as one gzip member. */
void put_gzip(struct buf *b, const void *p, size_t n);

/* .rbt, event by event. */
void put_header(struct buf *b, uint32_t period, unsigned flags);
void put_event(struct buf *b, unsigned type, const struct buf *payload);
void put_string(struct buf *b, uint64_t id, const char *s);
void put_frame(struct buf *b, uint64_t id, uint64_t method, uint64_t file,
    uint64_t line);
void put_stack(struct buf *b, uint64_t id, const uint64_t *frames, size_t n);
void put_compact(struct buf *b, uint64_t stack);
void put_repeat(struct buf *b, uint64_t count);
void put_sample(struct buf *b, uint64_t stack, uint64_t delta);
void put_pid_sample(struct buf *b, uint64_t stack, uint64_t pid);
void put_annotation(struct buf *b, uint64_t key, uint64_t value);
void put_meta(struct buf *b, const char *key, const char *value);
void put_checkpoint(struct buf *b, uint64_t frames, uint64_t stacks,
    uint64_t samples);
void put_end(struct buf *b);

/* A whole segment of the smallest kind: two stacks (`main`; `main` calling
 * `work`), n samples of the first and one of the second. */
void put_small_segment(struct buf *b, uint32_t period, uint64_t n);

/* Gives `step` bytes at a time (a bob_read_fn): with `stutter`, "nothing yet"
 * comes between any two of them. */
struct chunks {
	const uint8_t *p;
	size_t n, step;
	int stutter;
	int has_given;
};

long chunks_read(void *user, void *buf, size_t cap);

/* One byte, then "nothing yet", and so on. */
struct chunks trickle(const void *p, size_t n);

#endif
