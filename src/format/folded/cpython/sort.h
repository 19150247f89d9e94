/* The order of lines: by weight, the largest first, then by their bytes. */
#ifndef FORMAT_FOLDED_CPYTHON_SORT_H
#define FORMAT_FOLDED_CPYTHON_SORT_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/model.h>

/* One line to come. */
struct tachyon_entry {
	uint64_t weight;
	uint64_t place; /* by bytes: thread << 32 | stack */
	bob_stack stack;
};

/* Sorts n entries; `other` has room for as many. Returns where they are: one
 * of the two. Time is linear. */
struct tachyon_entry *tachyon_sort(struct tachyon_entry *v,
    struct tachyon_entry *other, size_t n);

#endif
