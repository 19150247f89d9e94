/*
 * Opening a file that another user may have created. Opening a FIFO waits for
 * its writer, and opening a device may have effects: neither is ever opened.
 */
#ifndef CORE_REGULAR_H
#define CORE_REGULAR_H

/*
 * Opens a regular file for reading; follows links. Returns its descriptor, or
 * -1 and sets errno: ENOENT also if the path is no regular file.
 */
int regular_open(const char *path);

/* The same for a side file: a link counts as absent too, because bobbin never
 * creates side files that are links. */
int regular_open_side(const char *path);

/*
 * Opens a file that was found with O_PATH (beneath_find), by its descriptor, so
 * that it cannot be replaced in between. Closes `place`, which may also be a
 * negative errno. Returns a descriptor or a negative errno: -EINVAL if it is no
 * regular file.
 */
int regular_open_place(int place);

/* The same for a path; follows links. */
int regular_open_named(const char *path);

#endif
