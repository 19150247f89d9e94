/*
 * Keys of metadata that several formats know. A fact that one format stores in
 * a field of its own survives in another one as metadata. Values are text, and
 * numbers are decimal, so that people can read them in any output.
 */
#ifndef FORMAT_COMMON_META_H
#define FORMAT_COMMON_META_H

#include <string.h>

#include <bobbin/model.h>

/* Of whoever sampled: the version of the runtime, "3.16.0". */
#define META_PYTHON_VERSION "python.version"

/* How samples were taken: wall, cpu, gil, all or exception. */
#define META_MODE "profiler.mode"

/* What was captured, as words with commas between: all-threads, native, gc,
 * opcodes, blocking; may be empty. */
#define META_FEATURES "profiler.features"

/* Statistics of the capture, as decimal fractions. */
#define META_DURATION "profiler.duration_s"
#define META_RATE "profiler.samples_per_s"
#define META_FAILED "profiler.failed_percent"
#define META_MISSED "profiler.missed_percent"

/* Moments at which a process ran nothing that has a stack. */
#define META_EMPTY "profiler.idle"

/* When sampling began on the clock of the samples' times, in microseconds,
 * for formats without a field for it. */
#define META_T_BEGIN "profiler.t_begin_us"

/* The date of time 0 on that clock, in microseconds since 1970, for the same
 * formats. It counts only before the first sample of its segment. */
#define META_START "profiler.start_us"

/* What times are: META_TIMES_SUMS if samples were added up before they were
 * written, in no order. The time of a run is then the length of its sum: what
 * lies between it and the run before it on its track, or 0 of its segment. */
#define META_TIMES "profiler.times"
#define META_TIMES_SUMS "sums"

/* True when a string of the dictionary is `text`. */
static inline int
meta_is(const struct bob_dict *d, bob_str id, const char *text)
{
	struct bob_bytes s = bob_str_get(d, id);

	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

/* True if this value of META_TIMES says that times are lengths of sums. */
static inline int
meta_is_of_sums(struct bob_bytes times)
{
	return times.n == sizeof(META_TIMES_SUMS) - 1 &&
	    memcmp(times.p, META_TIMES_SUMS, times.n) == 0;
}

/* True if a capture of this mode (META_MODE) takes samples of some states
 * only. */
static inline int
meta_is_picked(struct bob_bytes mode)
{
	return !(mode.n == 4 && memcmp(mode.p, "wall", 4) == 0) &&
	    !(mode.n == 3 && memcmp(mode.p, "all", 3) == 0);
}

#endif
