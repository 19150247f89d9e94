/*
 * What all commands that capture have in common: how often, what of each
 * process, into which format.
 */
#ifndef CLI_CAPTURE_H
#define CLI_CAPTURE_H

#include <stdint.h>

#include <bobbin/capture.h>

#include "args.h"
#include "convert/conv.h"

/* What options want of a sampler, as enum bob_sampler_flags. */
uint32_t capture_sampler_flags(const struct args *args);

/* Each: EXIT_OK, or another code after saying what is wrong. */

/* --rate or --period, as nanoseconds between samples; 0: as fast as it
 * goes. */
int capture_rate(const struct args *args, uint64_t *ret_period_ns);

/* What is wanted of processes; the dictionary is left to the caller. */
int capture_attach(const struct args *args, struct bob_attach_opts *ret);

/* The options of the target format; before conv_set_target. c->options is
 * the caller's to free. */
int capture_target(const struct args *args, struct conv *c);

/*
 * What is left to be settled once the format is known, after conv_set_target.
 * Whoever is sampled keeps his annotations for a while: unless the user says
 * otherwise, they are written where they change, by formats that can. Values
 * of options, and the filter's patterns (NULL: there is none), are looked at
 * now: later a process would have been started for nothing.
 */
int capture_settle_target(struct conv *c, struct bob_ctx *ctx,
    const struct bob_filter *filter);

#endif
