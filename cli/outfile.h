/*
 * Where the output of the command goes.
 *
 * A file named on the command line is written under another name beside it
 * and renamed when it is whole, so that an older one is never lost and input
 * and output may be the same file. The library can do that by itself; the
 * command does it because only who knows the name can remove the unfinished
 * file when a signal ends the program, and because it wants to tell a full
 * disk from a damaged input.
 */
#ifndef CLI_OUTFILE_H
#define CLI_OUTFILE_H

#include <stdint.h>
#include <sys/types.h>

#include <bobbin/outdir.h>
#include <bobbin/write.h>

/* An error that was reported when it happened. */
#define OUTFILE_SAID (-1)

struct outfile {
	const char *name; /* what messages call it */
	struct bob_outdir dir; /* where it gets its name, held open */
	char *temp; /* its name in there until then; NULL: in place */
	int fd;
	int owns_fd;
	int replaces; /* an older file goes when this one is whole */
	int can_patch; /* bytes that were written can be reached again */
	off_t base;    /* where our first byte is in the file */
	int error; /* errno of the first write that failed, or below */
	uint64_t n_bytes;
};

/* "-" and NULL are standard output. 0, or -1 after saying why. */
int outfile_open(struct outfile *o, const char *path);

/* A target that writes to o. */
struct bob_target outfile_target(struct outfile *o);

/* Ends it: keeps the file (0, or -1 after saying why), or drops it and with
 * it all that was written, unless it went to standard output or a device. */
int outfile_keep(struct outfile *o);
void outfile_drop(struct outfile *o);

/*
 * A file per segment: PATTERN with the segment's number in place of {}, %d or
 * %0Nd. {} is %04d.
 */
struct outfiles {
	const char *pattern;
	char *name; /* of the current file */
	struct outfile current;
	int is_open;
	uint64_t n_files;
};

int outfiles_is_pattern(const char *path);

/* The name of a file of it; a path without a number is the same for all. The
 * caller frees it; NULL: out of memory. */
char *outfiles_name(const char *pattern, uint64_t index);

/* As struct bob_write_opts wants it; user is a struct outfiles. */
int outfiles_next(void *user, uint64_t index, struct bob_target *ret);

int outfiles_keep(struct outfiles *o);
void outfiles_drop(struct outfiles *o);

/* SIGINT, SIGTERM and SIGHUP remove an unfinished file from now on; then the
 * program dies of the signal. */
void outfile_on_signals(void);

#endif
