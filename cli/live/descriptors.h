/*
 * How many files may be open. A capture of many processes needs more than the
 * usual limit, which is low for programs that use select(2): it is raised for
 * us, and what we start gets the old one.
 */
#ifndef CLI_LIVE_DESCRIPTORS_H
#define CLI_LIVE_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

/* Raises our limit as far as it may be. */
void descriptors_raise(void);

/* In a child, before it becomes another program. */
void descriptors_restore(void);

/* The limit that we have; 0: unknown. */
uint64_t descriptors_limit(void);

/* True when n more files can be opened. */
int descriptors_are_left(size_t n);

#endif
