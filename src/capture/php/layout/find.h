/*
 * Finds PHP in a process: the file that holds it, its version, and the
 * addresses of its globals. Works on stripped builds, as the symbols are
 * exported for extensions.
 */
#ifndef CAPTURE_PHP_LAYOUT_FIND_H
#define CAPTURE_PHP_LAYOUT_FIND_H

#include <stdint.h>

#include "capture/php/layout/offsets.h"
#include "capture/php/layout/zts.h"
#include "capture/runtime.h"

struct php_site {
	const struct php_offsets *o;
	int is_zts;
	struct php_globals globals; /* without threads */
	struct zts zts;             /* with threads */
	uint64_t sapi;              /* address of sapi_module; 0: not known */
};

/* True when a file may hold PHP by its name. */
int php_is_module(const struct map_file *f);

/* Sets *ret, and version, flavour and module of the process. Returns BOB_OK;
 * BOB_EOF if there is no PHP in the process; FAILED. */
int php_find(struct process *p, struct php_site *ret);

#endif
