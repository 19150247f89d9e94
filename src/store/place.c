/* Names in folders; see the header. */
#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/beneath.h"

int
place_open_file(const struct place *at, uint64_t *ret_size)
{
	/* A FIFO is not waited for. */
	int fd = openat(at->folder, at->name, O_RDONLY | O_NOFOLLOW |
	    O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0) {
		if (errno == ELOOP)
			errno = ENOENT;
		return -1;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*ret_size = (uint64_t)st.st_size;
		return fd;
	}
	(void)close(fd);
	errno = ENOENT;
	return -1;
}

int
place_open_folder(int root, const char *path)
{
	int at = *path != '\0' ? beneath_find(root, path, 0) : root, fd;

	if (at < 0) {
		errno = -at;
		return -1;
	}
	fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at != root)
		(void)close(at);
	return fd;
}

char *
place_name_with(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix) + 1;
	char *s = malloc(n + m);

	if (s != NULL) {
		memcpy(s, name, n);
		memcpy(s + n, suffix, m);
	}
	return s;
}
