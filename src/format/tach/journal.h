/*
 * The definitions journal of a live writer. A TACH file has its strings and
 * frames behind the samples, so a writer that dies leaves samples without
 * names; this file, PATH.part.defs beside PATH.part, has them. It only grows,
 * and goes when PATH.part has become PATH.
 *
 * It is eight bytes, "TACHDEF1", and then blocks:
 *
 *     u32 kind, u32 length, u64 check, `length` bytes
 *
 * Numbers are little-endian; check is the XXH3 of the bytes, its seed the XXH3
 * of kind and length, and the seed of that the block's offset in the file: a
 * torn or displaced block is not believed. By kind:
 *
 *     HEAD     u8 dialect, is_big, compression, 0 x 5; u64 start, interval
 *     STRINGS  entries of the string table, as in the file
 *     FRAMES   entries of the frame table, as in the file
 *     META     a string as in the table, then the value's bytes
 *     BARRIER  u64 bytes of PATH.part, u64 samples in them
 *     END      the same: where samples end and tables begin
 *
 * Invariants:
 * 1. HEAD comes first. Entries get their numbers in order, over all blocks.
 * 2. A definition is with the system before the first bytes of PATH.part that
 *    use it; after a durable barrier, on disk before them.
 * 3. END is there before the first byte behind the samples is written: on disk,
 *    or with BOB_TARGET_LAZY with the system.
 */
#ifndef FORMAT_TACH_JOURNAL_H
#define FORMAT_TACH_JOURNAL_H

#include "core/mem.h"
#include "format/tach/tach.h"

#define TACH_JOURNAL_SUFFIX ".defs"
#define TACH_JOURNAL_MAGIC "TACHDEF1"

/* A frame as the table has it; -1 is unknown. Hashed as bytes. */
struct tach_frame {
	uint32_t file, func; /* strings */
	int32_t line, end_line, col, end_col;
	uint32_t opcode; /* or TACH_NO_OPCODE */
};

struct journal_head {
	enum tach_dialect dialect;
	int is_big; /* byte order of PATH.part */
	enum tach_compression compression;
	uint64_t start_us, interval_us;
};

/* A place in PATH.part. */
struct journal_mark {
	uint64_t bytes, samples;
};

/*
 * Writing. Each commits whole blocks to the side file `to` and returns BOB_OK
 * or FATAL. journal_names writes those that are not in it yet: strings and
 * frames from the given numbers on.
 */
int journal_head(struct out *to, const struct journal_head *head);
int journal_strings(struct out *to, const struct bob_bytes *v, uint32_t n);
int journal_frames(struct out *to, const struct tach_frame *v, uint32_t n,
    int n_fields);
int journal_meta(struct out *to, struct bob_bytes key, struct bob_bytes value);
int journal_barrier(struct out *to, const struct journal_mark *mark);
int journal_end(struct out *to, const struct journal_mark *mark);

/* Entries of the two tables, as the file has them too. */
uint8_t *tach_put_string(uint8_t *p, struct bob_bytes s);
uint8_t *tach_put_frame(uint8_t *p, const struct tach_frame *f, int n_fields);

/* The most that tach_put_frame writes, and tach_put_string beyond the
 * string itself. */
#define TACH_FRAME_MAX (6 * 5 + 1)
#define TACH_STRING_MAX 5

/*
 * Reading, for recovery.
 */
struct journal_pair {
	struct bob_bytes key, value;
};

struct journal {
	int has_head, has_barrier, has_end;
	struct journal_head head;
	struct journal_mark barrier; /* the last one */
	struct journal_mark end;
	struct bob_bytes *string; /* by number; they point into the bytes */
	struct tach_frame *frame; /* by number; their strings exist */
	struct journal_pair *meta;
	uint32_t n_string, n_frame, n_meta;
	uint64_t n_good;  /* bytes up to the end of the last good block */
	uint64_t n_bytes; /* all; more than n_good: cut or damaged there */
	size_t cap_string, cap_frame, cap_meta;
	uint8_t *loaded;
	size_t cap_loaded;
	struct bob_ctx *ctx; /* of its memory; NULL: none yet */
};

/*
 * Reads a journal from memory, which must stay as long as *ret is used. Stops
 * at the first block that is not whole, does not match its check or does not
 * make sense: what was before it counts. BOB_OK, or FATAL when memory is out.
 * Fill *ret with zeros before, and journal_free it in any case.
 */
int journal_read(struct bob_ctx *ctx, const void *p, size_t n,
    struct journal *ret);

/* The same from the file PATH + TACH_JOURNAL_SUFFIX. BOB_EOF: there is none;
 * FAILED when it cannot be read. */
int journal_load(struct bob_ctx *ctx, const char *path, struct journal *ret);

/* Adds the whole block at p, offset `at` of the file, to *j, which keeps
 * pointers into it. Returns 1, 0 when the block makes no sense, or FATAL. */
int journal_take_block(struct bob_ctx *ctx, struct journal *j,
    const uint8_t *p, uint64_t at);

void journal_free(struct journal *j);

/* A journal that still grows. */
struct journal_tail {
	struct journal j;
	int fd;
	struct arena bytes; /* of the blocks in j */
	uint8_t *block;     /* that is being read */
	size_t cap_block;
};

/* Opens it; journal_more reads. BOB_OK; BOB_EOF: there is none; FAILED. */
int journal_follow(struct bob_ctx *ctx, const char *path,
    struct journal_tail **ret);

/* Adds the whole blocks that have come to t->j. BOB_OK or FATAL: it cannot be
 * read, or a block makes no sense. */
int journal_more(struct bob_ctx *ctx, struct journal_tail *t);

/* NULL is allowed. */
void journal_unfollow(struct journal_tail *t);

#endif
