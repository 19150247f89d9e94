/*
 * A format is a const table, struct format. Nothing outside a format's folder
 * names the format: registry.c lists the tables, and everything else goes
 * through them. docs/adding-a-format.md says how to write one.
 *
 * The pipeline pulls events from a source (next, until EOF) and pushes them
 * into a sink. It allocates `state_size` zeroed bytes for either. A NULL slot
 * means "not interested".
 */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <bobbin/convert.h>
#include <bobbin/diff.h>
#include <bobbin/profile.h>
#include <bobbin/read.h>

#include "core/input.h"
#include "core/output.h"
#include "model/dict.h"

struct source;
struct sink;
struct digest;

struct source_ops {
	size_t state_size;
	/* Must not peek: the input may have no bytes yet. */
	int (*open)(struct source *src);
	int (*next)(struct source *src, struct bob_event *ret);
	/*
	 * For decoding on several threads: finds places in bytes [0, size) of a
	 * regular file where a segment seems to begin, about evenly spread.
	 * Fills in at most n offsets in rising order and returns how many. A
	 * place is used only when the decoder before it stops exactly there.
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
	/* Set by formats that do not read their input from front to back: the
	 * bytes taken so far, as stored and unpacked, count instead of the
	 * input's own. */
	int counts_bytes;
	uint64_t bytes_in, bytes_unpacked;
};

/* Ids of another dictionary as ids of ours. */
struct join_map {
	const bob_stack *stack;
	const bob_tid *track;
	const bob_annot *annot;
};

struct sink_ops {
	size_t state_size;
	uint32_t want; /* enum bob_want: what it looks at */
	/* finish goes back and writes the head, so the file is not whole
	 * before. When it is written in place, it is a part file until then
	 * (out_open_part). */
	int head_is_last;
	int takes_diff; /* it can show a comparison, see sink->diff */
	/* It shows sums: finish gets sink->digest. If runs is NULL, it shows
	 * nothing else, and the digest filters them. */
	int takes_digest;
	/* All samples that runs was given are in sink->out when it returns.
	 * Sinks without this flag report by out_mark how many are, or have none
	 * there before finish. */
	int streams;
	/* The table that these options ask for; NULL: always this one. */
	const struct sink_ops *(*variant)(const struct bob_option *v,
	    size_t n);
	/* Options were checked against the format's table. */
	int (*open)(struct sink *sink);
	int (*segment)(struct sink *sink, const struct bob_segment *segment);
	int (*runs)(struct sink *sink, const struct bob_run *v, size_t n);
	int (*mark)(struct sink *sink, const struct bob_mark *mark);
	/* What came so far is what is compared with the events that follow.
	 * NULL: it cannot show that. */
	int (*side)(struct sink *sink);
	/*
	 * For sinks that only sum up: adds what `from` has gathered from other
	 * segments, with ids of another dictionary that `map` translates. A
	 * sink with this slot may be run on several threads.
	 */
	int (*join)(struct sink *sink, struct sink *from,
	    const struct join_map *map);
	/* Writes all samples given so far to the output. */
	int (*flush)(struct sink *sink);
	/* Ends the trace; sink->out is finished by the caller. */
	int (*finish)(struct sink *sink);
	void (*close)(struct sink *sink);
};

/* A trace added up, which is made elsewhere (pipeline/digest.h). */
struct format_digest {
	const struct bob_cell *cell; /* by stack: only stack, is_idle and sums
	                              * are set */
	size_t n_cell;
	struct bob_times times; /* of the recording; share_* are of the cells */
	int by_time; /* shares are of time, because periods differ */
};

/* A comparison with its statistics, which are made elsewhere: a sink shows them
 * and computes none. */
struct format_diff {
	const struct bob_diff_path *path;
	size_t n_path;
	const struct bob_diff_row *const *row; /* by key; NULL: no samples */
	const struct bob_key *key;             /* by key */
	uint32_t n_key;
	struct bob_sum total[2];
	struct bob_times times[2];
	const char *name[2]; /* of what is compared */
	const char *verdict;
	int by_time;   /* shares are of time, not of samples */
	int has_lines; /* keys have lines */
};

struct sink {
	const struct sink_ops *ops;
	void *state;
	struct bob_ctx *ctx;
	struct out *out; /* NULL with next_output, until the sink asks */
	struct out *side; /* a file that the sink writes beside `out`, which
	                   * barriers must reach too; NULL: none */
	const struct bob_dict *dict;
	uint32_t caps; /* what it keeps of a trace, with these options: the caps
	                * of the format, unless open changes them */
	/* A comparison to show instead of events, of which none come; valid
	 * until finish. NULL: events come. */
	const struct format_diff *diff;
	struct digest *adder; /* of the pipeline: makes the digest */
	struct format_digest digest; /* with takes_digest and no comparison: set
	                              * for finish; of two sides the second */
	struct bob_times times_before; /* of the first; size 0: one side */
	struct {
		struct bob_dict *dict;
		const struct bob_filter *filter; /* or NULL */
	} of_digest; /* what it is made with; borrowed */
	const struct bob_option *options; /* during open only */
	size_t n_options;
	bob_next_output_fn *next_output; /* NULL: one output */
	void *next_user;
	uint64_t bytes_before; /* written to outputs before this one */
	const struct bob_sources *sources; /* where source may be read; NULL:
	                                    * the option `source` says it */
	uint64_t *stored; /* where struct out counts the samples that were
	                   * handed to the system; NULL: nobody asks */
	uint64_t n_streamed; /* samples that a sink which streams was given */
};

/* Bids: how sure a format is that a file with these first bytes is its own. */
enum {
	BID_NO = 0,
	BID_DAMAGED = 5,     /* damaged at its beginning, recognised further
	                      * on */
	BID_TEXT_MAYBE = 10, /* lines that could be it */
	BID_TEXT = 40,       /* lines that are hardly anything else */
	BID_MAGIC = 100
};

struct format {
	struct bob_format_info info;
	int (*bid)(const uint8_t *p, size_t n);
	int has_magic; /* bid says BID_MAGIC for every intact file */
	const struct source_ops *source; /* NULL: cannot be read */
	const struct sink_ops *sink;     /* NULL: cannot be written */
	/* The IN_SEGMENT_HEAD bytes that each segment begins with, in a format
	 * whose segments may follow each other in one file, some raw and some
	 * as gzip members. NULL: not such a format. */
	const char *segment_magic;
	/* While a writer is at work, PATH + side_suffix holds the segment that
	 * is not yet in PATH. Its metadata side_offset_key says, in decimal,
	 * how many bytes of PATH come before it. NULL: no side file. */
	const char *side_suffix, *side_offset_key;
};

extern const struct format *const formats[]; /* ends with NULL */

const struct format *format_named(const char *name);

/* An in_segment_fn: true for the segment_magic of any format. */
int format_begins_segment(const uint8_t *p, size_t n);

/* Returns the value of an option, "" for a switch, or NULL when it was not
 * given. */
const char *format_sink_option(const struct sink *sink, const char *key);
const char *format_source_option(const struct source *src, const char *key);

/* Returns the sink of a format that can be written, for these options. */
const struct sink_ops *format_sink_ops(const struct format *format,
    const struct bob_option *v, size_t n);

/* Opens sink->out, as a part file where the format needs one. BOB_OK or
 * FAILED. */
int format_open_output(struct sink *sink, const struct bob_target *to);

/* Finishes sink->out, if any, and asks next_output for the one of segment
 * `index`. BOB_OK or FATAL. */
int format_next_output(struct sink *sink, uint64_t index);

/* Asks for the first output, unless there is one. To be called in finish, so
 * that a trace without samples gets a file too. BOB_OK or FATAL. */
static inline int
format_need_output(struct sink *sink)
{
	return sink->out != NULL ? BOB_OK : format_next_output(sink, 0);
}

#endif
