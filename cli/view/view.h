/*
 * bobbin view: what its parts share. cmd_view.c reads the inputs and runs the
 * server, answers.c answers the questions of the page, assets.h has the page.
 */
#ifndef CLI_VIEW_VIEW_H
#define CLI_VIEW_VIEW_H

#include <stdint.h>

#include <bobbin/profile.h>

#include "cache.h"
#include "input/job.h"
#include "server.h"

struct view {
	struct job job;
	struct bob_profile *profile;
	struct cache cache;
	const char *title; /* names of the inputs */
	int is_diff;       /* two sides, before and after */
	int idle;          /* enum bob_idle, unless the page says another */
	int follows;       /* the inputs may still grow */
	uint64_t version;  /* counts how often they grew */
	uint64_t asked;    /* monotonic us of the last question */
};

/* Answers a question or gives a file of the page. `user` is a struct view. */
void view_answer(void *user, const struct request *rq, struct reply *ret);

#endif
