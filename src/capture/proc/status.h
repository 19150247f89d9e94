/*
 * Credentials and state of a process, from /proc/PID/status and files beside
 * it. They can be read of any process that /proc shows.
 */
#ifndef CAPTURE_PROC_STATUS_H
#define CAPTURE_PROC_STATUS_H

#include <stdint.h>

#define STATUS_MAX_MAP 256

struct proc_status {
	int pid;             /* 0: ourselves */
	char state;          /* R, S, D, T, t, Z, X */
	uint64_t uid[3], gid[3]; /* real, effective, saved */
	uint64_t cap_prm, cap_eff;
	uint64_t tracer;     /* pid of its tracer, or 0 */
	int seccomp;         /* 0 none, 1 strict, 2 filter; -1 unknown */
	int is_dumpable;     /* 0: it is not; always 1 for root's processes */
	char uid_map[STATUS_MAX_MAP]; /* of its user namespace */
};

#define STATUS_CAP_SYS_PTRACE 19

/* Returns 0, or -errno. pid 0: ourselves. */
int proc_status(int pid, struct proc_status *ret);

static inline int
status_has_cap(const struct proc_status *s, int cap)
{
	return (int)(s->cap_eff >> cap & 1);
}

/* Returns the number in a file below /proc/sys, or `otherwise`. */
long proc_sys(const char *path, long otherwise);

/* True if we run in a container, as far as files and variables show it. */
int proc_in_container(void);

#endif
