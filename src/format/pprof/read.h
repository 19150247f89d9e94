/*
 * The pprof reader, split by what changes together:
 *
 *     read.c         the source's table; what is given when
 *     read_fields.c  the fields of the message, one after the other; damage
 *     read_tables.c  strings, functions, locations: everything but samples
 *     read_types.c   which value of a sample counts, and what it weighs
 *     read_sample.c  samples
 *     read_bid.c     recognising a message that has no magic number
 *
 * Tables may stand behind the samples that refer to them, so the message is
 * gone through twice: first for the tables, then for the samples. Memory
 * depends on the tables and on distinct stacks alone.
 */
#ifndef FORMAT_PPROF_READ_H
#define FORMAT_PPROF_READ_H

#include "core/mem.h"
#include "core/protoread.h"
#include "core/spool.h"
#include "format/common/framelang.h"
#include "format/common/gaps.h"
#include "format/pprof/pprof.h"

#define PPROF_BATCH 512

/* Values of a sample: Go's profiles of the heap have four. */
#define PPROF_MAX_TYPES 64

/* Functions inlined at one location. Compilers stop long before, and each
 * mention of a location costs as many frames. */
#define PPROF_MAX_INLINED 256

/* A field of the whole message and where it is. */
struct pprof_field {
	struct proto_field f;
	uint64_t offset, length; /* all of it, with its head */
};

struct pprof_type {
	uint64_t type, unit; /* numbers of strings */
};

/* What entries of tables begin with. */
struct pprof_entry {
	uint64_t id;
	uint64_t offset; /* of its field */
};

struct pprof_fn {
	struct pprof_entry e;
	uint64_t name, file; /* numbers of strings */
};

/* What is known of a string: it may be mentioned by a byte each time, so
 * nothing is done with all of it more than once. */
struct pprof_str {
	bob_str id;
	int is_php;    /* the parts of a name of PHP are known */
	int is_given;  /* a comment that was said */
	bob_str ns, scope, name;
};

/* A function at a line, within a location. */
struct pprof_place {
	uint64_t function;
	int64_t line;
};

struct pprof_spot {
	struct pprof_entry e;
	uint64_t mapping, address;
	uint32_t first, n; /* places; then frames, leaf first */
};

struct pprof_map {
	struct pprof_entry e;
	uint64_t file;
};

enum pprof_phase {
	PPROF_AT_START,
	PPROF_AT_MARKS,
	PPROF_AT_SAMPLES,
	PPROF_AT_END
};

struct pprof_reader {
	struct source *src;
	struct spool *spool;
	struct in *in; /* over the message */
	enum pprof_phase phase;
	int is_tolerant;
	int is_dead;
	struct bob_segment segment;
	struct bob_mark mark;

	/* Tables, each in the order of ids once all are there. */
	struct pprof_str *str;
	struct pprof_fn *function;
	struct pprof_spot *location;
	struct pprof_place *place;
	struct pprof_map *map;
	bob_fid *frame; /* by place, and one for each location without any */
	size_t cap_str, cap_function, cap_location, cap_place, cap_map,
	    cap_frame;
	size_t n_str, n_function, n_location, n_place, n_map, n_frame;
	struct lang_guess guess;
	int has_tables; /* all of them were read */

	/* About the whole. */
	struct pprof_type type[PPROF_MAX_TYPES], period_type;
	size_t n_types;
	uint64_t period, time_ns, default_type;
	uint64_t *comment; /* numbers of strings */
	size_t cap_comment, n_comment, n_comment_given;
	int has_mode; /* was given as metadata */

	/* What counts. */
	size_t column;      /* of the values */
	uint64_t unit_ns;   /* of a value; 0: values are counts */
	uint64_t remainder; /* of nanoseconds that made no microsecond */
	uint64_t n_negative;

	/* The sample at hand. */
	uint64_t *path; /* locations, leaf first */
	size_t cap_path, n_path;
	struct bob_pair pair[BOB_MAX_PAIRS];
	size_t n_pair;
	int has_labels;           /* somebody looks at them */
	uint64_t n_pushed; /* frames of all samples */

	struct gaps gaps;
	struct bob_run run[PPROF_BATCH];
	size_t n_run;
};

/* --- read_fields.c ------------------------------------------------------- */

/* Opens rd->in at the beginning of the message. BOB_OK or FATAL. */
int pprof_rewind(struct pprof_reader *rd);

/*
 * The next field, with its bytes if `wanted` has its number's bit (wanted
 * ones are valid until the next call). BOB_OK; EOF; FATAL. What cannot be a
 * field ends the message: FATAL, or with tolerance a gap and EOF.
 */
int pprof_next_field(struct pprof_reader *rd, uint32_t wanted,
    struct pprof_field *ret);

/*
 * A field that is damaged: FATAL with an error that says where and why, or
 * FAILED with tolerance, when the field is passed over and becomes a gap.
 * `lost` samples at least are in it.
 */
int pprof_damage(struct pprof_reader *rd, const struct pprof_field *f,
    int code, uint64_t lost, const char *fmt, ...) BOB_PRINTF(5, 6);

/* --- read_tables.c ------------------------------------------------------- */

/* Reads everything but the samples. BOB_OK or FATAL. */
int pprof_read_tables(struct pprof_reader *rd);

/* A string by its number; one that is missing is "". */
struct bob_bytes pprof_string(const struct pprof_reader *rd, uint64_t number);

/* A location by its id, or NULL. */
const struct pprof_spot *pprof_find_location(
    const struct pprof_reader *rd, uint64_t id);

/* --- read_types.c -------------------------------------------------------- */

/* Decides which value counts and how long a sample is. BOB_OK or FATAL. */
int pprof_choose_type(struct pprof_reader *rd);

/* The count that a value stands for. */
uint64_t pprof_count(struct pprof_reader *rd, uint64_t value);

/* --- read_sample.c ------------------------------------------------------- */

/* Adds the sample to rd->run. BOB_OK; FAILED: damaged and passed over;
 * FATAL. */
int pprof_read_sample(struct pprof_reader *rd, const struct pprof_field *f);

/* Adds a sample's values to the sums of its columns, damaged or not. */
void pprof_sum_values(const struct pprof_field *f,
    uint64_t sum[PPROF_MAX_TYPES]);

/* --- read_bid.c ---------------------------------------------------------- */

int pprof_bid(const uint8_t *p, size_t n);

#endif
