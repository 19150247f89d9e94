/* What the journals of a store's spools say, for bob_ship_status. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ship/spool_replay.h"

static int
read_one(struct bob_ctx *ctx, int dir,
    void (*fn)(void *user, const char *url, const struct bob_shipped *n),
    void *user)
{
	struct spool s = { .ctx = ctx, .store = -1, .dir = dir, .lock = -1 };
	struct spool_entry *e;
	size_t i;
	int r = shiplog_read(ctx, dir, spool_replay, &s);

	for (i = 0; i < s.n_bucket; i++)
		for (e = s.bucket[i]; e != NULL; e = e->next)
			if (s.n.oldest_us == 0 || e->t_last < s.n.oldest_us)
				s.n.oldest_us = e->t_last;
	if (r == BOB_OK)
		fn(user, s.url != NULL ? s.url : "?", &s.n);
	s.journal.fd = s.journal.next = -1;
	s.dir = -1;
	spool_close_it(&s);
	return r;
}

int
spool_status(struct bob_ctx *ctx, const char *store,
    void (*fn)(void *user, const char *url, const struct bob_shipped *n),
    void *user)
{
	int top = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC), all, fd;
	struct dirent *e;
	int r = BOB_OK;
	DIR *dir;

	if (top < 0)
		return err_sys(ctx, BOB_FAILED, errno, "%s", store);
	all = openat(top, ".ship", O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	(void)close(top);
	if (all < 0)
		return errno == ENOENT ? BOB_OK :
		    err_sys(ctx, BOB_FAILED, errno, "%s/.ship", store);
	dir = fdopendir(all);
	if (dir == NULL) {
		(void)close(all);
		return err_nomem(ctx), BOB_FAILED;
	}
	while (r == BOB_OK && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		fd = openat(all, e->d_name, O_RDONLY | O_DIRECTORY |
		    O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		r = read_one(ctx, fd, fn, user);
		(void)close(fd);
	}
	(void)closedir(dir);
	return r;
}
