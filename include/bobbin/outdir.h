/*
 * Where an output goes: a folder that is held open, and a name in it. Whoever
 * may write to the folder can put a link, a file of their own or another name
 * of somebody's file there, or swap the folder itself for a link. So a path is
 * looked up once; everything else is done in the folder that was found, no link
 * is followed, and nothing is written into a file of another user.
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

struct bob_outdir {
	int fd;     /* the folder */
	char *path; /* where the file is, links at its end followed */
	const char *name; /* the last part of path */
	unsigned mode;    /* st_mode of what has the name; 0: nothing, or a
	                   * link that leads nowhere */
	int is_ours;      /* it belongs to the caller */
	int is_empty;     /* it is a file without content */
	int is_link;      /* the last part is a link, to no file */
};

/*
 * Finds the folder of a path, and what is there. A link at its end is followed
 * when it belongs to the caller or to root; with no_link it is refused: ELOOP.
 * 0 and *d, which is to be closed, or an errno.
 */
BOB_API int bob_outdir_open(struct bob_outdir *d, const char *path,
    int no_link);

/* A new file: a descriptor for reading and writing, or a negative errno;
 * -EEXIST when the name is taken, by a link too. */
BOB_API int bob_outdir_create(const struct bob_outdir *d, const char *name,
    unsigned mode);

/*
 * A file to be written in place: a new one, or an old one, which is emptied.
 * An old one belongs to the caller and has no other name. A descriptor for
 * reading and writing, or a negative errno: -EPERM, -EMLINK, -ELOOP.
 */
BOB_API int bob_outdir_reuse(const struct bob_outdir *d, const char *name,
    unsigned mode);

/* What is there and is no file: a pipe or a device, which belongs to the caller
 * or to root, as does a link to it (/dev/stdout). A descriptor for writing, or
 * a negative errno. */
BOB_API int bob_outdir_other(const struct bob_outdir *d);

/* Names within the folder; 0, or an errno. */
BOB_API int bob_outdir_rename(const struct bob_outdir *d, const char *from,
    const char *to);
BOB_API int bob_outdir_remove(const struct bob_outdir *d, const char *name);

BOB_API void bob_outdir_close(struct bob_outdir *d);

/* Why it failed, for people. */
BOB_API const char *bob_outdir_why(int sys);

#ifdef __cplusplus
}
#endif
#endif
