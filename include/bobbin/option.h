/*
 * Options of formats: named values that a format declares in its
 * bob_format_info, for reading and for writing.
 */
#ifndef BOBBIN_OPTION_H
#define BOBBIN_OPTION_H

#ifdef __cplusplus
extern "C" {
#endif

/* One option as it is given. The value of a switch may be NULL. */
struct bob_option {
	const char *key, *value;
};

/* One option as it is declared. */
struct bob_option_info {
	const char *key;
	const char *arg;  /* placeholder of its value, or NULL: a switch */
	const char *help; /* one line */
};

#ifdef __cplusplus
}
#endif
#endif
