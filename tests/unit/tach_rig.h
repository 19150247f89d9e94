/*
 * A TACH writer into memory, and beside it the bytes that it must write, built
 * by hand. Shared by the tests of the TACH writer.
 * Frames are lines of "a.py", all times count from START, threads are of
 * interpreter 3.
 */
#ifndef UNIT_TACH_RIG_H
#define UNIT_TACH_RIG_H

#include "support.h"

#define TACH_START 1000
#define TACH_INTERVAL 100

struct tach_rig {
	struct bob_ctx *ctx;
	struct diags diags;
	struct bob_writer *w;
	struct bob_dict *d;
	struct buf got;
	struct buf want; /* records only */
	uint64_t t;      /* of the next sample */
};

#define TACH_TEST(name)                                                      \
	cmocka_unit_test_setup_teardown(name, tach_rig_setup,                \
	    tach_rig_teardown)

int tach_rig_setup(void **state);
int tach_rig_teardown(void **state);

/* Targets that take everything; one of them has no way back. */
struct bob_target tach_rig_target(struct tach_rig *g);
struct bob_target tach_rig_pipe(struct tach_rig *g);

/* Begins a file of this format; options are key, value, ..., NULL. */
void tach_create(struct tach_rig *g, const struct bob_target *to,
    const char *format, const char *const *options);

/* The same into memory, uncompressed, with a segment. */
void tach_start(struct tach_rig *g);

void tach_segment(struct tach_rig *g, uint64_t period, uint64_t t_begin);
void tach_meta(struct tach_rig *g, const char *key, const char *value);

/* A frame of a.py in this line, called "f", on top of `parent`. */
bob_stack tach_push(struct tach_rig *g, bob_stack parent, int line);

/* Lines 1 to n, 1 the outermost. */
bob_stack tach_stack(struct tach_rig *g, int n);

/* A sample of thread `tid`, a microsecond after the last one, status 1. */
void tach_sample(struct tach_rig *g, uint64_t tid, bob_stack stack);
void tach_runs(struct tach_rig *g, const struct bob_run *run);
void tach_finish(struct tach_rig *g);

/* Expected: thread, interpreter and kind; then numbers up to NUMBERS_END. */
#define NUMBERS_END UINT64_MAX
void want_record(struct tach_rig *g, uint64_t tid, unsigned kind, ...);

/* The records of a file without compression are those that are expected. */
void assert_records(const struct tach_rig *g);

/* Numbers of a file in this machine's byte order. */
uint64_t tach_at(const struct buf *file, size_t at, size_t n);

#endif
