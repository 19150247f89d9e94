/*
 * Reads /proc: state, command line, threads and owner of a process. And opens
 * files as the process sees them.
 */
#ifndef CAPTURE_PROC_PROC_H
#define CAPTURE_PROC_PROC_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>

#include "capture/proc/maps.h"
#include "core/error.h"

/* Limit of bytes of a command line; a longer one is cut. */
#define PROC_MAX_COMMAND 4096
#define PROC_MAX_NAME 32

/* True for an -errno that means that a process or a thread has ended. Other
 * errors (EMFILE, ENFILE, ENOMEM, EACCES, EIO) say nothing about it. */
int proc_is_end(int r);

/* True if a process exists and /proc does not show it (hidepid). */
int proc_is_hidden(int pid);

/* True if a descriptor may stay open for as long as a process is sampled. Half
 * of our descriptors are for that, the others for files. */
int proc_may_hold(int fd);

/* Reads at most cap - 1 bytes of a file and appends NUL. Returns their number,
 * or -errno with an empty text. */
long proc_read_small(const char *path, char *buf, size_t cap);

/* Parses a decimal number; 0 if there is none. */
uint64_t proc_number(const char *s);

struct proc_stat {
	char name[PROC_MAX_NAME];
	char state;     /* R, S, D, T, Z, ... */
	uint64_t ppid;
	uint64_t start; /* clock ticks since boot */
	uint64_t stack; /* start of the stack; changes with the program. 0: we
	                 * may not know it */
	int is_kernel;  /* a thread of the kernel */
	int cpu;        /* processor that it ran on last; -1: unknown */
};

/* Reads the state of a process, or of one of its threads (tid 0: the process).
 * Returns 0, or -errno. */
int proc_stat(int pid, int tid, struct proc_stat *ret);

/* The same in two steps, to read it often. The first returns a descriptor, or
 * -errno; the second returns 0, or -errno. */
int proc_stat_open(int pid, int tid);
int proc_stat_read(int fd, struct proc_stat *ret);

/* Reads the arguments with blanks between, at most cap - 1 bytes, and appends
 * NUL. Returns 0, or -errno. */
int proc_command(int pid, char *buf, size_t cap);

/* Sets *ret to the owner of /proc/PID. Returns 0, or -errno. */
int proc_uid(int pid, uint64_t *ret);

/* Converts a start in clock ticks to Unix time in microseconds; 0 if that is
 * not known. */
uint64_t proc_start_us(uint64_t start);

/* Lists at most cap thread ids of a process, ascending. Returns how many, or
 * -errno. */
long proc_threads(int pid, int *tids, size_t cap);

/* Returns how many threads a process has; 0 if that is not known. */
size_t proc_thread_count(int pid);

/*
 * Files of a process. All of them are hostile: only a regular file is opened,
 * nothing can block, and no device is touched. Each returns a descriptor, or
 * -errno.
 */

/*
 * Opens a file that a process has mapped, as that process sees it: in its own
 * mount namespace, and also if it was deleted since. The file has the device
 * and the inode of the mapping; -ESTALE if there is only another file of that
 * name.
 */
int proc_open_mapped(int pid, const struct map_file *f);

/* Opens a file by its path below a folder ("/proc/1/root"; "": our own root).
 * Links are followed as if that folder were the root; none at the end of the
 * path with O_NOFOLLOW in flags. */
int proc_open_below(const char *root, const char *path, int flags);

/* Opens the program of a process. */
int proc_open_program(int pid);

#endif
