/*
 * Allocations that fail on demand. The test programs are linked so that
 * malloc, calloc, realloc and strdup of the library come through here, and so
 * do mmap and mremap, and pthread_create, which takes memory too.
 */
#ifndef UNIT_FAULT_H
#define UNIT_FAULT_H

/* The n-th allocation from now (1: the next) fails, once; 0: none does. */
void fault_arm(unsigned long n);

/* True when the armed failure has happened. */
int fault_happened(void);

/* Allocations since fault_arm. */
unsigned long fault_count(void);

/*
 * Runs step(user) with its first allocation failing, then its second, and so
 * on, until a run is not touched any more; that one must return >= 0. The
 * step cleans up after itself and checks what must hold after a failure.
 */
void fault_each(int (*step)(void *user), void *user);

#endif
