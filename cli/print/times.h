/* The times of a recording as JSON, with the same keys in all commands
 * (docs/time.md). */
#ifndef CLI_TIMES_H
#define CLI_TIMES_H

#include <bobbin/profile.h>

#include "json.h"

/* Adds them to the open object, with what is missing. */
void json_times(struct json *j, const struct bob_times *t);

#endif
