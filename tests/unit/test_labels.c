/* Descriptions of processes from metadata. */
#include "support.h"

#include "model/labels.h"

static struct bob_bytes
bytes(const char *s)
{
	return (struct bob_bytes){ s, strlen(s) };
}

static int
take(struct labels *l, const char *key, const char *value)
{
	return labels_take(l, bytes(key), bytes(value));
}

static void
assert_text(struct labels *l, uint64_t pid, int is_named, const char *want)
{
	struct bob_track t = { .pid = pid,
		.flags = is_named ? BOB_TRACK_PID : 0 };
	const struct label *label = labels_of(l, &t);
	struct bob_bytes got = { "", 0 };

	if (want == NULL) {
		assert_null(label);
		return;
	}
	assert_non_null(label);
	assert_int_equal(labels_text(l, label, &got), BOB_OK);
	assert_int_equal(got.n, strlen(want));
	assert_memory_equal(got.p, want, got.n);
}

static void
text_has_what_is_known(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct labels l;

	(void)state;
	labels_init(&l, ctx, 1);
	assert_text(&l, 7, 1, NULL);
	assert_int_equal(take(&l, "process.7.parent", "6"), 1);
	assert_text(&l, 7, 1, "child of 6");
	assert_int_equal(take(&l, "process.7.version", "8.2"), 1);
	assert_text(&l, 7, 1, "version 8.2, child of 6");
	assert_int_equal(take(&l, "process.7.runtime", "php"), 1);
	assert_text(&l, 7, 1, "php 8.2, child of 6");
	assert_int_equal(take(&l, "process.7.command", "php-fpm: pool"), 1);
	assert_text(&l, 7, 1, "php-fpm: pool (php 8.2, child of 6)");
	assert_int_equal(take(&l, "process.8.command", "sh"), 1);
	assert_text(&l, 8, 1, "sh");
	assert_int_equal(take(&l, "process.7.parent", ""), 1);
	assert_text(&l, 7, 1, "php-fpm: pool (php 8.2)");
	labels_done(&l);
	bob_ctx_free(ctx);
}

static void
other_metadata_is_left_alone(void **state)
{
	static const char *const other[] = { "process", "process.",
		"process.7", "process.7.", "process.7.name", "process..command",
		"process.x.command", "process.7.commands", "process.7command",
		"process.18446744073709551616.command", "xprocess.7.command" };
	struct bob_ctx *ctx = bob_ctx_new();
	struct labels l;
	size_t i;

	(void)state;
	labels_init(&l, ctx, 1);
	for (i = 0; i < COUNT_OF(other); i++)
		assert_int_equal(take(&l, other[i], "x"), 0);
	assert_text(&l, 7, 1, NULL);
	labels_done(&l);
	bob_ctx_free(ctx);
}

/* Samples without a pid are those of the one that metadata names. */
static void
pid_of_a_file_names_its_samples(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct labels l;

	(void)state;
	labels_init(&l, ctx, 1);
	(void)take(&l, "process.7.command", "a");
	assert_text(&l, 0, 0, NULL);
	assert_int_equal(take(&l, "pid", "7"), 0);
	assert_text(&l, 0, 0, "a");
	(void)take(&l, "pid", "7");
	assert_text(&l, 0, 0, "a");
	(void)take(&l, "pid", "8");
	assert_text(&l, 0, 0, NULL);
	assert_text(&l, 7, 1, "a");
	labels_done(&l);
	bob_ctx_free(ctx);
}

static void
long_command_is_cut_between_characters(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	char command[400], want[128];
	struct labels l;
	size_t i;

	(void)state;
	/* 119 bytes, and then characters of two. */
	memset(command, 'a', sizeof(command));
	for (i = 119; i + 2 < sizeof(command); i += 2)
		memcpy(command + i, "\xc3\xa9", 2);
	command[i] = '\0';
	memset(want, 'a', 119);
	memcpy(want + 119, "...", 4);
	labels_init(&l, ctx, 1);
	(void)take(&l, "process.7.command", command);
	assert_text(&l, 7, 1, want);
	labels_done(&l);
	bob_ctx_free(ctx);
}

static void
labels_of_two_parts_are_joined(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct labels a, b;
	char key[64];
	int i;

	(void)state;
	labels_init(&a, ctx, 1);
	labels_init(&b, ctx, 2);
	for (i = 0; i < 1000; i++) {
		(void)snprintf(key, sizeof(key), "process.%d.runtime", i);
		assert_int_equal(take(i % 2 ? &a : &b, key, key), 1);
	}
	(void)take(&a, "process.3.command", "old");
	(void)take(&b, "process.3.command", "new");
	(void)take(&b, "pid", "3");
	assert_int_equal(labels_join(&a, &b), BOB_OK);
	labels_done(&b);
	assert_text(&a, 3, 1, "new (process.3.runtime)");
	assert_text(&a, 0, 0, "new (process.3.runtime)");
	assert_text(&a, 998, 1, "process.998.runtime");
	assert_text(&a, 1000, 1, NULL);
	labels_done(&a);
	bob_ctx_free(ctx);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_what_is_known),
		cmocka_unit_test(other_metadata_is_left_alone),
		cmocka_unit_test(pid_of_a_file_names_its_samples),
		cmocka_unit_test(long_command_is_cut_between_characters),
		cmocka_unit_test(labels_of_two_parts_are_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
