/*
 * The explorer: profiles in a full-screen terminal program.
 *
 *     struct explore_opts o = { .ctx = ctx, .profile = p, .title = "t.rbt" };
 *     if (explore_run(&o, err, sizeof(err)) < 0)
 *             complain(err);
 */
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include <stddef.h>

#include <bobbin/profile.h>

#include "tui/tty.h"

struct explore_opts {
	struct bob_ctx *ctx;
	struct bob_profile *profile;
	const char *title;    /* names of the inputs */
	int is_diff;          /* two sides */
	int follows;          /* the inputs may still grow */
	int group;            /* enum bob_group, to begin with */
	const char *annotation;
	int no_line;
	int idle;             /* enum bob_idle; the profile has all samples */
	const struct bob_sources *sources; /* where source may be read */
	const char *keymap;   /* a file, or NULL */
	struct tty_opts tty;
	void (*warn)(void *user, const char *text);
	void *user;
};

/* Runs until the user quits. Returns 0; -1 with the reason in err (n bytes).
 * Meanwhile it shows the messages of the context itself: a handler set with
 * bob_ctx_on_diag is removed. */
int explore_run(const struct explore_opts *o, char *err, size_t n);

/* Shows the bytes and the action of each key until q is typed. Returns as
 * explore_run; needs no profile. */
int explore_diagnose(const struct explore_opts *o, char *err, size_t n);

/* ---- Inside another program ---------------------------------------------- */

/*
 * The explorer of a profile that its caller adds to, on a terminal that the
 * caller has opened (tui/tty.h). The caller steps it often, and says when
 * something was added.
 */
struct explore_live;

/* Where it begins. */
struct explore_start {
	uint32_t focus; /* a key: its callers and callees; 0: the list */
	bob_tid track;  /* only samples of its process; 0: of all */
	int is_thread;  /* of its thread only */
};

/* Returns NULL with the reason in err (n bytes). The title is copied. */
struct explore_live *explore_live_open(const struct explore_opts *o,
    const struct explore_start *at, char *err, size_t n);

/* Handles keys and draws what changed. Returns 1 when the user leaves it. */
int explore_live_step(struct explore_live *x);

/* To be called after the profile has grown, now and then. */
void explore_live_grew(struct explore_live *x);

/* NULL is allowed. */
void explore_live_close(struct explore_live *x);

#endif
