/*
 * Options of commands that sample processes: how often, which threads, which
 * facts.
 *
 * Functions that return int return EXIT_OK, or another exit code after saying
 * what is wrong.
 */
#ifndef CLI_CAPTURE_OPTIONS_H
#define CLI_CAPTURE_OPTIONS_H

#include <stdint.h>

#include <bobbin/capture.h>

#include "args/args.h"
#include "output/output.h"

/* The flags of a sampler (enum bob_sampler_flags) that options ask for. */
uint32_t capture_sampler_flags(const struct args *args);

/* --rate or --period, in nanoseconds between samples; 0: as fast as
 * possible. */
int capture_rate(const struct args *args, uint64_t *ret_period_ns);

/* Sets all of *ret: runtime, depth, facts, native frames. The dictionary is
 * left to the caller. */
int capture_set_attach(const struct args *args, struct bob_attach_opts *ret);

/* --mode, --threads, --on-cpu, --native-marks and --async. */
int capture_set_threads(const struct args *args, struct bob_attach_opts *ret);

/* --async; part of capture_set_threads. */
int capture_set_tasks(const struct args *args, struct bob_attach_opts *ret);

/* --trace-var and --redact. `room` must live as long as *ret; NULL for a
 * command without --trace-var. */
int capture_set_vars(const struct args *args, struct bob_attach_opts *ret,
    const char *room[BOB_MAX_CAPTURE_VARS]);

/* After output_set_format. The annotations of a process seldom change: unless
 * the user says otherwise, formats that can write them where they change. */
int capture_set_annotations(struct output *o);

#endif
