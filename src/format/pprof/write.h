/*
 * The pprof writer, split by what changes together:
 *
 *     write.c         gathers sums; the sink's table
 *     write_labels.c  which annotations become labels
 *     write_profile.c the message, once everything is known
 */
#ifndef FORMAT_PPROF_WRITE_H
#define FORMAT_PPROF_WRITE_H

#include "core/pack.h"
#include "core/proto.h"
#include "format/common/functions.h"
#include "format/pprof/pprof.h"
#include "model/labels.h"
#include "model/tally.h"

/* Metadata that becomes comments: enough for a command line and a host, not
 * for a trace that is nothing but metadata. */
#define PPROF_MAX_COMMENTS 64

/* Annotation sets reduced to the keys that may become labels: every view of
 * pprof shows each value of a label as something of its own, so a URL or a
 * query must not become one by default. */
struct pprof_labels {
	struct bob_ctx *ctx;
	char *keys;        /* each ends with NUL, one more behind the last */
	size_t n_keys;
	struct bob_dict *own; /* its annotation sets are the reduced ones */
	bob_annot *of_annot;  /* by set of the sink; BOB_NO_ID: not known */
	size_t cap_of_annot, n_of_annot;
};

int pprof_labels_init(struct pprof_labels *l, struct bob_ctx *ctx,
    const char *list);
void pprof_labels_done(struct pprof_labels *l);

/* The reduced set; BOB_NO_ID on failure. */
bob_annot pprof_labels_of(struct pprof_labels *l, const struct bob_dict *from,
    bob_annot id);

struct pprof_writer {
	struct tally tally;
	struct pprof_labels labels;
	struct labels processes;
	struct bob_run *run; /* with reduced annotations */
	size_t cap_run;
	uint64_t start_us;  /* of the first segment; 0 unknown */
	uint64_t period_us; /* of the first segment that has one */
	/* Wall time: what the segments' clocks say and, for samples without
	 * times, the longest sum of periods of a track. */
	uint64_t clock_us;  /* of segments that are over */
	uint64_t t_first, t_last; /* of this one */
	int has_times;
	uint64_t *untimed_us; /* by track */
	size_t cap_untimed_us, n_untimed_us;
	uint64_t longest_untimed_us;
	int is_cpu; /* samples are of processor time */
	struct bob_pair comment[PPROF_MAX_COMMENTS];
	size_t n_comment;
};

/* write_profile.c: the whole message into `to`. */
int pprof_write_profile(struct sink *sink, struct pack_stream *to);

#endif
