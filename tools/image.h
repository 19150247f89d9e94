/*
 * A memory image: the memory that a capture has read from a process, in a file.
 * With it, tests can sample a version of an interpreter that is not installed.
 *
 * An image is gzip of text and bytes. A line is one fact, "NAME HEX"; the
 * line "memory" ends them, and spans follow, each an address and a length (8
 * bytes each, of this machine's order) and the bytes. What was not read is
 * not there: reading it fails, as it does in a process.
 */
#ifndef TOOLS_IMAGE_H
#define TOOLS_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"

/* Spans are of whole blocks, so that reading a little more than was recorded
 * is no surprise. */
#define IMAGE_BLOCK 256u
#define IMAGE_MAX_FACTS 32

struct image_block {
	uint64_t at;
	uint8_t bytes[IMAGE_BLOCK];
};

struct image {
	struct mem mem; /* answers with the image; or records another's */
	struct mem *of; /* what is recorded; NULL: nothing */
	struct image_block *block; /* by address */
	size_t n_block, cap_block;
	struct {
		char name[32];
		uint64_t value;
	} fact[IMAGE_MAX_FACTS];
	size_t n_fact;
};

/* An empty image whose mem reads from `of`, and remembers. */
void image_record(struct image *image, struct mem *of);

/* A fact of it: set, or 0 when it is not there. */
void image_set(struct image *image, const char *name, uint64_t value);
uint64_t image_get(const struct image *image, const char *name);

/* 0, or -1 with a message on stderr. */
int image_write(const struct image *image, const char *path);
int image_read(struct image *image, const char *path);

void image_done(struct image *image);

#endif
