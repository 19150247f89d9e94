/* From options to the limits of a context; see the header. */
#include "budget.h"

#include <string.h>

#include <bobbin/limits.h>

#include "print/plain.h"
#include "print/msg.h"
#include "system/memory.h"

static int
get_limit(const struct args *args, int id, const char *name, uint64_t *ret)
{
	const char *text = args != NULL ? args_value(args, id) : NULL;

	if (text == NULL)
		return EXIT_OK;
	if (strcmp(text, "none") == 0) {
		*ret = BOB_UNLIMITED;
		return EXIT_OK;
	}
	if (plain_get_size(text, ret) && *ret > 0)
		return EXIT_OK;
	(void)msg_usage("--%s '%s' is not a size", name, text);
	msg_hint("as 64k, 10MiB or 1G, or none");
	return EXIT_USAGE;
}

/* Near the end of all memory the kernel would kill us or another process: an
 * error that names the input is better. A quarter is left for the system and
 * for what is not counted. */
static uint64_t
default_memory(void)
{
	uint64_t all = memory_available();

	return all == 0 ? BOB_UNLIMITED : all - all / 4;
}

int
budget_set(struct bob_ctx *ctx, const struct args *args)
{
	struct bob_limits l = { .size = sizeof(l),
		.max_memory = default_memory() };
	int r = get_limit(args, OPT_MAX_OUTPUT, "max-output", &l.max_output);

	if (r == EXIT_OK)
		r = get_limit(args, OPT_MAX_MEMORY, "max-memory",
		    &l.max_memory);
	if (r == EXIT_OK)
		r = get_limit(args, OPT_MAX_TEMP, "max-temp", &l.max_temp);
	if (r == EXIT_OK)
		bob_ctx_set_limits(ctx, &l);
	return r;
}

uint64_t
budget_max_output(const struct args *args)
{
	uint64_t max = 0;

	if (get_limit(args, OPT_MAX_OUTPUT, "max-output", &max) != EXIT_OK ||
	    max == 0)
		return BOB_MAX_OUTPUT;
	return max;
}

void
budget_hint(const struct bob_error *e)
{
	static const char *const option[] = {
		[BOB_LIMIT_OUTPUT] = "--max-output",
		[BOB_LIMIT_MEMORY] = "--max-memory",
		[BOB_LIMIT_TEMP] = "--max-temp",
	};
	size_t i = (size_t)e->limit;

	if (i < sizeof(option) / sizeof(option[0]) && option[i] != NULL)
		msg_hint("%s SIZE allows more", option[i]);
}
