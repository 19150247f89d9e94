/* /proc/PID/status, by its keys: lines come and go with kernels. */
#include "capture/proc/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/proc/proc.h"

/* The rest of the line that begins with a key; NULL: there is none. */
static const char *
field(const char *text, const char *key)
{
	size_t n = strlen(key);
	const char *p = text;

	while (p != NULL && strncmp(p, key, n) != 0) {
		p = strchr(p, '\n');
		p = p != NULL ? p + 1 : NULL;
	}
	return p != NULL ? p + n + strspn(p + n, "\t ") : NULL;
}

static uint64_t
number(const char *p, int base)
{
	uint64_t v = 0;
	unsigned d;

	for (; p != NULL; p++) {
		if (*p >= '0' && *p <= '9')
			d = (unsigned)(*p - '0');
		else if (base == 16 && *p >= 'a' && *p <= 'f')
			d = (unsigned)(*p - 'a' + 10);
		else
			break;
		v = v * (unsigned)base + d;
	}
	return v;
}

static void
three(const char *p, uint64_t ret[3])
{
	int i;

	for (i = 0; i < 3 && p != NULL; i++) {
		ret[i] = number(p, 10);
		p = strpbrk(p, "\t ");
		p = p != NULL ? p + strspn(p, "\t ") : NULL;
	}
}

/* The files below /proc of a process that is not dumpable are root's. */
static int
looks_dumpable(int pid, const struct proc_status *s)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return pid == 0 || s->uid[1] == 0 || stat(path, &st) < 0 ||
	    st.st_uid == s->uid[1];
}

int
proc_status(int pid, struct proc_status *ret)
{
	char path[64], text[8192];
	const char *p;
	long n;

	memset(ret, 0, sizeof(*ret));
	ret->pid = pid;
	(void)snprintf(path, sizeof(path), "/proc/%d/status",
	    pid != 0 ? pid : (int)getpid());
	n = proc_read_small(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	p = field(text, "State:");
	ret->state = p != NULL ? *p : '?';
	three(field(text, "Uid:"), ret->uid);
	three(field(text, "Gid:"), ret->gid);
	ret->cap_prm = number(field(text, "CapPrm:"), 16);
	ret->cap_eff = number(field(text, "CapEff:"), 16);
	ret->tracer = number(field(text, "TracerPid:"), 10);
	p = field(text, "Seccomp:");
	ret->seccomp = p != NULL ? (int)number(p, 10) : -1;
	ret->is_dumpable = looks_dumpable(pid, ret);
	(void)snprintf(path, sizeof(path), "/proc/%d/uid_map",
	    pid != 0 ? pid : (int)getpid());
	(void)proc_read_small(path, ret->uid_map, sizeof(ret->uid_map));
	return 0;
}

long
proc_sys(const char *path, long otherwise)
{
	char buf[32];
	const char *p = buf;
	int is_negative;

	if (proc_read_small(path, buf, sizeof(buf)) <= 0)
		return otherwise;
	is_negative = *p == '-';
	p += is_negative;
	return is_negative ? -(long)number(p, 10) : (long)number(p, 10);
}

int
proc_in_container(void)
{
	return access("/.dockerenv", F_OK) == 0 ||
	    access("/run/.containerenv", F_OK) == 0 ||
	    getenv("KUBERNETES_SERVICE_HOST") != NULL ||
	    getenv("container") != NULL;
}
