/*
 * Which system calls a capture makes, by name: the numbers are those of the
 * machine. A name that a machine has not is left out.
 */
#ifndef CAPTURE_CONFINE_H
#define CAPTURE_CONFINE_H

#include <stdint.h>

/* How far an argument is looked at. */
enum confine_how {
	CONFINE_ANY,   /* whatever the arguments are */
	CONFINE_EQUAL, /* argument `at` is `value` */
	CONFINE_MASK   /* its bits in `mask` are `value` */
};

struct confine_call {
	const char *name;
	enum confine_how how;
	unsigned at;
	uint64_t mask, value;
	uint32_t flag; /* only with this enum bob_confine_flags; 0: always */
};

/* The i-th; NULL behind the last. A name may come more than once, with one
 * value each. */
const struct confine_call *confine_call_get(unsigned i);

#endif
