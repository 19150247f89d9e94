/* What the machine has. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <stdint.h>

/* Bytes of memory that this process may have: of the machine, or less by the
 * limit of its cgroup or of one above it. 0: not known. */
uint64_t machine_memory(void);

#endif
