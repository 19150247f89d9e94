/*
 * Source files of a trace. A trace names files, and whoever made it may have
 * made up the names: "/etc/shadow" must never end up in a report. So source is
 * read only below directories that the user names, and never through a link
 * that leads out of them.
 *
 *     struct bob_sources *s = bob_sources_new();
 *
 *     bob_sources_add(s, "/srv/app");           the trace was made here
 *     bob_sources_add(s, "/app=/home/me/app");  it was made elsewhere
 *     fd = bob_sources_open(s, "/app/src/x.php", 14);
 */
#ifndef BOBBIN_SOURCE_H
#define BOBBIN_SOURCE_H

#include <stddef.h>

#include <bobbin/api.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bob_sources;

/* None yet; NULL: out of memory. */
BOB_API struct bob_sources *bob_sources_new(void);

/*
 * The same for processes that run, which bob_proc_show_source adds
 * (bobbin/capture.h). "DIR" is a directory as they see it: below their root,
 * and with the rights of their user. With "FROM=DIR", DIR is here, and their
 * user's rights count below it. A file is opened when it is the same one for
 * all of them, and all of them may read it; without any process, none is.
 */
BOB_API struct bob_sources *bob_sources_new_live(void);

BOB_API void bob_sources_free(struct bob_sources *s);

/*
 * Adds "DIR", for files that the trace names below DIR, or "FROM=DIR", for
 * files that it names below FROM and that are below DIR here. Relative names
 * are looked up below each DIR. FROM may also be a whole path, and DIR the file
 * that it stands for. Returns 0, or an errno: DIR is held open from now on.
 */
BOB_API int bob_sources_add(struct bob_sources *s, const char *spec);

/* Forgets all of them: nothing is opened any more. */
BOB_API void bob_sources_forget(struct bob_sources *s);

/* How many there are. */
BOB_API size_t bob_sources_count(const struct bob_sources *s);

/*
 * Opens the file that a trace calls by the n bytes at path. The longest FROM or
 * DIR that fits is tried first. Only regular files are opened. Returns a
 * descriptor, or a negative errno: -ENOENT when no directory that was added
 * has it, -EINVAL when it is no regular file, -EACCES when the user of a
 * process may not read it. A link that leads out of a
 * directory is followed as if that directory were the root.
 */
BOB_API int bob_sources_open(const struct bob_sources *s, const char *path,
    size_t n);

#ifdef __cplusplus
}
#endif
#endif
