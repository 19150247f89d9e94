/* A set of numbers that are spread evenly, such as parts of a hash. It holds a
 * fixed number of them; when it is full it begins again. */
#ifndef SHIP_IDSET_H
#define SHIP_IDSET_H

#include <stdint.h>

#include "core/error.h"

#define IDSET_MAX 262144u /* 4 MiB with free slots */

struct idset {
	uint64_t *slot; /* 0: free */
	uint64_t epoch; /* what it is true for; the caller's */
	uint32_t n;
};

/* Returns BOB_OK or FATAL. */
int idset_init(struct idset *s, struct bob_ctx *ctx);
void idset_done(struct idset *s);

void idset_clear(struct idset *s);
int idset_has(const struct idset *s, uint64_t id);
void idset_add(struct idset *s, uint64_t id);

#endif
