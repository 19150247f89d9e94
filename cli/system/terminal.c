/* The size of the terminal; see the header. */
#include "terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "print/plain.h"

/* The number in a variable of the environment, or 0. */
static size_t
from_environment(const char *name)
{
	const char *value = getenv(name);
	uint64_t n;

	return value != NULL && plain_get_u64(value, &n) && n < 100000
	    ? (size_t)n : 0;
}

void
terminal_size(size_t *ret_columns, size_t *ret_lines)
{
	struct winsize w = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0)
		(void)ioctl(STDERR_FILENO, TIOCGWINSZ, &w);
	*ret_columns = from_environment("COLUMNS");
	*ret_lines = from_environment("LINES");
	if (*ret_columns == 0)
		*ret_columns = w.ws_col > 0 ? w.ws_col : 80;
	if (*ret_lines == 0)
		*ret_lines = w.ws_row > 0 ? w.ws_row : 24;
}

int
terminal_is_raw(int fd)
{
	struct termios t;

	return tcgetattr(fd, &t) == 0 && (t.c_oflag & OPOST) == 0;
}
