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

/*
 * How the names of a table end. Few of a trace's names are in a table, so most
 * comparisons are saved by asking this first. A Python name stands for its last
 * part. All zeros: an empty table.
 */
struct known_ends {
	uint32_t lengths[64]; /* by last byte: bits of the lengths, modulo 32 */
};

void known_ends_add(struct known_ends *ends, struct bob_bytes name);

/* Returns 0 if no name of the table is this one; else 1, mostly by chance. */
static inline int
known_ends_has(const struct known_ends *ends, struct bob_bytes name)
{
	return name.n > 0 && (ends->lengths[(uint8_t)name.p[name.n - 1] % 64] >>
	    name.n % 32 & 1) != 0;
}

/* Returns the part behind the last dot. */
struct bob_bytes known_last_part(struct bob_bytes name);

/* Returns 1 if a Python function has a name of a table. */
int known_python(struct bob_bytes name, const char *known);

/* Returns 1 if a path is that file. */
int known_file(struct bob_bytes path, const char *file);

/* Writes the full name of a PHP function to buf. Returns it; an empty one if it
 * is too long for any table. */
struct bob_bytes known_php(const struct bob_dict *d, bob_fid id,
    char buf[KNOWN_NAME]);

#endif
