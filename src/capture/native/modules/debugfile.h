/*
 * Finds the debug file with the symbols of a stripped file: by build id, or
 * else by the name and checksum in .gnu_debuglink.
 */
#ifndef CAPTURE_NATIVE_MODULES_DEBUGFILE_H
#define CAPTURE_NATIVE_MODULES_DEBUGFILE_H

#include <stddef.h>

#include "capture/elf/elf.h"

/* Limit of bytes of a build id; 20 are usual. */
#define DEBUGFILE_MAX_ID 64
#define DEBUGFILE_ID (2 * DEBUGFILE_MAX_ID + 1)

/* Limit of a debug file that is known by checksum, as all of it is read for
 * that; a larger one is not used. Distributions use build ids, which have no
 * such limit. */
#define DEBUGFILE_MAX_CHECKED ((uint64_t)128 << 20)

/* Sets ret to the build id of a file in hexadecimal digits; "" if it has
 * none. */
void debugfile_build_id(struct elf *e, char ret[DEBUGFILE_ID]);

/*
 * Opens the debug file of a file, whose path is that in its process: below
 * `root` first, then on this machine. What is read is charged to the quota of
 * the file. Returns 1 and sets *ret, for elf_done(); 0 if there is none.
 */
int debugfile_find(struct elf *e, const char *build_id, const char *path,
    const char *root, struct elf *ret);

#endif
