/*
 * Filters: select samples, and hide or merge frames. Readers, writers and
 * profiles copy the filter that they get.
 *
 * A sample must pass every part of the filter. `match` sees the frames that
 * `hide` has left.
 *
 * Patterns are Perl-compatible (PCRE2) and are matched against the text
 * `function file:line`, once for each distinct frame. Names are bytes, so `.`
 * matches one byte. A match that takes more than BOB_MAX_MATCH_STEPS steps
 * counts as no match, with one warning. A bad pattern is BOB_E_USAGE.
 *
 *     struct bob_filter f = { .size = sizeof(f), .match = "PDO::" };
 *     struct bob_read_opts o = { .size = sizeof(o), .filter = &f };
 *     bob_open(ctx, "trace.rbt", &o, &reader);
 */
#ifndef BOBBIN_FILTER_H
#define BOBBIN_FILTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bob_filter_flags {
	BOB_FILTER_NO_LINE = 1 << 0, /* merge frames that differ by line */
	BOB_FILTER_TIME = 1 << 1,    /* t_from and t_to are set */
	/* date_from and date_to are set. Readers, writers and profiles know
	 * them; views ignore them. */
	BOB_FILTER_DATE = 1 << 2
};

/* Idle samples: the thread waited for work (in an accept loop, at the queue of
 * a pool, in the selector of an event loop, for a join), by known functions of
 * its stack and by its status. Waiting for an answer is not idle. See
 * docs/time.md. */
enum bob_idle {
	BOB_IDLE_KEEP = 0, /* with all others */
	BOB_IDLE_HIDE,     /* without idle samples */
	BOB_IDLE_ONLY      /* idle samples alone */
};

struct bob_filter {
	size_t size; /* sizeof(struct bob_filter) */
	uint32_t flags;
	const uint64_t *pids; /* keep these pids only; NULL: all */
	size_t n_pids;
	/* Keep samples with t_from <= time < t_to, in microseconds since the
	 * first time of the trace. A run that crosses a limit is cut. Samples
	 * without a time are dropped. */
	uint64_t t_from, t_to;
	/* "key=value" keeps samples with this pair, "key" those with this key.
	 * A sample must have all of them. */
	const char *const *annotations;
	size_t n_annotations;
	const char *hide;  /* drop matching frames, and samples that have no
	                    * frame left */
	const char *match; /* keep samples with a matching frame */
	const uint64_t *tids; /* keep these threads only; NULL: all */
	size_t n_tids;
	/* Keep samples whose status (enum bob_run_status) has all bits of
	 * status_set and none of status_clear. If either is not 0, samples
	 * without a status are dropped. */
	uint8_t status_set, status_clear;
	int idle; /* enum bob_idle */
	/* Keep samples with date_from <= date < date_to, in microseconds since
	 * 1970. The date of a sample is its time plus the date of the
	 * segment's time 0. A run that crosses a limit is cut. Samples without
	 * a date are dropped. */
	uint64_t date_from, date_to;
};

#ifdef __cplusplus
}
#endif
#endif
