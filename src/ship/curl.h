/*
 * The functions of libcurl, looked up at run time.
 *
 * Only shipping needs them. libcurl is linked to a TLS library and twenty
 * others, which would cost every start of the command several milliseconds. The
 * build needs the header for types.
 */
#ifndef SHIP_CURL_H
#define SHIP_CURL_H

#include <curl/curl.h>

#include "core/error.h"

#define CURL_EACH(X)                                                         \
	X(curl_global_init)                                                  \
	X(curl_easy_init)                                                    \
	X(curl_easy_setopt)                                                  \
	X(curl_easy_perform)                                                 \
	X(curl_easy_getinfo)                                                 \
	X(curl_easy_reset)                                                   \
	X(curl_easy_strerror)                                                \
	X(curl_easy_cleanup)                                                 \
	X(curl_slist_append)                                                 \
	X(curl_slist_free_all)

#define CURL_MEMBER(name) __typeof__(name) *name;

struct curl_api {
	CURL_EACH(CURL_MEMBER)
};

/* Returns BOB_OK, or FAILED (BOB_E_UNSUPPORTED) if this machine has no
 * libcurl. It stays loaded until the program ends. */
int curl_api_open(struct bob_ctx *ctx, struct curl_api *ret);

#endif
