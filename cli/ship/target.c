/* The target of ship and fleet; see the header. */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "print/msg.h"
#include "print/plain.h"

#define SECOND ((uint64_t)1000000)

int
target_set(struct bob_target_opts *ret, const struct args *args,
    const char *url, const volatile int *stop)
{
	const char *text = args_value(args, OPT_TIMEOUT);
	uint64_t us;

	*ret = (struct bob_target_opts){ .size = sizeof(*ret), .url = url,
		.login_file = args_value(args, OPT_LOGIN),
		.user = getenv("BOBBIN_SHIP_USER"),
		.password = getenv("BOBBIN_SHIP_PASSWORD"),
		.ca_file = args_value(args, OPT_CA_FILE),
		.stop = stop };
	if (text == NULL)
		return EXIT_OK;
	if (!plain_get_time(text, strlen(text), &us) || us < SECOND ||
	    us > 86400 * SECOND)
		return msg_value("--timeout", text, "a time",
		    "from 1s to 1d");
	ret->timeout_s = (unsigned)(us / SECOND);
	return EXIT_OK;
}
