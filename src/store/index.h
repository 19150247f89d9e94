/*
 * The index of a segment, as docs/store.md describes it: encoding and decoding
 * its head.
 *
 * Decoding believes nothing. A checksum shows accidents; it is no proof against
 * somebody who makes an index, so every count and length is checked, too.
 */
#ifndef STORE_INDEX_H
#define STORE_INDEX_H

#include <bobbin/store.h>

#include "core/output.h"
#include "store/contents.h"

#define INDEX_MAGIC "BOBIDX\0\1"
#define INDEX_PREFIX 24 /* bytes before the head */

/* Bytes of a head. 65,536 processes with command lines and 9,999 routes of
 * usual lengths take some 8 MB. */
#define INDEX_MAX_HEAD ((uint32_t)16 << 20)

/* Bytes of a command line that are kept. */
#define INDEX_MAX_COMMAND 256u

/* What is known of the file besides its contents. */
struct index_file {
	uint64_t size;
	uint8_t sha256[BOB_SHA256_BYTES];
	const char *format;
};

/* Appends an index to an output. Returns BOB_OK or FATAL. */
int index_encode(struct contents *c, const struct index_file *file,
    struct out *to);

/* A decoded head. It owns the bytes that the info points into. */
struct index {
	struct bob_segment_info info; /* without name and state */
	uint8_t *head;
	struct bob_segment_process *process;
	struct bob_segment_route *route;
};

/* Reads an index from its beginning. Returns BOB_OK; FAILED if it is no valid
 * index or cannot be read: the context has the error (BOB_E_CORRUPT,
 * BOB_E_FORMAT for another version, BOB_E_IO, BOB_E_NOMEM). */
int index_read(struct bob_ctx *ctx, int fd, struct index *ret);

/* The same from memory. */
int index_decode(struct bob_ctx *ctx, const uint8_t *p, size_t n,
    struct index *ret);

void index_done(struct index *x);

#endif
