/* PHP 7.0 to 8.5, with and without threads. */
#ifndef CAPTURE_PHP_PHP_H
#define CAPTURE_PHP_PHP_H

#include "capture/runtime.h"

extern const struct runtime php_runtime;

#endif
