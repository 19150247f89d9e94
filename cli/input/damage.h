/*
 * Damage of inputs that was skipped. Commands that read go on behind it, and
 * say once per input what was lost.
 */
#ifndef CLI_DAMAGE_H
#define CLI_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>
#include <bobbin/status.h>

/* Of one input. */
struct damage {
	char *input;
	uint64_t n_gaps, n_bytes, n_lost;
	uint64_t n_lines;      /* of text, which were skipped */
	int lost_is_exact;
	int is_cut;            /* it ends too early */
	char why[BOB_MAX_TEXT]; /* of the first */
};

struct damages {
	struct damage *v;
	size_t n, cap;
};

/* Adds what the library has told. A warning or note that is about no loss
 * returns 0 and is not added. */
int damages_add_diag(struct damages *d, const struct bob_error *e);
void damages_add_gap(struct damages *d, const char *input,
    const struct bob_gap *gap);

enum damages_as {
	DAMAGES_WARN,  /* the rest was read */
	DAMAGES_ERROR, /* nothing could be read */
	DAMAGES_STRICT /* skipped lines are an error, an early end is none */
};

/* Prints a line for each damaged input, and forgets them. Returns EXIT_OK if
 * there was none, else EXIT_PARTIAL or, if they are errors, EXIT_FAILED. */
int damages_tell(struct damages *d, enum damages_as as);

#endif
