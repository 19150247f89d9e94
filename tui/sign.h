/*
 * The characters that the explorer draws with itself, each with a twin for
 * terminals that have only ASCII.
 */
#ifndef TUI_SIGN_H
#define TUI_SIGN_H

#include <stdint.h>

struct canvas;

enum sign {
	SIGN_ELLIPSIS,
	SIGN_DASH,   /* between a name and what it is */
	SIGN_DOT,    /* between facts */
	SIGN_RULE,
	SIGN_BAR,    /* a vertical rule */
	SIGN_FOLDED,
	SIGN_OPEN,
	SIGN_BRANCH, /* a child, and more below */
	SIGN_LAST,   /* the last child */
	SIGN_DOWN,   /* past a child that has siblings */
	SIGN_STROKE, /* from the branch to the child */
	SIGN_EDGE,   /* left edge of a box */
	SIGN_DELTA,  /* how far the wheel scrolls */
	SIGN_MARKER, /* the selected row */
	SIGN_CHECK,
	SIGN_RULE_ON, /* a rule under what is selected */
	N_SIGNS
};

uint32_t sign(const struct canvas *c, enum sign s);

/* A bar of one cell, filled from below by level / 8. */
uint32_t sign_block(const struct canvas *c, int level);

/* A cell of 2 by 4 dots; bit y * 2 + x. */
uint32_t sign_dots(const struct canvas *c, unsigned dots);

/* Text with our own signs in it: · — δ … become their twins. `buf` takes
 * n bytes; returns it. */
const char *sign_text(const struct canvas *c, char *buf, int n,
    const char *s);

#endif
