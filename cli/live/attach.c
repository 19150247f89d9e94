/* Which threads are sampled; see the header. */
#include "attach.h"

#include <string.h>

#include "msg.h"
#include "plain.h"

static int
set_mode(const char *s, struct bob_attach_opts *ret)
{
	int i;

	for (i = 0; bob_mode_name(i) != NULL; i++)
		if (strcmp(bob_mode_name(i), s) == 0) {
			ret->mode = (uint32_t)i;
			return EXIT_OK;
		}
	(void)msg_usage("--mode '%s' is not one", s);
	msg_hint("wall, cpu, gil or exception");
	return EXIT_USAGE;
}

static int
set_thread(const char *s, struct bob_attach_opts *ret)
{
	uint64_t n;

	if (strcmp(s, "all") == 0)
		return EXIT_OK;
	if (strcmp(s, "main") == 0) {
		ret->thread = BOB_MAIN_THREAD;
		return EXIT_OK;
	}
	if (plain_get_u64(s, &n) && n > 0 && n <= INT32_MAX) {
		ret->thread = n;
		return EXIT_OK;
	}
	(void)msg_usage("--threads '%s' are none", s);
	msg_hint("all, main, or the number of one, as top -H shows it");
	return EXIT_USAGE;
}

int
attach_set_threads(const struct args *args, struct bob_attach_opts *ret)
{
	const char *mode = args_value(args, OPT_MODE);
	const char *threads = args_value(args, OPT_SAMPLED_THREADS);
	int r = EXIT_OK;

	if (args_has(args, OPT_ON_CPU))
		ret->flags |= BOB_ATTACH_ON_CPU;
	if (args_has(args, OPT_NATIVE_MARKS))
		ret->flags |= BOB_ATTACH_NATIVE_MARKS;
	if (mode != NULL)
		r = set_mode(mode, ret);
	if (r == EXIT_OK && threads != NULL)
		r = set_thread(threads, ret);
	return r;
}
