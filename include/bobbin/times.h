/*
 * The times of a recording in words, the same on all surfaces: analyze, diff,
 * explore, top and info. docs/time.md defines the labels.
 *
 *     struct bob_times t = { .size = sizeof(t) };
 *     char buf[BOB_TIMES_TEXT];
 *
 *     if (bob_profile_times(profile, 0, filter, &t) == BOB_OK) {
 *             puts(bob_times_line(buf, &t, width));
 *             if (*bob_times_idle(buf, &t) != '\0')
 *                     puts(buf);
 *     }
 *
 * prints
 *
 *     wall time 2 s, thread time 38 s of 19 threads, CPU time 1.98 s
 *     idle: 31.4 s of 16 threads set aside (by known functions); --idle shows
 *     them
 *
 * Surfaces with fields of their own (info, JSON, a title bar) use
 * bob_times_figures. All text is our own: ASCII, nothing from a trace.
 */
#ifndef BOBBIN_TIMES_H
#define BOBBIN_TIMES_H

#include <stddef.h>

#include <bobbin/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes: room for any line. */
#define BOB_TIMES_TEXT 320

/* One figure. */
struct bob_times_figure {
	const char *label; /* "wall time" */
	const char *key;   /* of JSON: "wall_us" */
	uint64_t us;
	char text[80]; /* "2 s", "38 s of 19 threads" */
};

enum { BOB_TIMES_FIGURES = 5 };

/* Sets v to those figures that are known, the most important first: wall time,
 * thread time, CPU time, idle, waited. Returns how many. */
BOB_API size_t bob_times_figures(const struct bob_times *t,
    struct bob_times_figure v[BOB_TIMES_FIGURES]);

/* Writes wall time, thread time and CPU time to buf and returns it. If they
 * need more than `width` columns (0: any), the last ones are left out. */
BOB_API const char *bob_times_line(char buf[BOB_TIMES_TEXT],
    const struct bob_times *t, size_t width);

/* Writes how much is idle and whether it is shown; "" if nothing is. */
BOB_API const char *bob_times_idle(char buf[BOB_TIMES_TEXT],
    const struct bob_times *t);

/* How idle samples were found: "by known functions". */
BOB_API const char *bob_times_idle_rule(const struct bob_times *t);

/* What shares refer to: "thread time", "thread time without idle". */
BOB_API const char *bob_times_of_shares(const struct bob_times *t);

/* Writes what is missing in the recording: "1 gap, 5 samples lost, 3 missed
 * (0.10 %)"; "" if nothing is known to be missing. */
BOB_API const char *bob_times_loss(char buf[BOB_TIMES_TEXT],
    const struct bob_times *t);

#ifdef __cplusplus
}
#endif
#endif
