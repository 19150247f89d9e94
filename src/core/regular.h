/*
 * Opening a file that others may have put there. Opening a FIFO waits for
 * who writes to it, opening a device can do something, and a link leads
 * anywhere: none of them is ever opened.
 */
#ifndef CORE_REGULAR_H
#define CORE_REGULAR_H

/*
 * Opens a regular file for reading. Returns its descriptor, or -1 and errno.
 * What is there but is no regular file counts as absent: ENOENT.
 */
int regular_open(const char *path);

/* The same for a file that is never a link: a link counts as absent, too. No
 * writer of ours makes side files that are links. */
int regular_open_side(const char *path);

/*
 * Opens what was found (O_PATH, as beneath_find does), by its descriptor, so
 * that it cannot change in between. Closes `place`, which may be a negative
 * errno. Returns a descriptor, or a negative errno: -EINVAL when it is no
 * regular file.
 */
int regular_open_place(int place);

/* The same by a path, links followed. */
int regular_open_named(const char *path);

#endif
