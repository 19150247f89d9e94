/*
 * The state of one TACH reader, shared by read.c (the parts of a file in
 * order), record.c (the hot loops), damage.c and resync.c (what is lost, and
 * going on behind it).
 *
 * Invariants:
 * 1. A record other than REPEAT is decoded only when all its bytes are in the
 *    window, and consumed only when it was decoded. A REPEAT is taken apart:
 *    rd->left of its pairs are still to come, for thread rd->who.
 * 2. Only the newest run of a batch may grow, and only with samples of the
 *    thread rd->run_who; its deltas are the last of rd->dt.
 * 3. What nobody wants is not in the runs: no time, status or track.
 */
#ifndef FORMAT_TACH_READ_H
#define FORMAT_TACH_READ_H

#include "format/format.h"
#include "format/tach/probe.h"
#include "format/tach/tables.h"
#include "format/tach/threads.h"

/* Runs that travel together, and differences of times with them: enough to
 * make calls cheap, small enough to stay in the cache. */
#define TACH_BATCH 512
#define TACH_DT 32768

#define TACH_MAX_META 8

/* No index of a thread. */
#define TACH_NO_THREAD UINT32_MAX

/* Gaps that wait to be reported: those of header and tables come together. */
#define TACH_MAX_GAPS 4

/* Stacks that lost the names of their frames remember this many of the
 * frames that stand for them. */
#define TACH_MAX_NAMELESS (1u << 22)

/* The number of unknown outermost frames is not known. */
#define TACH_ANY_UNKNOWN UINT32_MAX

/* How a step ends, besides BOB_OK, EOF, FAILED and FATAL. */
enum tach_stop {
	TACH_STOP_NEED = 100, /* rd->need bytes must be in the window */
	TACH_STOP_GIVE        /* the batch is full */
};

enum tach_phase {
	TACH_AT_START,
	TACH_AT_META,
	TACH_AT_RECORDS,
	TACH_AT_END
};

/* Warnings that are given once, however often the cause occurs. */
enum tach_once {
	TACH_ONCE_NO_REPEATS = 1 << 0,
	TACH_ONCE_POPS = 1 << 1,
	TACH_ONCE_THREADS = 1 << 2
};

struct tach_gap {
	struct bob_gap gap;
	char why[BOB_MAX_TEXT];
};

struct tach_reader {
	struct source *src;
	struct spool *spool;
	int dialect; /* as asked for, or -1 */
	enum tach_phase phase;
	struct tach_file file;
	struct tach_tables tables;
	struct tach_threads threads;
	struct in *in; /* the sample data, unpacked */
	struct journal_tail *tail; /* following: of a live writer */
	struct in *finished; /* following: a file that does not grow */
	uint64_t end;  /* of it, when it is not packed; else UINT64_MAX */
	uint64_t samples_end; /* in the file */
	uint64_t in_base; /* offset of its first byte in the unpacked file,
	                   * when in->pos begins at 0 */
	int is_last;   /* the window holds all that is left */
	size_t need;

	struct bob_segment segment;
	struct bob_mark mark;
	struct bob_pair meta[TACH_MAX_META];
	unsigned n_meta, n_meta_given;

	int has_times, has_status, has_tracks, has_stats; /* what is wanted */
	struct bob_run run[TACH_BATCH];
	size_t n_run;
	uint32_t run_who; /* thread of the newest run, or TACH_NO_THREAD: it
	                   * has ended */
	uint32_t *dt;
	size_t n_dt;
	bob_fid *new_frame; /* of the record that is being decoded */
	size_t cap_new_frame;

	uint32_t who; /* thread of the last record */
	uint8_t who_key[12];
	int has_who;
	uint64_t left; /* pairs of a REPEAT */

	uint64_t n_samples;
	unsigned told; /* enum tach_once */
	int is_dead;   /* an error is told when all runs are out */
	int is_doomed; /* the input failed behind what the window holds */
	int ran_out;   /* FAILED, because the bytes did */
	char why[BOB_MAX_TEXT];

	/* Recovery. */
	int is_tolerant;
	int has_header;   /* what it counts can be believed */
	int is_foreign;   /* nothing tells the dialect */
	int is_nameless;  /* entries of the tables are missing */
	int lacks_names;  /* and a sample needs one of them */
	int has_told_names; /* by a gap */
	uint32_t epoch;   /* goes up with each gap in the records */
	bob_stack lost_stack; /* `<lost>` alone, or 0 */
	uint64_t n_since_gap; /* records behind the last one */
	int is_cut;       /* zstd has nothing behind its damage */
	int is_searching; /* for a place to go on */
	int is_fresh;     /* searching: the window's start may be good */
	uint64_t proof;   /* bytes looked at to prove places */
	bob_fid *nameless; /* by index, frames without names */
	size_t cap_nameless, n_nameless;
	struct tach_gap open; /* the last gap; its cost is not known yet */
	int has_open;
	struct tach_gap gap[TACH_MAX_GAPS]; /* to be told */
	unsigned n_gap, n_gap_given;
	uint64_t n_lost; /* told or to be told, without the open gap's */
	uint64_t n_expected; /* samples that the file should have */
	int expects_exactly;

	uint64_t n_records[TACH_N_KINDS], n_bytes[TACH_N_KINDS],
	    n_of_kind[TACH_N_KINDS];
	uint64_t n_frames_written, n_frames_saved;
};

/* Where the window stands in the file, as if its samples were unpacked. */
static inline uint64_t
tach_place(const struct tach_reader *rd)
{
	return rd->in_base + rd->in->pos;
}

/* A gap may have swallowed records of the thread. */
static inline int
tach_is_lost(const struct tach_reader *rd, const struct tach_thread *thread)
{
	return thread->epoch != rd->epoch;
}

/* record.c: decodes the window as far as it goes. NEED, GIVE, FATAL; FAILED:
 * the record at the window's start is damaged, rd->why says how. */
int tach_records(struct tach_reader *rd);

/* Gives a frame in place of one that the tables do not have. BOB_OK; FAILED: it
 * is damage; FATAL. */
int tach_missing_frame(struct tach_reader *rd, uint32_t index, bob_fid *ret);

/* salvage.c: what strict reading does before the samples, for a file that is
 * damaged there. BOB_OK, or FATAL with the error. */
int tach_salvage(struct tach_reader *rd);

/* unfinished.c: the same for one that was never finished. */
int tach_start_unfinished(struct tach_reader *rd);

/* follow.c: the same for one that is being written. BOB_OK; AGAIN: not yet;
 * EOF: it is finished, and rd->finished has all of it; FATAL. */
int tach_follow(struct tach_reader *rd);

/* *ret: bytes at 64 begin a zstd frame, of samples or skippable. BOB_OK or
 * FATAL. */
int tach_is_packed(const struct tach_file *f, int *ret);

/* damage.c */

/* Makes rd->lost_stack: `<lost>`, of no file, as CPython's own markers are.
 * BOB_OK or FATAL. */
int tach_make_lost(struct tach_reader *rd);

/* Adds a gap that is to be told. */
void tach_add_gap(struct tach_reader *rd, const struct bob_gap *gap,
    const char *fmt, ...) BOB_PRINTF(3, 4);

/* The record at the window's start is damaged, or the samples end. BOB_OK: go
 * on; GIVE: when the gaps are told; EOF; FATAL. */
int tach_on_damage(struct tach_reader *rd);
int tach_on_end(struct tach_reader *rd);

/* resync.c: searches on from the window's start. BOB_OK when a good place was
 * found or the input is used up; FATAL. */
int tach_search(struct tach_reader *rd);

/* True when records seem to begin at p. */
int tach_is_chain(struct tach_reader *rd, const uint8_t *p,
    const uint8_t *end, int is_last);

/* Opens bytes [64, end) of the file as samples. BOB_OK or FATAL. */
int tach_open_samples(struct tach_reader *rd, uint64_t end, int is_packed);

/* One fact about the trace. BOB_OK or FATAL. */
int tach_add_meta(struct tach_reader *rd, struct bob_bytes key,
    struct bob_bytes value);

/* Notes why; returns BOB_FAILED. */
int tach_why(struct tach_reader *rd, const char *fmt, ...) BOB_PRINTF(2, 3);

/* A warning about the byte at the window's start. */
void tach_warn(const struct tach_reader *rd, uint64_t at, const char *fmt, ...)
    BOB_PRINTF(3, 4);

#endif
