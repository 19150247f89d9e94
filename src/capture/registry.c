/* The runtimes that can be read; the only place that names them. */
#include "capture/php/php.h"
#include "capture/python/python.h"
#include "capture/runtime.h"

static const struct runtime *const runtimes[] = {
	&php_runtime,
	&python_runtime,
};

const struct runtime *
runtime_get(size_t i)
{
	size_t n = sizeof(runtimes) / sizeof(runtimes[0]);

	return i < n ? runtimes[i] : NULL;
}

const char *
bob_runtime_get(size_t i)
{
	const struct runtime *r = runtime_get(i);

	return r != NULL ? r->name : NULL;
}
