/*
 * What holds for every format that can be written: each allocation may fail,
 * one at a time, and the same input gives the same bytes.
 */
#include "through.h"

/* Processes, annotations, names that have to be mended, recursion, a line
 * that comes twice, and a stack without frames. */
static const char trace[] =
    "0 App\\A::f /a.php:1\n1 b\xff /b:2\n2 b\xff /b:2\n# pid = 1\n"
    "# route = /x\xff\n\n"
    "0 b\xff /b:2\n1 App\\A::f /a.php:9\n# pid = 2\n# route = /y\n\n"
    "0 App\\A::f /a.php:1\n1 c <internal>:-1\n# pid = 1\n\n"
    "0 c <internal>:-1\n\n";

static const char *const formats[] = { "callgrind", "chrome", "heatmap",
	"heatmap-html", "jsonl", "perfetto", "pprof", "pstats", "speedscope" };
#define N_FORMATS (sizeof(formats) / sizeof(*formats))

static void
every_allocation_may_fail(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N_FORMATS; i++)
		assert_survives_faults(trace, "phpspy", formats[i]);
}

static void
bytes_are_the_same_again(void **state)
{
	const struct through_how in_pieces = { .step = 3 };
	struct through a, b;
	size_t i;

	(void)state;
	for (i = 0; i < N_FORMATS; i++) {
		through(&a, trace, sizeof(trace) - 1, "phpspy", formats[i],
		    &(struct through_how){ 0 });
		through(&b, trace, sizeof(trace) - 1, "phpspy", formats[i],
		    &in_pieces);
		assert_int_equal(a.status, BOB_EOF);
		assert_int_equal(a.out.n, b.out.n);
		assert_in_range(a.out.n, 100, 5000);
		assert_memory_equal(a.out.p, b.out.p, a.out.n);
		through_done(&a);
		through_done(&b);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(bytes_are_the_same_again),
	};

	return cmocka_run_group_tests_name("sinks", tests, NULL, NULL);
}
