/* Printing samples of a memory image, to compare with the expected text. */
#ifndef TOOLS_IMAGE_PRINT_H
#define TOOLS_IMAGE_PRINT_H

#include <stdio.h>

#include "capture/runtime.h"

/*
 * A line per run: the name of its thread, its status in hex, annotations as
 * KEY=VALUE, and its frames, outermost first, as NAME:LINE; a blank after
 * each, and blanks in them as '_'. Paths and numbers of threads are not told,
 * as they are those of one machine.
 */
void image_print_runs(FILE *f, const struct process *p);

/* Takes some samples of a state, prints the last, and detaches. BOB_OK, or
 * what the runtime said. */
int image_sample(FILE *f, struct process *p, const struct runtime *runtime,
    void *state);

#endif
