/* How much memory there is. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stdint.h>

/* Bytes of memory that this process may use: that of the machine, or the limit
 * of its cgroup or of one above it. 0: unknown. */
uint64_t memory_available(void);

#endif
