/* bob_proc_show_source(): shows source files as a process sees them, with its
 * root, its mounts and its permissions. */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/attach/handle.h"
#include "capture/proc/proc.h"
#include "capture/proc/status.h"
#include "core/sources.h"

/* A user can be in 65536 groups of up to 11 bytes each. */
#define MAX_STATUS ((size_t)1 << 20)

/* Returns the inode of a namespace; 0 if it cannot be read. */
static uint64_t
namespace_of(int pid, const char *kind)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, kind);
	return stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/* True if the process may read all files by a capability. That counts only in
 * our own user namespace. */
static int
reads_all(int pid)
{
	uint64_t own = namespace_of((int)getpid(), "user");
	struct proc_status st;

	return own != 0 && own == namespace_of(pid, "user") &&
	    proc_status(pid, &st) == 0 &&
	    (st.cap_eff & (UINT64_C(1) << CAP_DAC_OVERRIDE |
	        UINT64_C(1) << CAP_DAC_READ_SEARCH)) != 0;
}

static int
set_who(int pid, struct who *w)
{
	char path[64], *text = malloc(MAX_STATUS);
	long n = -ENOMEM;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (text != NULL)
		n = proc_read_small(path, text, MAX_STATUS);
	if (n >= 0)
		n = who_parse(w, text);
	if (n == 0)
		w->reads_all = reads_all(pid);
	free(text);
	return (int)n;
}

static int
set_root(int pid, struct source_view *v)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d/root", pid);
	v->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (v->root < 0 || fstat(v->root, &st) < 0)
		return -errno;
	v->dev = (uint64_t)st.st_dev;
	v->ino = (uint64_t)st.st_ino;
	v->mounts = namespace_of(pid, "mnt");
	return v->mounts != 0 ? 0 : -EACCES;
}

/* True if the pid still is that of the process. */
static int
is_same_process(const struct bob_proc *p, int pid)
{
	struct proc_stat st;

	return proc_stat(pid, 0, &st) == 0 && st.start == handle_start(p) &&
	    st.state != 'Z';
}

int
bob_proc_show_source(const struct bob_proc *p, struct bob_sources *s)
{
	struct source_view v = { .root = -1 };
	int pid = (int)bob_proc_facts(p)->pid;
	int r = set_who(pid, &v.who);

	if (r == 0)
		r = set_root(pid, &v);
	if (!is_same_process(p, pid))
		r = -ESRCH;
	if (r == 0)
		return -sources_see(s, &v);
	source_view_done(&v);
	s->is_shut |= r != -ESRCH;
	return -r;
}
