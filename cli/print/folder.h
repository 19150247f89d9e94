/*
 * The folder that most paths of a report are in, so that it is shown once:
 * "paths are below /srv/shop/".
 */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <stddef.h>

#include <bobbin/model.h>

/* No more paths are looked at. */
#define FOLDER_PATHS 64

/* Appends a path to the n (at most FOLDER_PATHS) in v, if it is absolute and
 * there is room. Returns how many there are. */
size_t folder_add(struct bob_bytes *v, size_t n, struct bob_bytes path);

/* Returns the folder, with its last slash, that saves the most characters: a
 * part of one of the paths, and not copied. Its n is 0 if none is worth a line
 * or fewer than two paths are in it. */
struct bob_bytes folder_find(const struct bob_bytes *v, size_t n);

/* How many bytes of a path are left out: all of the folder, or 0. */
size_t folder_skip(struct bob_bytes folder, struct bob_bytes path);

#endif
