/*
 * Output files. The library writes them under a temporary name until they are
 * complete. The command keeps that name, so that a signal which ends the
 * program leaves no unfinished file behind.
 */
#ifndef CLI_OUTFILE_H
#define CLI_OUTFILE_H

#include <bobbin/status.h>
#include <bobbin/write.h>

/* "-" and NULL are standard output. The path is borrowed. */
struct bob_target outfile_target(const char *path);

/* From now on SIGINT, SIGTERM and SIGHUP remove the unfinished file; then the
 * program dies of the signal. */
void outfile_on_signals(void);

/* If the error is that nobody reads the output any more (EPIPE), dies of
 * SIGPIPE without a message. */
void outfile_end_if_unread(const struct bob_error *e);

#endif
