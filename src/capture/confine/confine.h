/*
 * The table of system calls that a capture makes, by name, as numbers differ
 * between machines. A call that a machine does not have is left out.
 */
#ifndef CAPTURE_CONFINE_CONFINE_H
#define CAPTURE_CONFINE_CONFINE_H

#include <stdint.h>

/* How arguments are checked. */
enum confine_how {
	CONFINE_ANY,   /* any arguments are allowed */
	CONFINE_EQUAL, /* argument `at` must be `value` */
	CONFINE_MASK   /* its bits in `mask` must be `value` */
};

struct confine_call {
	const char *name;
	enum confine_how how;
	unsigned at;
	uint64_t mask, value;
	uint32_t flag; /* only with this enum bob_confine_flags; 0: always */
};

/* Returns the i-th call; NULL behind the last. A name may be there more than
 * once, for several values. */
const struct confine_call *confine_call_get(unsigned i);

#endif
