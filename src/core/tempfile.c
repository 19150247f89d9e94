/* Files without a name; see the header. */
#include "core/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
temp_open(struct bob_ctx *ctx)
{
	static const char tail[] = "/bobbin-XXXXXX";
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd, n;

	if (dir == NULL || dir[0] == '\0')
		dir = "/tmp";
	n = snprintf(name, sizeof(name), "%s%s", dir, tail);
	if (n < 0 || (size_t)n >= sizeof(name))
		return err_sys(ctx, BOB_FATAL, ENAMETOOLONG,
		    "cannot create a temporary file in $TMPDIR");
	fd = mkstemp(name);
	if (fd < 0)
		return err_sys(ctx, BOB_FATAL, errno,
		    "cannot create a temporary file in %s", dir);
	(void)unlink(name);
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}
