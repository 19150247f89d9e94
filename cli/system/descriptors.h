/*
 * The limit of open files. A capture of many processes needs more than the
 * usual limit, which is low for the sake of programs that use select(2). We
 * raise our own; a command that we start gets the old one.
 */
#ifndef CLI_DESCRIPTORS_H
#define CLI_DESCRIPTORS_H

#include <stdint.h>
#include <sys/resource.h>

struct descriptors {
	struct rlimit old;
	int is_raised;
};

/* Raises our limit as far as the hard limit allows. d may be NULL if no command
 * is started. */
void descriptors_raise(struct descriptors *d);

/* In a child, before it becomes another program. */
void descriptors_restore(const struct descriptors *d);

/* The limit that we have; 0: unknown. */
uint64_t descriptors_limit(void);

#endif
