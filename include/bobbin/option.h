/*
 * Options of formats: named values. A format declares the options that it
 * takes for reading and for writing in its struct bob_format_info
 * (bobbin/convert.h).
 */
#ifndef BOBBIN_OPTION_H
#define BOBBIN_OPTION_H

#ifdef __cplusplus
extern "C" {
#endif

/* One option with its value, from the caller. The value of a switch may be
 * NULL. */
struct bob_option {
	const char *key, *value;
};

/* One option that a format takes. */
struct bob_option_info {
	const char *key;
	const char *arg;  /* placeholder of the value; NULL: a switch */
	const char *help; /* one line */
};

#ifdef __cplusplus
}
#endif
#endif
