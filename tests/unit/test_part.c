/* Files whose header is written last: patching, temporary files, and part files
 * of writers that work, that failed and that ended. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/output.h"
#include "fault.h"
#include "pipeline/sink.h"

static void
assert_missing(const char *path)
{
	assert_int_equal(access(path, F_OK), -1);
}

static int
make_file(const char *path, const char *text, int flags)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | flags, 0640);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

static struct out *
open_target(struct own_folder *at, struct bob_target to)
{
	struct out *o;

	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	return o;
}

static struct out *
open_part(struct own_folder *at, const char *path, uint32_t flags)
{
	struct bob_target to = { .path = path, .flags = flags };
	struct out *o;

	assert_status(at->ctx, BOB_OK, out_open_part(at->ctx, &to, &o));
	return o;
}

/* --- going back ----------------------------------------------------------- */

/* Overwrites what is written, what is not yet, and both at once. */
static void
write_and_patch(struct out *o)
{
	assert_true(out_can_patch(o));
	assert_int_equal(out_str(o, "0123456789"), BOB_OK);
	assert_int_equal(out_barrier(o, 0), BOB_OK);
	assert_int_equal(out_str(o, "abcdefghij"), BOB_OK);
	assert_int_equal(out_patch(o, 8, "89AB", 4), BOB_OK);
	assert_int_equal(out_patch(o, 0, "__", 2), BOB_OK);
	assert_int_equal(out_patch(o, 18, "++", 2), BOB_OK);
	assert_int_equal(out_patch(o, 10, "", 0), BOB_OK);
	assert_int_equal(out_total(o), 20);
	assert_int_equal(out_str(o, "!"), BOB_OK);
}

#define PATCHED "__23456789ABcdefgh++!"

static void
files_by_name_can_be_patched(void **state)
{
	static const uint32_t flags[] = { 0, BOB_TARGET_LIVE };
	struct own_folder *at = *state;
	size_t i;

	for (i = 0; i < COUNT_OF(flags); i++) {
		struct out *o = open_target(at, (struct bob_target){
		    .path = at->path, .flags = flags[i] });

		write_and_patch(o);
		assert_status(at->ctx, BOB_OK, out_finish(o));
		assert_file(at->path, PATCHED);
	}
}

static void
descriptor_is_patched_from_where_it_stood(void **state)
{
	struct own_folder *at = *state;
	int fd = make_file(at->path, "before:", 0);
	struct out *o = open_target(at, (struct bob_target){ .fd = fd });

	write_and_patch(o);
	assert_int_equal(out_finish(o), BOB_OK);
	assert_file(at->path, "before:" PATCHED);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 7 + strlen(PATCHED));
	(void)close(fd);
}

static void
memory_can_be_patched_until_it_is_taken(void **state)
{
	struct own_folder *at = *state;
	const uint8_t *p;
	struct out *o;
	size_t n;

	assert_status(at->ctx, BOB_OK, out_open_memory(at->ctx, &o));
	write_and_patch(o);
	p = out_memory_take(o, &n);
	assert_int_equal(n, strlen(PATCHED));
	assert_memory_equal(p, PATCHED, n);
	assert_int_equal(out_str(o, "more"), BOB_OK);
	assert_int_equal(out_patch(o, n + 1, "O", 1), BOB_OK);
	assert_int_equal(out_patch(o, 0, "x", 1), BOB_FATAL);
	out_discard(o);
}

struct cabinet {
	char text[64];
	size_t n;
	int fails;
};

static int
cabinet_write(void *user, const void *p, size_t n)
{
	struct cabinet *c = user;

	memcpy(c->text + c->n, p, n);
	c->n += n;
	return 0;
}

static int
cabinet_patch(void *user, uint64_t at, const void *p, size_t n)
{
	struct cabinet *c = user;

	errno = ENOSPC;
	if (c->fails)
		return -1;
	assert_true(at + n <= c->n);
	memcpy(c->text + at, p, n);
	return 0;
}

static void
function_is_patched_by_its_partner(void **state)
{
	struct own_folder *at = *state;
	struct cabinet c = { .n = 0 };
	struct out *o = open_target(at, (struct bob_target){
	    .write = cabinet_write, .patch = cabinet_patch, .user = &c });

	write_and_patch(o);
	assert_int_equal(out_finish(o), BOB_OK);
	assert_memory_equal(c.text, PATCHED, strlen(PATCHED));
	o = open_target(at, (struct bob_target){ .write = cabinet_write,
	    .user = &c });
	assert_false(out_can_patch(o));
	out_discard(o);
}

static void
failed_patch_is_the_end_of_the_output(void **state)
{
	struct own_folder *at = *state;
	struct cabinet c = { .fails = 1 };
	struct out *o = open_target(at, (struct bob_target){
	    .write = cabinet_write, .patch = cabinet_patch, .user = &c });

	assert_int_equal(out_str(o, "one"), BOB_OK);
	assert_int_equal(out_barrier(o, 0), BOB_OK);
	assert_int_equal(out_patch(o, 0, "x", 1), BOB_FATAL);
	assert_int_equal(at->ctx->error.sys, ENOSPC);
	c.fails = 0;
	assert_int_equal(out_patch(o, 0, "x", 1), BOB_FATAL);
	assert_int_equal(out_str(o, "two"), BOB_FATAL);
	assert_int_equal(out_finish(o), BOB_FATAL);
	assert_int_equal(c.n, 3);
	assert_memory_equal(c.text, "one", 3);
}

static void
what_cannot_be_patched_says_so(void **state)
{
	struct own_folder *at = *state;
	int fd = make_file(at->path, "", O_APPEND), p[2];
	struct out *o = open_target(at, (struct bob_target){ .fd = fd });

	assert_false(out_can_patch(o));
	assert_int_equal(out_str(o, "text"), BOB_OK);
	assert_int_equal(out_barrier(o, 0), BOB_OK);
	assert_int_equal(out_patch(o, 0, "x", 1), BOB_FATAL);
	out_discard(o);
	assert_file(at->path, "text");
	(void)close(fd);

	assert_int_equal(pipe(p), 0);
	o = open_target(at, (struct bob_target){ .fd = p[1] });
	assert_false(out_can_patch(o));
	out_discard(o);
	(void)close(p[0]);
	(void)close(p[1]);

	o = open_target(at, (struct bob_target){ .path = "/dev/null" });
	assert_false(out_can_patch(o));
	out_discard(o);
}

static void
temporary_file_is_patched_and_copied(void **state)
{
	struct own_folder *at = *state;
	struct out *temp, *o;
	const uint8_t *p;
	size_t n, i;

	assert_int_equal(setenv("TMPDIR", at->dir, 1), 0);
	assert_status(at->ctx, BOB_OK, out_open_temp(at->ctx, &temp));
	assert_int_equal(unsetenv("TMPDIR"), 0);
	assert_int_equal(own_folder_n_files(at, 0), 0);
	write_and_patch(temp);
	for (i = 0; i < 20000; i++)
		assert_int_equal(out_str(temp, "0123456789"), BOB_OK);
	assert_int_equal(out_patch(temp, 100021, "x", 1), BOB_OK);
	assert_status(at->ctx, BOB_OK, out_open_memory(at->ctx, &o));
	assert_int_equal(out_str(o, "first "), BOB_OK);
	assert_status(at->ctx, BOB_OK, out_copy_to(temp, o));
	out_discard(temp);
	p = out_memory_take(o, &n);
	assert_int_equal(n, 6 + 21 + 200000);
	assert_memory_equal(p, "first " PATCHED, 27);
	for (i = 0; i < 200000; i++)
		assert_int_equal(p[27 + i], i == 100000 ? 'x' : '0' + i % 10);
	out_discard(o);
}

static void
copying_to_a_dead_output_fails(void **state)
{
	struct own_folder *at = *state;
	struct out *temp, *o = open_target(at, (struct bob_target){
	    .path = "/dev/full" });

	assert_status(at->ctx, BOB_OK, out_open_temp(at->ctx, &temp));
	assert_int_equal(out_str(temp, "text"), BOB_OK);
	assert_status(at->ctx, BOB_OK, out_copy_to(temp, o));
	assert_int_equal(out_barrier(o, 0), BOB_FATAL);
	assert_int_equal(out_copy_to(temp, o), BOB_FATAL);
	assert_int_equal(at->ctx->error.sys, ENOSPC);
	out_discard(temp);
	out_discard(o);
}

/* --- part files ----------------------------------------------------------- */

static void
part_file_gets_its_name_at_the_end(void **state)
{
	struct own_folder *at = *state;
	struct stat st;
	struct out *o;

	(void)close(make_file(at->path, "old", 0));
	assert_int_equal(chmod(at->path, 0604), 0);
	o = open_part(at, at->path, BOB_TARGET_LIVE);
	assert_true(out_is_live(o));
	write_and_patch(o);
	assert_int_equal(out_barrier(o, 1), BOB_OK);
	assert_file(at->part, PATCHED);
	assert_file(at->path, "old");
	assert_status(at->ctx, BOB_OK, out_finish(o));
	assert_file(at->path, PATCHED);
	assert_int_equal(stat(at->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0604);
	assert_int_equal(own_folder_n_files(at, 0), 1);
}

static void
part_file_in_the_current_folder(void **state)
{
	struct own_folder *at = *state;
	int here = open(".", O_RDONLY);
	struct out *o;

	assert_true(here >= 0);
	assert_int_equal(chdir(at->dir), 0);
	o = open_part(at, "out", BOB_TARGET_LIVE);
	assert_int_equal(out_str(o, "text"), BOB_OK);
	assert_status(at->ctx, BOB_OK, out_finish(o));
	assert_int_equal(fchdir(here), 0);
	(void)close(here);
	assert_file(at->path, "text");
	assert_int_equal(own_folder_n_files(at, 0), 1);
}

static void
discarded_part_file_is_kept_with_all_that_was_committed(void **state)
{
	struct own_folder *at = *state;
	struct out *o, *side;

	(void)close(make_file(at->path, "old", 0));
	o = open_part(at, at->path, BOB_TARGET_LIVE);
	assert_status(at->ctx, BOB_OK, out_open_side(o, ".defs", &side));
	assert_int_equal(out_str(side, "names"), BOB_OK);
	assert_int_equal(out_barrier(side, 0), BOB_OK);
	assert_int_equal(out_str(o, "text"), BOB_OK);
	out_discard(side);
	out_discard(o);
	assert_file(at->path, "old");
	assert_file(at->part, "text");
	assert_file(at->defs, "names");
}

static void
part_file_without_anything_is_removed(void **state)
{
	struct own_folder *at = *state;
	struct out *o = open_part(at, at->path, BOB_TARGET_LIVE);

	assert_int_equal(access(at->part, F_OK), 0);
	out_discard(o);
	assert_int_equal(own_folder_n_files(at, 0), 0);
	o = open_part(at, at->path, BOB_TARGET_LIVE);
	assert_int_equal(out_str(o, "worthless"), BOB_OK);
	out_remove(o);
	assert_int_equal(own_folder_n_files(at, 0), 0);
}

static void
part_file_that_exists_is_left_alone(void **state)
{
	struct own_folder *at = *state;
	struct bob_target to = { .path = at->path,
		.flags = BOB_TARGET_LIVE };
	struct out *o = NULL;

	(void)close(make_file(at->part, "left", 0));
	assert_int_equal(out_open_part(at->ctx, &to, &o), BOB_FAILED);
	assert_null(o);
	assert_int_equal(at->ctx->error.sys, EEXIST);
	assert_non_null(strstr(at->ctx->error.text, at->part));
	assert_non_null(strstr(at->ctx->error.text, "bobbin recover"));
	assert_non_null(strstr(at->ctx->error.text, "remove"));
	assert_file(at->part, "left");
	assert_int_equal(own_folder_n_files(at, 0), 1);
}

static void
two_writers_do_not_share_a_part_file(void **state)
{
	struct own_folder *at = *state;
	struct bob_target to = { .path = at->path,
		.flags = BOB_TARGET_LIVE };
	struct out *a = open_part(at, at->path, BOB_TARGET_LIVE), *b = NULL;

	assert_int_equal(out_open_part(at->ctx, &to, &b), BOB_FAILED);
	assert_int_equal(out_str(a, "mine"), BOB_OK);
	assert_status(at->ctx, BOB_OK, out_finish(a));
	assert_file(at->path, "mine");
}

static void
part_file_stands_beside_what_a_link_leads_to(void **state)
{
	struct own_folder *at = *state;
	char link[160];
	struct stat st;
	struct out *o;

	(void)snprintf(link, sizeof(link), "%s/link", at->dir);
	(void)close(make_file(at->path, "old", 0));
	assert_int_equal(symlink("out", link), 0);
	o = open_part(at, link, BOB_TARGET_LIVE);
	assert_int_equal(out_str(o, "new"), BOB_OK);
	assert_int_equal(access(at->part, F_OK), 0);
	assert_status(at->ctx, BOB_OK, out_finish(o));
	assert_file(at->path, "new");
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(own_folder_n_files(at, 0), 2);
}

static void
only_live_files_are_part_files(void **state)
{
	struct own_folder *at = *state;
	struct out *o = open_part(at, at->path, 0);

	assert_false(out_is_live(o));
	assert_missing(at->part);
	assert_int_equal(out_str(o, "text"), BOB_OK);
	out_discard(o);
	assert_int_equal(own_folder_n_files(at, 0), 0);
	o = open_part(at, "/dev/null", BOB_TARGET_LIVE);
	assert_false(out_is_live(o));
	assert_int_equal(out_finish(o), BOB_OK);
}

static void
part_file_that_cannot_be_named_is_kept(void **state)
{
	struct own_folder *at = *state;
	struct out *o = open_part(at, at->path, BOB_TARGET_LIVE);

	assert_int_equal(out_str(o, "text"), BOB_OK);
	assert_int_equal(mkdir(at->path, 0700), 0);
	assert_int_equal(out_finish(o), BOB_FATAL);
	assert_non_null(strstr(at->ctx->error.text, at->part));
	assert_int_equal(rmdir(at->path), 0);
	assert_file(at->part, "text");
}

static int
part_and_side(void *user)
{
	struct own_folder *at = user;
	struct bob_target to = { .path = at->path,
		.flags = BOB_TARGET_LIVE };
	struct out *o = NULL, *side = NULL;
	int r = out_open_part(at->ctx, &to, &o);

	if (r == BOB_OK)
		r = out_open_side(o, ".defs", &side);
	if (r < 0) {
		assert_int_equal(at->ctx->error.code, BOB_E_NOMEM);
		out_discard(o);
		assert_int_equal(own_folder_n_files(at, 0), 0);
		return r;
	}
	out_remove(side);
	return out_finish(o);
}

static int
temp_file(void *user)
{
	struct own_folder *at = user;
	struct out *o;
	int r = out_open_temp(at->ctx, &o);

	if (r < 0)
		assert_int_equal(at->ctx->error.code, BOB_E_NOMEM);
	else
		out_discard(o);
	return r;
}

static void
no_memory_is_reported_and_leaves_no_part_file(void **state)
{
	fault_each(part_and_side, *state);
	fault_each(temp_file, *state);
}

/* --- sinks ---------------------------------------------------------------- */

static int
head_open(struct sink *sink)
{
	if (format_sink_option(sink, "refuse") != NULL)
		return err_nomem(sink->ctx);
	return out_str(sink->out, "????");
}

static int
head_finish(struct sink *sink)
{
	return out_patch(sink->out, 0, "HEAD", 4);
}

static const struct bob_option_info head_options[] = {
	{ .key = "refuse" },
	{ 0 },
};

static const struct sink_ops head_sink = {
	.state_size = 1,
	.head_is_last = 1,
	.open = head_open,
	.finish = head_finish,
};

static const struct format head_format = {
	.info = { .name = "head", .options = head_options },
	.sink = &head_sink,
};

static struct sink *
open_sink(struct own_folder *at)
{
	struct bob_target to = { .path = at->path,
		.flags = BOB_TARGET_LIVE };
	struct sink_spec spec = { .target = &to };
	struct sink *sink;

	assert_status(at->ctx, BOB_OK, sink_create(at->ctx, &head_format,
	    &spec, &sink));
	return sink;
}

static void
sink_whose_head_is_last_has_a_part_file(void **state)
{
	struct own_folder *at = *state;
	struct sink *sink = open_sink(at);

	assert_int_equal(sink_barrier(sink, 0), BOB_OK);
	assert_file(at->part, "????");
	assert_missing(at->path);
	assert_status(at->ctx, BOB_OK, sink_finish(sink, NULL));
	assert_file(at->path, "HEAD");
	assert_missing(at->part);
	sink = open_sink(at);
	sink_discard(sink);
	assert_file(at->path, "HEAD");
	assert_file(at->part, "????");
}

static void
sink_that_refuses_leaves_no_part_file(void **state)
{
	static const struct bob_option refuse = { .key = "refuse" };
	struct own_folder *at = *state;
	struct bob_target to = { .path = at->path,
		.flags = BOB_TARGET_LIVE };
	struct sink_spec spec = { .target = &to, .options = &refuse,
		.n_options = 1 };
	struct sink *sink;

	assert_int_equal(sink_create(at->ctx, &head_format, &spec, &sink),
	    BOB_FAILED);
	assert_int_equal(own_folder_n_files(at, 0), 0);
}

static int
hand_over(void *user, uint64_t index, struct bob_target *ret)
{
	struct own_folder *at = user;

	(void)index;
	ret->path = at->path;
	ret->flags = BOB_TARGET_LIVE;
	return 0;
}

static void
next_output_is_a_part_file_too(void **state)
{
	struct own_folder *at = *state;
	struct sink sink = { .ops = &head_sink, .ctx = at->ctx,
		.next_output = hand_over, .next_user = at };

	assert_status(at->ctx, BOB_OK, format_next_output(&sink, 0));
	assert_int_equal(out_str(sink.out, "text"), BOB_OK);
	assert_int_equal(access(at->part, F_OK), 0);
	assert_status(at->ctx, BOB_OK, out_finish(sink.out));
	assert_file(at->path, "text");
}

#define TEST(name)                                                       \
	cmocka_unit_test_setup_teardown(name, own_folder_setup,          \
	    own_folder_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_by_name_can_be_patched),
		TEST(descriptor_is_patched_from_where_it_stood),
		TEST(memory_can_be_patched_until_it_is_taken),
		TEST(function_is_patched_by_its_partner),
		TEST(failed_patch_is_the_end_of_the_output),
		TEST(what_cannot_be_patched_says_so),
		TEST(temporary_file_is_patched_and_copied),
		TEST(copying_to_a_dead_output_fails),
		TEST(part_file_gets_its_name_at_the_end),
		TEST(part_file_in_the_current_folder),
		TEST(discarded_part_file_is_kept_with_all_that_was_committed),
		TEST(part_file_without_anything_is_removed),
		TEST(part_file_that_exists_is_left_alone),
		TEST(two_writers_do_not_share_a_part_file),
		TEST(part_file_stands_beside_what_a_link_leads_to),
		TEST(only_live_files_are_part_files),
		TEST(part_file_that_cannot_be_named_is_kept),
		TEST(no_memory_is_reported_and_leaves_no_part_file),
		TEST(sink_whose_head_is_last_has_a_part_file),
		TEST(sink_that_refuses_leaves_no_part_file),
		TEST(next_output_is_a_part_file_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
