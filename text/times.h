/*
 * The times of a recording in words, the same on all surfaces: analyze, diff,
 * explore, top and info. docs/time.md defines the labels.
 *
 *     struct bob_times t = { .size = sizeof(t) };
 *     char buf[TIMES_TEXT];
 *
 *     if (bob_profile_times(profile, 0, filter, &t) == BOB_OK) {
 *             puts(times_line(buf, &t, width));
 *             if (*times_idle_line(buf, &t) != '\0')
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
 * times_figures. All text is our own: ASCII, nothing from a trace.
 */
#ifndef TEXT_TIMES_H
#define TEXT_TIMES_H

#include <stddef.h>

#include <bobbin/profile.h>

#include "number.h"

/* Room for any line. */
#define TIMES_TEXT 320

/* One figure. */
struct times_figure {
	const char *label; /* "wall time" */
	const char *key;   /* of JSON: "wall_us" */
	uint64_t us;
	char text[2 * NUMBER_TEXT]; /* "2 s", "38 s of 19 threads" */
};

enum { TIMES_FIGURES = 5 };

/* Sets v to those figures that are known, the most important first: wall time,
 * thread time, CPU time, idle, waited. Returns how many. */
size_t times_figures(const struct bob_times *t,
    struct times_figure v[TIMES_FIGURES]);

/* Writes wall time, thread time and CPU time to buf and returns it. If they
 * need more than `width` columns (0: any), the last ones are left out. */
const char *times_line(char buf[TIMES_TEXT], const struct bob_times *t,
    size_t width);

/* Writes how much is idle and whether it is shown; "" if nothing is. */
const char *times_idle_line(char buf[TIMES_TEXT], const struct bob_times *t);

/* How idle samples were found: "by known functions". */
const char *times_idle_rule(const struct bob_times *t);

/* What shares refer to: "thread time", "thread time without idle". */
const char *times_of_shares(const struct bob_times *t);

/* Writes what is missing in the recording: "1 gap, 5 samples lost, 3 missed
 * (0.10 %)"; "" if nothing is known to be missing. */
const char *times_loss_line(char buf[TIMES_TEXT], const struct bob_times *t);

#endif
