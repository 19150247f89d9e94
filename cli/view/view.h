/*
 * What is looked at in a browser: a profile, and how it is shown at first. The
 * questions about it are in answers.h; ask.h answers one as text. Nothing here
 * knows who asks: cmd_view.c has the server, web/engine the module of a page.
 */
#ifndef CLI_VIEW_VIEW_H
#define CLI_VIEW_VIEW_H

#include <stdint.h>

#include <bobbin/profile.h>

#include "cache.h"
#include "request.h"

/* What a profile must have for the questions (enum bob_profile_flags). */
#define VIEW_FLAGS (BOB_PROFILE_REQUESTS | BOB_PROFILE_RUNS)

/* What becomes of the inputs. */
enum view_state {
	VIEW_COMPLETE = 0, /* they do not grow */
	VIEW_FOLLOWING,
	VIEW_RECORDING,    /* by this command */
	VIEW_ENDED         /* the recording has ended */
};

struct bob_sources;
struct job;

/* Room for a note about an input: its name, and an error of the library. */
#define VIEW_NOTE 1200

struct view {
	struct bob_ctx *ctx;
	struct bob_profile *profile;
	struct cache cache;
	const char *title; /* names of the inputs */
	int is_diff;       /* two sides, before and after */
	int idle;          /* enum bob_idle, unless the page says another */
	int follows;       /* the inputs may still grow */
	int state;         /* enum view_state */
	uint64_t recorded_us; /* how long the recording took so far */
	uint64_t version;  /* counts how often they grew */
	char note[VIEW_NOTE]; /* what has happened to one last; "": nothing */
	const struct bob_sources *sources; /* where source may be read; NULL:
	                                    * nowhere */
	const struct job *job; /* the inputs, to be read again; NULL: they
	                        * cannot be */
};

#endif
