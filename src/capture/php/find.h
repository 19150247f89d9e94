/*
 * Where PHP keeps its state in a process: which file holds it, which version
 * it is, and the addresses of its globals. Works on stripped builds: what is
 * needed is exported for extensions.
 */
#ifndef CAPTURE_PHP_FIND_H
#define CAPTURE_PHP_FIND_H

#include <stdint.h>

#include "capture/php/offsets.h"
#include "capture/php/zts.h"
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

/* BOB_OK; BOB_EOF: there is no PHP in the process; FAILED. Sets version,
 * flavour and module of the process. */
int php_find(struct process *p, struct php_site *ret);

#endif
