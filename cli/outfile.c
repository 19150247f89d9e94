/*
 * Output files, and what signals do to them. The handler only calls what is
 * safe in a handler: unlinkat, signal, raise.
 */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "msg.h"

/* The unfinished file and its folder, for the handler. Set before the file
 * exists and cleared after it has its name. */
static char *volatile unfinished;
static volatile int unfinished_dir;

static void
on_signal(int sig)
{
	if (unfinished != NULL)
		(void)unlinkat(unfinished_dir, unfinished, 0);
	(void)signal(sig, SIG_DFL);
	(void)raise(sig);
}

void
outfile_on_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa, old;
	size_t i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	(void)sigemptyset(&sa.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* nohup and background jobs ignore signals on purpose. */
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &sa, NULL);
	}
}

static int
failed(const char *name, int sys)
{
	msg_error("%s: %s", name, bob_outdir_why(sys));
	return -1;
}

static char *
temp_name(const char *name)
{
	size_t n = strlen(name) + 32;
	char *s = malloc(n);

	if (s != NULL)
		(void)snprintf(s, n, "%s.part-%ld", name, (long)getpid());
	return s;
}

/* Opens the temporary file of a regular file, or of one yet to be. */
static int
open_temp(struct outfile *o, const char *path)
{
	o->temp = temp_name(o->dir.name);
	if (o->temp == NULL)
		return failed(path, ENOMEM);
	if (o->dir.mode != 0 && access(o->dir.path, W_OK) < 0)
		return failed(path, errno);
	unfinished_dir = o->dir.fd;
	unfinished = o->temp;
	o->fd = bob_outdir_create(&o->dir, o->temp, 0666);
	if (o->fd < 0) {
		unfinished = NULL;
		free(o->temp);
		o->temp = NULL;
		return failed(path, -o->fd);
	}
	o->replaces = o->dir.mode != 0 && !o->dir.is_empty;
	if (o->dir.mode != 0 && o->dir.is_ours)
		(void)fchmod(o->fd, o->dir.mode & 0777);
	return 0;
}

static void
release(struct outfile *o)
{
	unfinished = NULL;
	if (o->owns_fd && o->fd >= 0)
		(void)close(o->fd);
	o->fd = -1;
	free(o->temp);
	o->temp = NULL;
	bob_outdir_close(&o->dir);
}

/* Where a file is open for appending (>>), pwrite(2) appends too. */
static void
look_at_fd(struct outfile *o)
{
	struct stat st;
	int flags = fcntl(o->fd, F_GETFL);

	o->base = lseek(o->fd, 0, SEEK_CUR);
	o->can_patch = o->base >= 0 && flags >= 0 &&
	    (flags & O_APPEND) == 0 && fstat(o->fd, &st) == 0 &&
	    S_ISREG(st.st_mode);
}

static int
open_path(struct outfile *o, const char *path)
{
	int sys = bob_outdir_open(&o->dir, path, 0);

	if (sys != 0)
		return failed(path, sys);
	if (o->dir.mode == 0 || S_ISREG(o->dir.mode))
		return open_temp(o, path);
	o->fd = bob_outdir_other(&o->dir);
	return o->fd < 0 ? failed(path, -o->fd) : 0;
}

int
outfile_open(struct outfile *o, const char *path)
{
	int r;

	memset(o, 0, sizeof(*o));
	o->dir.fd = -1;
	if (path == NULL || strcmp(path, "-") == 0) {
		o->name = "standard output";
		o->fd = STDOUT_FILENO;
		look_at_fd(o);
		return 0;
	}
	o->name = path;
	o->fd = -1;
	o->owns_fd = 1;
	r = open_path(o, path);
	if (r < 0)
		release(o);
	else
		look_at_fd(o);
	return r;
}

static int
write_all(void *user, const void *p, size_t n)
{
	struct outfile *o = user;
	const char *at = p;

	while (n > 0) {
		ssize_t k = write(o->fd, at, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0) {
			o->error = errno;
			return -1;
		}
		at += k;
		n -= (size_t)k;
		o->n_bytes += (uint64_t)k;
	}
	return 0;
}

static int
patch(void *user, uint64_t at, const void *p, size_t n)
{
	struct outfile *o = user;
	const char *from = p;

	while (n > 0) {
		ssize_t k = pwrite(o->fd, from, n, o->base + (off_t)at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0) {
			o->error = errno;
			return -1;
		}
		from += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return 0;
}

struct bob_target
outfile_target(struct outfile *o)
{
	return (struct bob_target){ .write = write_all,
		.patch = o->can_patch ? patch : NULL, .user = o, .fd = -1 };
}

int
outfile_keep(struct outfile *o)
{
	int sys = 0, r = 0;

	/* The new content is on disk before an old one goes. */
	if (o->temp != NULL) {
		sys = o->replaces && fsync(o->fd) < 0 ? errno
		    : bob_outdir_rename(&o->dir, o->temp, o->dir.name);
		if (sys != 0) {
			r = failed(o->name, sys);
			(void)bob_outdir_remove(&o->dir, o->temp);
		}
	}
	release(o);
	return r;
}

void
outfile_drop(struct outfile *o)
{
	if (o->temp != NULL)
		(void)bob_outdir_remove(&o->dir, o->temp);
	release(o);
}

/*
 * The placeholder in a pattern: where it begins, how long it is and how many
 * digits it asks for; NULL when there is none.
 */
static const char *
find_placeholder(const char *s, size_t *len, int *digits)
{
	for (; *s != '\0'; s++) {
		size_t n = 1;

		*digits = 4;
		*len = 2;
		if (s[0] == '{' && s[1] == '}')
			return s;
		if (s[0] != '%')
			continue;
		*digits = 1;
		if (s[n] == '0' && s[n + 1] >= '1' && s[n + 1] <= '9') {
			*digits = s[n + 1] - '0';
			n += 2;
		}
		*len = n + 1;
		if (s[n] == 'd')
			return s;
	}
	return NULL;
}

int
outfiles_is_pattern(const char *path)
{
	size_t len;
	int digits;

	return path != NULL && find_placeholder(path, &len, &digits) != NULL;
}

char *
outfiles_name(const char *pattern, uint64_t index)
{
	size_t len, n = strlen(pattern) + 24;
	int digits;
	const char *at = find_placeholder(pattern, &len, &digits);
	char *s = malloc(n);

	if (s != NULL && at == NULL)
		(void)snprintf(s, n, "%s", pattern);
	else if (s != NULL)
		(void)snprintf(s, n, "%.*s%0*" PRIu64 "%s",
		    (int)(at - pattern), pattern, digits, index, at + len);
	return s;
}

int
outfiles_next(void *user, uint64_t index, struct bob_target *ret)
{
	struct outfiles *o = user;

	if (outfiles_keep(o) < 0)
		goto said;
	o->name = outfiles_name(o->pattern, index);
	if (o->name == NULL) {
		(void)failed(o->pattern, ENOMEM);
		goto said;
	}
	if (outfile_open(&o->current, o->name) < 0)
		goto said;
	o->is_open = 1;
	o->n_files++;
	*ret = outfile_target(&o->current);
	return 0;
said:
	o->current.error = OUTFILE_SAID;
	return -1;
}

int
outfiles_keep(struct outfiles *o)
{
	int r = o->is_open ? outfile_keep(&o->current) : 0;

	o->is_open = 0;
	free(o->name);
	o->name = NULL;
	return r;
}

void
outfiles_drop(struct outfiles *o)
{
	if (o->is_open)
		outfile_drop(&o->current);
	o->is_open = 0;
	free(o->name);
	o->name = NULL;
}
