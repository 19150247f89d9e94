/*
 * The functions of libmicrohttpd, looked up at run time.
 *
 * Only `view` needs them. Debian's build is linked to a TLS library and ten
 * others, which would cost every start of the command a millisecond and 3 MiB.
 * The build needs the header for types.
 */
#ifndef CLI_VIEW_MICROHTTPD_H
#define CLI_VIEW_MICROHTTPD_H

#include <microhttpd.h>
#include <stddef.h>

#define MICROHTTPD_SONAME "libmicrohttpd.so.12"

#define MICROHTTPD_EACH(X)                                                   \
	X(MHD_start_daemon)                                                  \
	X(MHD_stop_daemon)                                                   \
	X(MHD_run_wait)                                                      \
	X(MHD_get_daemon_info)                                               \
	X(MHD_get_connection_info)                                           \
	X(MHD_lookup_connection_value)                                       \
	X(MHD_get_connection_values_n)                                       \
	X(MHD_create_response_from_buffer)                                   \
	X(MHD_create_response_from_fd)                                       \
	X(MHD_add_response_header)                                           \
	X(MHD_queue_response)                                                \
	X(MHD_suspend_connection)                                            \
	X(MHD_resume_connection)                                             \
	X(MHD_destroy_response)

#define MICROHTTPD_MEMBER(name) __typeof__(name) *name;

struct microhttpd {
	MICROHTTPD_EACH(MICROHTTPD_MEMBER)
};

/* Returns 0; -1 with the reason in err (n bytes). The library stays loaded
 * until the program ends. */
int microhttpd_open(struct microhttpd *m, char *err, size_t n);

#endif
