/* How styles look on the terminal that is open (tty.h). */
#ifndef TUI_TTY_COLOR_H
#define TUI_TTY_COLOR_H

/* Chooses colours by what the terminal has. Call it after newterm, and again
 * when the theme is known. Returns true if there are colours, and neither
 * `theme` nor the environment says whether the terminal is light or dark. */
int tty_color_init(int theme, int no_color);

/* The attributes and the colour pair of a style, for ncurses. */
unsigned long tty_color_attr(int style);
int tty_color_pair(int style);

/* True if the terminal type (NULL: $TERM) is known and can move its cursor. */
int tty_color_is_able(const char *type);

/* The terminal type to open. Returns the variant of $TERM with direct colours,
 * in buf (n bytes), if $COLORTERM promises them and terminfo has it; NULL for
 * $TERM itself. */
const char *tty_color_type(char *buf, int n, int no_color);

#endif
