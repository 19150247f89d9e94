/*
 * Glyphs that screens are drawn with: rules, bars, blocks, dots. Each has an
 * ASCII twin for terminals that have nothing else.
 */
#ifndef TUI_GLYPH_H
#define TUI_GLYPH_H

#include <stdint.h>

struct canvas;

enum glyph {
	GLYPH_ELLIPSIS,
	GLYPH_DASH,   /* in titles */
	GLYPH_DOT,    /* between facts */
	GLYPH_RULE,
	GLYPH_BAR,    /* a vertical rule */
	GLYPH_FOLDED,
	GLYPH_OPEN,
	GLYPH_BRANCH, /* a child, and more below */
	GLYPH_LAST,   /* the last child */
	GLYPH_DOWN,   /* past a child that has siblings */
	GLYPH_STROKE, /* from the branch to the child */
	GLYPH_EDGE,   /* left edge of a box */
	GLYPH_DELTA,  /* how far the wheel scrolls */
	GLYPH_MARKER, /* the selected row */
	GLYPH_CHECK,
	GLYPH_RULE_ON, /* a rule under what is selected */
	N_GLYPHS
};

uint32_t glyph(const struct canvas *c, enum glyph s);

/* A bar of one cell, filled from below by level / 8. */
uint32_t glyph_block(const struct canvas *c, int level);

/* A cell of 2 by 4 dots; bit y * 2 + x. */
uint32_t glyph_dots(const struct canvas *c, unsigned dots);

/* Copies text of our own to buf (n bytes) and returns buf. On an ASCII terminal
 * · — δ … become their twins. */
const char *glyph_text(const struct canvas *c, char *buf, int n,
    const char *s);

#endif
