/*
 * The memory that the address of a variable depends on: table headers, buckets,
 * references and other pointers on the way to it.
 *
 * The process runs on while a variable is looked up. Each word on the way is
 * noted with its content. Then all of them are read again together with the
 * value, in one system call: if nothing has changed, the value was that of the
 * variable at that moment. The next sample begins with this check: as long as
 * nothing has changed, no lookup is needed.
 */
#ifndef CAPTURE_PHP_VARIABLES_DEPS_H
#define CAPTURE_PHP_VARIABLES_DEPS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"

/* Enough for a class and its property, references, and a table per step. */
#define DEPS_MAX 48
#define DEPS_BYTES 16

struct deps_part {
	uint64_t at;
	uint32_t n; /* bytes */
	uint8_t was[DEPS_BYTES];
};

struct deps {
	struct mem *mem;
	struct deps_part part[DEPS_MAX];
	size_t n;
};

void deps_init(struct deps *p, struct mem *mem);

/* Notes n <= DEPS_BYTES bytes that were read. Returns 0; -1 if DEPS_MAX parts
 * are noted. */
int deps_note(struct deps *p, uint64_t at, const void *was, size_t n);

/* Reads a word into *ret and notes it. Returns 0 or -1. */
int deps_read_word(struct deps *p, uint64_t at, uint64_t *ret);

/* Reads the spans together with everything that was noted. Returns 1 if that
 * has not changed; 0 if it has, or cannot be read. At most
 * MEM_MAX_SPANS - DEPS_MAX spans. */
int deps_unchanged(struct deps *p, const struct mem_span *v, size_t n);

#endif
