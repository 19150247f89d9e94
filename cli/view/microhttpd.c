/* Loads libmicrohttpd with dlopen(3); see the header. */
#include "microhttpd.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define ENTRY(name) { #name, offsetof(struct microhttpd, name) },

static const struct {
	const char *name;
	size_t at;
} entry[] = { MICROHTTPD_EACH(ENTRY) };

static int
fail_by_dlerror(char *err, size_t n)
{
	const char *why = dlerror();

	(void)snprintf(err, n, "%s is needed: %.200s; install it "
	    "(libmicrohttpd12 on Debian and Ubuntu, libmicrohttpd elsewhere)",
	    MICROHTTPD_SONAME, why != NULL ? why : "?");
	return -1;
}

int
microhttpd_open(struct microhttpd *m, char *err, size_t n)
{
	void *handle = dlopen(MICROHTTPD_SONAME, RTLD_LAZY | RTLD_LOCAL), *p;
	size_t i;

	if (handle == NULL)
		return fail_by_dlerror(err, n);
	for (i = 0; i < sizeof(entry) / sizeof(entry[0]); i++) {
		p = dlsym(handle, entry[i].name);
		if (p == NULL)
			return fail_by_dlerror(err, n);
		memcpy((char *)m + entry[i].at, &p, sizeof(p));
	}
	return 0;
}
