/* Locks of files; see the header. _GNU_SOURCE is for F_OFD_SETLK. */
#define _GNU_SOURCE
#include "core/filelock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Returns 0 only if somebody else has it. */
static int
lock(int fd, short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &l) == 0 ||
	    (errno != EAGAIN && errno != EACCES);
}

int
filelock_take(int fd)
{
	return lock(fd, F_WRLCK);
}

int
filelock_share(int fd)
{
	return lock(fd, F_RDLCK);
}

int
filelock_is_taken(int fd)
{
	struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}
