/*
 * What /proc says about a process, and files as the process sees them.
 */
#ifndef CAPTURE_PROC_PROC_H
#define CAPTURE_PROC_PROC_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>

#include "capture/proc/maps.h"
#include "core/error.h"

/* Of a command line that is kept; longer ones are cut. */
#define PROC_MAX_COMMAND 4096
#define PROC_MAX_NAME 32

/* True for an -errno that says that a process or a thread is no more. Any other
 * error (EMFILE, ENFILE, ENOMEM, EACCES, EIO) says nothing about it. */
int proc_is_end(int r);

/* True when a descriptor may stay open for as long as a process is sampled:
 * half of those that we may have are for that, the others for files. */
int proc_may_hold(int fd);

/* A small file: at most cap - 1 bytes, always ended by NUL. The number, or
 * -errno, then with an empty text. */
long proc_read_small(const char *path, char *buf, size_t cap);

/* A decimal number of /proc; 0 when it is none. */
uint64_t proc_number(const char *s);

struct proc_stat {
	char name[PROC_MAX_NAME];
	char state;     /* R, S, D, T, Z, ... */
	uint64_t ppid;
	uint64_t start; /* clock ticks since boot */
	uint64_t stack; /* where it began; another one in each program. 0:
	                 * we may not know */
	int is_kernel;  /* a thread of the kernel */
};

/* Of a process, or of a thread of it (tid 0: the process). 0, or -errno. */
int proc_stat(int pid, int tid, struct proc_stat *ret);

/* Arguments with blanks between, cut at cap - 1 bytes, always ended by NUL. 0,
 * or -errno. */
int proc_command(int pid, char *buf, size_t cap);

/* Owner of /proc/PID. 0, or -errno. */
int proc_uid(int pid, uint64_t *ret);

/* Unix time in microseconds of a start in clock ticks; 0 when unknown. */
uint64_t proc_start_us(uint64_t start);

/* Thread ids of a process, at most cap, ascending. How many, or -errno. */
long proc_threads(int pid, int *tids, size_t cap);

/*
 * Files of a process. All of them are hostile: only a regular file is opened,
 * nothing can block, and no device is touched. The descriptor, or -errno.
 */

/* How many threads a process has; 0 when the kernel does not tell. */
size_t proc_thread_count(int pid);

/*
 * Opens a file that a process has mapped, as that process sees it: in its own
 * mount namespace, and also when it was deleted meanwhile. What is opened has
 * the device and the inode of the mapping; -ESTALE when there is only another
 * file of that name.
 */
int proc_open_mapped(int pid, const struct map_file *f);

/* Opens a file by its path below a folder ("/proc/1/root"; "": our own root).
 * Links are followed as if that folder were the root; none at the end of the
 * path with O_NOFOLLOW in flags. */
int proc_open_below(const char *root, const char *path, int flags);

/* Opens the program of a process. */
int proc_open_program(int pid);

#endif
