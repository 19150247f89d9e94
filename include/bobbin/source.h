/*
 * Opening the source files that a trace names. A hostile trace may name any
 * file, and "/etc/shadow" must never end up in a report. So only files below
 * directories that the user has named are opened, and no link leads out of
 * them.
 *
 *     struct bob_sources *s = bob_sources_new();
 *
 *     bob_sources_add(s, "/srv/app");           the trace was made here
 *     bob_sources_add(s, "/app=/home/me/app");  it was made elsewhere
 *     fd = bob_sources_open(s, "/app/src/x.php", 14);
 *
 * Threads: use a handle in one thread at a time.
 */
#ifndef BOBBIN_SOURCE_H
#define BOBBIN_SOURCE_H

#include <stddef.h>

#include <bobbin/api.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bob_sources;

/* Returns a new handle without directories, or NULL without memory. */
BOB_API struct bob_sources *bob_sources_new(void);

/*
 * The same for running processes, which bob_proc_show_source adds
 * (bobbin/capture.h). "DIR" is looked up as each process sees it: below its
 * root directory, and with the rights of its user. With "FROM=DIR", DIR is a
 * directory of the caller, and the rights of the process's user apply below it.
 * A file is opened only if it is the same file for all processes and all of
 * them may read it. Without a process no file is opened.
 */
BOB_API struct bob_sources *bob_sources_new_processes(void);

/* Frees a handle. NULL is allowed. */
BOB_API void bob_sources_free(struct bob_sources *s);

/*
 * Adds a directory. "DIR" is for files that the trace names below DIR.
 * "FROM=DIR" is for files that the trace names below FROM and that the caller
 * has below DIR. FROM may also be the path of a single file, and DIR the file
 * to open for it. Relative names are looked up below each DIR. Returns 0 or an
 * errno. DIR is held open.
 */
BOB_API int bob_sources_add(struct bob_sources *s, const char *spec);

/*
 * Returns 1 if one of the directories exists; for a handle of
 * bob_sources_new_processes, if one of its processes has it. Also returns 1 if
 * that is unknown: there is no process yet, or its user may not look there.
 */
BOB_API int bob_sources_found(const struct bob_sources *s);

/* Removes all directories: from now on no file is opened. */
BOB_API void bob_sources_forget(struct bob_sources *s);

/* Returns how many directories there are. NULL has none. */
BOB_API size_t bob_sources_count(const struct bob_sources *s);

/*
 * Opens the source file that a trace names by the n bytes at path. Tries the
 * longest FROM or DIR that the path begins with first. Opens regular files
 * only. A link that leads out of a directory is followed as if that directory
 * were the root.
 *
 * Returns a descriptor, which the caller owns, or a negative errno: -ENOENT if
 * no directory has the file, -EINVAL if it is no regular file, -EACCES if the
 * user of a process may not read it.
 */
BOB_API int bob_sources_open(const struct bob_sources *s, const char *path,
    size_t n);

#ifdef __cplusplus
}
#endif
#endif
