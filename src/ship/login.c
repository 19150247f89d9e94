/* Credentials from a file; see the header. */
#include "ship/login.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A larger file is none of credentials. */
#define LOGIN_FILE 65536

/* Copies the next word at *p to `to`. Returns 1; 0 behind the last. A word that
 * is too long is cut: it is then a wrong password, and no part of another. */
static int
next_word(const char **p, char to[LOGIN_MAX])
{
	size_t n = 0;

	*p += strspn(*p, " \t\r\n");
	if (**p == '\0')
		return 0;
	for (; **p != '\0' && strchr(" \t\r\n", **p) == NULL; (*p)++)
		if (n < LOGIN_MAX - 1)
			to[n++] = **p;
	to[n] = '\0';
	return 1;
}

static int
is_machine(const char *word, const char *host, unsigned port)
{
	char full[LOGIN_MAX];

	(void)snprintf(full, sizeof(full), "%s:%u", host, port);
	return strcmp(word, host) == 0 || strcmp(word, full) == 0;
}

/* Finds the entry in the text of the file. */
static void
find(const char *p, const char *host, unsigned port, struct login *ret)
{
	char key[LOGIN_MAX], value[LOGIN_MAX];
	int is_ours = 0;

	while (next_word(&p, key)) {
		int is_default = strcmp(key, "default") == 0;

		if (is_default || strcmp(key, "machine") == 0) {
			if (is_ours)
				break;
			if (!is_default && !next_word(&p, value))
				break;
			is_ours = is_default || is_machine(value, host, port);
		} else if (next_word(&p, value) && is_ours) {
			if (strcmp(key, "login") == 0)
				memcpy(ret->user, value, sizeof(value));
			if (strcmp(key, "password") == 0)
				memcpy(ret->password, value, sizeof(value));
		}
	}
	explicit_bzero(value, sizeof(value));
}

int
login_read(struct bob_ctx *ctx, const char *path, const char *host,
    unsigned port, struct login *ret)
{
	char text[LOGIN_FILE];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return err_sys(ctx, BOB_FAILED, errno, "%s", path);
	n = fstat(fd, &st) < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 0) {
		(void)err_sys(ctx, BOB_FAILED, errno, "%s", path);
		(void)close(fd);
		return BOB_FAILED;
	}
	(void)close(fd);
	if (!S_ISREG(st.st_mode) || (st.st_mode & 077) != 0 ||
	    (st.st_uid != geteuid() && st.st_uid != 0))
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "%s: a file with passwords must belong to its reader or "
		    "root, and others must not be able to read it (chmod 600)",
		    path);
	memset(ret, 0, sizeof(*ret));
	text[n] = '\0';
	find(text, host, port, ret);
	explicit_bzero(text, sizeof(text));
	return BOB_OK;
}

void
login_forget(struct login *l)
{
	explicit_bzero(l, sizeof(*l));
}
