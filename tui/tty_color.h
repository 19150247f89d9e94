/* How styles look on the terminal that is open. */
#ifndef TUI_TTY_COLOR_H
#define TUI_TTY_COLOR_H

/* After newterm: picks colours for what the terminal can. */
void tty_color_init(int theme, int no_color);

/* What a style is for ncurses: attributes and a colour pair. */
unsigned long tty_color_attr(int style);
int tty_color_pair(int style);

/* True when a terminal of this type (NULL: $TERM) is known, and the cursor can
 * be moved on it. */
int tty_color_is_able(const char *type);

/* The terminal type to open: that of $TERM, or its relative with direct
 * colours when $COLORTERM promises them and its description is there. NULL:
 * $TERM. `buf` has room for n bytes. */
const char *tty_color_type(char *buf, int n, int no_color);

#endif
