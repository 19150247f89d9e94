/*
 * Styles as colours. Text keeps the terminal's own colours unless a colour
 * carries meaning, so that it is readable on any background; boxes set both
 * foreground and background. Without colours, styles differ by bold, reverse,
 * underline and glyphs.
 */
#include "tty_color.h"

#include <curses.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

#include "style.h"
#include "tty.h"

#define NONE 0xffffffffu /* the terminal's own */

struct look {
	int fg16, bg16; /* of 16 colours; -1: the terminal's own */
	uint32_t fg[2], bg[2]; /* on dark, on light; 0xrrggbb */
	attr_t attr;      /* with colours */
	attr_t mono;      /* without */
};

#define FG(n, dark, light) (n), -1, { dark, light }, { NONE, NONE }
#define OWN -1, -1, { NONE, NONE }, { NONE, NONE }
#define BOX(fg, bg, fgs, bgd, bgl) (fg), (bg), { fgs, fgs }, { bgd, bgl }

static const struct look looks[N_STYLES] = {
	[STYLE_PLAIN] = { OWN, A_NORMAL, A_NORMAL },
	[STYLE_DIM] = { FG(8, 0x8a8a8a, 0x767676), A_NORMAL, A_DIM },
	[STYLE_BOLD] = { OWN, A_BOLD, A_BOLD },
	[STYLE_TITLE] = { FG(6, 0x5fd7ff, 0x005f87), A_BOLD, A_BOLD },
	[STYLE_LABEL] = { FG(8, 0x8a8a8a, 0x767676), A_NORMAL, A_NORMAL },
	[STYLE_ON] = { FG(3, 0xffd75f, 0x875f00), A_BOLD, A_BOLD },
	[STYLE_RULE] = { FG(8, 0x585858, 0xb2b2b2), A_NORMAL, A_DIM },
	[STYLE_KEY] = { FG(6, 0x5fd7ff, 0x005f87), A_BOLD, A_BOLD },
	[STYLE_ERROR] = { FG(1, 0xff5f5f, 0xaf0000), A_BOLD, A_BOLD },
	[STYLE_PANE] = { FG(8, 0xa8a8a8, 0x585858), A_NORMAL, A_UNDERLINE },
	[STYLE_PANE_ACTIVE] = { FG(6, 0x5fd7ff, 0x005f87), A_BOLD,
	    A_BOLD | A_UNDERLINE },
	[STYLE_CURSOR] = { BOX(15, 4, 0xffffff, 0x005f87, 0x005f87), A_BOLD,
	    A_REVERSE },
	[STYLE_PICKED] = { OWN, A_BOLD, A_BOLD },
	[STYLE_FILE] = { FG(8, 0x8a8a8a, 0x767676), A_NORMAL, A_DIM },
	[STYLE_MATCH] = { BOX(0, 3, 0x000000, 0xffd75f, 0xffd75f), A_NORMAL,
	    A_BOLD | A_UNDERLINE },
	[STYLE_GREW] = { FG(1, 0xff8787, 0xaf0000), A_NORMAL, A_BOLD },
	[STYLE_SHRANK] = { FG(4, 0x87afff, 0x005faf), A_NORMAL, A_NORMAL },
	[STYLE_SELECTED_TIME] = { FG(3, 0xffd75f, 0xaf5f00), A_BOLD,
	    A_BOLD },

	[STYLE_HEAT] = { FG(8, 0x6c6c6c, 0x9e9e9e), A_NORMAL, A_NORMAL },
	[STYLE_HEAT + 1] = { FG(2, 0x87af5f, 0x5f8700), A_NORMAL, A_NORMAL },
	[STYLE_HEAT + 2] = { FG(3, 0xd7d75f, 0x878700), A_NORMAL, A_NORMAL },
	[STYLE_HEAT + 3] = { FG(3, 0xffaf5f, 0xaf5f00), A_NORMAL, A_NORMAL },
	[STYLE_HEAT + 4] = { FG(1, 0xff875f, 0xd75f00), A_NORMAL, A_NORMAL },
	[STYLE_HEAT + 5] = { FG(1, 0xff5f5f, 0xaf0000), A_BOLD, A_BOLD },

	[STYLE_FLAME] = { BOX(0, 3, 0x1c1c1c, 0xffaf5f, 0xffaf5f), 0, 0 },
	[STYLE_FLAME + 1] = { BOX(0, 3, 0x1c1c1c, 0xffd787, 0xffd787), 0,
	    0 },
	[STYLE_FLAME + 2] = { BOX(0, 1, 0x1c1c1c, 0xff8787, 0xff8787), 0,
	    0 },
	[STYLE_FLAME + 3] = { BOX(0, 3, 0x1c1c1c, 0xffd75f, 0xffd75f), 0,
	    0 },
	[STYLE_FLAME + 4] = { BOX(0, 1, 0x1c1c1c, 0xffaf87, 0xffaf87), 0,
	    0 },
	[STYLE_FLAME + 5] = { BOX(0, 3, 0x1c1c1c, 0xffff87, 0xffff87), 0,
	    0 },
	[STYLE_FLAME + 6] = { BOX(0, 1, 0x1c1c1c, 0xff875f, 0xff875f), 0,
	    0 },
	[STYLE_FLAME + 7] = { BOX(0, 3, 0x1c1c1c, 0xd7af5f, 0xd7af5f), 0,
	    0 },
	[STYLE_FLAME_GREW] = { BOX(0, 1, 0x1c1c1c, 0xffafaf, 0xffafaf), 0,
	    0 },
	[STYLE_FLAME_GREW + 1] = { BOX(15, 1, 0xffffff, 0xd70000, 0xd70000),
	    0, A_BOLD },
	[STYLE_FLAME_SHRANK] = { BOX(0, 6, 0x1c1c1c, 0xafd7ff, 0xafd7ff), 0,
	    0 },
	[STYLE_FLAME_SHRANK + 1] = { BOX(15, 4, 0xffffff, 0x005fd7,
	    0x005fd7), 0, A_UNDERLINE },
	[STYLE_FLAME_SAME] = { BOX(0, 7, 0x1c1c1c, 0xd0d0d0, 0xd0d0d0), 0,
	    0 },
	[STYLE_FLAME_FOCUS] = { BOX(15, 4, 0xffffff, 0x005f87, 0x005f87),
	    A_BOLD, A_BOLD },
};

static int has_color;

/* The nearest of the 240 colours that are fixed among 256. */
static int
nearest_256(uint32_t rgb)
{
	static const int level[6] = { 0, 95, 135, 175, 215, 255 };
	int best = 16, best_d = -1, i;

	for (i = 16; i < 256; i++) {
		int cube = i - 16, grey = 8 + 10 * (i - 232), d = 0, k;

		for (k = 0; k < 3; k++) {
			int part = (int)(rgb >> (16 - 8 * k) & 0xff);
			int v = i >= 232 ? grey
			    : k == 0 ? level[cube / 36]
			    : k == 1 ? level[cube / 6 % 6]
			             : level[cube % 6];

			d += (part - v) * (part - v);
		}
		if (best_d < 0 || d < best_d) {
			best = i;
			best_d = d;
		}
	}
	return best;
}

/* $COLORFGBG, as rxvt, konsole and others set it: the last number is the
 * background. */
static int
theme_of_environment(void)
{
	const char *s = getenv("COLORFGBG");
	const char *bg = s != NULL ? strrchr(s, ';') : NULL;

	if (bg == NULL)
		return TTY_THEME_AUTO;
	return strcmp(bg, ";7") == 0 || strcmp(bg, ";15") == 0
	    ? TTY_THEME_LIGHT : TTY_THEME_DARK;
}

static int
pick_color(int n16, uint32_t rgb)
{
	if (rgb == NONE)
		return -1;
	if (COLORS > 256)
		return (int)rgb;
	if (COLORS == 256)
		return nearest_256(rgb);
	if (n16 >= COLORS) /* with 8 colours, bright black is unreadable */
		return n16 == 8 ? -1 : n16 - 8;
	return n16;
}

int
tty_color_init(int theme, int no_color)
{
	const char *no = getenv("NO_COLOR");
	int light, i;

	if (theme == TTY_THEME_AUTO)
		theme = theme_of_environment();
	light = theme == TTY_THEME_LIGHT;
	has_color = !no_color && (no == NULL || *no == '\0') &&
	    has_colors() && start_color() == OK &&
	    use_default_colors() == OK && COLORS >= 8;
	for (i = 0; has_color && i < N_STYLES; i++)
		(void)init_extended_pair(i + 1,
		    pick_color(looks[i].fg16, looks[i].fg[light]),
		    pick_color(looks[i].bg16, looks[i].bg[light]));
	return has_color && theme == TTY_THEME_AUTO;
}

unsigned long
tty_color_attr(int style)
{
	return has_color ? looks[style].attr : looks[style].mono;
}

int
tty_color_pair(int style)
{
	return has_color ? style + 1 : 0;
}

int
tty_color_is_able(const char *type)
{
	int err, is_able;

	if (setupterm(type, 1, &err) != OK)
		return 0;
	is_able = cursor_address != NULL;
	(void)del_curterm(cur_term);
	return is_able;
}

const char *
tty_color_type(char *buf, int n, int no_color)
{
	const char *type = getenv("TERM"), *depth = getenv("COLORTERM");
	int err, len;

	if (type == NULL || depth == NULL || no_color ||
	    (strcmp(depth, "truecolor") != 0 && strcmp(depth, "24bit") != 0))
		return NULL;
	len = (int)strcspn(type, "-");
	(void)snprintf(buf, (size_t)n, "%.*s-direct", len, type);
	if (strcmp(type, buf) == 0 || setupterm(buf, 1, &err) != OK)
		return NULL;
	(void)del_curterm(cur_term);
	return buf;
}
