/*
 * The files that hold the names of stripped programs: found by build id, else
 * by the name and checksum in the program.
 */
#ifndef CAPTURE_NATIVE_DEBUGFILE_H
#define CAPTURE_NATIVE_DEBUGFILE_H

#include <stddef.h>

#include "capture/native/elfutils.h"

/* The build id of a file in hexadecimal digits, "" when it has none. */
void debugfile_build_id(const struct elfutils *eu, Elf *elf, char *ret,
    size_t cap);

/*
 * Opens the one that belongs to a program, whose path is as its process names
 * it: below `root` first, then on this machine. *ret_fd is the caller's to
 * close, once he has read what he wants. NULL when there is none.
 */
Elf *debugfile_find(const struct elfutils *eu, Elf *elf, const char *build_id,
    const char *path, const char *root, int *ret_fd);

#endif
