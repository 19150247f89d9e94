/*
 * Asking a daemon how it goes. Anybody may have put a socket there: who listens
 * must be the owner of the directory, or root. What they say is text of a
 * stranger all the same: it is read whole, up to a limit and a time, before any
 * of it is shown, and no character of it acts.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/chars.h>

#include "clock.h"
#include "daemon.h"
#include "msg.h"
#include "plain.h"

/* A worker is some 300 bytes of JSON: this is 50,000 of them. */
#define MAX_ANSWER ((size_t)16 << 20)

struct answer {
	char *text;
	size_t n, room;
};

/* The layout of struct ucred, which needs _GNU_SOURCE. */
struct peer {
	pid_t pid;
	uid_t uid;
	gid_t gid;
};

static int
is_its_daemon(const char *dir, int fd)
{
	struct peer peer;
	socklen_t n = sizeof(peer);
	struct stat st;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0 ||
	    n != sizeof(peer) || stat(dir, &st) < 0)
		return 0;
	if (peer.uid == 0 || peer.uid == st.st_uid)
		return 1;
	msg_error("%s: who listens there is another user, %lu", dir,
	    (unsigned long)peer.uid);
	return 0;
}

/* Some more of it: 1; 0 at its end; -1 when it is too long, or no memory is
 * left, or the other side is gone. */
static int
take(int fd, struct answer *a)
{
	char *more;
	ssize_t n;

	if (a->room - a->n < 4096) {
		if (a->room >= MAX_ANSWER)
			return -1;
		a->room = a->room == 0 ? 8192 : 2 * a->room;
		more = realloc(a->text, a->room);
		if (more == NULL)
			return -1;
		a->text = more;
	}
	n = read(fd, a->text + a->n, a->room - a->n);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 1 : -1;
	a->n += (size_t)n;
	return n > 0;
}

/* All of it within the time: 1, or 0. */
static int
receive(int fd, struct answer *a)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t end = now_us() + STATUS_PATIENCE_MS * 1000, now;
	int r = 1;

	while (r > 0 && (now = now_us()) < end)
		if (poll(&p, 1, (int)((end - now) / 1000) + 1) > 0)
			r = take(fd, a);
	return r == 0 && a->n > 0;
}

/* A character that acts, other than the end of a line. JSON of a daemon has
 * them escaped. */
static int
has_acting(const struct answer *a)
{
	size_t i = 0, len;
	uint32_t c;

	for (; i < a->n; i += len) {
		len = bob_char_take(a->text + i, a->n - i, &c);
		if (len == 0 || (bob_char_kind(c) == BOB_CHAR_ACTS &&
		        c != '\n'))
			return 1;
	}
	return 0;
}

static void
show(const struct answer *a)
{
	const char *p = a->text, *end = p + a->n, *nl;

	while (p < end) {
		nl = memchr(p, '\n', (size_t)(end - p));
		(void)plain_safe(stdout, p, (size_t)((nl != NULL ? nl : end) -
		    p));
		(void)fputc('\n', stdout);
		p = nl != NULL ? nl + 1 : end;
	}
}

static int
converse(const char *dir, int fd, int as_json)
{
	struct answer a = { 0 };
	int code = EXIT_FAILED;

	if (send(fd, as_json ? "json" : "text", 4, MSG_NOSIGNAL) != 4 ||
	    !receive(fd, &a)) {
		msg_error(a.room >= MAX_ANSWER
		    ? "%s: the answer is longer than that of any daemon"
		    : "%s: the daemon does not answer", dir);
	} else if (as_json && has_acting(&a)) {
		msg_error("%s: the answer is not that of a daemon", dir);
	} else if (as_json) {
		(void)fwrite(a.text, 1, a.n, stdout);
		code = EXIT_OK;
	} else {
		show(&a);
		code = EXIT_OK;
	}
	free(a.text);
	return code;
}

int
status_ask(const char *dir, int as_json)
{
	int fd = status_dial(dir), code = EXIT_FAILED;

	if (fd < 0 && errno == EAGAIN) {
		msg_error("%s: the daemon does not answer", dir);
		return EXIT_FAILED;
	}
	if (fd < 0) {
		msg_error("%s: no daemon writes there", dir);
		msg_hint("bobbin daemon -P PATTERN -o %s starts one", dir);
		return EXIT_FAILED;
	}
	if (is_its_daemon(dir, fd))
		code = converse(dir, fd, as_json);
	(void)close(fd);
	return code;
}
