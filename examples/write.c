/* Writes a trace of two stacks, one of them sampled often: write FILE */
#include <stdio.h>
#include <string.h>

#include <bobbin/bobbin.h>

/* The stack with one more function on top of it. */
static bob_stack
call(struct bob_dict *d, bob_stack caller, const char *name, int line)
{
	struct bob_frame f = { .lang = BOB_LANG_PHP, .where = line };

	f.file = bob_str_put(d, "/app/shop.php", strlen("/app/shop.php"));
	if (f.file == BOB_NO_ID ||
	    bob_frame_set_php_name(d, &f, name, strlen(name)) < 0)
		return BOB_NO_ID;
	return bob_stack_push(d, caller, bob_frame_put(d, &f));
}

static int
fill(struct bob_writer *out)
{
	struct bob_dict *d = bob_writer_dict(out);
	struct bob_segment segment = { .period_us = 10000 };
	bob_stack outer = call(d, 0, "<main>", 3);
	struct bob_run runs[] = {
		{ .count = 3, .stack = call(d, outer, "Shop\\Cart::add", 40) },
		{ .count = 997, .stack = call(d, outer, "PDO::query", -1) },
	};

	if (bob_write_segment(out, &segment) < 0)
		return BOB_FATAL;
	return bob_write_runs(out, runs, 2);
}

int
main(int argc, char **argv)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_target to = { .path = argc > 1 ? argv[1] : "-" };
	struct bob_write_opts opts = { .size = sizeof(opts), .format = "rbt" };
	struct bob_writer *out;
	int r = ctx == NULL ? BOB_FATAL : bob_create(ctx, &to, &opts, &out);

	if (r == BOB_OK) {
		r = fill(out);
		if (r == BOB_OK)
			r = bob_finish(out);
		else
			bob_discard(out);
	}
	if (r < 0 && ctx != NULL)
		fprintf(stderr, "write: %s\n", bob_ctx_error(ctx)->text);
	bob_ctx_free(ctx);
	return r < 0;
}
