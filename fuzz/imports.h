/* What must hold for every format of another tool that is read through a
 * spool. */
#ifndef FUZZ_IMPORTS_H
#define FUZZ_IMPORTS_H

#include <stddef.h>
#include <stdint.h>

/* Reads bytes of a format strictly and with recovery, at once and a byte at a
 * time, and by content. Aborts if the results disagree. */
void imports_check(const char *format, const uint8_t *p, size_t n);

#endif
