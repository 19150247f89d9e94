/* Prints folded stacks of all processes whose command line matches, for two
 * seconds: watch PATTERN */
#include <stdio.h>

#include <bobbin/bobbin.h>

static struct bob_writer *out;
static struct bob_watch *watch;

static int
on_runs(void *user, struct bob_proc *p, const struct bob_run *runs, size_t n)
{
	(void)user;
	(void)p;
	return bob_write_runs(out, runs, n);
}

static int
on_tick(void *user, uint64_t us)
{
	int r = bob_watch_poll(watch);

	(void)user;
	(void)us;
	return r == BOB_AGAIN ? BOB_OK : r;
}

int
main(int argc, char **argv)
{
	struct bob_target to = { .path = "-" };
	struct bob_write_opts folded = { sizeof(folded), .format = "folded" };
	struct bob_sampler_events events = { .runs = on_runs, .tick = on_tick };
	struct bob_sampler_opts so = { sizeof(so), .period_ns = 10000000,
		.duration_us = 2000000, .flags = BOB_SAMPLER_STAY,
		.events = &events };
	struct bob_attach_opts attach = { .size = sizeof(attach) };
	struct bob_watch_events none = { .user = NULL };
	struct bob_watch_opts o = { sizeof(o), .attach = &attach,
		.pattern = argc > 1 ? argv[1] : "python", .events = &none };
	struct bob_ctx *ctx = bob_ctx_new();
	int r = ctx == NULL ? 1 : bob_create(ctx, &to, &folded, &out);

	if (r == BOB_OK) {
		attach.dict = bob_writer_dict(out);
		if ((r = bob_sampler_new(ctx, &so, &o.sampler)) == BOB_OK &&
		    (r = bob_watch_new(ctx, &o, &watch)) == BOB_OK &&
		    (r = bob_watch_settle(watch, 1000000)) >= 0)
			r = bob_sampler_run(o.sampler);
		bob_watch_free(watch);
		bob_sampler_free(o.sampler);
		r = bob_finish(out) < 0 || r < 0;
	}
	if (r != 0 && ctx != NULL)
		fprintf(stderr, "watch: %s\n", bob_ctx_error(ctx)->text);
	bob_ctx_free(ctx);
	return r != 0;
}
