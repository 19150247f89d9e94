/* PHP's hash tables, as far as a string under a string is concerned. */
#ifndef CAPTURE_PHP_TABLE_H
#define CAPTURE_PHP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"

/*
 * $_SERVER[name] of the thread whose executor_globals are at eg, when it is a
 * string: at most cap bytes of it. Their number; 0 when there is none (PHP
 * fills $_SERVER when a script that mentions it is compiled).
 */
size_t table_server(struct mem *m, uint64_t eg, const char *name, char *buf,
    size_t cap);

#endif
