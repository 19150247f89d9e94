/*
 * libbobbin: reads, repairs, converts and writes stack traces of sampled
 * processes. This header takes in all others; read them in this order:
 *
 *     status.h   how calls end, contexts, errors
 *     model.h    strings, frames, stacks, runs, segments: what a trace is
 *     read.h     a trace from a file, event by event
 *     filter.h   which samples, with which frames
 *     write.h    a trace into a file
 *     option.h   options of formats
 *     convert.h  formats by name, whole conversions in one call
 *     profile.h  whole traces added up: tables, trees, time lines
 *     diff.h     what differs between two of them
 *     capture.h  stacks of processes that run
 *     confine.h  least privilege for who captures
 *     doctor.h   what would keep them from being read
 *     outdir.h   where outputs go, in folders of others too
 *     source.h   source files of a trace
 *     chars.h    which characters may be shown
 *     limits.h   what is refused, and why
 */
#ifndef BOBBIN_BOBBIN_H
#define BOBBIN_BOBBIN_H

#include <bobbin/api.h>
#include <bobbin/capture.h>
#include <bobbin/chars.h>
#include <bobbin/confine.h>
#include <bobbin/convert.h>
#include <bobbin/diff.h>
#include <bobbin/doctor.h>
#include <bobbin/filter.h>
#include <bobbin/limits.h>
#include <bobbin/model.h>
#include <bobbin/option.h>
#include <bobbin/outdir.h>
#include <bobbin/profile.h>
#include <bobbin/read.h>
#include <bobbin/source.h>
#include <bobbin/status.h>
#include <bobbin/write.h>

#endif
