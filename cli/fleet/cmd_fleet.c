/* bobbin fleet init: makes the tables that samples are shipped to. */
#include <stdio.h>
#include <string.h>

#include <bobbin/ship.h>
#include <bobbin/units.h>

#include "args/args.h"
#include "print/msg.h"
#include "print/plain.h"
#include "ship/target.h"

#define DAY_NS ((uint64_t)86400 * 1000000000)

static void
print_statement(void *user, const char *sql)
{
	(void)user;
	(void)plain_safe_str(stdout, sql);
	(void)fputs(";\n", stdout);
}

/* An option of whole days, as 14d; 0 is for ever. */
static int
take_days(const struct args *args, int id, const char *name, unsigned normal,
    unsigned *ret)
{
	const char *text = args_value(args, id);
	uint64_t ns;

	*ret = normal;
	if (text == NULL)
		return EXIT_OK;
	if (!bob_parse_time(text, strlen(text), &ns) || ns % DAY_NS != 0 ||
	    ns / DAY_NS > 36500)
		return msg_value(name, text, "a number of days",
		    "as 14d; 0 keeps everything");
	*ret = (unsigned)(ns / DAY_NS);
	return EXIT_OK;
}

static void
say_result(const struct bob_fleet_info *info, const struct bob_fleet_opts *o)
{
	int is_dry = (o->flags & BOB_FLEET_DRY_RUN) != 0;

	msg_step("ClickHouse %s: %s", info->version,
	    is_dry ? "nothing was changed" :
	    info->old_schema == 0 ? "tables were made" :
	    "tables are there");
	if (!info->removes_old && (o->keep_days > 0 || o->keep_sums_days > 0))
		msg_warn("ClickHouse %s does not remove old samples by itself "
		    "(22.3 and newer do); remove each day with ALTER TABLE "
		    "... DROP PARTITION, as docs/ship.md says", info->version);
}

static int
init(const struct args *args)
{
	struct bob_fleet_opts o = { .size = sizeof(o),
		.cluster = args_value(args, OPT_CLUSTER) };
	struct bob_target_opts to;
	struct bob_fleet_info info;
	struct bob_ctx *ctx;
	int r = take_days(args, OPT_KEEP, "--keep", 14, &o.keep_days);

	if (r == EXIT_OK)
		r = take_days(args, OPT_KEEP_SUMS, "--keep-sums", 90,
		    &o.keep_sums_days);
	if (r == EXIT_OK)
		r = target_set(&to, args, args->operands[1], NULL);
	if (r != EXIT_OK)
		return r;
	if (args_has(args, OPT_DRY_RUN)) {
		o.flags |= BOB_FLEET_DRY_RUN;
		o.statement = print_statement;
	}
	ctx = bob_ctx_new();
	if (ctx == NULL)
		return msg_no_memory();
	if (bob_fleet_init(ctx, &to, &o, &info) < 0)
		r = msg_ctx_error(ctx);
	else
		say_result(&info, &o);
	bob_ctx_free(ctx);
	return r;
}

int
cmd_fleet(const struct args *args)
{
	if (args->n_operands == 2 && strcmp(args->operands[0], "init") == 0)
		return init(args);
	(void)msg_usage(args->n_operands == 0 ? "what should be done is missing"
	    : args->n_operands == 1 ? "the address of a server is missing"
	    : "there is no '%s' to do", args->operands[0]);
	msg_hint("bobbin fleet init clickhouse://HOST/DATABASE");
	return EXIT_USAGE;
}
