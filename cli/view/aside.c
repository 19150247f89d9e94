/* fork(2), an answer in a temporary file, and its head in shared memory; see
 * the header. */
#include "aside.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/child.h"
#include "system/clock.h"

/* What a reply has besides its bytes. `type` is a constant of the program,
 * which has the same address in both processes. */
struct aside_head {
	unsigned status;
	const char *type;
	size_t n;
	int is_file;
	int is_complete;
};

/* ---- In the process ---------------------------------------------------- */

/* Connections must end when the server closes them. */
static void
close_sockets(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	struct stat st;
	long fd;
	char *end;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		for (fd = 0, end = e->d_name; *end >= '0' && *end <= '9'; end++)
			fd = fd * 10 + (*end - '0');
		if (*end == '\0' && fd > STDERR_FILENO &&
		    fstat((int)fd, &st) == 0 && S_ISSOCK(st.st_mode))
			(void)close((int)fd);
	}
	if (dir != NULL)
		(void)closedir(dir);
}

static int
copy_file(FILE *from, FILE *to)
{
	char buf[1 << 16];
	size_t n;

	rewind(from);
	while ((n = fread(buf, 1, sizeof(buf), from)) > 0)
		if (fwrite(buf, 1, n, to) != n)
			return -1;
	return ferror(from) ? -1 : 0;
}

static void
write_reply(const struct aside *a, const struct server_opts *o,
    const struct request *rq)
{
	struct reply reply;
	int r = 0;

	memset(&reply, 0, sizeof(reply));
	o->handle(o->user, rq, &reply);
	if (reply.file != NULL)
		r = copy_file(reply.file, a->out);
	else if (reply.body != NULL && fwrite(reply.body, 1, reply.n,
	    a->out) != reply.n)
		r = -1;
	if (r < 0 || fflush(a->out) != 0)
		_exit(1);
	*a->head = (struct aside_head){ .status = reply.status,
		.type = reply.type, .n = reply.n,
		.is_file = reply.file != NULL, .is_complete = 1 };
	_exit(0);
}

/* ---- In the server ----------------------------------------------------- */

static void
release(struct aside *a)
{
	if (a->out != NULL)
		(void)fclose(a->out);
	if (a->head != NULL)
		(void)munmap(a->head, sizeof(*a->head));
	memset(a, 0, sizeof(*a));
}

int
aside_start(struct aside *a, const struct server_opts *o,
    const struct request *rq)
{
	void *head = mmap(NULL, sizeof(*a->head), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t server = getpid();

	memset(a, 0, sizeof(*a));
	if (head == MAP_FAILED)
		return -1;
	a->head = head;
	a->out = tmpfile();
	a->start_us = now_us();
	a->pid = a->out == NULL ? -1 : (int)fork();
	if (a->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		if (getppid() != server)
			_exit(1);
		close_sockets();
		write_reply(a, o, rq);
	}
	if (a->pid > 0)
		return 0;
	release(a);
	return -1;
}

int
aside_is_over(const struct aside *a)
{
	return child_has_ended(a->pid);
}

static void
reap(const struct aside *a)
{
	while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static char *
read_all(FILE *from, size_t n)
{
	char *body = malloc(n + 1);

	rewind(from);
	if (body != NULL && fread(body, 1, n, from) == n)
		return body;
	free(body);
	return NULL;
}

int
aside_take(struct aside *a, struct reply *ret)
{
	const struct aside_head *h = a->head;
	int r = -1;

	reap(a);
	if (h->is_complete) {
		*ret = (struct reply){ .status = h->status, .type = h->type,
			.n = h->n };
		r = 0;
	}
	if (r == 0 && h->is_file) {
		ret->file = a->out;
		a->out = NULL;
	} else if (r == 0 && h->type != NULL) {
		ret->body = read_all(a->out, h->n);
		r = ret->body != NULL ? 0 : -1;
	}
	release(a);
	return r;
}

void
aside_end(struct aside *a)
{
	if (a->pid == 0)
		return;
	(void)kill(a->pid, SIGKILL);
	reap(a);
	release(a);
}
