/* The terminal that shows standard output. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stddef.h>

/* Its size; 80 by 24 when there is none. COLUMNS and LINES overrule it. */
void terminal_size(size_t *ret_columns, size_t *ret_lines);

/* True if a terminal does not go to the first column at "\n", as while sudo
 * runs a command. */
int terminal_is_raw(int fd);

#endif
