/*
 * The TACH format, CPython's binary profile: what reader and writer share.
 * The layout itself, with its five dialects, is described in
 * docs/formats/tach.md.
 *
 * Fixed-width numbers are in the byte order of the machine that wrote them;
 * the magic tells which. Varints are LEB128 and have none.
 */
#ifndef FORMAT_TACH_H
#define FORMAT_TACH_H

#include <stdint.h>

#include "format/format.h"

#define TACH_MAGIC 0x54414348u
#define TACH_HEADER 64 /* bytes */
#define TACH_FOOTER 32 /* bytes */
#define TACH_RECORD 13 /* thread id, interpreter id and kind of a record */

/* The deepest stack that CPython's reader takes. */
#define TACH_CPYTHON_DEPTH 256

#define TACH_NO_OPCODE 255

enum tach_kind {
	TACH_REPEAT = 0,
	TACH_FULL,
	TACH_SUFFIX,
	TACH_POP_PUSH,
	TACH_N_KINDS
};

enum tach_compression { TACH_RAW = 0, TACH_ZSTD = 1 };

enum tach_status {
	TACH_HAS_GIL = 1 << 0,
	TACH_ON_CPU = 1 << 1,
	TACH_UNKNOWN = 1 << 2,
	TACH_WANTS_GIL = 1 << 3,
	TACH_EXCEPTION = 1 << 4,
	TACH_MAIN_THREAD = 1 << 5
};

enum tach_dialect {
	TACH_V2,      /* the published draft; no CPython writes it */
	TACH_EARLY_1, /* version 1 before frames had columns */
	TACH_1A,      /* 3.15 alphas and betas: 32-bit sample count */
	TACH_1B,      /* since July 2026 */
	TACH_1C,      /* 1b with mode and statistics */
	TACH_N_DIALECTS
};

/* Where a dialect keeps what in its header; 0: it does not. */
struct tach_layout {
	const char *name; /* as people give it to --dialect */
	uint32_t version;
	uint8_t python, start, interval, samples, threads, strings, frames,
	    compression, mode;
	uint8_t samples_size; /* 4 or 8 bytes */
	uint8_t frame_fields; /* 3 or 7 */
};

extern const struct tach_layout tach_layouts[TACH_N_DIALECTS];

/* By name; -1: there is none. */
int tach_dialect_named(const char *name);

/* What a header says, in any dialect. */
struct tach_head {
	uint8_t python[3];
	uint64_t start_us, interval_us;
	uint64_t n_samples;
	uint32_t n_threads;
	uint64_t strings, frames; /* offsets of the tables */
	uint32_t compression;
	uint32_t mode; /* 1c: as stored, 0 unknown */
};

void tach_head_get(const uint8_t *p, const struct tach_layout *layout,
    int is_swapped, struct tach_head *ret);

/* Fills all TACH_HEADER bytes. */
void tach_head_put(uint8_t *p, const struct tach_layout *layout,
    int is_swapped, const struct tach_head *head);

/* Numbers of 4 and 8 bytes in the file's byte order. */
uint32_t tach_u32(const uint8_t *p, int is_swapped);
uint64_t tach_u64(const uint8_t *p, int is_swapped);
void tach_put_u32(uint8_t *p, uint32_t v, int is_swapped);
void tach_put_u64(uint8_t *p, uint64_t v, int is_swapped);

extern const struct format tach_format;    /* dialect 1b */
extern const struct format tach_v2_format; /* as the document has it */
extern const struct source_ops tach_source;
extern const struct sink_ops tach_sink, tach_v2_sink;
extern const struct bob_option_info tach_read_options[];
extern const struct bob_option_info tach_write_options[];
extern const struct bob_option_info tach_v2_write_options[];

#endif
