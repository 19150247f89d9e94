/*
 * Filters: which samples a reader gives, and with which frames.
 *
 * All parts combine: a sample must pass each of them. `match` sees the frames
 * that `hide` left.
 * Patterns are PCRE2 and are matched against `function file:line`; each is
 * run once per distinct frame, whatever the number of samples.
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
	BOB_FILTER_TIME = 1 << 1     /* t_from and t_to are set */
};

struct bob_filter {
	size_t size; /* sizeof(struct bob_filter) */
	uint32_t flags;
	const uint64_t *pids; /* keep these pids only; NULL keeps all */
	size_t n_pids;
	/* Keep samples with t_from <= time < t_to, in microseconds since the
	 * first time of the trace; a run is cut where it crosses. Samples
	 * without a time are dropped. */
	uint64_t t_from, t_to;
	/* "key=value": keep samples with this pair; "key" with any value. Of
	 * several, a sample must have all. */
	const char *const *annotations;
	size_t n_annotations;
	const char *hide;  /* drop matching frames; samples left empty too */
	const char *match; /* keep samples with a matching frame */
	const uint64_t *tids; /* keep these threads only; NULL keeps all */
	size_t n_tids;
	/* Keep samples whose status has all bits of the first set and none of
	 * the second (enum bob_run_status); with either, samples without a
	 * status are dropped. */
	uint8_t status_set, status_clear;
};

#ifdef __cplusplus
}
#endif
#endif
