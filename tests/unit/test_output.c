/* Outputs: when bytes reach the system, under which name, and what happens if
 * writing fails. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/output.h"
#include "core/pack.h"
#include "fault.h"

static void
make_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	(void)close(fd);
}

static struct out *
open_path(struct own_folder *at, const char *path, uint32_t flags)
{
	struct bob_target to = { .path = path, .flags = flags };
	struct out *o;

	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	return o;
}

/* A function that remembers what it was given, call by call. */
struct sieve {
	uint8_t *p;
	size_t n, cap;
	size_t end[64]; /* where each call ended */
	unsigned n_calls;
	int fails_at; /* number of the call that fails; -1: none */
};

static int
sieve_write(void *user, const void *p, size_t n)
{
	struct sieve *s = user;

	if ((int)s->n_calls == s->fails_at) {
		errno = ENOSPC;
		return -1;
	}
	assert_true(s->n_calls < 64);
	assert_true(s->n + n <= s->cap);
	memcpy(s->p + s->n, p, n);
	s->n += n;
	s->end[s->n_calls++] = s->n;
	return 0;
}

static void
writes_are_large_and_end_where_commits_end(void **state)
{
	struct own_folder *at = *state;
	static uint8_t room[1 << 20], is_border[(1 << 20) + 1];
	struct sieve s = { .p = room, .cap = sizeof(room), .fails_at = -1 };
	struct bob_target to = { .write = sieve_write, .user = &s };
	uint32_t x = 1;
	size_t total = 0;
	struct out *o;
	unsigned i;

	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	while (total < 900000) {
		size_t n = (x = x * 1103515245 + 12345) >> 16 & 2047;
		uint8_t *p = out_reserve(o, n + 100);

		assert_non_null(p);
		memset(p, (int)(total & 0xff), n);
		assert_int_equal(out_commit(o, n), BOB_OK);
		total += n;
		is_border[total] = 1;
		assert_int_equal(out_total(o), total);
	}
	assert_int_equal(out_finish(o), BOB_OK);
	assert_int_equal(s.n, total);
	assert_true(s.n_calls <= total / OUT_CHUNK + 1);
	for (i = 0; i < s.n_calls; i++)
		assert_true(is_border[s.end[i]]);
}

static void
barrier_hands_over_what_was_committed_and_no_more(void **state)
{
	struct own_folder *at = *state;
	uint8_t room[64];
	struct sieve s = { .p = room, .cap = sizeof(room), .fails_at = -1 };
	struct bob_target to = { .write = sieve_write, .user = &s };
	struct out *o;

	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	assert_int_equal(out_str(o, "whole"), BOB_OK);
	memcpy(out_reserve(o, 4), "half", 4);
	assert_int_equal(s.n_calls, 0);
	assert_int_equal(out_barrier(o, 0), BOB_OK);
	assert_int_equal(s.n, 5);
	assert_int_equal(out_barrier(o, 1), BOB_OK);
	assert_int_equal(s.n_calls, 1);
	memcpy(out_reserve(o, 4), "half", 4);
	assert_int_equal(out_finish(o), BOB_OK);
	assert_int_equal(s.n, 5);
	assert_memory_equal(room, "whole", 5);
}

static void
failed_write_is_the_end_of_the_output(void **state)
{
	struct own_folder *at = *state;
	uint8_t room[64];
	struct sieve s = { .p = room, .cap = sizeof(room), .fails_at = 1 };
	struct bob_target to = { .write = sieve_write, .user = &s };
	struct out *o;
	int i;

	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	assert_int_equal(out_str(o, "one"), BOB_OK);
	assert_int_equal(out_barrier(o, 0), BOB_OK);
	assert_int_equal(out_str(o, "two"), BOB_OK);
	for (i = 0; i < 3; i++) {
		assert_int_equal(out_barrier(o, 0), BOB_FATAL);
		assert_int_equal(bob_ctx_error(at->ctx)->sys, ENOSPC);
		s.fails_at = -1;
		assert_null(out_reserve(o, 1));
		assert_int_equal(out_str(o, ""), BOB_FATAL);
		assert_int_equal(out_str(o, "three"), BOB_FATAL);
	}
	assert_int_equal(out_finish(o), BOB_FATAL);
	assert_int_equal(s.n, 3);
}

static void
file_gets_its_name_when_it_is_whole(void **state)
{
	struct own_folder *at = *state;
	struct out *o;
	struct stat st;

	make_file(at->path, "old", 0640);
	o = open_path(at, at->path, 0);
	assert_int_equal(out_str(o, "new"), BOB_OK);
	assert_int_equal(out_barrier(o, 1), BOB_OK);
	assert_file(at->path, "old");
	assert_int_equal(out_finish(o), BOB_OK);
	assert_file(at->path, "new");
	assert_int_equal(own_folder_n_files(at, 0), 1);
	assert_int_equal(stat(at->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

static void
discarded_file_leaves_nothing_but_the_old_one(void **state)
{
	struct own_folder *at = *state;
	struct out *o;

	make_file(at->path, "old", 0600);
	o = open_path(at, at->path, 0);
	assert_int_equal(out_str(o, "new"), BOB_OK);
	assert_int_equal(out_barrier(o, 0), BOB_OK);
	assert_int_equal(own_folder_n_files(at, 0), 2);
	out_discard(o);
	assert_int_equal(own_folder_n_files(at, 0), 1);
	assert_file(at->path, "old");
}

static void
new_file_obeys_the_umask(void **state)
{
	struct own_folder *at = *state;
	mode_t old = umask(027);
	struct stat st;

	assert_int_equal(out_finish(open_path(at, at->path, 0)), BOB_OK);
	(void)umask(old);
	assert_int_equal(stat(at->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

static void
live_file_is_written_in_place(void **state)
{
	struct own_folder *at = *state;
	struct out *o;

	make_file(at->path, "something old", 0600);
	o = open_path(at, at->path, BOB_TARGET_LIVE);
	assert_true(out_is_live(o));
	assert_int_equal(out_str(o, "new"), BOB_OK);
	assert_int_equal(out_barrier(o, 0), BOB_OK);
	assert_file(at->path, "new");
	out_discard(o);
	assert_file(at->path, "new");
	assert_int_equal(own_folder_n_files(at, 0), 1);
}

static void
link_stays_a_link(void **state)
{
	struct own_folder *at = *state;
	char link[160];
	struct stat st;
	struct out *o;

	(void)snprintf(link, sizeof(link), "%s/link", at->dir);
	make_file(at->path, "old", 0600);
	assert_int_equal(symlink("out", link), 0);
	o = open_path(at, link, 0);
	assert_int_equal(out_str(o, "new"), BOB_OK);
	assert_int_equal(out_finish(o), BOB_OK);
	assert_file(at->path, "new");
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void
device_is_written_directly(void **state)
{
	struct own_folder *at = *state;
	struct out *o = open_path(at, "/dev/null", 0);
	struct stat st;

	assert_false(out_is_live(o));
	assert_int_equal(out_str(o, "gone"), BOB_OK);
	assert_int_equal(out_barrier(o, 1), BOB_OK);
	assert_int_equal(out_finish(o), BOB_OK);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void
full_disk_is_an_error_that_names_the_file(void **state)
{
	struct own_folder *at = *state;
	struct out *o = open_path(at, "/dev/full", 0);

	assert_int_equal(out_str(o, "x"), BOB_OK);
	assert_int_equal(out_finish(o), BOB_FATAL);
	assert_int_equal(bob_ctx_error(at->ctx)->sys, ENOSPC);
	assert_non_null(strstr(bob_ctx_error(at->ctx)->text, "/dev/full"));
}

static void
missing_folder_is_an_error_that_names_the_path(void **state)
{
	struct own_folder *at = *state;
	struct bob_target to = { .path = "/tmp/no/such/folder/out" };
	struct out *o = NULL;

	assert_int_equal(out_open(at->ctx, &to, &o), BOB_FAILED);
	to.flags = BOB_TARGET_LIVE;
	assert_int_equal(out_open(at->ctx, &to, &o), BOB_FAILED);
	assert_null(o);
	assert_int_equal(bob_ctx_error(at->ctx)->sys, ENOENT);
	assert_non_null(strstr(bob_ctx_error(at->ctx)->text, to.path));
}

static void
fifo_is_written_directly(void **state)
{
	struct own_folder *at = *state;
	struct out *o;
	char buf[8];
	int fd;

	assert_int_equal(mkfifo(at->path, 0600), 0);
	fd = open(at->path, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	o = open_path(at, at->path, 0);
	assert_int_equal(out_str(o, "hello"), BOB_OK);
	assert_int_equal(out_finish(o), BOB_OK);
	assert_int_equal(read(fd, buf, sizeof(buf)), 5);
	(void)close(fd);
}

static void
descriptor_is_closed_only_on_request(void **state)
{
	struct own_folder *at = *state;
	struct bob_target to = { 0 };
	struct out *o;
	int p[2];

	assert_int_equal(pipe(p), 0);
	to.fd = p[1];
	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	assert_int_equal(out_finish(o), BOB_OK);
	assert_true(fcntl(p[1], F_GETFD) >= 0);
	to.flags = BOB_TARGET_CLOSE;
	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	assert_int_equal(out_barrier(o, 1), BOB_OK);
	assert_int_equal(out_finish(o), BOB_OK);
	assert_int_equal(fcntl(p[1], F_GETFD), -1);
	(void)close(p[0]);
}

/* Reads a pipe slowly and says by its exit status whether all n bytes came,
 * each the low byte of its place. */
static pid_t
slow_reader(const int *p, size_t n)
{
	uint8_t buf[3000];
	size_t seen = 0;
	pid_t pid = fork();
	ssize_t k, i;

	if (pid != 0)
		return pid;
	(void)close(p[1]);
	while ((k = read(p[0], buf, sizeof(buf))) > 0)
		for (i = 0; i < k; i++)
			if (buf[i] != (uint8_t)seen++)
				_exit(1);
	_exit(seen == n ? 0 : 2);
}

static void
descriptor_that_does_not_block_gets_everything(void **state)
{
	struct own_folder *at = *state;
	struct bob_target to = { .flags = BOB_TARGET_CLOSE };
	size_t n = 1 << 20, i;
	int p[2], status;
	struct out *o;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	assert_int_equal(fcntl(p[1], F_SETFL, O_NONBLOCK), 0);
	pid = slow_reader(p, n);
	assert_true(pid > 0);
	to.fd = p[1];
	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	for (i = 0; i < n; i++) {
		uint8_t b = (uint8_t)i;

		assert_int_equal(out_bytes(o, &b, 1), BOB_OK);
	}
	assert_status(at->ctx, BOB_OK, out_finish(o));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	(void)close(p[0]);
}

/* What a signal handler would be told. */
struct told {
	int dir_fd;
	char name[256]; /* "": nothing is unfinished */
	unsigned n_calls;
	int was_there; /* the file was there before it was told */
};

static void
be_told(void *user, int dir_fd, const char *name)
{
	struct told *t = user;

	t->n_calls++;
	t->dir_fd = dir_fd;
	(void)snprintf(t->name, sizeof(t->name), "%s",
	    name != NULL ? name : "");
	if (name != NULL)
		t->was_there |= faccessat(dir_fd, name, F_OK, 0) == 0;
}

static void
owner_knows_what_a_signal_would_leave_behind(void **state)
{
	struct own_folder *at = *state;
	struct told t = { 0 };
	struct bob_target to = { .path = at->path, .user = &t,
		.unfinished = be_told };
	struct out *o;
	int keep;

	for (keep = 0; keep < 2; keep++) {
		t = (struct told){ 0 };
		assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
		assert_int_equal(t.n_calls, 1);
		assert_false(t.was_there);
		assert_int_equal(faccessat(t.dir_fd, t.name, F_OK, 0), 0);
		assert_int_equal(out_str(o, "new"), BOB_OK);
		if (keep)
			assert_status(at->ctx, BOB_OK, out_finish(o));
		else
			out_discard(o);
		assert_int_equal(t.n_calls, 2);
		assert_string_equal(t.name, "");
		assert_int_equal(own_folder_n_files(at, 0), keep);
	}
	assert_file(at->path, "new");
}

static void
nothing_is_told_of_what_stays_or_never_was(void **state)
{
	struct own_folder *at = *state;
	struct told t = { 0 };
	struct bob_target to = { .path = at->path, .user = &t,
		.flags = BOB_TARGET_LIVE, .unfinished = be_told };
	struct out *o;

	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	out_discard(o);
	assert_status(at->ctx, BOB_OK, out_open_part(at->ctx, &to, &o));
	out_discard(o);
	to.path = "/dev/null";
	to.flags = 0;
	assert_status(at->ctx, BOB_OK, out_open(at->ctx, &to, &o));
	out_discard(o);
	assert_int_equal(t.n_calls, 0);
	to.path = "/proc/none";
	assert_int_equal(out_open(at->ctx, &to, &o), BOB_FAILED);
	assert_string_equal(t.name, "");
	assert_int_equal(at->ctx->error.side, BOB_SIDE_OUTPUT);
}

static void
bytes_become_a_file_when_they_are_whole(void **state)
{
	struct own_folder *at = *state;
	struct bob_target to = { .path = at->path };
	struct bob_out *o;

	make_file(at->path, "old", 0600);
	assert_status(at->ctx, BOB_OK, bob_out_open(at->ctx, &to, &o));
	assert_status(at->ctx, BOB_OK, bob_out_put(o, "new", 3));
	assert_file(at->path, "old");
	bob_out_discard(o);
	assert_file(at->path, "old");
	assert_status(at->ctx, BOB_OK, bob_out_open(at->ctx, &to, &o));
	assert_status(at->ctx, BOB_OK, bob_out_put(o, "new", 3));
	assert_status(at->ctx, BOB_OK, bob_out_finish(o));
	assert_file(at->path, "new");
	assert_int_equal(own_folder_n_files(at, 0), 1);
	bob_out_discard(NULL);
}

static void
dash_is_standard_output(void **state)
{
	struct own_folder *at = *state;
	int keep = dup(STDOUT_FILENO), fd;
	struct out *o;
	int r;

	assert_int_equal(fflush(stdout), 0);
	fd = open(at->path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	o = open_path(at, "-", BOB_TARGET_CLOSE);
	r = out_str(o, "said");
	r = r < 0 ? r : out_finish(o);
	assert_int_equal(dup2(keep, STDOUT_FILENO), STDOUT_FILENO);
	assert_int_equal(r, BOB_OK);
	assert_file(at->path, "said");
	(void)close(fd);
	(void)close(keep);
}

static void
memory_gives_what_came_since_the_last_time(void **state)
{
	struct own_folder *at = *state;
	const uint8_t *p;
	struct out *o;
	size_t n, i;

	assert_status(at->ctx, BOB_OK, out_open_memory(at->ctx, &o));
	for (i = 0; i < 100000; i++)
		assert_int_equal(out_str(o, "0123456789"), BOB_OK);
	assert_int_equal(out_barrier(o, 1), BOB_OK);
	p = out_memory_take(o, &n);
	assert_int_equal(n, 1000000);
	assert_memory_equal(p + n - 10, "0123456789", 10);
	assert_int_equal(out_str(o, "more"), BOB_OK);
	assert_int_equal(out_total(o), 1000004);
	p = out_memory_take(o, &n);
	assert_int_equal(n, 4);
	assert_memory_equal(p, "more", 4);
	assert_int_equal(out_finish(o), BOB_OK);
}

static void
side_file_can_be_read_back_emptied_and_removed(void **state)
{
	struct own_folder *at = *state;
	struct out *o = open_path(at, at->path, BOB_TARGET_LIVE), *side;
	char name[160], buf[4];

	(void)snprintf(name, sizeof(name), "%s.live", at->path);
	assert_status(at->ctx, BOB_OK, out_open_side(o, ".live", &side));
	assert_int_equal(out_str(side, "abcdef"), BOB_OK);
	assert_int_equal(out_barrier(side, 0), BOB_OK);
	assert_int_equal(out_read_back(side, 2, buf, 3), BOB_OK);
	assert_memory_equal(buf, "cde", 3);
	assert_int_equal(out_read_back(side, 4, buf, 3), BOB_FATAL);
	assert_int_equal(out_restart(side), BOB_OK);
	assert_int_equal(out_str(side, "x"), BOB_OK);
	assert_int_equal(out_barrier(side, 0), BOB_OK);
	assert_file(name, "x");
	out_remove(side);
	assert_int_equal(out_finish(o), BOB_OK);
	assert_int_equal(own_folder_n_files(at, 0), 1);
}

static void
member_is_one_gzip_file(void **state)
{
	struct own_folder *at = *state;
	struct pack *pack = pack_new(at->ctx);
	const uint8_t *p;
	struct out *o;
	size_t n;

	assert_non_null(pack);
	assert_status(at->ctx, BOB_OK, out_open_memory(at->ctx, &o));
	assert_int_equal(pack_member(pack, "hello", 5, o), BOB_OK);
	p = out_memory_take(o, &n);
	assert_true(n > 18);
	assert_memory_equal(p, "\x1f\x8b\x08", 3);
	assert_memory_equal(p + n - 4, "\5\0\0\0", 4);
	out_discard(o);
	pack_free(pack);
}

static int
open_and_write(void *user)
{
	struct own_folder *at = user;
	struct bob_target to = { .path = at->path };
	struct out *o = NULL;
	int r = out_open(at->ctx, &to, &o);
	static const char big[300000];

	if (r < 0) {
		assert_null(o);
		assert_int_equal(bob_ctx_error(at->ctx)->code, BOB_E_NOMEM);
		return r;
	}
	r = out_bytes(o, big, sizeof(big));
	if (r < 0) {
		out_discard(o);
		assert_int_equal(own_folder_n_files(at, 0), 0);
		return r;
	}
	return out_finish(o);
}

static void
no_memory_is_reported_and_leaves_no_file(void **state)
{
	fault_each(open_and_write, *state);
}

#define TEST(name)                                                       \
	cmocka_unit_test_setup_teardown(name, own_folder_setup,          \
	    own_folder_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(writes_are_large_and_end_where_commits_end),
		TEST(barrier_hands_over_what_was_committed_and_no_more),
		TEST(failed_write_is_the_end_of_the_output),
		TEST(file_gets_its_name_when_it_is_whole),
		TEST(discarded_file_leaves_nothing_but_the_old_one),
		TEST(new_file_obeys_the_umask),
		TEST(live_file_is_written_in_place),
		TEST(link_stays_a_link),
		TEST(device_is_written_directly),
		TEST(full_disk_is_an_error_that_names_the_file),
		TEST(missing_folder_is_an_error_that_names_the_path),
		TEST(fifo_is_written_directly),
		TEST(descriptor_is_closed_only_on_request),
		TEST(descriptor_that_does_not_block_gets_everything),
		TEST(owner_knows_what_a_signal_would_leave_behind),
		TEST(nothing_is_told_of_what_stays_or_never_was),
		TEST(bytes_become_a_file_when_they_are_whole),
		TEST(dash_is_standard_output),
		TEST(memory_gives_what_came_since_the_last_time),
		TEST(side_file_can_be_read_back_emptied_and_removed),
		TEST(member_is_one_gzip_file),
		TEST(no_memory_is_reported_and_leaves_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
