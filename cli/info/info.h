/*
 * What `bobbin info` knows about one input: info.c and labels.c gather it,
 * sum.c makes rows and sums of it, text.c with tables.c and json.c print it.
 *
 * Memory grows with distinct stacks, tracks and annotations, and with the
 * number of segments only when all of them are to be listed.
 */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>
#include <bobbin/profile.h>
#include <bobbin/read.h>

/* Rows of a table; more are only counted. */
#define INFO_ROWS 20
#define INFO_TOP 10

#define INFO_MAX_STATS 32
#define INFO_MAX_FACTS 32
#define INFO_STATUS_BITS 8

struct info_segment {
	struct bob_segment head;
	uint64_t n_samples;
	uint64_t t_first, t_last; /* valid when n_timed > 0 */
	uint64_t n_timed;
	int is_ended; /* closed properly */
};

struct info_meta {
	uint64_t segment;
	bob_str key, value;
};

struct info_pid {
	uint64_t pid, n_samples;
	int is_known;
	bob_str runtime, command; /* 0: not known */
};

/* A fact about a process, from metadata. */
enum info_fact_of { INFO_RUNTIME, INFO_COMMAND };

struct info_label {
	uint64_t pid;
	enum info_fact_of fact;
	bob_str value;
	size_t number; /* in order of the file */
};

struct info_thread {
	struct bob_track who;
	uint64_t n_samples;
};

struct info_key {
	bob_str key;
	uint64_t n_samples; /* that carry it */
	uint64_t n_values;  /* distinct ones */
};

struct info {
	const char *input;
	const char *format; /* NULL: nothing was recognised */
	const char *dialect; /* NULL: the format has none */
	int has_ends; /* it says where a segment was closed */
	struct bob_dict *dict;
	int keeps_all; /* list everything */

	uint64_t bytes_in, bytes_unpacked;
	uint64_t n_samples, n_runs, n_timed, n_annotated;
	uint64_t sampled_us; /* samples times period */
	struct bob_times times;
	uint64_t n_segments, n_meta, n_unknown;
	uint64_t t_min, t_max; /* valid when n_timed > 0 */
	uint64_t n_gaps, n_lost, gap_bytes;
	int lost_is_exact;
	uint64_t n_unkept; /* taken by the capture, but in no file */
	/* How late samples were taken, as captures say; the worst of them. */
	int has_late;
	double late_us;      /* 99 % within so many */
	double late_percent; /* late or missed */
	int has_inferred;
	double inferred_percent; /* stacks that changed while they were read;
	                          * of the worst capture */
	int is_incomplete;
	uint64_t n_stacks;
	uint32_t max_depth;

	struct info_segment current; /* valid when n_segments > 0 */
	struct info_segment *segments;
	size_t n_kept_segments, cap_segments;
	struct info_meta *metas;
	size_t n_kept_metas, cap_metas;
	struct info_label *labels;
	size_t n_labels, cap_labels;
	uint8_t *has_stack; /* by stack: was sampled */
	size_t cap_has_stack;
	uint64_t *of_track; /* by track: samples */
	size_t cap_of_track;
	uint64_t of_status[256]; /* by thread status: samples that have one */
	uint64_t *of_annot; /* by annotation set: samples */
	size_t cap_of_annot;

	/* Made from the above by info_sum. */
	struct info_pid *pids; /* most samples first */
	size_t n_pids;
	struct info_thread *threads; /* most samples first */
	size_t n_threads;
	uint64_t of_bit[INFO_STATUS_BITS]; /* by bit of the status: samples */
	uint64_t n_status; /* samples with a status */
	struct info_key *keys; /* most samples first */
	size_t n_keys;
	struct bob_stat stats[INFO_MAX_STATS];
	size_t n_stats;
	struct bob_fact facts[INFO_MAX_FACTS];
	size_t n_facts;
};

/* Each returns 0, or -1 if memory is out. */
int info_event(struct info *x, const struct bob_event *ev);
int info_keep_segment(struct info *x); /* the one being read is complete */
int info_sum(struct info *x, const struct bob_reader *in);
void info_done(struct info *x);

/* Takes a fact about a process from metadata. Returns 1 and sets *ret; 0 if the
 * metadata is about something else. */
int info_label_take(const struct info *x, const struct bob_mark *m,
    struct info_label *ret);

/* Sets runtime and command in the rows of pids. */
void info_label_pids(struct info *x);

/* Finds a fact about the bytes by its name. Returns 1 and sets *ret; else 0. */
int info_fact(const struct info *x, const char *name, uint64_t *ret);

void info_text(const struct info *x);
void info_tables(const struct info *x);
void info_json(const struct info *x);

/* A bit of the thread status: in words, and as a key of JSON. */
struct info_bit {
	const char *words, *key;
};
extern const struct info_bit info_bits[INFO_STATUS_BITS];

#endif
