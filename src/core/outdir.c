/* Creating and opening files in a folder that is held open; see
 * bobbin/outdir.h. */
#include <bobbin/outdir.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
is_trusted(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Returns the target of a link at the end of a path. Returns the path itself if
 * there is no link, or if its target has no name (a pipe). NULL and errno on
 * failure. */
static char *
final_path(const char *path, int no_link)
{
	struct stat st;
	char *real;

	if (lstat(path, &st) < 0 || !S_ISLNK(st.st_mode)) {
		errno = ENOMEM;
		return strdup(path);
	}
	if (no_link || !is_trusted(&st)) {
		errno = no_link ? ELOOP : EPERM;
		return NULL;
	}
	real = realpath(path, NULL);
	if (real != NULL || errno != ENOENT)
		return real;
	errno = ENOMEM;
	return strdup(path);
}

static int
open_folder(const char *path, const char *name)
{
	size_t n = (size_t)(name - path);
	char *dir = n == 0 ? strdup(".") : strndup(path, n);
	int fd;

	if (dir == NULL) {
		errno = ENOMEM;
		return -1;
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	return fd;
}

/* Looks at what has the name. A link that is still there is one of /dev or
 * /proc, whose target (a pipe, a terminal) has no other name. */
static void
outdir_look(struct bob_outdir *d)
{
	struct stat st;

	if (fstatat(d->fd, d->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	d->is_link = S_ISLNK(st.st_mode);
	if (d->is_link && (fstatat(d->fd, d->name, &st, 0) < 0 ||
	        S_ISREG(st.st_mode)))
		return;
	d->mode = st.st_mode;
	d->is_ours = st.st_uid == geteuid();
	d->is_empty = st.st_size == 0;
}

int
bob_outdir_open(struct bob_outdir *d, const char *path, int no_link)
{
	const char *slash;

	memset(d, 0, sizeof(*d));
	d->fd = -1;
	d->path = final_path(path, no_link);
	if (d->path == NULL)
		return errno;
	slash = strrchr(d->path, '/');
	d->name = slash == NULL ? d->path : slash + 1;
	if (*d->name == '\0')
		errno = EISDIR;
	else
		d->fd = open_folder(d->path, d->name);
	if (d->fd < 0) {
		int sys = errno;

		bob_outdir_close(d);
		return sys;
	}
	outdir_look(d);
	return 0;
}

void
bob_outdir_close(struct bob_outdir *d)
{
	if (d->fd >= 0)
		(void)close(d->fd);
	free(d->path);
	memset(d, 0, sizeof(*d));
	d->fd = -1;
}

int
bob_outdir_create(const struct bob_outdir *d, const char *name, unsigned mode)
{
	int fd = openat(d->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, (mode_t)mode);

	return fd >= 0 ? fd : -errno;
}

/* Returns 0 if the opened file may be overwritten, else an errno. */
static int
check_old_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return errno;
	if (!S_ISREG(st.st_mode))
		return EINVAL;
	if (st.st_uid != geteuid())
		return EPERM;
	return st.st_nlink > 1 ? EMLINK : 0;
}

/* Returns why an existing file could not be opened. EPERM (another user's file)
 * says more than EACCES. */
static int
why_refused(const struct bob_outdir *d, const char *name, int sys)
{
	struct stat st;

	if (sys == EACCES &&
	    fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_uid != geteuid())
		return EPERM;
	return sys;
}

int
bob_outdir_reuse(const struct bob_outdir *d, const char *name, unsigned mode)
{
	int fd = bob_outdir_create(d, name, mode), sys;

	if (fd != -EEXIST)
		return fd;
	/* A pipe is not waited for. */
	fd = openat(d->fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
	    O_CLOEXEC);
	if (fd < 0)
		return -why_refused(d, name, errno);
	sys = check_old_file(fd);
	if (sys == 0 && ftruncate(fd, 0) < 0)
		sys = errno;
	if (sys == 0)
		return fd;
	(void)close(fd);
	return -sys;
}

int
bob_outdir_other(const struct bob_outdir *d)
{
	struct stat st;
	int fd;

	if (fstatat(d->fd, d->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!is_trusted(&st))
		return -EPERM;
	fd = openat(d->fd, d->name, O_WRONLY | O_NOCTTY | O_CLOEXEC |
	    (d->is_link ? 0 : O_NOFOLLOW));
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) &&
	    (d->is_link || is_trusted(&st)))
		return fd;
	(void)close(fd);
	return -EPERM;
}

int
bob_outdir_rename(const struct bob_outdir *d, const char *from,
    const char *to)
{
	return renameat(d->fd, from, d->fd, to) < 0 ? errno : 0;
}

int
bob_outdir_remove(const struct bob_outdir *d, const char *name)
{
	return unlinkat(d->fd, name, 0) < 0 ? errno : 0;
}

const char *
bob_outdir_why(int sys)
{
	switch (sys) {
	case EPERM:
		return "it belongs to another user";
	case EMLINK:
		return "it has another name (a hard link)";
	case ELOOP:
		return "it is a link";
	case EINVAL:
		return "it is no file";
	default:
		return strerror(sys);
	}
}
