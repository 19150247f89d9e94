/* PHP 7.0 to 8.5, with and without threads. */
#ifndef CAPTURE_PHP_PHP_H
#define CAPTURE_PHP_PHP_H

#include "capture/php/find.h"
#include "capture/runtime.h"

extern const struct runtime php_runtime;

/* What attaching does once it is known where everything is, which a test may
 * say itself. BOB_OK or FAILED. */
int php_open(struct process *p, const struct php_site *site, void **ret);

#endif
