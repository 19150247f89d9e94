/*
 * Known functions: comparing the frames of a trace with tables of names.
 *
 * A Python function is known by the last part of its name (`Condition.wait`,
 * and `wait` before Python 3.11) and by the folder and name of its file; a PHP
 * function by its full name; a native one by its symbol. In tables, a Python
 * name with a class stands for this class alone, and a file that begins with
 * "python*" is of the standard library: its folder begins with "python", or it
 * has no folder.
 */
#ifndef MODEL_KNOWN_H
#define MODEL_KNOWN_H

#include "model/dict.h"

/* No name of a table is longer. */
#define KNOWN_NAME 80

/* Returns 1 if a Python function has a name of a table. */
int known_python(struct bob_bytes name, const char *known);

/* Returns 1 if a path is that file. */
int known_file(struct bob_bytes path, const char *file);

/* Writes the full name of a PHP function to buf. Returns it; an empty one if it
 * is too long for any table. */
struct bob_bytes known_php(const struct bob_dict *d, bob_fid id,
    char buf[KNOWN_NAME]);

#endif
