/*
 * Parses the name of a variable, as --trace-var takes it:
 *
 *     global::$config[database][host]
 *     local::App\Controller::show()$user->id
 *     static::App\Cache::$entries[0]
 *     func_static::App\retry()$attempts
 *     memory::memory_get_usage
 *
 * A key is a number if PHP would take it for one. Quotes around it are allowed,
 * and needed if there is a ']' in it.
 */
#ifndef CAPTURE_PHP_VARIABLES_SPEC_H
#define CAPTURE_PHP_VARIABLES_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

#define SPEC_MAX_BYTES 512
#define SPEC_MAX_STEPS 8

enum spec_scope {
	SPEC_GLOBAL,
	SPEC_LOCAL,       /* of the innermost frame of a function */
	SPEC_STATIC,      /* property of a class */
	SPEC_FUNC_STATIC, /* variable of a function */
	SPEC_MEMORY
};

/* A key of one of PHP's tables. */
struct table_key {
	const char *s;
	size_t n;
	uint64_t h;   /* its hash, or the number */
	int is_number;
};

/* One step into a value. */
struct spec_step {
	int is_property; /* ->key, else [key] */
	struct table_key key;
};

struct spec {
	enum spec_scope scope;
	const char *text;      /* as given; also the key of the annotation */
	const char *owner;     /* LOCAL, FUNC_STATIC: the function; STATIC:
	                        * the class */
	size_t owner_len;
	struct table_key name; /* without $; MEMORY: which number */
	struct spec_step step[SPEC_MAX_STEPS];
	size_t n_step;
};

/* Sets *ret, which points into `text`. Returns BOB_OK, or FAILED (BOB_E_USAGE)
 * with the position of the mistake. */
int spec_parse(struct bob_ctx *ctx, const char *text, struct spec *ret);

/* Returns the key of a string, with PHP's hash of it. */
struct table_key table_key_of(const char *s, size_t n);

#endif
