/*
 * The recording that a page shows while it grows.
 *
 * A process of its own records, as `bobbin record` does, into a file; the
 * server follows that file as any other that grows. So no question of the page
 * can delay a sample. The recorder ends when the server's process does.
 */
#ifndef CLI_VIEW_RECORDING_H
#define CLI_VIEW_RECORDING_H

#include <stdint.h>

#include "args/args.h"

struct recording {
	struct args record; /* the arguments of the recorder */
	char *title;        /* what is recorded */
	char *path;         /* of the file */
	char *folder;       /* the file is temporary, alone in it; or NULL */
	int pid;            /* of the recorder; 0: none */
	int is_command;     /* it has started one */
	uint64_t start_us, end_us; /* monotonic; end_us is 0 while it runs */
};

/* True if the arguments of view ask for a recording: processes without inputs,
 * or a command. */
int recording_is_asked(const struct args *args);

/* Starts one, and waits until the file has begun. Exit codes: EXIT_OK, or what
 * the recorder has ended with after saying why. Signals that stop have to be
 * caught already. recording_end in either case. */
int recording_start(struct recording *r, const struct args *args);

/* True once it has ended. Does not wait. */
int recording_is_over(struct recording *r);

/* How long it has recorded, in us. */
uint64_t recording_age(const struct recording *r);

/* Ends it and waits for it; a temporary file is removed. Returns the exit code
 * of the recorder, which is that of the command if there is one. */
int recording_end(struct recording *r);

#endif
