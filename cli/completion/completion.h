/* Completions for shells, made from the tables of args/options.h. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stdio.h>

/* Prints the script for a shell, by its name. Returns 1; 0 if the shell is
 * unknown. */
int completion_print(FILE *f, const char *shell);

#endif
