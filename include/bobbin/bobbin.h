/*
 * libbobbin: reads, repairs, converts and writes stack traces of sampled
 * processes. This header includes all others; read them in this order:
 *
 *     status.h   return statuses, contexts, errors
 *     model.h    what a trace consists of: strings, frames, stacks, runs
 *     read.h     reading a trace, event by event
 *     filter.h   selecting samples and hiding frames
 *     write.h    writing a trace
 *     option.h   options of formats
 *     convert.h  formats by name, and a whole conversion in one call
 *     profile.h  traces added up: tables, trees, time lines
 *     diff.h     comparing two profiles
 *     capture.h  sampling the stacks of running processes
 *     watch.h    choosing the processes, as they start and end
 *     recorder.h writing samples to files, for seconds or weeks
 *     store.h    directories of traces, and what is in them
 *     ship.h     sending them to servers
 *     confine.h  dropping privileges before a capture
 *     doctor.h   finding out why a process cannot be captured
 *     outdir.h   creating output files safely in shared folders
 *     source.h   opening the source files that a trace names
 *     chars.h    which characters are safe to print
 *     times.h    the times of a recording in words
 *     answer.h   where most of the time goes, as facts and in words
 *     units.h    times and sizes as text
 *     when.h     moments as people write them
 *     limits.h   every limit, with its reason
 */
#ifndef BOBBIN_BOBBIN_H
#define BOBBIN_BOBBIN_H

#include <bobbin/answer.h>
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
#include <bobbin/recorder.h>
#include <bobbin/ship.h>
#include <bobbin/source.h>
#include <bobbin/status.h>
#include <bobbin/store.h>
#include <bobbin/times.h>
#include <bobbin/units.h>
#include <bobbin/watch.h>
#include <bobbin/when.h>
#include <bobbin/write.h>

#endif
