/*
 * A .rbt writer into memory, and beside it the bytes that it must write. Shared
 * by the tests of the .rbt writer.
 */
#ifndef UNIT_RIG_H
#define UNIT_RIG_H

#include "support.h"

struct rig {
	struct bob_ctx *ctx;
	struct bob_writer *w;
	struct bob_dict *d;
	struct buf got, want;
	unsigned n_writes;
};

#define RIG_TEST(name)                                                       \
	cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int rig_setup(void **state);
int rig_teardown(void **state);

/* A bob_write_fn that appends to g->got. */
int rig_collect(void *user, const void *p, size_t n);

/* Begins a trace; at most one option, key NULL for none. */
void start(struct rig *g, const char *key, const char *value);

/* A PHP frame a.php:7 on top of `parent`. */
bob_stack push(struct rig *g, bob_stack parent, const char *name);

/* The definitions of the first stack, of one frame called `name`. */
void want_first(struct rig *g, const char *name);

/* ... and of a second one, when its caller is not the first. */
void want_second(struct rig *g, const char *name);

/* A checkpoint with these counts and the end of the segment. */
void want_end(struct rig *g, uint64_t frames, uint64_t stacks,
    uint64_t samples);

/* Each must succeed; write_at: with a time. */
void write_run(struct rig *g, bob_stack stack, uint64_t count);
void write_at(struct rig *g, bob_stack stack, uint64_t count, uint64_t t);
void write_segment(struct rig *g, uint64_t period, uint32_t flags);
void write_meta(struct rig *g, const char *key, const char *value);
void finish(struct rig *g);

/* Says at which byte they differ. */
void assert_bytes(const struct buf *got, const struct buf *want);
void finish_and_compare(struct rig *g);

bob_annot annotate(struct rig *g, const char *key, const char *value);

/* How often RELI occurs. */
unsigned count_headers(const struct buf *b);

/* Unpacks one member at *from and moves it behind. */
void unpack(const struct buf *packed, size_t *from, struct buf *ret);

/* A file as a whole. */
void read_file(const char *path, struct buf *ret);

#endif
