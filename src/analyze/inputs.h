/*
 * The inputs of a profile: files, standard input, and directories of files.
 * They are read once, or followed as they grow. inputs.c has the public
 * functions for them.
 */
#ifndef ANALYZE_INPUTS_H
#define ANALYZE_INPUTS_H

#include "analyze/profile.h"

/* Closes and frees all inputs and directories. */
void inputs_free(struct bob_profile *p);

/* Returns an input whose events come from the caller of gather_event; NULL if
 * memory is out. A side has one. */
struct input *inputs_fed(struct bob_profile *p, int side);

/* Ends that input, if there is one: the next call of inputs_fed returns another
 * one, whose times go on from this one's. BOB_OK or FATAL. */
int inputs_end_fed(struct bob_profile *p, int side);

#endif
