/*
 * Inputs that grow while a page shows them, and what else may happen to them:
 * a file is removed, truncated, or replaced by another of its name (rotation).
 * The page keeps what it had, adds what comes, and says what has happened.
 */
#ifndef CLI_VIEW_FOLLOW_H
#define CLI_VIEW_FOLLOW_H

#include <stddef.h>
#include <sys/types.h>

#include "input/job.h"
#include "view.h"

/* A file, as it was when it was looked at last. */
struct followed {
	dev_t dev;
	ino_t ino;
	off_t size;
	int is_file; /* 0: a pipe or a directory, which the library follows */
	int is_gone;
};

struct follow {
	struct view *view;
	const struct job *job;
	struct followed *input; /* one for each of the job */
};

/* Begins with inputs that were read until now. Returns 0; -1 without memory. */
int follow_init(struct follow *f, struct view *view, const struct job *job);
void follow_done(struct follow *f);

/* Reads what has come. Sets the view's version if there is something new, its
 * note if something has happened, and clears `follows` at the end of all. */
void follow_read(struct follow *f);

#endif
