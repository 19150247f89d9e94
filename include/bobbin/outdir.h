/*
 * Creating output files safely, also in folders that other users write to,
 * such as /tmp. Another user could put a symbolic link, a hard link or a file
 * of their own there, or replace the folder by a link. So a path is looked up
 * once, and the folder is held open. Everything else happens in that folder:
 * no link is followed, and nothing is written into a file of another user.
 *
 *     struct bob_outdir d;
 *
 *     if ((sys = bob_outdir_open(&d, "/tmp/out.rbt", 0)) != 0)
 *             fail(bob_outdir_why(sys));
 *     fd = bob_outdir_create(&d, "out.rbt.part", 0666);
 *     ...
 *     bob_outdir_rename(&d, "out.rbt.part", d.name);
 *     bob_outdir_close(&d);
 */
#ifndef BOBBIN_OUTDIR_H
#define BOBBIN_OUTDIR_H

#include <stddef.h>

#include <bobbin/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A folder that is held open, and what has the name in it. */
struct bob_outdir {
	int fd;     /* the folder */
	char *path; /* of the file, after following a link at its end */
	const char *name; /* the last part of path */
	unsigned mode;    /* st_mode of what has the name; 0: nothing, or a
	                   * link to nothing */
	int is_ours;      /* it belongs to the caller (effective user) */
	int is_empty;     /* its size is 0 */
	int is_link;      /* it is a link to something that is no file, such
	                   * as /dev/stdout, or to nothing */
};

/*
 * Opens the folder of a path and looks at what has the name. A symbolic link at
 * the end of the path is followed if it belongs to the caller or to root. With
 * no_link every link is refused (ELOOP). Returns 0 and fills *d, which you
 * close; an errno on failure.
 */
BOB_API int bob_outdir_open(struct bob_outdir *d, const char *path,
    int no_link);

/* Creates a file in the folder. Returns a descriptor for reading and writing,
 * which the caller owns, or a negative errno: -EEXIST if the name is taken,
 * even by a link. */
BOB_API int bob_outdir_create(const struct bob_outdir *d, const char *name,
    unsigned mode);

/*
 * Creates a file in the folder, or empties an old one. An old one must belong
 * to the caller and have no second name. Returns a descriptor for reading and
 * writing, which the caller owns, or a negative errno: -EPERM (another user's),
 * -EMLINK (it has a second name), -ELOOP (a symbolic link), -EINVAL (no regular
 * file).
 */
BOB_API int bob_outdir_reuse(const struct bob_outdir *d, const char *name,
    unsigned mode);

/* Opens a pipe or device that has the name d->name. It must belong to the
 * caller or to root; a link to it (/dev/stdout) must too. Returns a descriptor
 * for writing, which the caller owns, or a negative errno. */
BOB_API int bob_outdir_other(const struct bob_outdir *d);

/* Rename and remove names within the folder. Return 0 or an errno. */
BOB_API int bob_outdir_rename(const struct bob_outdir *d, const char *from,
    const char *to);
BOB_API int bob_outdir_remove(const struct bob_outdir *d, const char *name);

/* Closes the folder and frees what *d owns. */
BOB_API void bob_outdir_close(struct bob_outdir *d);

/* Returns a text for an errno of these functions, such as "it belongs to
 * another user". For other numbers it is that of strerror(3). */
BOB_API const char *bob_outdir_why(int sys);

#ifdef __cplusplus
}
#endif
#endif
