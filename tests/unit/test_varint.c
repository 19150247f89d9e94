/* Varints: the bytes are given by the format, so they are written out here. */
#include "support.h"

#include "core/varint.h"

static const struct {
	uint64_t value;
	size_t n;
	const char *bytes;
} known[] = {
	{ 0, 1, "\x00" },
	{ 1, 1, "\x01" },
	{ 127, 1, "\x7f" },
	{ 128, 2, "\x80\x01" },
	{ 300, 2, "\xac\x02" },
	{ 16383, 2, "\xff\x7f" },
	{ 16384, 3, "\x80\x80\x01" },
	{ UINT32_MAX, 5, "\xff\xff\xff\xff\x0f" },
	{ INT64_MAX, 9, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f" },
	{ UINT64_MAX, 10, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" },
};

static void
known_values_have_known_bytes(void **state)
{
	uint8_t buf[VARINT_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(known); i++) {
		uint8_t *end = varint_put(buf, known[i].value);

		assert_int_equal(end - buf, known[i].n);
		assert_memory_equal(buf, known[i].bytes, known[i].n);
		assert_int_equal(varint_size(known[i].value), known[i].n);
	}
}

static void
known_bytes_have_known_values(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(known); i++) {
		const uint8_t *p = (const uint8_t *)known[i].bytes;
		const uint8_t *end = p + known[i].n;
		uint64_t v = 99;

		assert_int_equal(varint_get(&p, end, &v), 1);
		assert_true(v == known[i].value);
		assert_ptr_equal(p, end);
	}
}

static void
decoding_stops_behind_the_varint(void **state)
{
	const uint8_t bytes[] = { 0x80, 0x01, 0x05, 0xff };
	const uint8_t *p = bytes, *end = bytes + sizeof(bytes);
	uint64_t v;

	(void)state;
	assert_int_equal(varint_get(&p, end, &v), 1);
	assert_int_equal(v, 128);
	assert_int_equal(varint_get(&p, end, &v), 1);
	assert_int_equal(v, 5);
	assert_ptr_equal(p, bytes + 3);
}

static void
cut_varint_leaves_the_place_alone(void **state)
{
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT_OF(known); i++)
		for (n = 0; n < known[i].n; n++) {
			const uint8_t *begin =
			    (const uint8_t *)known[i].bytes;
			const uint8_t *p = begin;
			uint64_t v = 7;

			assert_int_equal(varint_get(&p, begin + n, &v), 0);
			assert_ptr_equal(p, begin);
			assert_int_equal(v, 7);
		}
}

static void
padding_is_accepted(void **state)
{
	const uint8_t bytes[] = { 0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		0x80, 0x80, 0x80, 0x80, 0x80, 0x00 };
	const uint8_t *p = bytes;
	uint64_t v;

	(void)state;
	assert_int_equal(varint_get(&p, bytes + sizeof(bytes), &v), 1);
	assert_int_equal(v, 5);
	assert_ptr_equal(p, bytes + sizeof(bytes));
}

static void
bits_above_64_are_dropped(void **state)
{
	/* Group 10 holds bit 63 and six bits too many; group 11 only such. */
	const uint8_t bytes[] = { 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		0x80, 0x80, 0xff, 0x7f };
	const uint8_t *p = bytes;
	uint64_t v;

	(void)state;
	assert_int_equal(varint_get(&p, bytes + sizeof(bytes), &v), 1);
	assert_true(v == ((uint64_t)1 << 63 | 1));
}

static void
every_width_comes_back(void **state)
{
	uint8_t buf[VARINT_MAX];
	uint64_t v, got;
	unsigned bit;
	int off;

	(void)state;
	for (bit = 0; bit < 64; bit++)
		for (off = -1; off <= 1; off++) {
			const uint8_t *p = buf, *end;

			v = ((uint64_t)1 << bit) + (uint64_t)(int64_t)off;
			end = varint_put(buf, v);
			assert_int_equal(varint_get(&p, end, &got), 1);
			assert_true(got == v);
			assert_int_equal(end - buf, varint_size(v));
		}
}

static void
differences_have_known_numbers(void **state)
{
	static const struct {
		int64_t difference;
		uint64_t number;
	} of[] = { { 0, 0 }, { -1, 1 }, { 1, 2 }, { -2, 3 },
		{ INT32_MAX, UINT32_MAX - 1 }, { INT32_MIN, UINT32_MAX },
		{ INT64_MAX, UINT64_MAX - 1 }, { INT64_MIN, UINT64_MAX } };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(of); i++) {
		assert_true(zigzag(of[i].difference) == of[i].number);
		assert_true(unzigzag(of[i].number) == of[i].difference);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values_have_known_bytes),
		cmocka_unit_test(known_bytes_have_known_values),
		cmocka_unit_test(decoding_stops_behind_the_varint),
		cmocka_unit_test(cut_varint_leaves_the_place_alone),
		cmocka_unit_test(padding_is_accepted),
		cmocka_unit_test(bits_above_64_are_dropped),
		cmocka_unit_test(every_width_comes_back),
		cmocka_unit_test(differences_have_known_numbers),
	};

	return cmocka_run_group_tests_name("varint", tests, NULL, NULL);
}
