/*
 * Profiles of other tools: any allocation may fail while one is read. The
 * failure is reported, and nothing is leaked. The fixtures have at least one of
 * each kind of record.
 */
#include <stdlib.h>

#include "fault.h"
#include "support.h"

#ifndef TEST_DATA
#error "TEST_DATA names the folder of the fixtures"
#endif

struct input {
	const char *format;
	uint8_t *p;
	size_t n;
	uint32_t flags;
	uint64_t samples; /* that a whole read gives */
};

static void
load(struct input *in, const char *path)
{
	FILE *f = fopen(path, "rb");
	long size;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	assert_true(size > 0);
	rewind(f);
	in->n = (size_t)size;
	in->p = malloc(in->n);
	assert_non_null(in->p);
	assert_int_equal(fread(in->p, 1, in->n, f), in->n);
	assert_int_equal(fclose(f), 0);
}

static int
read_all(const struct input *in, uint64_t *ret)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = in->format,
		.flags = in->flags };
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_reader *rd;
	struct bob_event ev;
	size_t i;
	int r;

	*ret = 0;
	if (ctx == NULL)
		return BOB_FATAL;
	r = bob_open_memory(ctx, in->p, in->n, "test", &o, &rd);
	if (r == BOB_OK) {
		while ((r = bob_next(rd, &ev)) == BOB_OK)
			for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs;
			    i++)
				*ret += ev.runs[i].count;
		/* The dead stay dead. */
		if (r == BOB_FATAL)
			assert_int_equal(bob_next(rd, &ev), BOB_FATAL);
		bob_close(rd);
	}
	if (r < 0)
		assert_int_equal(bob_ctx_error(ctx)->code, BOB_E_NOMEM);
	bob_ctx_free(ctx);
	return r;
}

static int
step(void *user)
{
	struct input *in = user;
	uint64_t samples;
	int r = read_all(in, &samples);

	if (r >= 0)
		assert_int_equal(samples, in->samples);
	return r;
}

static void
every_allocation_fails(const char *format, const char *path, uint64_t samples)
{
	struct input in = { .format = format, .samples = samples };

	load(&in, path);
	fault_each(step, &in);
	in.flags = BOB_READ_RECOVER;
	fault_each(step, &in);
	free(in.p);
}

static void
pprof_without_memory(void **state)
{
	(void)state;
	every_allocation_fails("pprof", TEST_DATA "/pprof/go-cpu.pb.gz", 52);
}

static void
speedscope_without_memory(void **state)
{
	(void)state;
	every_allocation_fails("speedscope", TEST_DATA
	    "/speedscope/evented.speedscope.json", 279);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pprof_without_memory),
		cmocka_unit_test(speedscope_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
