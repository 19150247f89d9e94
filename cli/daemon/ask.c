/*
 * `bobbin daemon status`: asks the daemon of a directory for its state. Any
 * user may have put a socket there, so the process behind it must belong to the
 * owner of the directory, or to root. Its answer is not trusted either: it is
 * read completely, up to a limit of bytes and time, before any of it is
 * printed, and control characters are made harmless.
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

#include "daemon.h"
#include "print/block.h"
#include "print/plain.h"
#include "print/msg.h"
#include "system/clock.h"
#include "system/terminal.h"

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
	msg_error("%s: the socket there belongs to another user, %lu", dir,
	    (unsigned long)peer.uid);
	return 0;
}

/* Reads some more. Returns 1; 0 at the end; -1 if the answer is too long,
 * memory is out, or the connection failed. */
static int
answer_read(int fd, struct answer *a)
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

/* Reads the whole answer within the time. Returns 1; 0 if that failed. */
static int
answer_receive(int fd, struct answer *a)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t end = now_us() + STATUS_PATIENCE_MS * 1000, now;
	int r = 1;

	while (r > 0 && (now = now_us()) < end)
		if (poll(&p, 1, (int)((end - now) / 1000) + 1) > 0)
			r = answer_read(fd, a);
	return r == 0 && a->n > 0;
}

/* True if there is a control character other than a newline. In JSON of a
 * daemon they are escaped. */
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

/* Prints a line of so many columns at most (0: any). A row of the table is cut
 * there, a sentence is broken at spaces. Returns 0 if memory is out. */
static int
line_print(const char *p, size_t n, size_t columns, int is_row)
{
	struct span line = { 0 };
	size_t indent;
	int is_long, r;

	span_safe(&line, p, n);
	if (is_row)
		span_crop(&line, columns, 0, "...");
	is_long = columns > 0 && line.width > columns;
	span_put(&line, "\n");
	r = !line.failed;
	if (r && is_long) {
		line.p[line.n - 1] = '\0';
		indent = strspn(line.p, " ");
		(void)printf("%*s", (int)indent, "");
		plain_wrap(stdout, line.p + indent, indent, indent, columns);
	} else if (r) {
		(void)fwrite(line.p, 1, line.n, stdout);
	}
	span_done(&line);
	return r;
}

/* Returns an exit code. */
static int
answer_print(const struct answer *a)
{
	const char *p = a->text, *end = p + a->n, *nl;
	size_t columns = 0, lines, n;
	int is_row = 0;

	if (isatty(STDOUT_FILENO))
		terminal_size(&columns, &lines);
	while (p < end) {
		nl = memchr(p, '\n', (size_t)(end - p));
		n = (size_t)((nl != NULL ? nl : end) - p);
		/* The table is behind a blank line. */
		is_row |= n == 0;
		if (!line_print(p, n, columns, is_row))
			return msg_no_memory();
		p = nl != NULL ? nl + 1 : end;
	}
	return EXIT_OK;
}

static int
converse(const char *dir, int fd, int as_json)
{
	struct answer a = { 0 };
	int code = EXIT_FAILED;

	if (send(fd, as_json ? "json" : "text", 4, MSG_NOSIGNAL) != 4 ||
	    !answer_receive(fd, &a)) {
		msg_error(a.room >= MAX_ANSWER
		    ? "%s: the answer is too long"
		    : "%s: the daemon does not answer", dir);
	} else if (as_json && has_acting(&a)) {
		msg_error("%s: the answer is not that of a daemon", dir);
	} else if (as_json) {
		(void)fwrite(a.text, 1, a.n, stdout);
		code = EXIT_OK;
	} else {
		code = answer_print(&a);
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
