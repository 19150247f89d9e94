/* xdg-open with a private file; see the header. */
#include "browser.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "print/msg.h"

/* Room for the name of the file. */
#define NAME 4096

#define FILE_NAME "/open.html"

/* An address has no character that HTML would take for its own. */
#define LEADS_TO                                                              \
	"<!doctype html>\n<meta charset=\"utf-8\">\n"                         \
	"<meta name=\"referrer\" content=\"no-referrer\">\n"                  \
	"<meta http-equiv=\"refresh\" content=\"0;url=%s\">\n"                \
	"<title>bobbin</title>\n<a href=\"%s\">to the page</a>\n"

extern char **environ;

/* A folder of our own, in the user's own one if there is one. */
static int
make_folder(struct browser *b)
{
	const char *at = getenv("XDG_RUNTIME_DIR");

	if (at == NULL || *at != '/')
		at = getenv("TMPDIR");
	if (at == NULL || *at != '/')
		at = "/tmp";
	b->folder = malloc(NAME);
	b->file = malloc(NAME + sizeof(FILE_NAME));
	if (b->folder == NULL || b->file == NULL)
		return -1;
	(void)snprintf(b->folder, NAME, "%s/bobbin-view-XXXXXX", at);
	if (mkdtemp(b->folder) == NULL) {
		free(b->folder);
		b->folder = NULL;
		return -1;
	}
	(void)snprintf(b->file, NAME + sizeof(FILE_NAME), "%s%s", b->folder,
	    FILE_NAME);
	return 0;
}

static int
write_file(const struct browser *b, const char *url)
{
	int fd = open(b->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int n = fd < 0 ? -1 : dprintf(fd, LEADS_TO, url, url);

	if (fd >= 0 && close(fd) < 0)
		n = -1;
	return n < 0 ? -1 : 0;
}

/* The desktop's signals are its own: ^C must not end the browser. */
static int
start_opener(struct browser *b)
{
	char program[] = "xdg-open";
	char *const argv[] = { program, b->file, NULL };
	posix_spawn_file_actions_t quiet;
	posix_spawnattr_t apart;
	pid_t pid;
	int r;

	(void)posix_spawn_file_actions_init(&quiet);
	(void)posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", 0, 0);
	(void)posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
	(void)posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
	(void)posix_spawnattr_init(&apart);
	(void)posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETPGROUP);
	r = posix_spawnp(&pid, program, &quiet, &apart, argv, environ);
	(void)posix_spawnattr_destroy(&apart);
	(void)posix_spawn_file_actions_destroy(&quiet);
	b->pid = r == 0 ? (int)pid : 0;
	return r == 0 ? 0 : -1;
}

void
browser_open(struct browser *b, const char *url)
{
	memset(b, 0, sizeof(*b));
	if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
		return;
	if (make_folder(b) < 0 || write_file(b, url) < 0) {
		msg_warn("no browser is opened: no private file for it: %s",
		    strerror(errno));
		browser_forget(b);
		return;
	}
	b->was_opened = start_opener(b) == 0;
	if (!b->was_opened)
		browser_forget(b);
}

int
browser_is_open(struct browser *b)
{
	int status;

	if (b->pid == 0 || waitpid(b->pid, &status, WNOHANG) != b->pid)
		return b->was_opened;
	b->pid = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		b->was_opened = 0;
		browser_forget(b);
	}
	return b->was_opened;
}

void
browser_forget(struct browser *b)
{
	if (b->folder != NULL) {
		(void)unlink(b->file);
		(void)rmdir(b->folder);
	}
	free(b->file);
	free(b->folder);
	b->folder = b->file = NULL;
}

void
browser_done(struct browser *b)
{
	(void)browser_is_open(b); /* so that it leaves no zombie */
	browser_forget(b);
}
