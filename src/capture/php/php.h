/* The runtime of PHP 7.0 to 8.5, with and without threads (ZTS). */
#ifndef CAPTURE_PHP_PHP_H
#define CAPTURE_PHP_PHP_H

#include "capture/php/layout/find.h"
#include "capture/runtime.h"

extern const struct runtime php_runtime;

/* The second half of attaching, when addresses are known: tests give them
 * themselves. Returns BOB_OK and sets *ret to the state, or FAILED. */
int php_open(struct process *p, const struct php_site *site, void **ret);

#endif
