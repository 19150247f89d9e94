/*
 * Lists processes in a thread of its own. A command line is memory of its
 * process, and reading it may block for ever. A scout makes one list at a time.
 */
#ifndef CAPTURE_WATCH_SCOUT_H
#define CAPTURE_WATCH_SCOUT_H

#include "capture/proc/proc.h"

/* More ancestors are not looked for. */
#define SCOUT_MAX_OWN 64

/* This process and its ancestors. A command line that started it (sudo, a
 * shell, systemd-run) has the pattern in it, but is not what was meant. */
struct scout_own {
	uint64_t pid[SCOUT_MAX_OWN];
	size_t n;
};

void scout_find_own(struct scout_own *own);
int scout_is_own(const struct scout_own *own, uint64_t pid);

/* A process of a list. Zombies are left out. */
struct found {
	uint64_t pid, ppid;
	uint64_t start; /* clock ticks; pid and start identify a process */
	char name[PROC_MAX_NAME];
	int is_match;   /* its command line matches the pattern, and it is not
	                 * our own (struct scout_own) */
	int is_silent;  /* its memory does not answer, so its command line is
	                 * not known */
	uint64_t uid;        /* with SCOUT_COMMANDS */
	const char *command; /* with SCOUT_COMMANDS; "" if it is silent. Valid
	                      * during the call */
};

typedef void found_fn(void *user, const struct found *f);

struct scout;

enum scout_flags {
	/* All processes; otherwise those that match or are silent. */
	SCOUT_ALL = 1 << 0,
	/* With command lines and users, of those that may be read; also our own
	 * process. */
	SCOUT_COMMANDS = 1 << 1
};

/* `pattern` NULL: nothing matches, and without SCOUT_COMMANDS no memory of a
 * process is read. Returns BOB_OK and sets *ret; FAILED (BOB_E_USAGE for a bad
 * pattern). */
int scout_new(struct bob_ctx *ctx, const char *pattern, uint32_t flags,
    struct scout **ret);

/* Starts a list, unless one is being made. Returns BOB_OK or FAILED. */
int scout_ask(struct scout *s);

/* If the list is ready, calls fn for each process of it and returns BOB_OK; or
 * FAILED if some could not be read, which are left out. Returns BOB_AGAIN if it
 * is not ready yet, BOB_EOF if none was started. */
int scout_poll(struct scout *s, found_fn *fn, void *user);

/* Never waits. NULL is allowed. */
void scout_free(struct scout *s);

#endif
