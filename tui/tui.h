/*
 * The explorer: a full-screen look into profiles.
 *
 *     struct tui_opts o = { .ctx = ctx, .profile = p, .title = "t.rbt" };
 *     if (tui_explore(&o, err, sizeof(err)) < 0)
 *             complain(err);
 */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include <stddef.h>

#include <bobbin/profile.h>

#include "tty.h"

struct tui_opts {
	struct bob_ctx *ctx;
	struct bob_profile *profile;
	const char *title;    /* what is looked at, for people */
	int is_diff;          /* two sides */
	int follows;          /* the inputs may still grow */
	int group;            /* enum bob_group, to begin with */
	const char *annotation;
	const char *match;    /* to begin with, or NULL */
	int no_line;
	const struct bob_sources *sources; /* where source may be read */
	const char *keymap;   /* a file, or NULL */
	struct tty_opts tty;
	void (*warn)(void *user, const char *text);
	void *user;
};

/* Runs until the user has had enough. 0, or -1 with the reason in err. What the
 * context has to say is shown meanwhile; who heard it before hears no more. */
int tui_explore(const struct tui_opts *o, char *err, size_t n);

/* Shows what each key sends and does, until q. As tui_explore; needs no
 * profile. */
int tui_diagnose(const struct tui_opts *o, char *err, size_t n);

#endif
