/*
 * What functions wait for, by the tables of known functions in waits.c: a query
 * for the database, curl for the network, flock for a lock.
 *
 * Only functions that have nothing to do but wait are known, and those that
 * call C functions to wait that have no frame. Names come from the trace and
 * are compared whole, with their file (known.h).
 */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H

#include "model/dict.h"

struct wait {
	const char *what; /* "the database" */
	int is_general;   /* a caller may know it better: bytes from a socket
	                   * are the database's if its client reads them */
};

/* Returns what a function waits for; NULL if it is not known to wait. */
const struct wait *wait_of(const struct bob_dict *d, bob_fid frame);

/* Returns what general waits below this function are for; NULL if it does not
 * say. */
const struct wait *wait_of_caller(const struct bob_dict *d, bob_fid frame);

#endif
