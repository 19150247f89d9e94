/*
 * What commands that sample processes say about it: what a recorder notes, what
 * was lost, what it cost.
 */
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/recorder.h>

#include "output/output.h"

#define NOTES_MODULES 64
#define NOTES_PATH 256

/* Modules without symbols that were told; each is told once. */
struct notes {
	char module[NOTES_MODULES][NOTES_PATH];
	size_t n_modules;
};

/* Prints what a recorder notes: missing symbols, source and files. */
void notes_tell(struct notes *s, const struct bob_recorder_note *n);

/* "moved 3, disk 120": by cause, the samples that could not be proven and those
 * that could not be written (sum may be NULL). "" if there are none. */
void notes_describe_losses(const struct bob_capture_counts *c,
    const struct bob_recorded *sum, char *buf, size_t cap);

/* Samples that were taken and could not be written. */
uint64_t notes_count_losses(const struct bob_recorded *sum);

/* "stopped 21 us a sample, 3 unmerged", for native frames; "" if no thread was
 * stopped. Returns buf. */
const char *notes_describe_stops(const struct bob_capture_counts *c, char *buf,
    size_t cap);

/* Says, in at most one line, what was asked for and will be missing in files of
 * a format with these caps. */
void notes_tell_plan(struct output *o, const struct bob_attach_opts *attach,
    int names_pids, uint32_t caps);

#endif
