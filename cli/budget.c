/* Limits of what is used; see the header. */
#include "budget.h"

#include <string.h>

#include <bobbin/limits.h>

#include "machine.h"
#include "msg.h"
#include "plain.h"

static int
get(const struct args *args, int id, const char *name, uint64_t *ret)
{
	const char *text = args_value(args, id);

	if (text == NULL)
		return EXIT_OK;
	if (strcmp(text, "none") == 0) {
		*ret = BOB_UNLIMITED;
		return EXIT_OK;
	}
	if (plain_get_size(text, ret) && *ret > 0)
		return EXIT_OK;
	(void)msg_usage("--%s '%s' is not a size", name, text);
	msg_hint("as 64k, 10M or 1G, or none");
	return EXIT_USAGE;
}

/* Above this share of the memory there is, the kernel would end us or somebody
 * else: an error that names the input is better. The rest is for what does not
 * count, and for the system. */
static uint64_t
default_memory(void)
{
	uint64_t all = machine_memory();

	return all == 0 ? BOB_UNLIMITED : all - all / 4;
}

int
budget_set(struct bob_ctx *ctx, const struct args *args)
{
	struct bob_limits l = { .size = sizeof(l),
		.max_memory = default_memory() };
	int r = get(args, OPT_MAX_OUTPUT, "max-output", &l.max_output);

	if (r == EXIT_OK)
		r = get(args, OPT_MAX_MEMORY, "max-memory", &l.max_memory);
	if (r == EXIT_OK)
		r = get(args, OPT_MAX_TEMP, "max-temp", &l.max_temp);
	if (r == EXIT_OK)
		bob_ctx_set_limits(ctx, &l);
	return r;
}

uint64_t
budget_max_output(const struct args *args)
{
	uint64_t max = 0;

	if (get(args, OPT_MAX_OUTPUT, "max-output", &max) != EXIT_OK ||
	    max == 0)
		return BOB_MAX_OUTPUT;
	return max;
}

void
budget_hint(const struct bob_error *e)
{
	/* The library names the member of struct bob_limits. */
	static const struct {
		const char *member, *option;
	} v[] = {
		{ "max_output", "--max-output" },
		{ "max_memory", "--max-memory" },
		{ "max_temp", "--max-temp" },
	};
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		if (strstr(e->text, v[i].member) != NULL)
			msg_hint("%s SIZE allows more", v[i].option);
}
