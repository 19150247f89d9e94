/* How checks tell what they found. */
#ifndef CAPTURE_CHECK_H
#define CAPTURE_CHECK_H

#include <bobbin/doctor.h>

struct checks {
	struct bob_ctx *ctx;
	bob_check_fn *fn;
	void *user;
	int worst; /* enum bob_health, so far */
};

/* fix may be NULL or "". */
void check_say(struct checks *c, const char *name, int health,
    const char *fix, const char *fmt, ...) BOB_PRINTF(5, 6);

#endif
