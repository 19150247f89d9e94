/* Loads libcurl with dlopen(3); see the header. */
#include "ship/curl.h"

#include <dlfcn.h>
#include <string.h>

/* The function pointers of struct curl_api have the names of macros of libcurl
 * that check types; here only their addresses count. */
#define ENTRY(name) { #name, offsetof(struct curl_api, name) },

static const struct {
	const char *name;
	size_t at;
} entry[] = { CURL_EACH(ENTRY) };

static int
fail_by_dlerror(struct bob_ctx *ctx)
{
	const char *why = dlerror();

	return err_set(ctx, BOB_FAILED, BOB_E_UNSUPPORTED, BOB_NO_OFFSET,
	    "libcurl.so.4 is needed: %.200s; install it (libcurl4 on Debian "
	    "and Ubuntu, libcurl elsewhere)", why != NULL ? why : "?");
}

int
curl_api_open(struct bob_ctx *ctx, struct curl_api *ret)
{
	void *handle = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL), *p;
	struct curl_api api;
	size_t i;

	if (handle == NULL)
		handle = dlopen("libcurl-gnutls.so.4", RTLD_LAZY | RTLD_LOCAL);
	if (handle == NULL)
		return fail_by_dlerror(ctx);
	for (i = 0; i < sizeof(entry) / sizeof(entry[0]); i++) {
		p = dlsym(handle, entry[i].name);
		if (p == NULL)
			return fail_by_dlerror(ctx);
		memcpy((char *)&api + entry[i].at, &p, sizeof(p));
	}
	/* Once is enough; later calls only count. From 7.84 on it is safe in
	 * any thread. */
	if (api.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(ctx, BOB_FAILED, BOB_E_UNSUPPORTED,
		    BOB_NO_OFFSET, "libcurl cannot be initialized");
	*ret = api;
	return BOB_OK;
}
