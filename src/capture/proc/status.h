/*
 * Who a process is, as far as permissions go: /proc/PID/status and what stands
 * beside it. All of it can be read of any process that can be seen.
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
	uint64_t tracer;     /* who traces it, or 0 */
	int seccomp;         /* 0 none, 1 strict, 2 filter; -1 unknown */
	int is_dumpable;     /* 0: it is not; root's look so in any case */
	char uid_map[STATUS_MAX_MAP]; /* of its user namespace */
};

#define STATUS_CAP_SYS_PTRACE 19

/* 0, or -errno. pid 0: ourselves. */
int proc_status(int pid, struct proc_status *ret);

static inline int
status_has_cap(const struct proc_status *s, int cap)
{
	return (int)(s->cap_eff >> cap & 1);
}

/* A number from a file below /proc/sys, or `otherwise`. */
long proc_sys(const char *path, long otherwise);

/* True inside a container, as far as that can be told. */
int proc_in_container(void);

#endif
