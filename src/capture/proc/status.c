/* Parses /proc/PID/status by its keys, as lines differ between kernels; see
 * status.h. */
#include "capture/proc/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/proc/proc.h"

/* Returns the rest of the line that begins with a key; NULL if there is
 * none. */
static const char *
find_field(const char *text, const char *key)
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
parse_number(const char *p, int base)
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
parse_ids(const char *p, uint64_t ret[3])
{
	int i;

	for (i = 0; i < 3 && p != NULL; i++) {
		ret[i] = parse_number(p, 10);
		p = strpbrk(p, "\t ");
		p = p != NULL ? p + strspn(p, "\t ") : NULL;
	}
}

/* False if files below /proc/PID belong to root although the process does not:
 * then it is not dumpable. */
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
	p = find_field(text, "State:");
	ret->state = p != NULL ? *p : '?';
	parse_ids(find_field(text, "Uid:"), ret->uid);
	parse_ids(find_field(text, "Gid:"), ret->gid);
	ret->cap_prm = parse_number(find_field(text, "CapPrm:"), 16);
	ret->cap_eff = parse_number(find_field(text, "CapEff:"), 16);
	ret->tracer = parse_number(find_field(text, "TracerPid:"), 10);
	p = find_field(text, "Seccomp:");
	ret->seccomp = p != NULL ? (int)parse_number(p, 10) : -1;
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
	return is_negative ? -(long)parse_number(p, 10)
	                   : (long)parse_number(p, 10);
}

int
proc_in_container(void)
{
	return access("/.dockerenv", F_OK) == 0 ||
	    access("/run/.containerenv", F_OK) == 0 ||
	    getenv("KUBERNETES_SERVICE_HOST") != NULL ||
	    getenv("container") != NULL;
}
