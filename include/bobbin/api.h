/*
 * What every public header needs: BOB_API, which marks an exported function,
 * and the library's version. Check the version at build time with
 * BOB_VERSION_NUMBER and at run time with bob_version().
 */
#ifndef BOBBIN_API_H
#define BOBBIN_API_H

#if defined(__GNUC__)
#define BOB_API __attribute__((visibility("default")))
#define BOB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define BOB_API
#define BOB_PRINTF(fmt, args)
#endif

#define BOB_VERSION_MAJOR 0
#define BOB_VERSION_MINOR 1
#define BOB_VERSION_PATCH 0
/* major * 1e6 + minor * 1e3 + patch, so that versions compare as numbers. */
#define BOB_VERSION_NUMBER                                                   \
	(BOB_VERSION_MAJOR * 1000000 + BOB_VERSION_MINOR * 1000 +            \
	 BOB_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the loaded library, such as "0.1.0". Never NULL. */
BOB_API const char *bob_version(void);

#ifdef __cplusplus
}
#endif
#endif
