/* Where an .rbt file may be cut; the `cuts` slot of its source. */
#ifndef FORMAT_RBT_CUTS_H
#define FORMAT_RBT_CUTS_H

#include <stddef.h>
#include <stdint.h>

size_t rbt_cuts(int fd, uint64_t size, uint64_t *cut, size_t n);

#endif
