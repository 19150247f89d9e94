/*
 * The inputs of a profile: files, standard input, and directories of files,
 * read once or followed as they grow.
 */
#ifndef ANALYZE_INPUTS_H
#define ANALYZE_INPUTS_H

#include "analyze/profile.h"

/* Closes and forgets all of them. */
void inputs_free(struct bob_profile *p);

#endif
