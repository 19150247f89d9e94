/* --store: inputs that are segments of a store (bobbin/store.h). */
#ifndef CLI_STORED_H
#define CLI_STORED_H

#include "job.h"

/*
 * Sets the inputs of a job to the segments that may have samples that are asked
 * for: by the dates and pids of its filter, and by --service, --host and
 * --route. Those with the earliest samples come first. With --explain it says
 * which they are. EXIT_OK, or another code after saying what is wrong.
 */
int stored_inputs(struct job *j);
void stored_done(struct job *j);

/* EXIT_OK, or EXIT_USAGE after saying that an option needs --store. */
int stored_check(const struct args *a);

#endif
