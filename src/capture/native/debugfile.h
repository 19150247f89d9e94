/*
 * The files that hold the names of stripped programs: found by build id, else
 * by the name and checksum in the program.
 */
#ifndef CAPTURE_NATIVE_DEBUGFILE_H
#define CAPTURE_NATIVE_DEBUGFILE_H

#include <stddef.h>

#include "capture/elf/elf.h"

/* Of a build id: 20 bytes are normal. */
#define DEBUGFILE_MAX_ID 64
#define DEBUGFILE_ID (2 * DEBUGFILE_MAX_ID + 1)

/* A file whose checksum is computed; larger ones are not believed. All of it is
 * read for that. Distributions name their files by build ids, and those have no
 * such limit. */
#define DEBUGFILE_MAX_CHECKED ((uint64_t)128 << 20)

/* The build id of a file in hexadecimal digits, "" when it has none. */
void debugfile_build_id(struct elf *e, char ret[DEBUGFILE_ID]);

/*
 * Opens the one that belongs to a program, whose path is as its process names
 * it: below `root` first, then on this machine. What is read of those that are
 * tried counts to the program's quota. 1 and *ret, for elf_done; 0: there is
 * none.
 */
int debugfile_find(struct elf *e, const char *build_id, const char *path,
    const char *root, struct elf *ret);

#endif
