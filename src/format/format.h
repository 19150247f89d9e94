/*
 * What a format is: a const table. Nothing outside a format's folder names the
 * format; registry.c lists the tables and everything else goes through them.
 *
 * A source is pulled: next() gives an event until EOF. A sink is pushed. The
 * core allocates `state_size` zeroed bytes for either; a NULL slot means "not
 * interested".
 */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <bobbin/convert.h>
#include <bobbin/read.h>

#include "core/input.h"
#include "core/output.h"
#include "model/dict.h"

struct source;
struct sink;

struct source_ops {
	size_t state_size;
	/* Gets ready; must not peek (the input may have nothing yet). */
	int (*open)(struct source *src);
	int (*next)(struct source *src, struct bob_event *ret);
	/*
	 * Places in bytes [0, size) of a regular file where a segment seems
	 * to begin, about evenly spread, for decoding on several threads:
	 * fills at most n offsets in rising order and returns how many. Each
	 * is only believed when the decoder before it stops right there.
	 * NULL: the format cannot be cut.
	 */
	size_t (*cuts)(int fd, uint64_t size, uint64_t *cut, size_t n);
	size_t (*stats)(const struct source *src, struct bob_stat *v,
	    size_t cap);
	size_t (*facts)(const struct source *src, struct bob_fact *v,
	    size_t cap);
	void (*close)(struct source *src);
};

struct source {
	const struct source_ops *ops;
	void *state;
	struct bob_ctx *ctx;
	struct in *in;
	struct bob_dict *dict;
	uint32_t want;  /* enum bob_want, never 0 */
	uint32_t flags; /* enum bob_read_flags */
	uint64_t next_segment; /* index that the next segment gets */
	int is_incomplete; /* the input ended inside an event */
	const char *path;  /* of the input, for side files; NULL: no file */
	const char *dialect; /* set by the source once it is known */
	const struct bob_option *options; /* during open only */
	size_t n_options;
	/* For formats that do not read their input from front to back: bytes
	 * taken so far, as stored and unpacked, instead of the input's own
	 * counts. */
	int counts_bytes;
	uint64_t bytes_in, bytes_unpacked;
};

/* What another dictionary's ids are in ours. */
struct join_map {
	const bob_stack *stack;
	const bob_tid *track;
	const bob_annot *annot;
};

struct sink_ops {
	size_t state_size;
	uint32_t want; /* enum bob_want: what it looks at */
	/* Its file is not whole before finish, which goes back and writes
	 * the head: a live one is a part file until then (out_open_part). */
	int head_is_last;
	int takes_baseline; /* it can show what differs from a baseline */
	/* What runs() is given is in sink->out when it returns. Sinks without
	 * this say themselves how many samples are there (out_mark), or have
	 * none there before finish. */
	int streams;
	/* The table that these options ask for; NULL: always this one. */
	const struct sink_ops *(*variant)(const struct bob_option *v,
	    size_t n);
	/* Options were checked against the format's table. */
	int (*open)(struct sink *sink);
	int (*segment)(struct sink *sink, const struct bob_segment *segment);
	int (*runs)(struct sink *sink, const struct bob_run *v, size_t n);
	int (*mark)(struct sink *sink, const struct bob_mark *mark);
	/*
	 * Takes over what `from` has gathered, for sinks that only sum up:
	 * `from` saw other segments with ids of another dictionary, and `map`
	 * gives them in ours. A sink with this slot may be run on several
	 * threads.
	 */
	int (*join)(struct sink *sink, struct sink *from,
	    const struct join_map *map);
	/* All samples given so far reach the output. */
	int (*flush)(struct sink *sink);
	/* Ends the trace; sink->out is finished by the caller. */
	int (*finish)(struct sink *sink);
	void (*close)(struct sink *sink);
};

struct sink {
	const struct sink_ops *ops;
	void *state;
	struct bob_ctx *ctx;
	struct out *out; /* NULL with next_output, until the sink asks */
	struct out *live; /* a side file of the sink's own that barriers must
	                   * reach too, or NULL */
	const struct bob_dict *dict;
	uint32_t caps; /* what it carries with these options: the format's
	                * own, unless open changes it */
	int is_baseline; /* what comes now is what to compare with; before
	                  * anything else */
	const struct bob_option *options; /* during open only */
	size_t n_options;
	bob_next_output_fn *next_output; /* NULL: one output */
	void *next_user;
	uint64_t bytes_before; /* written to outputs before this one */
	const struct bob_sources *sources; /* where source may be read, instead
	                                    * of the option; NULL: by it */
	uint64_t *stored; /* how many samples the system has, for struct out;
	                   * NULL: nobody asks */
	uint64_t n_streamed; /* samples that a sink which streams was given */
};

/* Bids: how sure a format is that these are its first bytes. */
enum {
	BID_NO = 0,
	BID_DAMAGED = 5,     /* something of it is further on */
	BID_TEXT_MAYBE = 10, /* lines that could be it */
	BID_TEXT = 40,       /* lines that are hardly anything else */
	BID_MAGIC = 100
};

struct format {
	struct bob_format_info info;
	int (*bid)(const uint8_t *p, size_t n);
	int has_magic; /* what is not damaged makes bid say BID_MAGIC */
	const struct source_ops *source; /* NULL: cannot be read */
	const struct sink_ops *sink;     /* NULL: cannot be written */
};

extern const struct format *const formats[]; /* ends with NULL */

const struct format *format_named(const char *name);

/* The value of an option, or NULL when it was not given. */
const char *sink_option(const struct sink *sink, const char *key);
const char *source_option(const struct source *src, const char *key);

/* The sink of a format that can be written, for these options. */
const struct sink_ops *sink_variant(const struct format *format,
    const struct bob_option *v, size_t n);

/* Opens sink->out as the format wants it. BOB_OK or FAILED. */
int sink_open_output(struct sink *sink, const struct bob_target *to);

/* Finishes sink->out, if any, and asks next_output for the one of segment
 * `index`. BOB_OK or FATAL. */
int sink_next_output(struct sink *sink, uint64_t index);

/* The first output, unless there is one: of a trace without samples, too, there
 * is a file. BOB_OK or FATAL. */
static inline int
sink_need_output(struct sink *sink)
{
	return sink->out != NULL ? BOB_OK : sink_next_output(sink, 0);
}

/* A size in bytes ("64k", "10M") or a time in microseconds ("10s", "500ms",
 * "1h"; bare numbers are seconds). 1, or 0 when it is neither. */
int option_size(const char *text, uint64_t *ret);
int option_time(const char *text, uint64_t *ret);

#endif
