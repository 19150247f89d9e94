/* The list of all runtimes; no other file outside of their folders names
 * them. */
#include "capture/native/runtime.h"
#include "capture/php/php.h"
#include "capture/python/python.h"
#include "capture/runtime.h"

static const struct {
	const struct runtime *runtime;
	const char *versions; /* that it knows, for people */
} runtimes[] = {
	{ &php_runtime, "7.0 to 8.5" },
	{ &python_runtime, "3.7 to 3.16" },
	{ &native_runtime, "any, by name only" },
};

#define N_RUNTIMES (sizeof(runtimes) / sizeof(runtimes[0]))

const struct runtime *
runtime_get(size_t i)
{
	return i < N_RUNTIMES ? runtimes[i].runtime : NULL;
}

const char *
bob_runtime_get(size_t i)
{
	const struct runtime *r = runtime_get(i);

	return r != NULL ? r->name : NULL;
}

const char *
bob_runtime_versions(size_t i)
{
	return i < N_RUNTIMES ? runtimes[i].versions : NULL;
}
