/* What holds for every format of other tools that is spooled and indexed. */
#ifndef FUZZ_IMPORTS_H
#define FUZZ_IMPORTS_H

#include <stddef.h>
#include <stdint.h>

/* Reads bytes of a format strictly and tolerantly, at once and a byte at a
 * time, and by content. Aborts when they disagree. */
void imports_check(const char *format, const uint8_t *p, size_t n);

#endif
