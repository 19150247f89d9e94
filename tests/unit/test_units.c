/* Parsing times and sizes. */
#include "support.h"

#include <string.h>

#include <bobbin/units.h>

struct good {
	const char *text;
	uint64_t value;
};

static void
times_are_nanoseconds(void **state)
{
	static const struct good good[] = { { "0", 0 }, { "1", 1000000000 },
		{ "7ns", 7 }, { "1.5ns", 1 }, { "10us", 10000 },
		{ "500ms", 500000000 }, { "1.5s", 1500000000 },
		{ "0.000000001", 1 }, { "0.123456789s", 123456789 },
		{ "2m", UINT64_C(120000000000) },
		{ "1.5h", UINT64_C(5400000000000) },
		{ "1d", UINT64_C(86400000000000) },
		{ "18446744073709551615ns", UINT64_MAX } };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t v = 99;

		assert_int_equal(bob_parse_time(good[i].text,
		    strlen(good[i].text), &v), 1);
		assert_int_equal(v, good[i].value);
	}
}

static void
sizes_are_bytes(void **state)
{
	static const struct good good[] = { { "0", 0 }, { "512", 512 },
		{ "512B", 512 }, { "64k", 64000 }, { "64K", 64000 },
		{ "64kB", 64000 }, { "64KiB", 65536 }, { "64Ki", 65536 },
		{ "2G", 2000000000 }, { "1.5MiB", 1572864 },
		{ "0.25Ki", 256 }, { "2GiB", UINT64_C(2147483648) },
		{ "1T", UINT64_C(1000000000000) },
		{ "1TiB", UINT64_C(1) << 40 } };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t v = 99;

		assert_int_equal(bob_parse_size(good[i].text,
		    strlen(good[i].text), &v), 1);
		assert_int_equal(v, good[i].value);
	}
}

static void
what_is_none_is_refused(void **state)
{
	static const char *const bad[] = { "", ".", "s", "k", ".5s", "1.",
		"1.s", "1. s", "-1s", "+1", " 1", "1 ", "1 s", "1ss", "1e3",
		"0x10", "1,5s", "1.5.5", "18446744073709551616ns",
		"213503982334601d", "20000000TiB", "1\xc2\xb5s" };
	uint64_t v = 99;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(bob_parse_time(bad[i], strlen(bad[i]), &v), 0);
		assert_int_equal(bob_parse_size(bad[i], strlen(bad[i]), &v), 0);
	}
	assert_int_equal(bob_parse_time("1M", 2, &v), 0);
	assert_int_equal(bob_parse_time("1S", 2, &v), 0);
	assert_int_equal(bob_parse_size("1s", 2, &v), 0);
	assert_int_equal(v, 99);
}

/* Nothing behind the n bytes is looked at. */
static void
only_n_bytes_are_read(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(bob_parse_time("15ms", 2, &v), 1);
	assert_int_equal(v, UINT64_C(15000000000));
	assert_int_equal(bob_parse_time("1.5", 2, &v), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_nanoseconds),
		cmocka_unit_test(sizes_are_bytes),
		cmocka_unit_test(what_is_none_is_refused),
		cmocka_unit_test(only_n_bytes_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
